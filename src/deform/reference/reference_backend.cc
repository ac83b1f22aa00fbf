#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "deform/frame_check.h"
#include "deform/reference/reference.h"
#include "deform/reference/surface.h"

namespace flexor::deform {
namespace {

/// Nothing is laid out: the plan is read as it is.
class ReferencePreparedPlan final : public PreparedPlan {
 public:
  ReferencePreparedPlan(DeformPlan plan, const PrepareSettings& settings)
      : PreparedPlan(std::move(plan), settings) {
    if (settings.order == OutputOrder::kCaller) return;
    order_.resize(data().vertex_count());
    std::iota(order_.begin(), order_.end(), 0u);
  }

  PreparedFacts facts() const override {
    return {data().vertex_count() > 0 ? 1u : 0u, 0, 0, 0,
            sizeof(*this) + order_.capacity() * sizeof(std::uint32_t)};
  }
  std::span<const std::uint32_t> caller_from_output() const override { return order_; }

  const PlanData& data() const { return plan().data(); }

 private:
  std::vector<std::uint32_t> order_;
};

class ReferenceScratch : public ScratchMemory {
 public:
  void Fit(const PlanData& plan) {
    joints.resize(plan.UsesDqs() ? plan.joint_count : 0);
    rotations.resize(plan.spherical.empty() ? 0 : plan.joint_count);
    std::size_t most = 0;
    for (std::size_t v = 0; v < plan.vertex_count(); ++v) {
      most =
          std::max<std::size_t>(most, plan.influences.offsets[v + 1] - plan.influences.offsets[v]);
    }
    influences.resize(most);
  }

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

/// Null for a plan that another backend prepared, and for none.
const ReferencePreparedPlan* PreparedOf(const DeformJob& job) {
  return dynamic_cast<const ReferencePreparedPlan*>(job.plan);
}

class ReferenceBackend : public Backend {
 public:
  BackendInfo Info() const override { return {BackendKind::kReference, "", 1}; }

 private:
  Result<std::shared_ptr<const PreparedPlan>> DoPrepare(
      const DeformPlan& plan, const PrepareSettings& settings) const override {
    return std::shared_ptr<const PreparedPlan>(
        std::make_shared<ReferencePreparedPlan>(plan, settings));
  }

  Status DoReserve(std::span<const DeformJob> jobs, Scratch& scratch) const override {
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const ReferencePreparedPlan* const prepared = PreparedOf(jobs[i]);
      if (prepared == nullptr) return OfJob(jobs, i, NotPrepared(jobs[i], "reference"));
      MemoryOf(scratch).Fit(prepared->data());
    }
    return {};
  }

  Status DoRun(std::span<DeformJob> jobs, Scratch& scratch) const override {
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const ReferencePreparedPlan* const prepared = PreparedOf(jobs[i]);
      if (prepared == nullptr) return OfJob(jobs, i, NotPrepared(jobs[i], "reference"));
      FLEXOR_TRY(OfJob(jobs, i, CheckShapes(prepared->data(), jobs[i].in, jobs[i].out)));
      FLEXOR_TRY(OfJob(jobs, i, CheckNumbers(prepared->data(), jobs[i].in)));
    }
    // Memory first: once an output is written nothing may fail.
    FLEXOR_TRY(DoReserve(jobs, scratch));
    ReferenceScratch& memory = MemoryOf(scratch);
    for (DeformJob& job : jobs)
      job.report = Deform(PreparedOf(job)->data(), job.in, job.out, memory);
    return {};
  }

  static ReferenceScratch& MemoryOf(Scratch& scratch) {
    if (auto* const memory = dynamic_cast<ReferenceScratch*>(scratch.memory())) return *memory;
    auto made = std::make_unique<ReferenceScratch>();
    ReferenceScratch& memory = *made;
    scratch = Scratch(std::move(made));
    return memory;
  }

  static FrameReport Deform(const PlanData& plan, const FrameInputs& in, const OutputViews& out,
                            ReferenceScratch& memory) {
    memory.Fit(plan);
    FrameReport report;
    report.joints_beyond_float = JointsBeyondFloat(in);
    if (plan.UsesDqs()) SplitPalette(plan, in.palette, memory.joints, report);
    if (!plan.spherical.empty()) SplitRotations(plan.spherical, in.palette, memory.rotations);
    const SplitFrame frame{in.palette, memory.joints, memory.rotations};
    for (std::size_t v = 0; v < plan.vertex_count(); ++v) {
      const RestVertex rest = ReferenceMorphAccumulate(plan, in.morph_weights, v);
      const VertexMotion motion = ReferenceSkin(plan, v, rest.position, frame, memory.influences);
      report.flips += motion.flips;
      Write(motion, rest, in, out, v, report);
    }
    return report;
  }

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
