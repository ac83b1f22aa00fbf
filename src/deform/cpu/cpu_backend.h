/// @file deform/cpu/cpu_backend.h
/// The door to the CPU backend. Private to the deform module.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "flexor/deform/backend.h"

namespace flexor::deform {

/// Errors  kBackendMissing naming the SIMD targets there are
Result<std::unique_ptr<Backend>> CreateCpuBackend(const BackendOptions& options);

/// What SimdTargets() returns: best first; empty when the build has no CPU backend.
std::vector<std::string> CpuSimdTargets();

}  // namespace flexor::deform
