#include "deform/cpu/cpu_backend.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <hwy/targets.h>

#include "flexor/core/aligned_buffer.h"

#include "deform/cpu/frame_palette.h"
#include "deform/cpu/kernels/targets.h"
#include "deform/cpu/layout_bytes.h"
#include "deform/cpu/prepared.h"
#include "deform/cpu/redo.h"
#include "deform/frame_check.h"
#include "deform/method_table.h"
#include "deform/plan_data.h"
#include "deform/tasks.h"

namespace flexor::deform {
namespace {

// Below this many vertices waking other threads costs more than they save (bench, crossover).
constexpr std::size_t kVerticesWorthThreads = 4096;
// The same for palettes: joints.
constexpr std::size_t kJointsWorthThreads = 512;
// Up to this many vertices the layout and the results of a frame stay in the second cache.
constexpr std::size_t kVerticesInCache = 16384;

// Rows of a block's morphed shape at most: positions, normals, tangents.
constexpr std::size_t kMostMorphedRows = 10;

/// What a frame runs, found once.
struct Kernels {
  Kernels() = default;
  Kernels(std::int64_t target, const DeformSettings& settings, const SkinJob& job)
      : morph(MorphAccumulateKernel(target)) {
    const KernelChoice choice{target, settings, job.normals.numbers != nullptr,
                              job.tangents.numbers != nullptr};
    for (const MethodRow& row : MethodTable()) skin[IndexOf(row.method)] = row.kernel(choice);
  }
  std::array<SkinKernel, asset::kSkinningMethods> skin{};
  MorphKernel morph = nullptr;
};

/// One job of a run under way.
struct JobInHand {
  /// Makes its memory large enough; allocates nothing where it has been as large before.
  void Fit(const CpuPreparedPlan& plan) {
    prepared = &plan;
    const CpuLayout& layout = plan.layout();
    palette.Fit(plan.data(), layout);
    widened.resize(plan.data().joint_count);
    suspects.resize(layout.blocks.size());
    reports.resize(layout.windows.size());
    influences.resize(layout.windows.size() * layout.max_influences);
    active.resize(plan.data().morphs.size());
  }

  const CpuPreparedPlan* prepared = nullptr;
  WidenedFrame in;
  OutputViews out;
  FrameReport report;  ///< of the palette; windows have their own

  Kernels kernels;
  SkinJob skin;
  MorphJob morph;
  bool beyond_float = false;
  bool sound = true;  ///< the numbers of the frame

  FramePalette palette;
  std::vector<Mat34d> widened;            ///< (J) in use where the palette came in floats
  std::vector<Suspects> suspects;         ///< (blocks), each window using the places of its own
  std::vector<FrameReport> reports;       ///< (windows)
  std::vector<WeightedJoint> influences;  ///< (windows * most influences)
  std::vector<ActiveMorph> active;        ///< (M), the first ones in use
};

class CpuScratch : public ScratchMemory {
 public:
  CpuScratch() {
    palette_tasks.reserve(kMostTasks);
    window_tasks.reserve(kMostTasks);
  }

  std::size_t windows() const { return count == 0 ? 0 : first_windows[count]; }

