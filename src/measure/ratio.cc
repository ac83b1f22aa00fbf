#include <algorithm>

#include "flexor/measure/measure.h"

#include "measure/shape.h"

namespace flexor::measure {
namespace {

// Gathers ratios without keeping them.
class RatioSum {
 public:
  void Add(double rest, double deformed) {
    if (!(rest > 0)) return;
    const double ratio = deformed / rest;
    range_.min = range_.count == 0 ? ratio : std::min(range_.min, ratio);
    range_.max = range_.count == 0 ? ratio : std::max(range_.max, ratio);
    sum_ += ratio;
    ++range_.count;
  }
  Range Get() const {
    Range range = range_;
    if (range.count != 0) range.mean = sum_ / static_cast<double>(range.count);
    return range;
  }

 private:
  Range range_;
  double sum_ = 0;
};

bool InRange(std::span<const std::uint32_t> corners, std::size_t count) {
  return corners[0] < count && corners[1] < count && corners[2] < count;
}

template <class T>
Result<Range> EdgeRatiosOf(std::span<const Vec3<T>> rest, std::span<const Vec3<T>> deformed,
                           std::span<const std::uint32_t> triangles) {
  if (triangles.size() % 3 != 0) {
    return Error{ErrorCode::kShapeMismatch,
                 std::to_string(triangles.size()) +
                     " triangle indices are not a multiple of 3, so the last triangle is cut",
                 {}};
  }
  FLEXOR_TRY(CheckVertices(rest, deformed, triangles));
  RatioSum ratios;
  for (std::size_t t = 0; t < triangles.size(); t += 3) {
    for (std::size_t e = 0; e < 3; ++e) {
      const std::uint32_t from = triangles[t + e];
      const std::uint32_t to = triangles[t + (e + 1) % 3];
      ratios.Add(DistanceBetween(rest[from], rest[to]),
                 DistanceBetween(deformed[from], deformed[to]));
    }
  }
  return ratios.Get();
}

template <class T>
Result<Range> PairRatiosOf(std::span<const Vec3<T>> rest, std::span<const Vec3<T>> deformed,
                           std::span<const std::uint32_t> vertices) {
  FLEXOR_TRY(CheckVertices(rest, deformed, vertices));
  RatioSum ratios;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    for (std::size_t j = i + 1; j < vertices.size(); ++j) {
      ratios.Add(DistanceBetween(rest[vertices[i]], rest[vertices[j]]),
                 DistanceBetween(deformed[vertices[i]], deformed[vertices[j]]));
    }
  }
  return ratios.Get();
}

template <class T>
double AreaOf(std::span<const Vec3<T>> positions, std::span<const std::uint32_t> triangles) {
  double doubled = 0;
  for (std::size_t t = 0; t + 3 <= triangles.size(); t += 3) {
    const auto corners = triangles.subspan(t, 3);
    if (!InRange(corners, positions.size())) continue;
    const Vec3d a = Cast<double>(positions[corners[0]]);
    const Vec3d b = Cast<double>(positions[corners[1]]);
    const Vec3d c = Cast<double>(positions[corners[2]]);
    doubled += Length(Cross(b - a, c - a));
  }
  return doubled / 2;
}

template <class T>
double VolumeOf(std::span<const Vec3<T>> positions, std::span<const std::uint32_t> triangles) {
  Vec3d sum;
  std::size_t corners_used = 0;
  for (std::size_t t = 0; t + 3 <= triangles.size(); t += 3) {
    const auto corners = triangles.subspan(t, 3);
    if (!InRange(corners, positions.size())) continue;
    for (const std::uint32_t corner : corners) sum += Cast<double>(positions[corner]);
    corners_used += 3;
  }
  if (corners_used == 0) return 0;
  // Far from the origin the six-fold products would cancel; about the middle they do not.
  const Vec3d middle = sum / static_cast<double>(corners_used);
  double sixfold = 0;
  for (std::size_t t = 0; t + 3 <= triangles.size(); t += 3) {
    const auto corners = triangles.subspan(t, 3);
    if (!InRange(corners, positions.size())) continue;
    const Vec3d a = Cast<double>(positions[corners[0]]) - middle;
    const Vec3d b = Cast<double>(positions[corners[1]]) - middle;
    const Vec3d c = Cast<double>(positions[corners[2]]) - middle;
    sixfold += Dot(a, Cross(b, c));
  }
  return sixfold / 6;
}

}  // namespace

Result<Range> EdgeRatios(std::span<const Vec3f> rest, std::span<const Vec3f> deformed,
                         std::span<const std::uint32_t> triangles) {
  return EdgeRatiosOf(rest, deformed, triangles);
}
Result<Range> EdgeRatios(std::span<const Vec3d> rest, std::span<const Vec3d> deformed,
                         std::span<const std::uint32_t> triangles) {
  return EdgeRatiosOf(rest, deformed, triangles);
}

Result<Range> PairDistanceRatios(std::span<const Vec3f> rest, std::span<const Vec3f> deformed,
                                 std::span<const std::uint32_t> vertices) {
  return PairRatiosOf(rest, deformed, vertices);
}
Result<Range> PairDistanceRatios(std::span<const Vec3d> rest, std::span<const Vec3d> deformed,
                                 std::span<const std::uint32_t> vertices) {
  return PairRatiosOf(rest, deformed, vertices);
}

double Area(std::span<const Vec3f> positions, std::span<const std::uint32_t> triangles) {
  return AreaOf(positions, triangles);
}
double Area(std::span<const Vec3d> positions, std::span<const std::uint32_t> triangles) {
  return AreaOf(positions, triangles);
}

double Volume(std::span<const Vec3f> positions, std::span<const std::uint32_t> triangles) {
  return VolumeOf(positions, triangles);
}
double Volume(std::span<const Vec3d> positions, std::span<const std::uint32_t> triangles) {
  return VolumeOf(positions, triangles);
}

}  // namespace flexor::measure
