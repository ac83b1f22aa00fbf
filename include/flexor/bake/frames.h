/// @file bake/frames.h
/// Which times of a clip are meant.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flexor/asset/clip.h"
#include "flexor/core/export.h"
#include "flexor/core/result.h"

namespace flexor::bake {

/// Frames count from 0 in the clip's own rate; a range includes its end when the step lands on it.
struct FrameRange {
  double first = 0, last = 0, step = 1;

  friend bool operator==(const FrameRange&, const FrameRange&) = default;
};

/// "A", "A:B" or "A:B:STEP", numbers may have fractions; STEP may be negative when B < A.
/// Errors  kInvalidArgument
FLEXOR_API Result<FrameRange> ParseFrameRange(std::string_view text);

/// A time at which a clip is looked at.
struct TimeSample {
  double frame = 0;    ///< in the rate that was asked for
  double seconds = 0;  ///< asset::FrameToSeconds(frame, rate)

  friend bool operator==(const TimeSample&, const TimeSample&) = default;
};

/// All frames of a range, each first + i * step with one rounding, so that no error adds up. `rate`
/// frames per second. No range: every whole frame of the clip, 0 to asset::LastFrame; without a
/// clip, frame 0 alone.
/// Errors  kInvalidArgument (a step that is 0 or never arrives, a rate that is not positive, a
/// frame beyond 1e12 either way, over 10 million frames) · kLimitExceeded (no range, and a clip of
/// over a million frames)
FLEXOR_API Result<std::vector<TimeSample>> ListTimes(const asset::Clip* clip,
                                                     const std::optional<FrameRange>& range,
                                                     double rate);

/// At most `count` whole frames spread evenly over the clip, both ends among them; without a clip,
/// frame 0 alone. Errors  kInvalidArgument for a rate that is not positive and a count of 0
FLEXOR_API Result<std::vector<TimeSample>> SpreadTimes(const asset::Clip* clip, std::size_t count,
                                                       double rate);

/// What replaces {frame} in file names, one label per time sample: whole digits padded with zeros
/// to at least four and to a common width, so that names sort; fractions as short as they are exact
/// ("0012", "0012.5", "-0003").
FLEXOR_API std::vector<std::string> FrameLabels(const std::vector<TimeSample>& times);

}  // namespace flexor::bake
