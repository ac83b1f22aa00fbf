#include "deform/cpu/redo.h"

#include "deform/reference/surface.h"

namespace flexor::deform {
namespace {

struct Doubt {
  bool everything, normal, tangent;
  bool leaderless;  ///< its flips could not be counted from the pairs of the plan
};

/// Whether the joint that leads by weight has no quaternion this frame.
bool Leaderless(const CpuLayout& layout, std::size_t block, std::size_t lane,
                std::span<const JointMotion> motions) {
  const std::uint32_t pivot = layout.pivots[block * kBlockLanes + lane];
  return pivot < motions.size() && !motions[pivot].HasQuaternion();
}

void RedoVertex(const PlanData& plan, std::size_t vertex, std::size_t at, const Doubt& doubt,
                const WidenedFrame& in, const SplitFrame& frame, std::span<WeightedJoint> scratch,
                const OutputViews& out, FrameReport& report) {
  const RestVertex rest = ReferenceMorphAccumulate(plan, in.morph_weights, vertex);
  const VertexMotion motion = ReferenceSkin(plan, vertex, rest.position, frame, scratch);
  if (doubt.leaderless) report.flips += motion.flips;
  if (doubt.everything) out.positions[at] = Cast<float>(motion.position - in.output_origin);
  if (!out.normals.empty() && (doubt.everything || doubt.normal)) {
    bool singular = false;
    out.normals[at] =
        Cast<float>(MoveNormal(motion.jacobian, rest.normal, motion.rotation, singular));
    if (singular) ++report.singular_normal_matrices;
  }
  if (!out.tangents.empty() && (doubt.everything || doubt.tangent)) {
    const Vec3f t = Cast<float>(MoveTangent(motion.jacobian, rest.tangent, motion.rotation));
    const double handedness = Mirrors(motion.jacobian) ? -rest.handedness : rest.handedness;
    out.tangents[at] = {t.x, t.y, t.z, static_cast<float>(handedness)};
  }
}

}  // namespace

void RedoSuspects(const PlanData& plan, const CpuLayout& layout, std::span<const Suspects> suspects,
                  const WidenedFrame& in, const SplitFrame& frame, std::span<WeightedJoint> scratch,
                  const OutputViews& out, FrameReport& report) {
  const bool prepared_order = layout.order == OutputOrder::kPrepared;
  for (const Suspects& block : suspects) {
    const std::size_t first = layout.blocks[block.block].first;
    const unsigned any = block.everything | block.normals | block.tangents;
    for (std::size_t lane = 0; lane < kBlockLanes; ++lane) {
      if ((any >> lane & 1u) == 0) continue;
      const std::size_t vertex = layout.caller_from_plan[first + lane];
      const Doubt doubt{
          (block.everything >> lane & 1u) != 0, (block.normals >> lane & 1u) != 0,
          (block.tangents >> lane & 1u) != 0,
          !frame.joints.empty() && Leaderless(layout, block.block, lane, frame.joints)};
      RedoVertex(plan, vertex, prepared_order ? first + lane : vertex, doubt, in, frame, scratch,
                 out, report);
    }
  }
}

}  // namespace flexor::deform