  std::size_t count = 0;                     ///< jobs of the run under way; 0 without one
  std::vector<JobInHand> jobs;               ///< at least as many
  std::vector<std::size_t> first_windows;    ///< (jobs + 1) counted through the run
  std::vector<std::uint32_t> palette_tasks;  ///< ends, in jobs
  std::vector<std::uint32_t> window_tasks;   ///< ends, in windows
};

/// What this machine can run. A build for one fixed target runs on no machine without it, and does
/// not need Highway's library to ask.
std::int64_t RunnableTargets() {
#ifdef HWY_COMPILE_ONLY_STATIC
  return CompiledTargets();
#else
  return CompiledTargets() & hwy::SupportedTargets();
#endif
}

std::vector<std::int64_t> Targets() {
  std::vector<std::int64_t> out;
  const std::int64_t all = RunnableTargets();
  // A smaller bit is a better target.
  for (int bit = 0; bit < 63; ++bit) {
    const std::int64_t target = std::int64_t{1} << bit;
    if ((all & target) != 0 && MorphAccumulateKernel(target) != nullptr) out.push_back(target);
  }
  return out;
}

template <class T>
SkinStream StreamOf(const OutputView<T>& view) {
  return {view.empty() ? nullptr : static_cast<float*>(view.data()), view.stride() / sizeof(float)};
}

/// Points the kernels at a job whose palette is filled.
void Describe(JobInHand& job, std::int64_t target) {
  const PlanData& plan = job.prepared->data();
  const CpuLayout& layout = job.prepared->layout();
  SkinJob& skin = job.skin;
  skin = {};
  skin.blocks = layout.blocks.data();
  skin.data = layout.data.data();
  skin.tangent_data = layout.tangents.data();
  skin.joints = layout.joints.data();
  skin.dst = layout.dst.data();
  skin.pivots = layout.pivots.data();
  skin.geometry_rows = layout.geometry_rows();
  skin.window_vertices = layout.window_vertices;
  skin.vertex_count = static_cast<std::uint32_t>(plan.vertex_count());
  skin.raw_weights = layout.raw_weights;
  skin.prefetch = plan.vertex_count() > kVerticesInCache;
  skin.morphed_rows = layout.geometry_rows() + (layout.tangents.empty() ? 0 : 4);
  job.palette.Describe(skin);
  skin.positions = StreamOf(job.out.positions);
  skin.normals = StreamOf(job.out.normals);
  skin.tangents = StreamOf(job.out.tangents);
  skin.packed = job.out.positions.packed() && (job.out.normals.empty() || job.out.normals.packed());

  std::size_t active = 0;
  const std::size_t starts = layout.morphs.stretches.size() + 1;
  for (std::size_t m = 0; m < job.in.morph_weights.size(); ++m) {
    if (job.in.morph_weights[m] == 0.0f) continue;
    job.active[active++] = {&layout.morphs.morphs[m], layout.morphs.starts.data() + m * starts,
                            job.in.morph_weights[m]};
  }
  job.morph = {&layout,
               job.active.data(),
               active,
               skin.morphed_rows,
               skin.normals.numbers != nullptr,
               skin.tangents.numbers != nullptr,
               skin.prefetch};
  job.kernels = Kernels(target, plan.settings, skin);
}

/// Null for a plan that another backend prepared, and for none.
const CpuPreparedPlan* PreparedOf(const DeformJob& job) {
  return dynamic_cast<const CpuPreparedPlan*>(job.plan);
}

class CpuBackend : public Backend {
 public:
  CpuBackend(std::int64_t target, const BackendOptions& options)
      : target_(target), tasks_(options) {}

  BackendInfo Info() const override {
    return {BackendKind::kCpu, hwy::TargetName(target_), tasks_.threads()};
  }

 private:
  Result<std::shared_ptr<const PreparedPlan>> DoPrepare(const DeformPlan& plan,
                                                        const PrepareSettings& settings,
                                                        ProgressFn progress) const override {
    FLEXOR_ASSIGN(CpuLayout layout, BuildCpuLayout(plan.data(), settings.order, progress));
    return std::shared_ptr<const PreparedPlan>(
        std::make_shared<CpuPreparedPlan>(plan, std::move(layout)));
  }

  Status DoSave(const PreparedPlan& prepared, ByteWriter& out) const override {
    const auto* const plan = dynamic_cast<const CpuPreparedPlan*>(&prepared);
    if (plan == nullptr) return NotPrepared(&prepared, "cpu");
    WriteCpuLayout(plan->layout(), out);
    return {};
  }

  Result<std::shared_ptr<const PreparedPlan>> DoLoad(DeformPlan plan,
                                                     ByteReader& in) const override {
    FLEXOR_ASSIGN(CpuLayout layout, ReadCpuLayout(in, plan.data()));
    return std::shared_ptr<const PreparedPlan>(
        std::make_shared<CpuPreparedPlan>(std::move(plan), std::move(layout)));
  }

  Status DoReserve(std::span<const DeformJob> jobs, Scratch& scratch) const override {
    FLEXOR_TRY(CheckPlans(jobs));
    MemoryFor(jobs, scratch);
    return {};
  }

