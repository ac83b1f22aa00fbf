/// @file measure/measure.h
/// Numbers about one deformed shape, and about the difference between two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "flexor/core/result.h"
#include "flexor/math/vec.h"

namespace flexor::measure {

/// The smallest distance from an axis through the origin over the points whose coordinate along the
/// axis lies within `tolerance` of `along`: the candy-wrapper measure of seed 001. Units   metres ·
/// axis any length, not zero Empty   nothing on the ring: no value
std::optional<double> RingRadius(std::span<const Vec3f> positions, Vec3d axis, double along,
                                 double tolerance = 0.25);

/// The same over a given list of vertices, so that the ring found at rest is followed after the
/// deformation.
std::optional<double> RingRadiusOf(std::span<const Vec3f> positions,
                                   std::span<const std::uint32_t> vertices, Vec3d axis);

/// The vertices of the ring at rest.
std::vector<std::uint32_t> RingVertices(std::span<const Vec3f> rest, Vec3d axis, double along,
                                        double tolerance = 0.25);

/// Least, mean and largest of many ratios.
struct Range {
  double min = 0, mean = 0, max = 0;
  std::size_t count =
      0;  ///< how many ratios; those with a rest length or area of zero are left out
};

/// Deformed over rest length of every triangle edge, listed per triangle: an edge that two
/// triangles share counts twice. Shapes  rest, deformed (V) · triangles (3T), every index < V
/// Errors  kShapeMismatch · kIndexOutOfRange
Result<Range> EdgeRatios(std::span<const Vec3f> rest, std::span<const Vec3f> deformed,
                         std::span<const std::uint32_t> triangles);

/// Total surface area, square metres.
double Area(std::span<const Vec3f> positions, std::span<const std::uint32_t> triangles);

/// Signed volume enclosed by the triangles, cubic metres, about their centroid; meaningful for
/// closed surfaces.
double Volume(std::span<const Vec3f> positions, std::span<const std::uint32_t> triangles);

/// Ratios of all pair distances within a set of vertices: 1 means the set moved rigidly.
/// Errors  kShapeMismatch · kIndexOutOfRange
Result<Range> PairDistanceRatios(std::span<const Vec3f> rest, std::span<const Vec3f> deformed,
                                 std::span<const std::uint32_t> vertices);

/// How far two results of the same mesh are apart.
struct Distance {
  double max_mm = 0, rms_mm = 0, p99_mm = 0;
  double max_of_size = 0;      ///< max as a fraction of the diagonal of `a`
  double normals_max_deg = 0;  ///< 0 without normals
  std::uint32_t worst_vertex = 0;
};

/// Shapes  a, b (V) · normals_a, normals_b (V) both, or empty
/// Errors  kShapeMismatch
Result<Distance> Compare(std::span<const Vec3f> a, std::span<const Vec3f> b,
                         std::span<const Vec3f> normals_a = {},
                         std::span<const Vec3f> normals_b = {});

}  // namespace flexor::measure
