/// @file deform/cpu/kernels/targets.h
/// The kernels at every SIMD target of the build, found by target and not by process-wide dispatch,
/// so that backends at different targets live side by side. Private to the deform room.
#pragma once

#include <cstdint>

#include "flexor/deform/settings.h"

#include "deform/cpu/job.h"

namespace flexor::deform {

/// Null where the build does not have the target (a bit of hwy/detect_targets.h).
SkinKernel LbsKernel(std::int64_t target, bool normals, bool tangents);
/// For blocks of class kDualQuaternion or kMixed.
SkinKernel DqsKernel(std::int64_t target, bool mixed, bool normals, bool tangents);
/// For blocks of class kSpherical.
SkinKernel SdefKernel(std::int64_t target, SdefRotation rotation, bool normals, bool tangents);
MorphKernel MorphAccumulateKernel(std::int64_t target);

/// The targets of the build, best first.
std::int64_t CompiledTargets();

}  // namespace flexor::deform
