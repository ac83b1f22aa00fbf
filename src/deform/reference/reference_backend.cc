#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "core/byte_stream.h"
#include "deform/frame_check.h"
#include "deform/method_table.h"
#include "deform/reference/reference.h"
#include "deform/reference/surface.h"
#include "deform/widen_palette.h"

namespace flexor::deform {
namespace {

// Vertices of a window: what is run by hand is run in steps of these.
constexpr std::uint32_t kWindow = 4096;

/// Nothing is laid out: the plan is read as it is.
class ReferencePreparedPlan final : public PreparedPlan {
 public:
  ReferencePreparedPlan(DeformPlan plan, const PrepareSettings& settings)
      : PreparedPlan(std::move(plan), settings) {
    const auto vertices = static_cast<std::uint32_t>(data().vertex_count());
    for (std::uint32_t v = 0; v < vertices; v += std::min(kWindow, vertices - v)) {
      windows_.push_back({v, v + std::min(kWindow, vertices - v)});
    }
    for (std::size_t v = 0; v < vertices; ++v) {
      most_influences_ = std::max<std::size_t>(
          most_influences_, data().influences.offsets[v + 1] - data().influences.offsets[v]);
    }
    if (settings.order == OutputOrder::kCaller) return;
    order_.resize(vertices);
    std::iota(order_.begin(), order_.end(), 0u);
  }

  PreparedFacts facts() const override {
    PreparedFacts facts;
    facts.bytes = sizeof(*this) + order_.capacity() * sizeof(std::uint32_t) +
                  windows_.capacity() * sizeof(VertexWindow);
    return facts;
  }
  std::span<const std::uint32_t> caller_from_output() const override { return order_; }
  std::span<const VertexWindow> windows() const override { return windows_; }

  const PlanData& data() const { return plan().data(); }
  std::size_t most_influences() const { return most_influences_; }

 private:
  std::vector<VertexWindow> windows_;
  std::vector<std::uint32_t> order_;
  std::size_t most_influences_ = 0;
};

/// One job of a run under way.
struct JobInHand {
  void Fit(const ReferencePreparedPlan& plan) {
    prepared = &plan;
    const PlanData& data = plan.data();
    widened.resize(data.joint_count);
    joints.resize(data.Needs(kNeedsMotions) ? data.joint_count : 0);
    rotations.resize(data.Needs(kNeedsPairRotations) ? data.joint_count : 0);
    influences.resize(plan.windows().size() * plan.most_influences());
    reports.resize(plan.windows().size());
  }

  const ReferencePreparedPlan* prepared = nullptr;
  WidenedFrame in;
  OutputViews out;
  FrameReport report;                     ///< of the palette; windows have their own
  std::vector<Mat34d> widened;            ///< (J) in use where the palette came in floats
  std::vector<JointMotion> joints;        ///< (J), or empty when no method of the plan reads them
  std::vector<Quatd> rotations;           ///< (J), or empty when no method of the plan reads them
  std::vector<WeightedJoint> influences;  ///< (windows * most influences)
  std::vector<FrameReport> reports;       ///< (windows)
};

class ReferenceScratch : public ScratchMemory {
 public:
  std::size_t count = 0;        ///< jobs of the run under way; 0 without one
  std::vector<JobInHand> jobs;  ///< at least as many
};

/// Null for a plan that another backend prepared, and for none.
const ReferencePreparedPlan* PreparedOf(const DeformJob& job) {
  return dynamic_cast<const ReferencePreparedPlan*>(job.plan);
}

class ReferenceBackend : public Backend {
 public:
  BackendInfo Info() const override { return {BackendKind::kReference, "", 1}; }

 private:
  Result<std::shared_ptr<const PreparedPlan>> DoPrepare(const DeformPlan& plan,
                                                        const PrepareSettings& settings,
                                                        ProgressFn /*progress*/) const override {
    return std::shared_ptr<const PreparedPlan>(
        std::make_shared<ReferencePreparedPlan>(plan, settings));
  }

  Status DoSave(const PreparedPlan& prepared, ByteWriter& out) const override {
    if (dynamic_cast<const ReferencePreparedPlan*>(&prepared) == nullptr) {
      return NotPrepared(&prepared, "reference");
    }
    out.Number(prepared.order());
    return {};
  }

  Result<std::shared_ptr<const PreparedPlan>> DoLoad(DeformPlan plan,
                                                     ByteReader& in) const override {
    const auto order = in.Enumerator(OutputOrder::kPrepared);
    if (!in.ok()) return Error{ErrorCode::kParse, "the saved plan has an unknown order", {}};
    return std::shared_ptr<const PreparedPlan>(
        std::make_shared<ReferencePreparedPlan>(std::move(plan), PrepareSettings{order}));
  }

  Status DoReserve(std::span<const DeformJob> jobs, Scratch& scratch) const override {
    FLEXOR_TRY(CheckPlans(jobs));
    MemoryFor(jobs, scratch);
    return {};
  }

