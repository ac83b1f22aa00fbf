#include "deform/spherical.h"

#include <algorithm>
#include <utility>

#include "flexor/math/palette_split.h"

namespace flexor::deform {
namespace {

std::array<std::uint32_t, 2> Ascending(std::array<std::uint32_t, 2> joints) {
  if (joints[0] > joints[1]) std::swap(joints[0], joints[1]);
  return joints;
}

SphericalVertex VertexOf(const asset::SdefVertices& sdef, std::size_t i) {
  SphericalVertex out;
  out.w0 = static_cast<double>(sdef.weights[i]);
  out.w1 = 1 - out.w0;
  out.center = Cast<double>(sdef.centers[i]);
  const Vec3d r0 = Cast<double>(sdef.r0[i]), r1 = Cast<double>(sdef.r1[i]);
  const Vec3d mean = r0 * out.w0 + r1 * out.w1;
  out.r0 = out.center + r0 - mean;
  out.r1 = out.center + r1 - mean;
  if (sdef.joints[i][0] > sdef.joints[i][1]) {
    std::swap(out.w0, out.w1);
    std::swap(out.r0, out.r1);
  }
  return out;
}

}  // namespace

SphericalPayload PlanSpherical(const asset::SdefVertices& sdef) {
  SphericalPayload out;
  for (const auto& joints : sdef.joints) {
    const auto pair = Ascending(joints);
    if (out.pairs.empty() || out.pairs.back() != pair) out.pairs.push_back(pair);
  }
  std::sort(out.pairs.begin(), out.pairs.end());
  out.pairs.erase(std::unique(out.pairs.begin(), out.pairs.end()), out.pairs.end());
  for (const auto& pair : out.pairs) {
    out.joints.insert(out.joints.end(), pair.begin(), pair.end());
  }
  std::sort(out.joints.begin(), out.joints.end());
  out.joints.erase(std::unique(out.joints.begin(), out.joints.end()), out.joints.end());

  out.vertices.reserve(sdef.size());
  for (std::size_t i = 0; i < sdef.size(); ++i) {
    SphericalVertex vertex = VertexOf(sdef, i);
    const auto found =
        std::lower_bound(out.pairs.begin(), out.pairs.end(), Ascending(sdef.joints[i]));
    vertex.pair = static_cast<std::uint32_t>(found - out.pairs.begin());
    out.vertices.push_back(vertex);
  }
  return out;
}

void SplitRotations(const SphericalPayload& payload, std::span<const Mat34d> palette,
                    std::span<Quatd> rotations) {
  for (const std::uint32_t joint : payload.joints) {
    rotations[joint] = SplitGramSchmidt(palette[joint]).rotation;
  }
}

}  // namespace flexor::deform
