#include "flexor/deform/backend.h"

#include <numeric>

#include "core/guard.h"
#include "deform/cpu/cpu_backend.h"
#include "deform/reference/reference.h"

namespace flexor::deform {

std::string_view BackendName(BackendKind kind) {
  switch (kind) {
    case BackendKind::kReference:
      return "reference";
    case BackendKind::kCpu:
      return "cpu";
  }
  return "unknown";
}

Result<BackendKind> ParseBackend(std::string_view name) {
  return GuardAllocations("a name was read", [&]() -> Result<BackendKind> {
    for (const BackendKind kind : {BackendKind::kReference, BackendKind::kCpu}) {
      if (BackendName(kind) == name) return kind;
    }
    return Error{ErrorCode::kInvalidArgument,
                 "there is no backend '" + std::string(name) + "'; there are: reference, cpu",
                 {}};
  });
}

std::vector<std::string> SimdTargets() { return CpuSimdTargets(); }

Result<std::vector<std::uint32_t>> OutputIndices(const PreparedPlan& prepared,
                                                 std::span<const std::uint32_t> caller_indices) {
  return GuardAllocations(
      "indices were put in another order", [&]() -> Result<std::vector<std::uint32_t>> {
        const std::size_t vertices = prepared.plan().vertex_count();
        const std::span<const std::uint32_t> caller_from_output = prepared.caller_from_output();
        std::vector<std::uint32_t> output_from_caller(vertices);
        std::iota(output_from_caller.begin(), output_from_caller.end(), 0u);
        for (std::size_t i = 0; i < caller_from_output.size(); ++i) {
          output_from_caller[caller_from_output[i]] = static_cast<std::uint32_t>(i);
        }
        std::vector<std::uint32_t> out(caller_indices.size());
        for (std::size_t i = 0; i < caller_indices.size(); ++i) {
          if (caller_indices[i] >= vertices) {
            return Error{ErrorCode::kIndexOutOfRange,
                         "there is no vertex " + std::to_string(caller_indices[i]) +
                             "; the plan has " + std::to_string(vertices),
                         {{}, "index " + std::to_string(i), {}}};
          }
          out[i] = output_from_caller[caller_indices[i]];
        }
        return out;
      });
}

Result<std::shared_ptr<const PreparedPlan>> Backend::Prepare(const DeformPlan& plan,
                                                             const PrepareSettings& settings,
                                                             ProgressFn progress) const {
  return GuardAllocations("a plan was prepared",
                          [&] { return DoPrepare(plan, settings, progress); });
}

Result<Scratch> Backend::CreateScratch(std::span<const DeformJob> jobs) const {
  return GuardAllocations("scratch was made", [&]() -> Result<Scratch> {
    Scratch scratch;
    FLEXOR_TRY(DoReserve(jobs, scratch));
    return scratch;
  });
}

Result<Scratch> Backend::CreateScratch(const PreparedPlan& plan) const {
  DeformJob job;
  job.plan = &plan;
  return CreateScratch({&job, 1});
}

Status Backend::Run(std::span<DeformJob> jobs, Scratch& scratch) const {
  return GuardAllocations("meshes were deformed", [&]() -> Status {
    FLEXOR_TRY(DoBegin(jobs, scratch));
    DoRunAllWindows(scratch);
    return DoEnd(jobs, scratch);
  });
}

Result<std::size_t> Backend::Begin(std::span<const DeformJob> jobs, Scratch& scratch) const {
  return GuardAllocations("meshes were deformed", [&] { return DoBegin(jobs, scratch); });
}

void Backend::RunWindows(Scratch& scratch, std::size_t begin, std::size_t end) const {
  DoRunWindows(scratch, begin, end);
}

Status Backend::End(std::span<DeformJob> jobs, Scratch& scratch) const {
  return GuardAllocations("meshes were deformed", [&] { return DoEnd(jobs, scratch); });
}

Result<FrameReport> Backend::Run(const PreparedPlan& plan, const FrameInputs& in,
                                 const OutputViews& out, Scratch& scratch) const {
  DeformJob job{&plan, in, out, {}};
  FLEXOR_TRY(Run({&job, 1}, scratch));
  return job.report;
}

namespace {

Result<std::unique_ptr<Backend>> MakeBackend(BackendKind kind, const BackendOptions& options) {
  if (options.threads < 0) {
    return Error{ErrorCode::kInvalidArgument,
                 "a backend cannot run on " + std::to_string(options.threads) +
                     " threads; give 1 or more, or 0 for what the machine has",
                 {}};
  }
  if (kind == BackendKind::kCpu) return CreateCpuBackend(options);
  if (kind != BackendKind::kReference) {
    return Error{ErrorCode::kBackendMissing,
                 "there is no backend of kind " + std::to_string(static_cast<int>(kind)) +
                     "; there are: reference, cpu",
                 {}};
  }
  if (!options.simd_target.empty()) {
    return Error{ErrorCode::kBackendMissing,
                 "the reference backend has no SIMD target '" + options.simd_target +
                     "'; it is plain scalar code: leave the target out or use the backend 'cpu'",
                 {}};
  }
  return CreateReferenceBackend();
}

}  // namespace

Result<std::unique_ptr<Backend>> CreateBackend(BackendKind kind, const BackendOptions& options) {
  return GuardAllocations("a backend was made", [&] { return MakeBackend(kind, options); });
}

}  // namespace flexor::deform
