/// @file deform/frame_check.h
/// Whether a frame fits its plan: the same check for every backend. Private to the deform room.
#pragma once

#include <cstdint>

#include "flexor/core/result.h"
#include "flexor/deform/frame.h"

#include "deform/plan_data.h"

namespace flexor::deform {

/// Errors  kShapeMismatch (palette, morph weights or an output; both sizes) · kInvalidValue (a
/// palette entry, morph weight or output origin that is not finite; its index). Never allocates
/// when the frame fits
Status CheckFrame(const PlanData& plan, const FrameInputs& in, const OutputViews& out);

/// How many palette entries are beyond the range of a float, translations counted from the output
/// origin.
std::uint32_t JointsBeyondFloat(const FrameInputs& in);

}  // namespace flexor::deform
