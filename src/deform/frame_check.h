/// @file deform/frame_check.h
/// Whether a frame fits its plan: the same check for every backend. Private to the deform module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "flexor/core/result.h"
#include "flexor/deform/backend.h"

#include "deform/plan_data.h"

namespace flexor::deform {

/// Errors  kShapeMismatch (palette, morph weights or an output; both sizes) · kInvalidArgument (an
/// output on a device, or with a stride or address that its entries cannot lie at). Never allocates
/// when the frame fits
Status CheckShapes(const PlanData& plan, const FrameInputs& in, const OutputViews& out);

/// Whether the palette, widened to `palette`, the morph weights and the output origin are finite
/// and the matrices affine; cheap.
bool NumbersAreSound(const FrameInputs& in, std::span<const Mat34d> palette);

/// Errors  kInvalidValue (the first that is not; its index)
Status CheckNumbers(const PlanData& plan, const FrameInputs& in);

/// The error of a plan, or of none, that `backend` did not prepare.
Error NotPrepared(const PreparedPlan* plan, std::string_view backend);

/// Whether a run ends with as many jobs as it began with. Errors  kInvalidArgument (both numbers)
Status CheckEnd(std::size_t given, std::size_t begun);

/// Names the job in an error where there are several.
Status OfJob(std::span<const DeformJob> jobs, std::size_t index, Status status);

/// How many palette entries are beyond the range of a float, translations counted from the output
/// origin.
std::uint32_t JointsBeyondFloat(std::span<const Mat34d> palette, const Vec3d& output_origin);

}  // namespace flexor::deform