  Result<std::size_t> DoBegin(std::span<const DeformJob> jobs, Scratch& scratch) const override {
    FLEXOR_TRY(CheckPlans(jobs));
    for (std::size_t i = 0; i < jobs.size(); ++i) FLEXOR_TRY(OfJob(jobs, i, CheckJob(jobs[i])));
    CpuScratch& memory = MemoryFor(jobs, scratch);
    FillPalettes(jobs, memory);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      if (memory.jobs[i].sound) continue;
      FLEXOR_TRY(OfJob(jobs, i, CheckNumbers(jobs[i].plan->plan().data(), jobs[i].in)));
    }
    memory.count = jobs.size();
    return memory.windows();
  }

  void DoRunWindows(Scratch& scratch, std::size_t begin, std::size_t end) const override {
    auto* const memory = dynamic_cast<CpuScratch*>(scratch.memory());
    if (memory == nullptr) return;
    RunWindowsOf(*memory, begin, std::min(end, memory->windows()));
  }

  void DoRunAllWindows(Scratch& scratch) const override {
    CpuScratch& memory = *dynamic_cast<CpuScratch*>(scratch.memory());
    std::size_t vertices = 0;
    for (std::size_t i = 0; i < memory.count; ++i) {
      vertices += memory.jobs[i].prepared->data().vertex_count();
    }
    TaskCutter cutter(memory.windows(), vertices, 1, memory.window_tasks);
    for (std::size_t i = 0; i < memory.count; ++i) {
      for (const CpuWindow& window : memory.jobs[i].prepared->layout().windows) {
        cutter.Add(window.end_vertex - window.first_vertex);
      }
    }
    RunTasks(memory.window_tasks, vertices >= kVerticesWorthThreads,
             [&](std::size_t begin, std::size_t end) { RunWindowsOf(memory, begin, end); });
  }

  Status DoEnd(std::span<DeformJob> jobs, Scratch& scratch) const override {
    auto* const memory = dynamic_cast<CpuScratch*>(scratch.memory());
    FLEXOR_TRY(CheckEnd(jobs.size(), memory == nullptr ? 0 : memory->count));
    for (std::size_t i = 0; i < jobs.size(); ++i) jobs[i].report = ReportOf(memory->jobs[i]);
    if (memory != nullptr) memory->count = 0;
    return {};
  }

  static Status CheckJob(const DeformJob& job) {
    const PlanData& plan = job.plan->plan().data();
    FLEXOR_TRY(CheckShapes(plan, job.in, job.out));
    if (job.out.exact_positions.empty()) return {};
    return Error{ErrorCode::kInvalidArgument,
                 "the CPU backend computes in float and has no exact positions; take the reference "
                 "backend",
                 {{}, "mesh '" + plan.mesh_name + "'", {}}};
  }

  static Status CheckPlans(std::span<const DeformJob> jobs) {
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      if (PreparedOf(jobs[i]) != nullptr) continue;
      return OfJob(jobs, i, NotPrepared(jobs[i].plan, "cpu"));
    }
    return {};
  }

