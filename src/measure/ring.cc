#include <algorithm>
#include <limits>

#include "flexor/measure/measure.h"

namespace flexor::measure {
namespace {

template <class T>
double DistanceFromAxis(Vec3<T> position, Vec3d unit_axis) {
  const Vec3d p = Cast<double>(position);
  return Length(p - unit_axis * Dot(p, unit_axis));
}

// Normalized() gives the zero vector for an axis that is zero or not finite.
bool HasDirection(Vec3d unit) { return unit != Vec3d{}; }

template <class T>
std::vector<std::uint32_t> VerticesOn(std::span<const Vec3<T>> rest, Vec3d axis, double along,
                                      double tolerance) {
  std::vector<std::uint32_t> ring;
  const Vec3d unit = Normalized(axis);
  if (!HasDirection(unit)) return ring;
  for (std::size_t v = 0; v < rest.size(); ++v) {
    if (!IsFinite(rest[v])) continue;
    const double offset = Dot(Cast<double>(rest[v]), unit) - along;
    if (std::abs(offset) <= tolerance) ring.push_back(static_cast<std::uint32_t>(v));
  }
  return ring;
}

template <class T>
std::optional<double> RadiusOf(std::span<const Vec3<T>> positions,
                               std::span<const std::uint32_t> vertices, Vec3d axis) {
  const Vec3d unit = Normalized(axis);
  if (vertices.empty() || !HasDirection(unit)) return std::nullopt;
  double radius = std::numeric_limits<double>::infinity();
  bool finite = true;
  for (const std::uint32_t vertex : vertices) {
    if (vertex >= positions.size()) return std::nullopt;
    finite = finite && IsFinite(positions[vertex]);
    if (finite) radius = std::min(radius, DistanceFromAxis(positions[vertex], unit));
  }
  return finite ? radius : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

std::vector<std::uint32_t> RingVertices(std::span<const Vec3f> rest, Vec3d axis, double along,
                                        double tolerance) {
  return VerticesOn(rest, axis, along, tolerance);
}
std::vector<std::uint32_t> RingVertices(std::span<const Vec3d> rest, Vec3d axis, double along,
                                        double tolerance) {
  return VerticesOn(rest, axis, along, tolerance);
}

std::optional<double> RingRadiusOf(std::span<const Vec3f> positions,
                                   std::span<const std::uint32_t> vertices, Vec3d axis) {
  return RadiusOf(positions, vertices, axis);
}
std::optional<double> RingRadiusOf(std::span<const Vec3d> positions,
                                   std::span<const std::uint32_t> vertices, Vec3d axis) {
  return RadiusOf(positions, vertices, axis);
}

std::optional<double> RingRadius(std::span<const Vec3f> positions, Vec3d axis, double along,
                                 double tolerance) {
  return RingRadiusOf(positions, RingVertices(positions, axis, along, tolerance), axis);
}

}  // namespace flexor::measure
