/// @file deform/cpu/redo.h
/// The double path of the CPU backend: single vertices whose answer floats cannot be trusted with.
/// Private to the deform module.
#pragma once

#include <cstdint>
#include <span>

#include "flexor/deform/frame.h"

#include "deform/cpu/job.h"
#include "deform/joint_motion.h"
#include "deform/plan_data.h"
#include "deform/reference/reference.h"
#include "deform/widen_palette.h"

namespace flexor::deform {

/// Computes what is in doubt by the reference and overwrites it. Adds to
/// report.singular_normal_matrices, and to report.flips what FramePalette could not count. `frame`
/// is what FramePalette split; `scratch` holds the longest run of influences.
void RedoSuspects(const PlanData& plan, const CpuLayout& layout, std::span<const Suspects> suspects,
                  const WidenedFrame& in, const SplitFrame& frame, std::span<WeightedJoint> scratch,
                  const OutputViews& out, FrameReport& report);

}  // namespace flexor::deform
