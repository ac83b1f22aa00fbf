#include "flexor/bake/frames.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flexor::bake {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ParseFrameRange, ReadsOneFrameARangeAndAStep) {
  EXPECT_EQ(*ParseFrameRange("7"), (FrameRange{7, 7, 1}));
  EXPECT_EQ(*ParseFrameRange("0:60"), (FrameRange{0, 60, 1}));
  EXPECT_EQ(*ParseFrameRange("10:20:0.5"), (FrameRange{10, 20, 0.5}));
  EXPECT_EQ(*ParseFrameRange("5:-5:-2.5"), (FrameRange{5, -5, -2.5}));
  EXPECT_EQ(*ParseFrameRange("+1.25e1"), (FrameRange{12.5, 12.5, 1}));
}

TEST(ParseFrameRange, SaysWhichPartIsNoNumber) {
  for (const char* bad : {"", ":", "1:", ":5", "a", "1:b", "1:2:", "1:2:3:4", "1 : 2", "nan", "inf",
                          "1:inf", "--3", "0x10"}) {
    const auto range = ParseFrameRange(bad);
    ASSERT_FALSE(range.ok()) << bad;
    EXPECT_EQ(range.error().code, ErrorCode::kInvalidArgument) << bad;
  }
  EXPECT_THAT(ParseFrameRange("1:b").error().message, HasSubstr("\"b\" in \"1:b\""));
}

TEST(ListTimes, HalfFramesFromTenToTwentyAreTwentyOneExactSamples) {
  const auto times = ListTimes(nullptr, FrameRange{10, 20, 0.5}, 25);
  ASSERT_TRUE(times.ok());
  ASSERT_EQ(times->size(), 21u);
  for (std::size_t i = 0; i < 21; ++i) {
    EXPECT_EQ((*times)[i].frame, 10 + 0.5 * static_cast<double>(i));
    EXPECT_EQ((*times)[i].seconds, (*times)[i].frame / 25);
  }
}

TEST(ListTimes, FractionsThatBinaryCannotHoldDoNotAddUp) {
  // Ten additions of 0.1 give 0.9999999999999999; a product per frame does not.
  const auto times = ListTimes(nullptr, FrameRange{0, 1, 0.1}, 1);
  ASSERT_TRUE(times.ok());
  ASSERT_EQ(times->size(), 11u);
  EXPECT_EQ(times->back().frame, 1.0);
  const auto long_one = ListTimes(nullptr, FrameRange{0, 1000, 0.1}, 1);
  ASSERT_EQ(long_one->size(), 10001u);
  EXPECT_EQ((*long_one)[7777].frame, 7777 * 0.1);
  EXPECT_EQ(long_one->back().frame, 1000.0);
}

TEST(ListTimes, AnEndThatTheStepMissesIsLeftOut) {
  const auto times = ListTimes(nullptr, FrameRange{10, 20, 3}, 30);
  ASSERT_EQ(times->size(), 4u);
  EXPECT_EQ(times->back().frame, 19);
}

TEST(ListTimes, GoesBackwardsWithANegativeStep) {
  const auto times = ListTimes(nullptr, FrameRange{3, 0, -1}, 30);
  ASSERT_EQ(times->size(), 4u);
  EXPECT_EQ((*times)[0].frame, 3);
  EXPECT_EQ((*times)[3].frame, 0);
}

