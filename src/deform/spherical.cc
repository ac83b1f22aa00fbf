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

SphericalPlan PlanSpherical(const asset::SdefVertices& sdef, std::size_t vertex_count) {
  SphericalPlan plan;
  if (sdef.empty()) return plan;
  for (const auto& joints : sdef.joints) {
    const auto pair = Ascending(joints);
    if (plan.pairs.empty() || plan.pairs.back() != pair) plan.pairs.push_back(pair);
  }
  std::sort(plan.pairs.begin(), plan.pairs.end());
  plan.pairs.erase(std::unique(plan.pairs.begin(), plan.pairs.end()), plan.pairs.end());
  for (const auto& pair : plan.pairs) {
    plan.joints.insert(plan.joints.end(), pair.begin(), pair.end());
  }
  std::sort(plan.joints.begin(), plan.joints.end());
  plan.joints.erase(std::unique(plan.joints.begin(), plan.joints.end()), plan.joints.end());

  plan.index.assign(vertex_count, SphericalPlan::kNot);
  plan.vertices.reserve(sdef.size());
  for (std::size_t i = 0; i < sdef.size(); ++i) {
    plan.index[sdef.vertices[i]] = static_cast<std::uint32_t>(i);
    SphericalVertex vertex = VertexOf(sdef, i);
    const auto found =
        std::lower_bound(plan.pairs.begin(), plan.pairs.end(), Ascending(sdef.joints[i]));
    vertex.pair = static_cast<std::uint32_t>(found - plan.pairs.begin());
    plan.vertices.push_back(vertex);
  }
  return plan;
}

void SplitRotations(const SphericalPlan& plan, std::span<const Mat34d> palette,
                    std::span<Quatd> rotations) {
  for (const std::uint32_t joint : plan.joints) {
    rotations[joint] = SplitGramSchmidt(palette[joint]).rotation;
  }
}

std::size_t BytesOf(const SphericalPlan& plan) {
  return plan.index.capacity() * sizeof(std::uint32_t) +
         plan.vertices.capacity() * sizeof(SphericalVertex) +
         plan.pairs.capacity() * sizeof(plan.pairs[0]) +
         plan.joints.capacity() * sizeof(std::uint32_t);
}

}  // namespace flexor::deform
