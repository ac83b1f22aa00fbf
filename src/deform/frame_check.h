/// @file deform/frame_check.h
/// Whether a frame fits its plan: the same check for every backend. Private to the deform room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "flexor/core/result.h"
#include "flexor/deform/backend.h"

#include "deform/plan_data.h"

namespace flexor::deform {

/// Errors  kShapeMismatch (palette, morph weights or an output; both sizes). Never allocates when
/// the frame fits
Status CheckShapes(const PlanData& plan, const FrameInputs& in, const OutputViews& out);

/// Whether the palette, the morph weights and the output origin are finite; cheap.
bool NumbersAreFinite(const FrameInputs& in);

/// Errors  kInvalidValue (the first that is not finite; its index)
Status CheckNumbers(const PlanData& plan, const FrameInputs& in);

/// The error of a job whose plan `backend` did not prepare.
Error NotPrepared(const DeformJob& job, std::string_view backend);

/// Names the job in an error where there are several.
Status OfJob(std::span<const DeformJob> jobs, std::size_t index, Status status);

/// How many palette entries are beyond the range of a float, translations counted from the output
/// origin.
std::uint32_t JointsBeyondFloat(const FrameInputs& in);

}  // namespace flexor::deform
