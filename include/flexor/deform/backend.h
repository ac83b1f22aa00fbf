/// @file deform/backend.h
/// The one interface behind which the reference, the CPU and later Vulkan compute the same.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "flexor/core/parallel.h"
#include "flexor/core/result.h"
#include "flexor/deform/frame.h"
#include "flexor/deform/plan.h"
#include "flexor/deform/state.h"

namespace flexor::deform {

/// The implementations there are.
enum class BackendKind : std::uint8_t {
  kReference,  ///< scalar double: the specification
  kCpu,        ///< SIMD and threads
};

/// "reference", "cpu".
std::string_view BackendName(BackendKind kind);
Result<BackendKind> ParseBackend(std::string_view name);

/// What is asked of a backend.
struct BackendOptions {
  int threads = 0;          ///< 0 = DefaultThreadCount(); the reference always uses one
  std::string simd_target;  ///< "" = best of this machine; else a name of SimdTargets()
};

/// What really runs, not what was asked for.
struct BackendInfo {
  BackendKind kind = BackendKind::kReference;
  std::string simd_target;  ///< e.g. "AVX3"; "" for the reference
  int threads = 1;
};

/// SIMD targets compiled in and supported by this machine, best first, e.g. {"AVX3", "AVX2",
/// "SSE4", "EMU128"}.
std::vector<std::string> SimdTargets();

/// Takes a plan, a state and a frame; fills views. Thread safe: Run may be called at once with
/// different states.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual BackendInfo Info() const = 0;
  /// Scratch for one plan. All allocation happens here: Run allocates nothing.
  virtual Result<std::unique_ptr<DeformState>> CreateState(const DeformPlan& plan) const = 0;
  /// Deforms one frame. Outputs are untouched on error.
  /// Errors  kShapeMismatch (palette, morph weights or an output against the plan; both sizes) ·
  ///         kInvalidValue (a palette entry or weight that is not finite; its index) ·
  ///         kInvalidArgument (state of another plan; exact positions from a backend in float)
  virtual Result<FrameReport> Run(const DeformPlan& plan, DeformState& state, const FrameInputs& in,
                                  const OutputViews& out) const = 0;
};

/// Errors  kBackendMissing naming what there is
Result<std::unique_ptr<Backend>> CreateBackend(BackendKind kind,
                                               const BackendOptions& options = {});

}  // namespace flexor::deform