  Result<std::size_t> DoBegin(std::span<const DeformJob> jobs, Scratch& scratch) const override {
    FLEXOR_TRY(CheckPlans(jobs));
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const PlanData& plan = jobs[i].plan->plan().data();
      FLEXOR_TRY(OfJob(jobs, i, CheckShapes(plan, jobs[i].in, jobs[i].out)));
      FLEXOR_TRY(OfJob(jobs, i, CheckNumbers(plan, jobs[i].in)));
    }
    ReferenceScratch& memory = MemoryFor(jobs, scratch);
    std::size_t windows = 0;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      SplitJoints(jobs[i], memory.jobs[i]);
      windows += memory.jobs[i].prepared->windows().size();
    }
    memory.count = jobs.size();
    return windows;
  }

  void DoRunWindows(Scratch& scratch, std::size_t begin, std::size_t end) const override {
    auto* const memory = dynamic_cast<ReferenceScratch*>(scratch.memory());
    if (memory == nullptr) return;
    std::size_t first = 0;
    for (std::size_t i = 0; i < memory->count; ++i) {
      const std::size_t windows = memory->jobs[i].prepared->windows().size();
      for (std::size_t w = 0; w < windows; ++w) {
        if (first + w >= begin && first + w < end) RunWindow(memory->jobs[i], w);
      }
      first += windows;
    }
  }

  void DoRunAllWindows(Scratch& scratch) const override {
    DoRunWindows(scratch, 0, std::numeric_limits<std::size_t>::max());
  }

  Status DoEnd(std::span<DeformJob> jobs, Scratch& scratch) const override {
    auto* const memory = dynamic_cast<ReferenceScratch*>(scratch.memory());
    FLEXOR_TRY(CheckEnd(jobs.size(), memory == nullptr ? 0 : memory->count));
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      FrameReport report = memory->jobs[i].report;
      for (const FrameReport& window : memory->jobs[i].reports) {
        report.flips += window.flips;
        report.singular_normal_matrices += window.singular_normal_matrices;
      }
      jobs[i].report = report;
    }
    if (memory != nullptr) memory->count = 0;
    return {};
  }

  static Status CheckPlans(std::span<const DeformJob> jobs) {
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      if (PreparedOf(jobs[i]) != nullptr) continue;
      return OfJob(jobs, i, NotPrepared(jobs[i].plan, "reference"));
    }
    return {};
  }

  /// `jobs` checked.
  static ReferenceScratch& MemoryFor(std::span<const DeformJob> jobs, Scratch& scratch) {
    auto* memory = dynamic_cast<ReferenceScratch*>(scratch.memory());
    if (memory == nullptr) {
      auto made = std::make_unique<ReferenceScratch>();
      memory = made.get();
      scratch = Scratch(std::move(made));
    }
    memory->count = 0;
    if (memory->jobs.size() < jobs.size()) memory->jobs.resize(jobs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) memory->jobs[i].Fit(*PreparedOf(jobs[i]));
    return *memory;
  }

  static void SplitJoints(const DeformJob& job, JobInHand& in_hand) {
    const PlanData& plan = in_hand.prepared->data();
    in_hand.in = {WidenPalette(job.in.palette, in_hand.widened), job.in.morph_weights,
                  job.in.output_origin};
    in_hand.out = job.out;
    in_hand.report = {};
    std::fill(in_hand.reports.begin(), in_hand.reports.end(), FrameReport{});
    const std::span<const Mat34d> palette = in_hand.in.palette;
    in_hand.report.joints_beyond_float = JointsBeyondFloat(palette, job.in.output_origin);
    if (plan.Needs(kNeedsMotions)) SplitPalette(plan, palette, in_hand.joints, in_hand.report);
    if (plan.Needs(kNeedsPairRotations)) {
      SplitRotations(plan.payloads.spherical, palette, in_hand.rotations);
    }
  }

  static void RunWindow(JobInHand& job, std::size_t index) {
    const PlanData& plan = job.prepared->data();
    const SplitFrame frame{job.in.palette, job.joints, job.rotations};
    const std::size_t most = job.prepared->most_influences();
    const auto influences = std::span(job.influences).subspan(index * most, most);
    const VertexWindow window = job.prepared->windows()[index];
    FrameReport& report = job.reports[index];
    for (std::size_t v = window.first; v < window.end; ++v) {
      const RestVertex rest = ReferenceMorphAccumulate(plan, job.in.morph_weights, v);
      const VertexMotion motion = ReferenceSkin(plan, v, rest.position, frame, influences);
      report.flips += motion.flips;
      Write(motion, rest, job.in, job.out, v, report);
    }
  }

  static void Write(const VertexMotion& motion, const RestVertex& rest, const WidenedFrame& in,
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

}  // namespace

VertexMotion ReferenceSkin(const PlanData& plan, std::size_t vertex, const Vec3d& p,
                           const SplitFrame& frame, std::span<WeightedJoint> scratch) {
  return RowOf(plan.methods.At(vertex)).reference({plan, vertex, p, frame, scratch});
}

std::unique_ptr<Backend> CreateReferenceBackend() { return std::make_unique<ReferenceBackend>(); }

}  // namespace flexor::deform
