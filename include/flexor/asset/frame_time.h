/// @file asset/frame_time.h
/// Frames and seconds: the one place that converts between them, and that says when a time stored
/// in a file is the time of a frame.
///
/// Frame f of a rate r is at the time f / r. Files store times that miss it: glTF rounds them to
/// float, and some exporters rounded or summed them before (keys of the sample models of Khronos
/// lie up to 4e-5 of a frame from theirs). So a time within FrameTolerance of a frame's time is
/// that frame: a clip whose last key is float(35 / 30) ends on frame 35, and a key of float(1 /
/// 30), which is later than 1 / 30, has been reached at frame 1. Sampling, counting and listing of
/// frames all go by this.
#pragma once

#include <cstdint>

#include "flexor/asset/clip.h"
#include "flexor/core/export.h"

namespace flexor::asset {

/// How far, in seconds, a stored time may lie from another and still be the same: a ten-thousandth
/// of a frame, or the rounding of a float where that is more, but always less than half a frame.
/// `frames_per_second` must be positive.
FLEXOR_API double FrameTolerance(double seconds, double frames_per_second);

/// The time of a frame, rounded once: frame / frames_per_second.
FLEXOR_API double FrameToSeconds(double frame, double frames_per_second);

/// The frame at a time: a whole number when the time is that frame's within FrameTolerance, else
/// seconds * frames_per_second. The inverse of FrameToSeconds for whole frames up to 2^51.
FLEXOR_API double SecondsToFrame(double seconds, double frames_per_second);

/// The last whole frame of a clip, counted in any rate: the last that is not after its end; 0 for a
/// clip that ends before frame 1. A clip has LastFrame + 1 frames.
FLEXOR_API double LastFrame(const Clip& clip, double frames_per_second);

/// LastFrame + 1 in the clip's own rate, at most 1e18 + 1.
FLEXOR_API std::uint64_t CountFrames(const Clip& clip);

}  // namespace flexor::asset
