/// @file deform/cpu/kernels/targets.h
/// The kernels at every SIMD target of the build, found by target and not by process-wide dispatch,
/// so that backends at different targets live side by side. Private to the deform module.
#pragma once

#include <cstdint>

#include "flexor/deform/settings.h"

#include "deform/cpu/job.h"
#include "deform/cpu/kernels/at_target.h"

namespace flexor::deform {

/// What decides which instance of a kernel a frame runs.
struct KernelChoice {
  std::int64_t target;  ///< a bit of hwy/detect_targets.h
  const DeformSettings& settings;
  bool normals, tangents;
};

/// Finds the kernel of a method; null where the build does not have the target.
using KernelRule = SkinKernel (*)(const KernelChoice& choice);
SkinKernel LbsKernel(const KernelChoice& choice);
SkinKernel DqsKernel(const KernelChoice& choice);
SkinKernel MixedKernel(const KernelChoice& choice);
SkinKernel SdefKernel(const KernelChoice& choice);
/// The same for morphs.
MorphKernel MorphAccumulateKernel(std::int64_t target);

/// The targets of the build, a bit each; a smaller one is better.
std::int64_t CompiledTargets();

// The kernels for at_target.h.
struct LbsAt {
  using Function = KernelRule;
};
struct DqsAt {
  using Function = KernelRule;
};
struct MixedAt {
  using Function = KernelRule;
};
struct SdefAt {
  using Function = KernelRule;
};
struct MorphAt {
  using Function = MorphKernel;
};

}  // namespace flexor::deform