TEST(ListTimes, RefusesAStepThatNeverArrives) {
  for (const FrameRange range :
       {FrameRange{0, 10, -1}, FrameRange{10, 0, 1}, FrameRange{0, 1, 0}}) {
    const auto times = ListTimes(nullptr, range, 30);
    ASSERT_FALSE(times.ok());
    EXPECT_EQ(times.error().code, ErrorCode::kInvalidArgument);
  }
  EXPECT_THAT(ListTimes(nullptr, FrameRange{10, 0, 1}, 30).error().message,
              HasSubstr("must be negative"));
  // Not even where one frame needs no step.
  EXPECT_EQ(ListTimes(nullptr, FrameRange{4, 4, 0}, 30).error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(ParseFrameRange("4:4:0").error().message, HasSubstr("must not be 0"));
}

TEST(ListTimes, RefusesRatesThatAreNotPositiveAndEndlessRanges) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double rate : {0.0, -30.0, nan, std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(ListTimes(nullptr, FrameRange{0, 1, 1}, rate).error().code,
              ErrorCode::kInvalidArgument);
  }
  EXPECT_EQ(ListTimes(nullptr, FrameRange{0, nan, 1}, 30).error().code,
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(ListTimes(nullptr, FrameRange{-1.7e308, 1.7e308, 1}, 30).error().code,
            ErrorCode::kInvalidArgument);
  // What was asked for makes no sense; no input is at fault.
  const auto many = ListTimes(nullptr, FrameRange{0, 1, 1e-9}, 30);
  ASSERT_FALSE(many.ok());
  EXPECT_EQ(many.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(many.error().message, HasSubstr("the limit is 1e+07"));
  for (const FrameRange& range :
       {FrameRange{0, 1e300, 1e-300}, FrameRange{1e300, 1e300, 1}, FrameRange{-2e12, 0, 1e9}}) {
    const auto far = ListTimes(nullptr, range, 30);
    ASSERT_FALSE(far.ok());
    EXPECT_EQ(far.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(far.error().message, HasSubstr("too far"));
  }
}

TEST(ListTimes, WithoutARangeTakesEveryWholeFrameOfTheClip) {
  asset::Clip clip;
  clip.end_time = 2;
  EXPECT_EQ(ListTimes(&clip, std::nullopt, 30)->size(), 61u);
  clip.end_time = 0.99;  // frame 29.7: the last whole one is 29
  EXPECT_EQ(ListTimes(&clip, std::nullopt, 30)->back().frame, 29);
  clip.end_time = 1.0f / 24 * 10;  // a time stored as float rounds just past or short of frame 10
  EXPECT_EQ(ListTimes(&clip, std::nullopt, 24)->back().frame, 10);
  EXPECT_EQ(ListTimes(nullptr, std::nullopt, 30)->size(), 1u);
}

TEST(ListTimes, AClipOfEndlessFramesAsksForARange) {
  asset::Clip clip;
  clip.name = "long";
  clip.frames_per_second = 30;
  for (const double end : {333000.0, 4294967295.0 / 30}) {
    clip.end_time = end;
    const auto times = ListTimes(&clip, std::nullopt, 30);
    ASSERT_FALSE(times.ok());
    // The file asked for them; were it the user, it would be kInvalidArgument.
    EXPECT_EQ(times.error().code, ErrorCode::kLimitExceeded);
    EXPECT_THAT(times.error().ToString(), HasSubstr("'long'"));
    EXPECT_THAT(times.error().message, HasSubstr("ask for a range of frames"));
    EXPECT_EQ(ListTimes(&clip, FrameRange{9989998, 9990000, 1}, 30)->size(), 3u);
    EXPECT_EQ(SpreadTimes(&clip, 3, 30)->size(), 3u);
  }
  clip.end_time = 999999 / 30.0;
  EXPECT_EQ(ListTimes(&clip, std::nullopt, 30)->size(), 1000000u);
  EXPECT_EQ(ListTimes(&clip, FrameRange{0, 1e9, 1}, 30).error().code, ErrorCode::kInvalidArgument);
}

TEST(SpreadTimes, KeepsBothEndsAndWholeFrames) {
  asset::Clip clip;
  clip.end_time = 2;
  const auto times = SpreadTimes(&clip, 5, 30);
  ASSERT_TRUE(times.ok());
  std::vector<double> frames;
  for (const TimeSample& time : *times) frames.push_back(time.frame);
  EXPECT_THAT(frames, ElementsAre(0, 15, 30, 45, 60));
  EXPECT_EQ(SpreadTimes(&clip, 100, 30)->size(), 61u);
  EXPECT_EQ(SpreadTimes(nullptr, 5, 30)->size(), 1u);
  EXPECT_EQ(SpreadTimes(&clip, 1, 30)->front().frame, 0);
  EXPECT_FALSE(SpreadTimes(&clip, 0, 30).ok());
}

TEST(FrameLabels, SortAsTextAndSayFractions) {
  EXPECT_THAT(FrameLabels({{0, 0}, {12, 0}, {12.5, 0}, {-3, 0}}),
              ElementsAre("0000", "0012", "0012.5", "-0003"));
  EXPECT_THAT(FrameLabels({{1, 0}, {123456, 0}}), ElementsAre("000001", "123456"));
}

}  // namespace
}  // namespace flexor::bake
