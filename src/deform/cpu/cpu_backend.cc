#include "deform/cpu/cpu_backend.h"

namespace flexor::deform {

Result<std::unique_ptr<Backend>> CreateCpuBackend(const BackendOptions&) {
  return Error{
      ErrorCode::kBackendMissing, "this build has no CPU backend; use the backend 'reference'", {}};
}

std::vector<std::string> CpuSimdTargets() { return {}; }

}  // namespace flexor::deform
