/// @file bake/frames.h
/// Which moments of a clip are meant.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "flexor/asset/clip.h"
#include "flexor/core/result.h"

namespace flexor::bake {

/// Frames count from 0 in the clip's own rate; a range includes its end.
struct FrameRange {
  double first = 0, last = 0, step = 1;
};

/// "A", "A:B" or "A:B:STEP", numbers may have fractions; STEP may be negative when B < A.
/// Errors  kInvalidArgument
Result<FrameRange> ParseFrameRange(std::string_view text);

/// One moment of a clip.
struct Moment {
  double frame = 0;    ///< in the clip's own rate
  double seconds = 0;  ///< frame / rate
};

/// All frames of a range. `rate` frames per second. No range: every whole frame of the clip, 0 to
/// its end. Errors  kInvalidArgument (a step that never arrives, a rate that is not positive) ·
/// kLimitExceeded (over 10 million)
Result<std::vector<Moment>> ListMoments(const asset::Clip* clip,
                                        const std::optional<FrameRange>& range, double rate);

}  // namespace flexor::bake
