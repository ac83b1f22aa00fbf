/// @file bake/pose_frames.h
/// A clip posed at one time after another.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "flexor/asset/posed_character.h"
#include "flexor/bake/motion_settings.h"
#include "flexor/core/function_ref.h"
#include "flexor/core/progress.h"
#include "flexor/core/result.h"

namespace flexor::bake {

/// What is done with each pose, in order.
using TakePoseFn = FunctionRef<void(const asset::PosedCharacter& posed)>;

/// Poses a clip of the character at `seconds`, one time after another.
/// Errors  those of Poser · kCancelled
Status PoseFrames(const asset::Character& character, std::uint32_t clip,
                  const std::vector<double>& seconds, const pose::PoserSettings& settings,
                  TakePoseFn take, ProgressFn progress);

/// Refuses a clip whose keys would take more than the settings allow.
/// Errors  kLimitExceeded with the frames and both numbers of bytes
Status CheckMotionMemory(const asset::Clip& clip, double frames, double bytes_per_frame,
                         const MotionSettings& settings);

}  // namespace flexor::bake
