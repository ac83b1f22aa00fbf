// The open tube of five rings that the published twist numbers belong to, and its two deformed
// forms in closed form, written without any code of the deform module.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "flexor/math/mat.h"
#include "flexor/math/vec.h"

namespace flexor::measure {

inline constexpr int kRings = 5;
inline constexpr int kSegments = 12;

struct Tube {
  double radius = 0.5;
  std::vector<Vec3f> positions;
  std::vector<std::uint32_t> triangles;
  std::vector<double> weight_of_joint1;  // per vertex; the rest belongs to joint 0
};

inline Tube MakeTube(double radius = 0.5, bool other_diagonal = false) {
  Tube tube;
  tube.radius = radius;
  const double height = 8 * radius;
  for (int ring = 0; ring < kRings; ++ring) {
    for (int s = 0; s < kSegments; ++s) {
      const double angle = 2 * std::numbers::pi * s / kSegments;
      tube.positions.push_back(
          Cast<float>(Vec3d{radius * std::cos(angle), height * ring / (kRings - 1) - height / 2,
                            radius * std::sin(angle)}));
      tube.weight_of_joint1.push_back(ring < 2 ? 0 : ring == 2 ? 0.5 : 1);
    }
  }
  const auto at = [](int ring, int s) {
    return static_cast<std::uint32_t>(ring * kSegments + s % kSegments);
  };
  for (int ring = 0; ring + 1 < kRings; ++ring) {
    for (int s = 0; s < kSegments; ++s) {
      const std::uint32_t a = at(ring, s), b = at(ring, s + 1);
      const std::uint32_t c = at(ring + 1, s + 1), d = at(ring + 1, s);
      const std::vector<std::uint32_t> pair = other_diagonal
                                                  ? std::vector<std::uint32_t>{a, b, d, b, c, d}
                                                  : std::vector<std::uint32_t>{a, b, c, a, c, d};
      tube.triangles.insert(tube.triangles.end(), pair.begin(), pair.end());
    }
  }
  return tube;
}

// Joint 0 stands still, joint 1 turns about +Y: the mean of both images.
inline std::vector<Vec3f> TwistLinear(const Tube& tube, double radians) {
  const Mat3d turn = ToMat3(FromAxisAngle(Vec3d{0, 1, 0}, radians));
  std::vector<Vec3f> out;
  for (std::size_t v = 0; v < tube.positions.size(); ++v) {
    const Vec3d p = Cast<double>(tube.positions[v]);
    const double w = tube.weight_of_joint1[v];
    out.push_back(Cast<float>(p * (1 - w) + (turn * p) * w));
  }
  return out;
}

// The turn by the normalised mean of both quaternions. Nothing translates, so the dual parts are 0.
inline std::vector<Vec3f> TwistDualQuaternion(const Tube& tube, double radians) {
  const Quatd turn{0, std::sin(radians / 2), 0, std::cos(radians / 2)};
  std::vector<Vec3f> out;
  for (std::size_t v = 0; v < tube.positions.size(); ++v) {
    const double w = tube.weight_of_joint1[v];
    const Quatd blended = Normalized(Quatd{} * (1 - w) + turn * w);
    out.push_back(Cast<float>(Rotate(blended, Cast<double>(tube.positions[v]))));
  }
  return out;
}

}  // namespace flexor::measure
