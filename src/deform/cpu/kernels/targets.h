/// @file deform/cpu/kernels/targets.h
/// The kernels at every SIMD target of the build, found by target and not by process-wide dispatch,
/// so that backends at different targets live side by side. Private to the deform module.
#pragma once

#include <cstdint>

#include "flexor/deform/settings.h"

#include "deform/cpu/job.h"

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

/// The targets of the build, best first.
std::int64_t CompiledTargets();

}  // namespace flexor::deform
