#include "flexor/deform/backend.h"

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
  for (const BackendKind kind : {BackendKind::kReference, BackendKind::kCpu}) {
    if (BackendName(kind) == name) return kind;
  }
  return Error{ErrorCode::kInvalidArgument,
               "there is no backend '" + std::string(name) + "'; there are: reference, cpu",
               {}};
}

std::vector<std::string> SimdTargets() { return CpuSimdTargets(); }

Result<std::unique_ptr<Backend>> CreateBackend(BackendKind kind, const BackendOptions& options) {
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

}  // namespace flexor::deform
