/// @file measure/measure.h
/// Numbers about one deformed shape, and about the difference between two. Background:
/// docs/methods/measure.md. Everything is computed in double and in a fixed order, so that the same
/// input gives the same bits. Shapes in double measure what was computed before it was narrowed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "flexor/core/export.h"
#include "flexor/core/result.h"
#include "flexor/math/vec.h"

namespace flexor::measure {

/// The smallest distance from an axis through the origin over the points whose coordinate along the
/// axis lies within `tolerance` of `along` (both ends included): the candy-wrapper measure of seed
/// 001. A point that is not finite lies on no ring.
/// Units   metres · axis any length, not zero
/// Empty   nothing on the ring, or an axis without direction: no value
FLEXOR_API std::optional<double> RingRadius(std::span<const Vec3f> positions, Vec3d axis,
                                            double along, double tolerance = 0.25);

/// The same over a given list of vertices, so that the ring found at rest is followed after the
/// deformation. NaN when one of them is not finite: a broken ring must not pass for a narrow one.
/// Shapes  positions (V) · vertices, every index < V
/// Empty   no vertices, an index >= V, or an axis without direction: no value
FLEXOR_API std::optional<double> RingRadiusOf(std::span<const Vec3f> positions,
                                              std::span<const std::uint32_t> vertices, Vec3d axis);
FLEXOR_API std::optional<double> RingRadiusOf(std::span<const Vec3d> positions,
                                              std::span<const std::uint32_t> vertices, Vec3d axis);

/// The vertices of the ring at rest, ascending; those that RingRadius looks at.
FLEXOR_API std::vector<std::uint32_t> RingVertices(std::span<const Vec3f> rest, Vec3d axis,
                                                   double along, double tolerance = 0.25);
FLEXOR_API std::vector<std::uint32_t> RingVertices(std::span<const Vec3d> rest, Vec3d axis,
                                                   double along, double tolerance = 0.25);

/// Smallest, arithmetic mean and largest of a set of ratios; all 0 when there are none.
struct Range {
  double min = 0, mean = 0, max = 0;
  std::size_t count = 0;  ///< how many ratios; those with a rest length of zero are left out
};

/// Deformed over rest length of every triangle edge, listed per triangle: an edge that two
/// triangles share counts twice.
/// Shapes  rest, deformed (V) · triangles (3T), every index < V
/// Errors  kShapeMismatch · kIndexOutOfRange · kInvalidValue (a vertex in use is not finite)
FLEXOR_API Result<Range> EdgeRatios(std::span<const Vec3f> rest, std::span<const Vec3f> deformed,
                                    std::span<const std::uint32_t> triangles);
FLEXOR_API Result<Range> EdgeRatios(std::span<const Vec3d> rest, std::span<const Vec3d> deformed,
                                    std::span<const std::uint32_t> triangles);

/// Total surface area, square metres; NaN when a vertex in use is not finite.
/// Shapes  positions (V) · triangles (3T), every index < V; a triangle with an index >= V is left
/// out
FLEXOR_API double Area(std::span<const Vec3f> positions, std::span<const std::uint32_t> triangles);
FLEXOR_API double Area(std::span<const Vec3d> positions, std::span<const std::uint32_t> triangles);

/// Signed volume enclosed by the triangles, cubic metres, about the mean of their corners: positive
/// for triangles that face outwards. Meaningful for closed surfaces; the part of an open one that
/// depends on the reference point is kept small by the choice of that point.
/// Shapes  positions (V) · triangles (3T) as for Area
FLEXOR_API double Volume(std::span<const Vec3f> positions,
                         std::span<const std::uint32_t> triangles);
FLEXOR_API double Volume(std::span<const Vec3d> positions,
                         std::span<const std::uint32_t> triangles);

/// Deformed over rest distance of all pairs within a set of vertices: 1 means the set moved
/// rigidly.
/// Cost    O(n^2) of the set
/// Errors  kShapeMismatch · kIndexOutOfRange · kInvalidValue (a vertex of the set is not finite)
FLEXOR_API Result<Range> PairDistanceRatios(std::span<const Vec3f> rest,
                                            std::span<const Vec3f> deformed,
                                            std::span<const std::uint32_t> vertices);
FLEXOR_API Result<Range> PairDistanceRatios(std::span<const Vec3d> rest,
                                            std::span<const Vec3d> deformed,
                                            std::span<const std::uint32_t> vertices);

/// How far two results of the same mesh are apart, vertex by vertex. All 0 for V = 0.
struct Distance {
  double max_mm = 0;           ///< largest distance, millimetres
  double rms_mm = 0;           ///< square root of the mean squared distance
  double p99_mm = 0;           ///< 99th percentile by nearest rank: the smallest of the V distances
                               ///< that at least 99 % of them do not exceed; the maximum if V < 100
  double max_of_size = 0;      ///< max as a fraction of the box diagonal of `a`; 0 when that is 0
  double normals_max_deg = 0;  ///< largest angle, degrees; 0 without normals, 180 where one of two
                               ///< normals has no direction and 0 where both have none
  std::uint32_t worst_vertex = 0;  ///< the first vertex at max_mm
};

/// Shapes  a, b (V) · normals_a, normals_b (V) both, or empty
/// Errors  kShapeMismatch · kInvalidValue naming the first vertex that is not finite
FLEXOR_API Result<Distance> Compare(std::span<const Vec3f> a, std::span<const Vec3f> b,
                                    std::span<const Vec3f> normals_a = {},
                                    std::span<const Vec3f> normals_b = {});
FLEXOR_API Result<Distance> Compare(std::span<const Vec3d> a, std::span<const Vec3d> b,
                                    std::span<const Vec3f> normals_a = {},
                                    std::span<const Vec3f> normals_b = {});

/// The distance of every vertex in millimetres, (V), for heat maps; NaN where a vertex is not
/// finite.
/// Shapes  a, b (V)
/// Errors  kShapeMismatch
FLEXOR_API Result<std::vector<float>> DistancesMm(std::span<const Vec3f> a,
                                                  std::span<const Vec3f> b);

}  // namespace flexor::measure
