#include "flexor/bake/frames.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "flexor/asset/frame_time.h"

namespace flexor::bake {
namespace {

constexpr double kMostTimes = 1e7;
// Of a whole clip: nine hours at 30 frames a second. A longer one says more about its file than
// about what is wanted.
constexpr double kMostOfClip = 1e6;
// Whole frames beyond are no longer told apart by their halves, and their names grow past use.
constexpr double kFarthestFrame = 1e12;
// How far, in steps, the end of a range may lie past the last step and still count as reached:
// 0:1:0.1 is meant to hold 1, whatever ten times 0.1 rounds to.
constexpr double kArrival = 1e-6;

Error Usage(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message), {}}; }

std::string Number(double value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value).ptr;
  return {buffer, end};
}

Result<double> ParseNumber(std::string_view text, std::string_view whole) {
  double value = 0;
  const char* begin = text.data();
  if (text.starts_with('+')) ++begin;
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return Usage("frames must be A, A:B or A:B:STEP with numbers; \"" + std::string(text) +
                 "\" in \"" + std::string(whole) + "\" is no number");
  }
  return value;
}

Status CheckRate(double rate) {
  if (rate > 0 && std::isfinite(rate)) return {};
  return Usage("the frame rate must be a positive number, not " + Number(rate));
}

double LastFrame(const asset::Clip* clip, double rate) {
  return clip == nullptr ? 0 : asset::LastFrame(*clip, rate);
}

TimeSample At(double frame, double rate) { return {frame, asset::FrameToSeconds(frame, rate)}; }

}  // namespace

Result<FrameRange> ParseFrameRange(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t colon = text.find(':', begin);
    parts.push_back(text.substr(begin, colon == text.npos ? text.npos : colon - begin));
    if (colon == text.npos) break;
    begin = colon + 1;
  }
  if (parts.size() > 3) {
    return Usage("frames must be A, A:B or A:B:STEP; \"" + std::string(text) +
                 "\" has too many colons");
  }
  FrameRange range;
  FLEXOR_ASSIGN(range.first, ParseNumber(parts[0], text));
  range.last = range.first;
  if (parts.size() > 1) {
    FLEXOR_ASSIGN(range.last, ParseNumber(parts[1], text));
  }
  if (parts.size() > 2) {
    FLEXOR_ASSIGN(range.step, ParseNumber(parts[2], text));
    if (range.step == 0) return Usage("the step in \"" + std::string(text) + "\" must not be 0");
  }
  return range;
}

Result<std::vector<TimeSample>> ListTimes(const asset::Clip* clip,
                                          const std::optional<FrameRange>& range, double rate) {
  FLEXOR_TRY(CheckRate(rate));
  const FrameRange r = range.value_or(FrameRange{0, LastFrame(clip, rate), 1});
  const double way = r.last - r.first;
  if (!std::isfinite(r.first) || !std::isfinite(way) || !std::isfinite(r.step)) {
    return Usage("frame numbers must be finite");
  }
  const double farthest = std::max(std::abs(r.first), std::abs(r.last));
  if (farthest > kFarthestFrame) {
    return Usage("frame " + Number(farthest) + " is too far from the clip; frames reach from " +
                 Number(-kFarthestFrame) + " to " + Number(kFarthestFrame));
  }
  if (r.step == 0) return Usage("the step between frames must not be 0");
  double steps = 0;
  if (way != 0) {
    if ((way > 0) != (r.step > 0)) {
      return Usage("frames " + Number(r.first) + " to " + Number(r.last) +
                   " are never reached in steps of " + Number(r.step) + "; the step must be " +
                   (way > 0 ? "positive" : "negative"));
    }
    steps = std::floor(way / r.step + kArrival);
  }
  if (!range && clip != nullptr && steps + 1 > kMostOfClip) {  // asked for by the file alone
    return Error{ErrorCode::kLimitExceeded,
                 "the clip has " + Number(steps + 1) + " frames, and a whole clip is at most " +
                     Number(kMostOfClip) + "; ask for a range of frames",
                 {{}, "clip '" + clip->name + "'", {}}};
  }
  if (steps + 1 > kMostTimes) {
    return Usage("frames " + Number(r.first) + " to " + Number(r.last) + " in steps of " +
                 Number(r.step) + " are " + Number(steps + 1) + " frames; the limit is " +
                 Number(kMostTimes));
  }
  std::vector<TimeSample> times(static_cast<std::size_t>(steps) + 1);
  for (std::size_t i = 0; i < times.size(); ++i) {
    double frame = r.first + static_cast<double>(i) * r.step;
    // The last step may round past the end that was asked for.
    if (std::abs(frame - r.last) < kArrival * std::abs(r.step)) frame = r.last;
    times[i] = At(frame, rate);
  }
  return times;
}

Result<std::vector<TimeSample>> SpreadTimes(const asset::Clip* clip, std::size_t count,
                                            double rate) {
  FLEXOR_TRY(CheckRate(rate));
  if (count == 0) return Usage("at least one frame must be asked for");
  const double last = LastFrame(clip, rate);
  if (last + 1 <= static_cast<double>(count)) return ListTimes(clip, std::nullopt, rate);
  std::vector<TimeSample> times(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double frame =
        count == 1 ? 0 : std::round(last * static_cast<double>(i) / static_cast<double>(count - 1));
    times[i] = At(frame, rate);
  }
  return times;
}

std::vector<std::string> FrameLabels(const std::vector<TimeSample>& times) {
  std::vector<std::string> labels;
  std::size_t width = 4;
  const auto whole_digits = [](const std::string& number) {
    return std::min(number.find('.'), number.size());
  };
  for (const TimeSample& time : times) {
    char buffer[400];
    const auto end = std::to_chars(buffer, buffer + sizeof(buffer), std::abs(time.frame),
                                   std::chars_format::fixed)
                         .ptr;
    labels.emplace_back(buffer, end);
    width = std::max(width, whole_digits(labels.back()));
  }
  for (std::size_t i = 0; i < labels.size(); ++i) {
    labels[i].insert(0, width - whole_digits(labels[i]), '0');
    if (times[i].frame < 0) labels[i].insert(0, 1, '-');
  }
  return labels;
}

}  // namespace flexor::bake