  /// `jobs` checked.
  static CpuScratch& MemoryFor(std::span<const DeformJob> jobs, Scratch& scratch) {
    auto* memory = dynamic_cast<CpuScratch*>(scratch.memory());
    if (memory == nullptr) {
      auto made = std::make_unique<CpuScratch>();
      memory = made.get();
      scratch = Scratch(std::move(made));
    }
    memory->count = 0;
    if (memory->jobs.size() < jobs.size()) memory->jobs.resize(jobs.size());
    memory->first_windows.resize(jobs.size() + 1);
    std::size_t windows = 0;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const CpuPreparedPlan& prepared = *PreparedOf(jobs[i]);
      memory->jobs[i].Fit(prepared);
      memory->first_windows[i] = windows;
      windows += prepared.layout().windows.size();
    }
    memory->first_windows[jobs.size()] = windows;
    return *memory;
  }

  /// Everything of a frame that goes by joint; touches no output.
  void FillPalettes(std::span<const DeformJob> jobs, CpuScratch& memory) const {
    std::size_t joints = 0;
    for (const DeformJob& job : jobs) joints += job.in.palette.size();
    TaskCutter cutter(jobs.size(), joints, kJointsWorthThreads / 4, memory.palette_tasks);
    for (const DeformJob& job : jobs) cutter.Add(job.in.palette.size());
    RunTasks(memory.palette_tasks, joints >= kJointsWorthThreads,
             [&](std::size_t begin, std::size_t end) {
               for (std::size_t i = begin; i < end; ++i) FillPalette(jobs[i], memory.jobs[i]);
             });
  }

  void FillPalette(const DeformJob& job, JobInHand& in_hand) const {
    in_hand.in = {WidenPalette(job.in.palette, in_hand.widened), job.in.morph_weights,
                  job.in.output_origin};
    in_hand.out = job.out;
    in_hand.report = {};
    std::fill(in_hand.reports.begin(), in_hand.reports.end(), FrameReport{});
    in_hand.sound = NumbersAreSound(job.in, in_hand.in.palette);
    if (!in_hand.sound) return;
    in_hand.report.joints_beyond_float =
        JointsBeyondFloat(in_hand.in.palette, in_hand.in.output_origin);
    in_hand.palette.Fill(in_hand.prepared->data(), in_hand.prepared->layout(), in_hand.in,
                         in_hand.report);
    in_hand.beyond_float = in_hand.report.joints_beyond_float > 0 || in_hand.palette.beyond_float();
    Describe(in_hand, target_);
  }

  static void RunWindowsOf(CpuScratch& memory, std::size_t begin, std::size_t end) {
    if (begin >= end) return;
    const auto& firsts = memory.first_windows;
    const auto last = firsts.begin() + static_cast<std::ptrdiff_t>(memory.count) + 1;
    std::size_t job =
        static_cast<std::size_t>(std::upper_bound(firsts.begin(), last, begin) - firsts.begin()) -
        1;
    for (std::size_t w = begin; w < end; ++w) {
      while (w >= firsts[job + 1]) ++job;
      RunWindow(memory.jobs[job], w - firsts[job]);
    }
  }

  /// Runs the items of every task; on other threads too only where that is worth it.
  void RunTasks(std::span<const std::uint32_t> ends, bool share,
                FunctionRef<void(std::size_t begin, std::size_t end)> run) const {
    const auto task = [&](std::size_t i) { run(i == 0 ? 0 : ends[i - 1], ends[i]); };
    if (share) {
      tasks_.Run(ends.size(), task);
    } else {
      for (std::size_t i = 0; i < ends.size(); ++i) task(i);
    }
  }

  static FrameReport ReportOf(const JobInHand& job) {
    FrameReport report = job.report;
    for (const FrameReport& window : job.reports) {
      report.flips += window.flips;
      report.singular_normal_matrices += window.singular_normal_matrices;
    }
    return report;
  }

  static void RunWindow(JobInHand& job, std::size_t index) {
    const CpuLayout& layout = job.prepared->layout();
    const CpuWindow& window = layout.windows[index];
    Suspects* const suspects = job.suspects.data() + window.blocks.front();
    std::size_t count = 0;
    if (job.beyond_float) {
      count = SuspectAll(layout, window, suspects);
    } else {
      count = job.morph.active_count == 0
                  ? Skin(job.kernels, job.skin, window, suspects)
                  : MorphAndSkin(job.kernels, job.skin, job.morph, index, suspects);
    }
    if (count == 0) return;
    const std::size_t most = layout.max_influences;
    const SplitFrame frame{job.in.palette, job.palette.motions(), job.palette.rotations()};
    RedoSuspects(job.prepared->data(), layout, std::span(suspects, count), job.in, frame,
                 std::span(job.influences).subspan(index * most, most), job.out,
                 job.reports[index]);
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
    std::size_t count = 0;
    for (std::size_t m = 0; m < kernels.skin.size(); ++m) {
      const BlockRange blocks = window.BlocksOf(m);
      if (!blocks.empty()) count += kernels.skin[m](job, window, blocks, suspects + count);
    }
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
  TaskRunner tasks_;
};

}  // namespace

Result<std::unique_ptr<Backend>> CreateCpuBackend(const BackendOptions& options) {
  std::string names;
  for (const std::int64_t target : Targets()) {
    const std::string_view name = hwy::TargetName(target);
    if (options.simd_target.empty() || options.simd_target == name) {
      return std::unique_ptr<Backend>(std::make_unique<CpuBackend>(target, options));
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
