#include "flexor/asset/frame_time.h"

#include <algorithm>
#include <cmath>

namespace flexor::asset {
namespace {

// Nothing that is animated happens within it, and no exporter rounds further.
constexpr double kFrameShare = 1e-4;
// The largest relative error of a number rounded to float, and a little more for the rounding here.
constexpr double kFloatRounding = 1.01 / (1 << 24);
// Where floats are farther apart than frames, frames stay apart all the same.
constexpr double kMostShare = 0.499;

}  // namespace

double FrameTolerance(double seconds, double frames_per_second) {
  const double frame = 1 / frames_per_second;
  return std::min(std::max(kFrameShare * frame, kFloatRounding * std::abs(seconds)),
                  kMostShare * frame);
}

double FrameToSeconds(double frame, double frames_per_second) { return frame / frames_per_second; }

double SecondsToFrame(double seconds, double frames_per_second) {
  const double frame = seconds * frames_per_second;
  const double whole = std::round(frame);
  const double miss = std::abs(FrameToSeconds(whole, frames_per_second) - seconds);
  return miss <= FrameTolerance(seconds, frames_per_second) ? whole : frame;
}

double LastFrame(const Clip& clip, double frames_per_second) {
  return std::max(0.0, std::floor(SecondsToFrame(clip.end_time, frames_per_second)));
}

std::uint64_t CountFrames(const Clip& clip) {
  return static_cast<std::uint64_t>(std::min(LastFrame(clip, clip.frames_per_second), 1e18)) + 1;
}

}  // namespace flexor::asset
