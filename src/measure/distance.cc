#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "flexor/math/aabb.h"
#include "flexor/measure/measure.h"

#include "measure/shape.h"

namespace flexor::measure {
namespace {

// The nearest-rank percentile; reorders its argument.
double Percentile99(std::vector<double>& values) {
  // ceil(0.99 n) without a fraction that could round the wrong way.
  const std::size_t rank = values.size() - values.size() / 100;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(rank - 1);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

double AngleDegrees(Vec3f a, Vec3f b) {
  const Vec3d unit_a = Normalized(Cast<double>(a));
  const Vec3d unit_b = Normalized(Cast<double>(b));
  const bool none_a = unit_a == Vec3d{};
  const bool none_b = unit_b == Vec3d{};
  if (none_a || none_b) return none_a && none_b ? 0 : 180;
  // The arc tangent keeps its precision where an arc cosine near 1 would lose half the digits.
  return std::atan2(Length(Cross(unit_a, unit_b)), Dot(unit_a, unit_b)) * 180 / std::numbers::pi;
}

template <class T>
Result<Distance> DistanceOf(std::span<const Vec3<T>> a, std::span<const Vec3<T>> b,
                            std::span<const Vec3f> normals_a, std::span<const Vec3f> normals_b) {
  if (a.size() != b.size()) return SizesDiffer("shape a", a.size(), "shape b", b.size());
  if (normals_a.size() != normals_b.size()) {
    return SizesDiffer("the normals of a", normals_a.size(), "those of b", normals_b.size());
  }
  if (!normals_a.empty() && normals_a.size() != a.size()) {
    return SizesDiffer("the normals", normals_a.size(), "the shape", a.size());
  }
  Distance out;
  if (a.empty()) return out;

  std::vector<double> distances(a.size());
  double sum_of_squares = 0;
  double largest = -1;
  Aabbd box;
  for (std::size_t v = 0; v < a.size(); ++v) {
    if (!IsFinite(a[v])) return NotFinite("the position in a", v);
    if (!IsFinite(b[v])) return NotFinite("the position in b", v);
    box.Add(Cast<double>(a[v]));
    distances[v] = DistanceBetween(a[v], b[v]);
    sum_of_squares += distances[v] * distances[v];
    if (distances[v] > largest) {
      largest = distances[v];
      out.worst_vertex = static_cast<std::uint32_t>(v);
    }
  }
  for (std::size_t v = 0; v < normals_a.size(); ++v) {
    if (!IsFinite(normals_a[v])) return NotFinite("the normal in a", v);
    if (!IsFinite(normals_b[v])) return NotFinite("the normal in b", v);
    out.normals_max_deg = std::max(out.normals_max_deg, AngleDegrees(normals_a[v], normals_b[v]));
  }
  const double size = box.Extent();
  out.max_mm = largest * 1000;
  out.rms_mm = std::sqrt(sum_of_squares / static_cast<double>(a.size())) * 1000;
  out.p99_mm = Percentile99(distances) * 1000;
  out.max_of_size = size > 0 ? largest / size : 0;
  return out;
}

}  // namespace

Result<Distance> Compare(std::span<const Vec3f> a, std::span<const Vec3f> b,
                         std::span<const Vec3f> normals_a, std::span<const Vec3f> normals_b) {
  return DistanceOf(a, b, normals_a, normals_b);
}
Result<Distance> Compare(std::span<const Vec3d> a, std::span<const Vec3d> b,
                         std::span<const Vec3f> normals_a, std::span<const Vec3f> normals_b) {
  return DistanceOf(a, b, normals_a, normals_b);
}

Result<std::vector<float>> DistancesMm(std::span<const Vec3f> a, std::span<const Vec3f> b) {
  if (a.size() != b.size()) return SizesDiffer("shape a", a.size(), "shape b", b.size());
  std::vector<float> out(a.size());
  for (std::size_t v = 0; v < a.size(); ++v) {
    const double distance = DistanceBetween(a[v], b[v]) * 1000;
    constexpr double kLargest = std::numeric_limits<float>::max();
    out[v] = std::isfinite(distance) ? static_cast<float>(std::min(distance, kLargest))
                                     : std::numeric_limits<float>::quiet_NaN();
  }
  return out;
}

}  // namespace flexor::measure
