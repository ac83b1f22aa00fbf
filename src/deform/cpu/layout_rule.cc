#include "deform/cpu/layout_rule.h"

#include <algorithm>

namespace flexor::deform {

void InfluenceJoints(const PlanData& plan, std::size_t vertex, std::vector<std::uint32_t>& out) {
  const std::size_t begin = plan.influences.offsets[vertex];
  const std::size_t end = plan.influences.offsets[vertex + 1];
  if (begin == end) {
    out.push_back(static_cast<std::uint32_t>(plan.joint_count));
    return;
  }
  out.insert(out.end(), plan.influences.joints.begin() + static_cast<std::ptrdiff_t>(begin),
             plan.influences.joints.begin() + static_cast<std::ptrdiff_t>(end));
  if (end - begin > 1) std::sort(out.end() - static_cast<std::ptrdiff_t>(end - begin), out.end());
}

std::size_t MixedRows(const CpuBlock& /*block*/) { return 1; }

void FillMixed(const PayloadFill& fill) {
  for (std::size_t lane = 0; lane < kBlockLanes; ++lane) {
    fill.rows[lane] = fill.plan.payloads.mixed[fill.plan.methods.EntryOf(fill.vertices[lane])];
  }
}

void SphericalJoints(const PlanData& plan, std::size_t vertex, std::vector<std::uint32_t>& out) {
  const SphericalPayload& spherical = plan.payloads.spherical;
  const auto& pair = spherical.pairs[spherical.vertices[plan.methods.EntryOf(vertex)].pair];
  out.push_back(pair[0]);
  if (pair[1] != pair[0]) out.push_back(pair[1]);
}

std::size_t SphericalRows(const CpuBlock& /*block*/) { return kSphericalRows; }

void FillSpherical(const PayloadFill& fill) {
  const SphericalPayload& spherical = fill.plan.payloads.spherical;
  for (std::size_t lane = 0; lane < kBlockLanes; ++lane) {
    const SphericalVertex& v = spherical.vertices[fill.plan.methods.EntryOf(fill.vertices[lane])];
    const Vec3d center = v.center - fill.center;
    const Vec3d toward = center * v.w1 - (v.r0 - v.r1) * (0.5 * v.w0 * v.w1);
    for (std::size_t c = 0; c < 3; ++c) {
      fill.rows[c * kBlockLanes + lane] = static_cast<float>(center[c]);
      fill.rows[(3 + c) * kBlockLanes + lane] = static_cast<float>(toward[c]);
    }
    fill.rows[6 * kBlockLanes + lane] = static_cast<float>(v.w1);
    if (lane == 0 || fill.block.kind == BlockKind::kAny) fill.joints.push_back(v.pair);
    // Beyond its joints a rotation leaves the range in which the kernel knows sines.
    if (!(v.w1 >= 0 && v.w1 <= 1)) {
      fill.block.exact = static_cast<std::uint16_t>(fill.block.exact | (1u << lane));
    }
  }
}

}  // namespace flexor::deform
