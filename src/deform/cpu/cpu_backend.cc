#include "deform/cpu/cpu_backend.h"

#include <algorithm>
#include <string_view>

#include <hwy/targets.h>

#include "flexor/core/aligned_buffer.h"
#include "flexor/core/parallel.h"

#include "deform/cpu/frame_palette.h"
#include "deform/cpu/kernels/targets.h"
#include "deform/cpu/redo.h"
#include "deform/frame_check.h"
#include "deform/plan_data.h"

namespace flexor::deform {
namespace {

// Below this many vertices waking other threads costs more than they save (bench, crossover).
constexpr std::size_t kVerticesWorthThreads = 4096;
// Up to this many vertices the layout and the results of a frame stay in the second cache.
constexpr std::size_t kVerticesInCache = 16384;
// Pieces of work a frame is cut into at most; enough to even out, few enough to cost nothing.
constexpr std::size_t kMostPieces = 64;

class CpuState : public DeformState {
 public:
  explicit CpuState(const PlanData& plan) : plan_id(plan.id), palette(plan, *plan.cpu_layout) {
    const CpuLayout& layout = *plan.cpu_layout;
    suspects.resize(layout.blocks.size());
    reports.resize(layout.windows.size());
    room.resize(layout.windows.size() * layout.max_influences);
    active.resize(plan.morphs.size());
  }

  std::uint64_t plan_id;
  FramePalette palette;
  std::vector<Suspects> suspects;    ///< (blocks), each window using the places of its own
  std::vector<FrameReport> reports;  ///< (windows)
  std::vector<WeightedJoint> room;   ///< (windows * most influences)
  std::vector<ActiveMorph> active;   ///< (M), the first ones in use
};

// Rows of a block's morphed shape at most: positions, normals, tangents.
constexpr std::size_t kMostMorphedRows = 10;

/// What a frame runs, found once.
struct Kernels {
  Kernels(std::int64_t target, SdefRotation rotation, const SkinJob& job)
      : linear(LbsKernel(target, job.normals != nullptr, job.tangents != nullptr)),
        dual(DqsKernel(target, false, job.normals != nullptr, job.tangents != nullptr)),
        mixed(DqsKernel(target, true, job.normals != nullptr, job.tangents != nullptr)),
        spherical(SdefKernel(target, rotation, job.normals != nullptr, job.tangents != nullptr)),
        morph(MorphAccumulateKernel(target)) {}
  SkinKernel linear, dual, mixed, spherical;
  MorphKernel morph;
};

std::vector<std::int64_t> Targets() {
  std::vector<std::int64_t> out;
  const std::int64_t all = CompiledTargets() & hwy::SupportedTargets();
  // A smaller bit is a better target.
  for (int bit = 0; bit < 63; ++bit) {
    const std::int64_t target = std::int64_t{1} << bit;
    if ((all & target) != 0 && MorphAccumulateKernel(target) != nullptr) out.push_back(target);
  }
  return out;
}

std::size_t CountActive(const PlanData& plan, const FrameInputs& in, CpuState& state) {
  const MorphLayout& morphs = plan.cpu_layout->morphs;
  const std::size_t starts = morphs.stretches.size() + 1;
  std::size_t count = 0;
  for (std::size_t m = 0; m < in.morph_weights.size(); ++m) {
    if (in.morph_weights[m] == 0.0f) continue;
    state.active[count++] = {&morphs.morphs[m], morphs.starts.data() + m * starts,
                             in.morph_weights[m]};
  }
  return count;
}

SkinJob JobOf(const PlanData& plan, const CpuState& state, const OutputViews& out) {
  const CpuLayout& layout = *plan.cpu_layout;
  SkinJob job;
  job.blocks = layout.blocks.data();
  job.data = layout.data.data();
  job.tangent_data = layout.tangents.data();
  job.joints = layout.joints.data();
  job.dst = layout.dst.data();
  job.pivots = layout.pivots.data();
  job.geometry_rows = layout.geometry_rows();
  job.window_vertices = layout.window_vertices;
  job.vertex_count = static_cast<std::uint32_t>(plan.vertex_count());
  job.raw_weights = layout.raw_weights;
  job.prefetch = plan.vertex_count() > kVerticesInCache;
  job.morphed_rows = layout.geometry_rows() + (layout.tangents.empty() ? 0 : 4);
  state.palette.Describe(job);
  job.positions = out.positions.empty() ? nullptr : &out.positions.front().x;
  job.normals = out.normals.empty() ? nullptr : &out.normals.front().x;
  job.tangents = out.tangents.empty() ? nullptr : &out.tangents.front().x;
  return job;
}

class CpuBackend : public Backend {
 public:
  CpuBackend(std::int64_t target, int threads) : target_(target), team_(threads) {}

  BackendInfo Info() const override {
    return {BackendKind::kCpu, hwy::TargetName(target_), team_.threads()};
  }

  Result<std::unique_ptr<DeformState>> CreateState(const DeformPlan& plan) const override {
    return std::unique_ptr<DeformState>(std::make_unique<CpuState>(plan.data()));
  }

