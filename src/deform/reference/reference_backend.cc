#include <algorithm>
#include <vector>

#include "deform/frame_check.h"
#include "deform/reference/reference.h"
#include "deform/reference/surface.h"

namespace flexor::deform {
namespace {

class ReferenceState : public DeformState {
 public:
  explicit ReferenceState(const PlanData& plan) : plan_id(plan.id) {
    if (plan.UsesDqs()) joints.resize(plan.joint_count);
    std::size_t most = 0;
    for (std::size_t v = 0; v < plan.vertex_count(); ++v) {
      most =
          std::max<std::size_t>(most, plan.influences.offsets[v + 1] - plan.influences.offsets[v]);
    }
    influences.resize(most);
    if (!plan.spherical.empty()) rotations.resize(plan.joint_count);
  }

  std::uint64_t plan_id;
  std::vector<JointMotion> joints;        ///< (J), or empty without dual quaternions
  std::vector<WeightedJoint> influences;  ///< of the vertex at hand; room for the longest run
  std::vector<Quatd> rotations;           ///< (J), or empty without spherical vertices
};

/// What becomes of a vertex without weight.
VertexMotion MoveWithoutWeight(const PlanData& plan, const Vec3d& p) {
  if (plan.settings.weights.zero == asset::ZeroWeightPolicy::kCollapse) {
    return {{0, 0, 0}, {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, {}, 0};
  }
  return {p, {}, {}, 0};
}

VertexMotion Mix(const VertexMotion& linear, const VertexMotion& dual_quaternion, double share) {
  return {linear.position * (1.0 - share) + dual_quaternion.position * share,
          linear.jacobian * (1.0 - share) + dual_quaternion.jacobian * share,
          dual_quaternion.rotation, dual_quaternion.flips};
}

class ReferenceBackend : public Backend {
 public:
  BackendInfo Info() const override { return {BackendKind::kReference, "", 1}; }

  Result<std::unique_ptr<DeformState>> CreateState(const DeformPlan& plan) const override {
    return std::unique_ptr<DeformState>(std::make_unique<ReferenceState>(plan.data()));
  }

  Result<FrameReport> Run(const DeformPlan& deform_plan, DeformState& deform_state,
                          const FrameInputs& in, const OutputViews& out) const override {
    const PlanData& plan = deform_plan.data();
    auto* const state = dynamic_cast<ReferenceState*>(&deform_state);
    if (state == nullptr || state->plan_id != plan.id) {
      return Error{ErrorCode::kInvalidArgument,
                   "the state was not made by the reference backend for this plan; make one with "
                   "CreateState",
                   {{}, "mesh '" + plan.mesh_name + "'", {}}};
    }
    FLEXOR_TRY(CheckFrame(plan, in, out));

    FrameReport report;
    report.joints_beyond_float = JointsBeyondFloat(in);
    if (plan.UsesDqs()) SplitPalette(plan, in.palette, state->joints, report);
    if (!plan.spherical.empty()) SplitRotations(plan.spherical, in.palette, state->rotations);
    const SplitFrame frame{in.palette, state->joints, state->rotations};
    const bool plan_order = plan.settings.order == OutputOrder::kPlan;
    for (std::size_t i = 0; i < plan.vertex_count(); ++i) {
      const std::size_t vertex = plan_order ? plan.caller_from_plan[i] : i;
      const RestVertex rest = ReferenceMorphAccumulate(plan, in.morph_weights, vertex);
      const VertexMotion motion =
          ReferenceSkin(plan, vertex, rest.position, frame, state->influences);
      report.flips += motion.flips;
      Write(motion, rest, in, out, i, report);
    }
    return report;
  }

 private:
  static void Write(const VertexMotion& motion, const RestVertex& rest, const FrameInputs& in,
                    const OutputViews& out, std::size_t i, FrameReport& report) {
    const Vec3d position = motion.position - in.output_origin;
    out.positions[i] = Cast<float>(position);
    if (!out.exact_positions.empty()) out.exact_positions[i] = position;
    if (!out.normals.empty()) {
      bool singular = false;
      out.normals[i] =
          Cast<float>(MoveNormal(motion.jacobian, rest.normal, motion.rotation, singular));
      if (singular) ++report.singular_normal_matrices;
    }
    if (!out.tangents.empty()) {
      const Vec3f t = Cast<float>(MoveTangent(motion.jacobian, rest.tangent, motion.rotation));
      const double handedness = Mirrors(motion.jacobian) ? -rest.handedness : rest.handedness;
      out.tangents[i] = {t.x, t.y, t.z, static_cast<float>(handedness)};
    }
  }
};

/// The influences of a vertex as they are blended.
std::span<const WeightedJoint> WeightsOf(const PlanData& plan, std::size_t vertex,
                                         std::span<WeightedJoint> room) {
  const std::size_t begin = plan.influences.offsets[vertex];
  const std::size_t count = plan.influences.offsets[vertex + 1] - begin;
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    room[i] = {plan.influences.joints[begin + i],
               static_cast<double>(plan.influences.weights[begin + i])};
    sum += room[i].weight;
  }
  // Float weights sum to 1 only within rounding; a kilometre away that rounding would be seen.
  if (plan.settings.weights.normalize) {
    for (std::size_t i = 0; i < count; ++i) room[i].weight /= sum;
  }
  return room.first(count);
}

}  // namespace

VertexMotion ReferenceSkin(const PlanData& plan, std::size_t vertex, const Vec3d& p,
                           const SplitFrame& frame, std::span<WeightedJoint> room) {
  if (const SphericalVertex* const spherical = plan.spherical.Of(vertex)) {
    const auto& [joint0, joint1] = plan.spherical.pairs[spherical->pair];
    const SphericalPair pair = PairOf(frame.rotations[joint0], frame.rotations[joint1]);
    return ReferenceSkinSdef(*spherical, pair, frame.palette[joint0], frame.palette[joint1],
                             plan.settings.sdef_rotation, p);
  }
  const std::span<const WeightedJoint> influences = WeightsOf(plan, vertex, room);
  if (influences.empty()) return MoveWithoutWeight(plan, p);
  const double dqs_share = static_cast<double>(plan.DqsWeight(vertex));
  if (dqs_share <= 0) return ReferenceSkinLbs(influences, frame.palette, p);
  const VertexMotion dqs =
      ReferenceSkinDqs(influences, frame.joints, plan.settings.dqs_residual, p);
  if (dqs_share >= 1) return dqs;
  return Mix(ReferenceSkinLbs(influences, frame.palette, p), dqs, dqs_share);
}

std::unique_ptr<Backend> CreateReferenceBackend() { return std::make_unique<ReferenceBackend>(); }

}  // namespace flexor::deform
