#include "flexor/asset/frame_time.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace flexor::asset {
namespace {

constexpr double kRates[] = {15, 23.976, 24, 25, 29.97, 30, 48, 50, 60, 120, 240};

double AsFloat(double value) { return static_cast<double>(static_cast<float>(value)); }

Clip ClipTo(double end_time, double rate) {
  Clip clip;
  clip.end_time = end_time;
  clip.frames_per_second = rate;
  return clip;
}

TEST(FrameTime, AWholeFrameComesBackFromItsTime) {
  for (const double rate : kRates) {
    for (double frame = 0; frame < 1e15; frame = frame * 3 + 1) {
      EXPECT_EQ(SecondsToFrame(FrameToSeconds(frame, rate), rate), frame) << rate;
      EXPECT_EQ(SecondsToFrame(FrameToSeconds(-frame, rate), rate), -frame) << rate;
    }
  }
}

// Every time of the first twenty minutes that a file may hold for a frame is that frame.
TEST(FrameTime, TheNearestFloatOfAFramesTimeIsThatFrame) {
  for (const double rate : kRates) {
    for (int frame = 0; frame < 1200 * rate; frame += frame < 10000 ? 1 : 37) {
      ASSERT_EQ(SecondsToFrame(AsFloat(frame / rate), rate), frame) << rate;
    }
  }
}

// Half a float's rounding away two frames are still told apart.
TEST(FrameTime, FarOutFramesStayApartAsLongAsFloatsDo) {
  for (const double frame : {333000.0 * 30, 333000.0 * 30 - 1, 400000.0 * 30 + 7}) {
    EXPECT_EQ(SecondsToFrame(FrameToSeconds(frame, 30), 30), frame);
    EXPECT_EQ(SecondsToFrame(AsFloat(FrameToSeconds(frame, 30)), 30), frame);
  }
  EXPECT_LT(FrameTolerance(1e12, 30), 0.5 / 30);
}

TEST(FrameTime, BetweenFramesNothingIsRounded) {
  for (const double frame : {0.5, 10.25, 10.001, 10.999, 1e5 + 0.125}) {
    EXPECT_EQ(SecondsToFrame(frame / 32, 32), frame);  // 32: division and product are exact
  }
  EXPECT_NE(SecondsToFrame(10.0002 / 30, 30), 10);
  EXPECT_EQ(SecondsToFrame(10.00005 / 30, 30), 10);
}

// 36 keys at 30 per second, 40 at 25, 51 at 24: the last key, rounded to float, lies before its
// frame.
TEST(FrameTime, TheLastFrameIsThereHoweverItsTimeWasRounded) {
  for (const double rate : kRates) {
    for (int keys = 2; keys < 4000; ++keys) {
      const double end = (keys - 1) / rate;
      ASSERT_EQ(CountFrames(ClipTo(AsFloat(end), rate)), static_cast<std::uint64_t>(keys)) << rate;
      ASSERT_EQ(CountFrames(ClipTo(end, rate)), static_cast<std::uint64_t>(keys)) << rate;
    }
  }
}

TEST(FrameTime, AnEndBetweenFramesIsAfterItsLastFrame) {
  EXPECT_EQ(LastFrame(ClipTo(0.99, 30), 30), 29);
  EXPECT_EQ(LastFrame(ClipTo(0.99, 30), 100), 99);
  EXPECT_EQ(LastFrame(ClipTo(0, 30), 30), 0);
  EXPECT_EQ(LastFrame(ClipTo(0.01, 30), 30), 0);
  EXPECT_EQ(LastFrame(ClipTo(-3, 30), 30), 0);
}

TEST(FrameTime, CountsFramesOfAnyLength) {
  EXPECT_EQ(CountFrames(ClipTo(2, 30)), 61u);
  EXPECT_EQ(CountFrames(ClipTo(333000, 30)), 9990001u);
  EXPECT_EQ(CountFrames(ClipTo(4294967295.0 / 30, 30)), 4294967296u);
  EXPECT_EQ(CountFrames(ClipTo(std::numeric_limits<double>::max(), 30)), 1000000000000000001u);
}

}  // namespace
}  // namespace flexor::asset
