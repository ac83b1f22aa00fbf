/// @file deform/backend.h
/// The one interface behind which the reference, the CPU and later Vulkan compute the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flexor/core/export.h"
#include "flexor/core/function_ref.h"
#include "flexor/core/parallel.h"
#include "flexor/core/progress.h"
#include "flexor/core/result.h"
#include "flexor/deform/frame.h"
#include "flexor/deform/plan.h"
#include "flexor/deform/prepared_plan.h"
#include "flexor/deform/scratch.h"

namespace flexor {
class ByteReader;
class ByteWriter;
}  // namespace flexor

namespace flexor::deform {

/// The implementations there are.
enum class BackendKind : std::uint8_t {
  kReference,  ///< scalar double: the specification
  kCpu,        ///< SIMD and threads
};

/// "reference", "cpu".
FLEXOR_API std::string_view BackendName(BackendKind kind);
FLEXOR_API Result<BackendKind> ParseBackend(std::string_view name);

/// The caller's own job system: calls task(i) once for every i below `count` (at most 64), on any
/// threads, in any order, and returns when all are done. Must not throw; `task` does not. Called
/// from the thread that called the backend, and only where the work is worth sharing.
using RunTasksFn =
    std::function<void(std::size_t count, FunctionRef<void(std::size_t index)> task)>;

/// What is asked of a backend.
struct BackendOptions {
  int threads = 0;            ///< 0 = DefaultThreadCount(); the reference always uses one
  std::string simd_target{};  ///< "" = best of this machine; else a name of SimdTargets()
  RunTasksFn run_tasks{};     ///< empty: the backend's own threads
};

/// What really runs, not what was asked for.
struct BackendInfo {
  BackendKind kind = BackendKind::kReference;
  std::string simd_target{};  ///< e.g. "AVX3"; "" for the reference
  int threads = 1;
};

/// SIMD targets compiled in and supported by this machine, best first, e.g. {"AVX3", "AVX2",
/// "SSE4", "EMU128"}.
FLEXOR_API std::vector<std::string> SimdTargets();

/// One mesh in one pose: what goes in, where it goes, and what the frame met.
struct DeformJob {
  const PreparedPlan* plan = nullptr;  ///< prepared by the backend that runs the job
  FrameInputs in{};
  OutputViews out{};
  FrameReport report{};  ///< filled by a run that succeeds
};

/// Deforms any number of meshes at once. Thread safe: every function may be called at the same time
/// with different scratch and different outputs. Callers never branch on which backend it is.
/// Errors  of every function, besides those named: kOutOfMemory
class FLEXOR_API Backend {
 public:
  virtual ~Backend() = default;
  virtual BackendInfo Info() const = 0;

  /// The backend's own layout of a plan: what costs time and memory once, for all instances and
  /// frames. Every backend of the same kind can use it.
  /// `progress` counts vertices.
  /// Errors  kCancelled (`progress` said stop)
  /// Cost    reference: none · cpu: docs/methods/cpu_backend.md, Measured
  Result<std::shared_ptr<const PreparedPlan>> Prepare(const DeformPlan& plan,
                                                      const PrepareSettings& settings = {},
                                                      ProgressFn progress = {}) const;

  /// Scratch large enough for these jobs, of which only the plans matter: Run then allocates
  /// nothing for as many jobs of these plans in this order.
  /// Errors  kInvalidArgument (a job without a plan, or with one of another backend)
  Result<Scratch> CreateScratch(std::span<const DeformJob> jobs) const;
  Result<Scratch> CreateScratch(const PreparedPlan& plan) const;

  /// Deforms a whole character or a crowd: the threads share all of it out. All jobs are checked
  /// first: on error no output and no report is touched.
  /// Errors  kShapeMismatch (palette, morph weights or an output against the plan; both sizes) ·
  ///         kInvalidValue (a palette entry or weight that is not finite; its index) ·
  ///         kInvalidArgument (a job without a plan, or with one of another backend; exact
  ///         positions from a backend in float)
  Status Run(std::span<DeformJob> jobs, Scratch& scratch) const;
  /// The same for one job.
  Result<FrameReport> Run(const PreparedPlan& plan, const FrameInputs& in, const OutputViews& out,
                          Scratch& scratch) const;

  /// The three steps of Run, for callers that schedule by themselves. Begin checks the jobs and
  /// splits their palettes, touches no output, and gives the number of windows of all jobs: those
  /// of the first job's plan, then of the next one's. What the jobs view must stay until End.
  /// Errors  those of Run
  Result<std::size_t> Begin(std::span<const DeformJob> jobs, Scratch& scratch) const;
  /// Deforms windows [begin, end) of what Begin was given, clipped to those there are; allocates
  /// nothing and cannot fail. Different windows may run at once on any threads, in any order; one
  /// that is left out leaves its vertices alone (PreparedPlan::windows).
  void RunWindows(Scratch& scratch, std::size_t begin, std::size_t end) const;
  /// Fills the reports, counting the windows that ran, and ends the run.
  /// Errors  kInvalidArgument (not the number of jobs that Begin was given)
  Status End(std::span<DeformJob> jobs, Scratch& scratch) const;

 private:
  friend FLEXOR_API Result<std::vector<std::byte>> SavePrepared(const Backend&, const PreparedPlan&,
                                                                std::uint64_t);
  friend FLEXOR_API Result<std::shared_ptr<const PreparedPlan>> LoadPrepared(
      const Backend&, std::span<const std::byte>);

  virtual Result<std::shared_ptr<const PreparedPlan>> DoPrepare(const DeformPlan& plan,
                                                                const PrepareSettings& settings,
                                                                ProgressFn progress) const = 0;
  /// What saved_plan.h keeps of a prepared plan besides its plan.
  virtual Status DoSave(const PreparedPlan& prepared, ByteWriter& out) const = 0;
  virtual Result<std::shared_ptr<const PreparedPlan>> DoLoad(DeformPlan plan,
                                                             ByteReader& in) const = 0;
  virtual Status DoReserve(std::span<const DeformJob> jobs, Scratch& scratch) const = 0;
  virtual Result<std::size_t> DoBegin(std::span<const DeformJob> jobs, Scratch& scratch) const = 0;
  virtual void DoRunWindows(Scratch& scratch, std::size_t begin, std::size_t end) const = 0;
  /// All windows, by the backend's own threads or the caller's job system.
  virtual void DoRunAllWindows(Scratch& scratch) const = 0;
  virtual Status DoEnd(std::span<DeformJob> jobs, Scratch& scratch) const = 0;
};

/// Errors  kBackendMissing naming what there is
FLEXOR_API Result<std::unique_ptr<Backend>> CreateBackend(BackendKind kind,
                                                          const BackendOptions& options = {});

}  // namespace flexor::deform