  Result<FrameReport> Run(const DeformPlan& deform_plan, DeformState& deform_state,
                          const FrameInputs& in, const OutputViews& out) const override {
    const PlanData& plan = deform_plan.data();
    auto* const found = dynamic_cast<CpuState*>(&deform_state);
    if (found == nullptr || found->plan_id != plan.id) {
      return Error{ErrorCode::kInvalidArgument,
                   "the state was not made by the CPU backend for this plan; make one with "
                   "CreateState",
                   {{}, "mesh '" + plan.mesh_name + "'", {}}};
    }
    if (!out.exact_positions.empty()) {
      return Error{ErrorCode::kInvalidArgument,
                   "the CPU backend computes in float and has no exact positions; take the "
                   "reference backend",
                   {{}, "mesh '" + plan.mesh_name + "'", {}}};
    }
    FLEXOR_TRY(CheckFrame(plan, in, out));

    CpuState& state = *found;
    const CpuLayout& layout = *plan.cpu_layout;
    FrameReport report;
    report.joints_beyond_float = JointsBeyondFloat(in);
    state.palette.Fill(plan, layout, in, report);
    const bool beyond_float = report.joints_beyond_float > 0 || state.palette.beyond_float();
    const std::size_t active = CountActive(plan, in, state);
    const SkinJob job = JobOf(plan, state, out);
    const MorphJob morph_job{&layout,          state.active.data(),    active,
                             job.morphed_rows, job.normals != nullptr, job.tangents != nullptr,
                             job.prefetch};

    const Kernels kernels(target_, plan.settings.sdef_rotation, job);
    const std::size_t windows = layout.windows.size();
    const std::size_t grain = plan.vertex_count() < kVerticesWorthThreads
                                  ? windows
                                  : (windows + kMostPieces - 1) / kMostPieces;
    team_.Run(windows, grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t w = begin; w < end; ++w) {
        RunWindow(plan, state, kernels, job, morph_job, in, out, w, beyond_float);
      }
    });
    for (const FrameReport& window : state.reports) {
      report.flips += window.flips;
      report.singular_normal_matrices += window.singular_normal_matrices;
    }
    return report;
  }

 private:
  void RunWindow(const PlanData& plan, CpuState& state, const Kernels& kernels, const SkinJob& job,
                 const MorphJob& morph_job, const FrameInputs& in, const OutputViews& out,
                 std::size_t index, bool beyond_float) const {
    const CpuLayout& layout = *plan.cpu_layout;
    const CpuWindow& window = layout.windows[index];
    Suspects* const suspects = state.suspects.data() + window.blocks.front();
    std::size_t count = 0;
    if (beyond_float) {
      count = SuspectAll(layout, window, suspects);
    } else {
      count = morph_job.active_count == 0 ? Skin(kernels, job, window, suspects)
                                          : MorphAndSkin(kernels, job, morph_job, index, suspects);
    }
    state.reports[index] = {};
    if (count == 0) return;
    const std::size_t most = layout.max_influences;
    const SplitFrame frame{in.palette, state.palette.motions(), state.palette.rotations()};
    RedoSuspects(plan, layout, std::span(suspects, count), in, frame,
                 std::span(state.room).subspan(index * most, most), out, state.reports[index]);
  }

  /// Floats cannot tell what becomes of a frame with joints beyond them.
  static std::size_t SuspectAll(const CpuLayout& layout, const CpuWindow& window,
                                Suspects* suspects) {
    std::size_t count = 0;
    for (std::uint32_t b = window.blocks.front(); b < window.blocks.back(); ++b) {
      const auto lanes = static_cast<std::uint16_t>((1u << layout.blocks[b].count) - 1);
      suspects[count++] = {b, lanes, 0, 0};
    }
    return count;
  }

  /// Returns how many blocks are in doubt.
  static std::size_t Skin(const Kernels& kernels, const SkinJob& job, const CpuWindow& window,
                          Suspects* suspects) {
    const auto& blocks = window.blocks;
    std::size_t count = 0;
    if (blocks[0] != blocks[1]) count += kernels.linear(job, window, suspects);
    if (blocks[1] != blocks[2]) count += kernels.dual(job, window, suspects + count);
    if (blocks[2] != blocks[3]) count += kernels.mixed(job, window, suspects + count);
    if (blocks[3] != blocks[4]) count += kernels.spherical(job, window, suspects + count);
    return count;
  }

  /// The same, a stretch at a time: its morphed shape never leaves the first cache.
  static std::size_t MorphAndSkin(const Kernels& kernels, SkinJob job, const MorphJob& morph_job,
                                  std::size_t index, Suspects* suspects) {
    const CpuLayout& layout = *morph_job.layout;
    alignas(kCacheLineBytes) float morphed[kStretchBlocks * kMostMorphedRows * kBlockLanes];
    std::size_t count = 0;
    const std::uint32_t end = layout.morphs.of_window[index + 1];
    for (std::uint32_t s = layout.morphs.of_window[index]; s < end; ++s) {
      const MorphStretch& stretch = layout.morphs.stretches[s];
      job.touched = kernels.morph(morph_job, s, morphed);
      job.morphed = morphed;
      job.morphed_first = stretch.begin;
      job.blocks_done = stretch.begin - layout.windows[index].blocks.front();
      CpuWindow part = layout.windows[index];
      for (std::uint32_t& block : part.blocks) {
        block = std::clamp(block, stretch.begin, stretch.end);
      }
      count += Skin(kernels, job, part, suspects + count);
    }
    return count;
  }

  std::int64_t target_;
  ThreadTeam team_;
};

}  // namespace

Result<std::unique_ptr<Backend>> CreateCpuBackend(const BackendOptions& options) {
  std::string names;
  for (const std::int64_t target : Targets()) {
    const std::string_view name = hwy::TargetName(target);
    if (options.simd_target.empty() || options.simd_target == name) {
      return std::unique_ptr<Backend>(std::make_unique<CpuBackend>(target, options.threads));
    }
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return Error{ErrorCode::kBackendMissing,
               "there is no SIMD target '" + options.simd_target +
                   "' in this build on this machine; there are: " + names,
               {}};
}

std::vector<std::string> CpuSimdTargets() {
  std::vector<std::string> names;
  for (const std::int64_t target : Targets()) names.emplace_back(hwy::TargetName(target));
  return names;
}

}  // namespace flexor::deform
