#include <cmath>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include "flexor/pose/pose.h"

namespace flexor::pose {
namespace {

using asset::Channel;
using asset::ChannelPath;
using asset::Character;
using asset::Clip;
using asset::Interpolation;

Channel MakeChannel(ChannelPath path, Interpolation interpolation, std::vector<double> times,
                    std::vector<float> values) {
  Channel channel;
  channel.path = path;
  channel.interpolation = interpolation;
  channel.components = path == ChannelPath::kRotation ? 4 : 3;
  channel.times = std::move(times);
  channel.values = std::move(values);
  return channel;
}

// One node and one clip with one channel on it.
Character WithChannel(Channel channel) {
  Character c;
  c.nodes.resize(1);
  c.clips.resize(1);
  c.clips[0].channels.push_back(std::move(channel));
  EXPECT_TRUE(asset::Finalize(c).ok());
  return c;
}

Transform At(const Character& c, double seconds) {
  Pose pose = RestPose(c);
  SampleClip(c.clips[0], seconds, pose);
  return pose.locals[0];
}

double AngleAboutY(Quatd q) { return 2 * std::atan2(q.y, q.w) * 180 / std::numbers::pi; }

const float kHalf = static_cast<float>(std::sqrt(0.5));

TEST(SampleClip, StepHoldsTheEarlierKey) {
  const Character c = WithChannel(MakeChannel(ChannelPath::kTranslation, Interpolation::kStep,
                                              {1, 2, 4}, {1, 0, 0, 2, 0, 0, 3, 0, 0}));
  const double table[][2] = {{-5, 1}, {0, 1}, {1, 1},       {1.999, 1}, {2, 2},
                             {3, 2},  {4, 3}, {4.00001, 3}, {99, 3}};
  for (const auto& [seconds, x] : table) EXPECT_EQ(At(c, seconds).translation.x, x) << seconds;
}

TEST(SampleClip, LinearIsExactAtKeysAndStraightBetween) {
  const Character c = WithChannel(MakeChannel(ChannelPath::kScale, Interpolation::kLinear,
                                              {0, 1, 3}, {1, 1, 1, 3, -1, 0, 0, 0, 0.1f}));
  EXPECT_EQ(At(c, 0).scale, (Vec3d{1, 1, 1}));
  EXPECT_EQ(At(c, 1).scale, (Vec3d{3, -1, 0}));
  EXPECT_EQ(At(c, 3).scale, (Vec3d{0, 0, static_cast<double>(0.1f)}));
  EXPECT_EQ(At(c, 0.25).scale, (Vec3d{1.5, 0.5, 0.75}));
  EXPECT_NEAR(At(c, 2.5).scale.x, 0.75, 1e-15);
  EXPECT_EQ(At(c, -1).scale, (Vec3d{1, 1, 1}));
  EXPECT_EQ(At(c, 1e300).scale, (Vec3d{0, 0, static_cast<double>(0.1f)}));
}

TEST(SampleClip, LinearRotationTurnsEvenlyAlongTheShorterArc) {
  // Identity to 90 degrees about Y, the second key with all signs turned: the same rotation.
  for (const float sign : {1.0f, -1.0f}) {
    const Character c =
        WithChannel(MakeChannel(ChannelPath::kRotation, Interpolation::kLinear, {0, 1},
                                {0, 0, 0, 1, 0, sign * kHalf, 0, sign * kHalf}));
    for (const double t : {0.0, 0.1, 0.25, 0.5, 0.75, 1.0}) {
      const Quatd q = At(c, t).rotation;
      EXPECT_NEAR(std::remainder(AngleAboutY(q) - 90 * t, 360), 0, 1e-5) << sign << " " << t;
      EXPECT_NEAR(Dot(q, q), 1, 1e-14);
    }
  }
}

// The raw length at the middle is 0.9239; normalised it is 45 degrees, and nothing scales.
TEST(SampleClip, CubicRotationIsNormalisedAfterwards) {
  const Character c =
      WithChannel(MakeChannel(ChannelPath::kRotation, Interpolation::kCubicSpline, {0, 1},
                              {0, 0, 0, 0, 0, 0,     0, 1,     0, 0, 0, 0,  //
                               0, 0, 0, 0, 0, kHalf, 0, kHalf, 0, 0, 0, 0}));
  const Transform middle = At(c, 0.5);
  EXPECT_NEAR(Dot(middle.rotation, middle.rotation), 1, 1e-14);
  EXPECT_NEAR(AngleAboutY(middle.rotation), 45, 1e-5);
  EXPECT_EQ(middle.scale, (Vec3d{1, 1, 1}));
}

// Values 0, 1, 4 at 0, 1, 3 s; leaving slopes 1, -1, 9; arriving slopes 9, 2, 0.5.
// By hand at the middle of a span of length d: (v0 + v1) / 2 + d (out0 - in1) / 8.
TEST(SampleClip, CubicTangentsArePerSecond) {
  const Character c =
      WithChannel(MakeChannel(ChannelPath::kTranslation, Interpolation::kCubicSpline, {0, 1, 3},
                              {9,    0, 0, 0, 0, 0, 1,  0, 0,  //
                               2,    0, 0, 1, 0, 0, -1, 0, 0,  //
                               0.5f, 0, 0, 4, 0, 0, 9,  0, 0}));
  EXPECT_DOUBLE_EQ(At(c, 0.5).translation.x, 0.5 + (1 - 2) / 8.0);
  EXPECT_DOUBLE_EQ(At(c, 2).translation.x, 2.5 + 2 * (-1 - 0.5) / 8.0);
  // A quarter into the second span: h00 = 27/32, h10 = 9/64, h01 = 5/32, h11 = -3/64.
  EXPECT_DOUBLE_EQ(At(c, 1.5).translation.x,
                   27.0 / 32 * 1 + 2 * 9.0 / 64 * -1 + 5.0 / 32 * 4 + 2 * -3.0 / 64 * 0.5);
  EXPECT_EQ(At(c, 0).translation.x, 0);
  EXPECT_EQ(At(c, 1).translation.x, 1);
  EXPECT_EQ(At(c, 3).translation.x, 4);
  // Outside the keys the values hold; no tangent leads on.
  EXPECT_EQ(At(c, -1).translation.x, 0);
  EXPECT_EQ(At(c, 7).translation.x, 4);
}

TEST(SampleClip, ASingleKeyHoldsAlways) {
  for (const Interpolation interpolation : {Interpolation::kStep, Interpolation::kLinear}) {
    const Character c =
        WithChannel(MakeChannel(ChannelPath::kTranslation, interpolation, {2}, {5, 6, 7}));
    for (const double t : {-1.0, 2.0, 3.0}) EXPECT_EQ(At(c, t).translation, (Vec3d{5, 6, 7}));
  }
  const Character cubic = WithChannel(MakeChannel(
      ChannelPath::kTranslation, Interpolation::kCubicSpline, {2}, {1, 1, 1, 5, 6, 7, 1, 1, 1}));
  for (const double t : {-1.0, 2.0, 3.0}) EXPECT_EQ(At(cubic, t).translation, (Vec3d{5, 6, 7}));
}

TEST(SampleClip, KeysAtOneTimeAreAJumpWithoutNaN) {
  const Character c =
      WithChannel(MakeChannel(ChannelPath::kTranslation, Interpolation::kLinear, {0, 1, 1, 1, 2},
                              {0, 0, 0, 10, 0, 0, 77, 0, 0, 20, 0, 0, 30, 0, 0}));
  EXPECT_EQ(At(c, 0.5).translation.x, 5);
  EXPECT_EQ(At(c, 1).translation.x, 20);
  EXPECT_EQ(At(c, 1.5).translation.x, 25);
  const Character all = WithChannel(
      MakeChannel(ChannelPath::kTranslation, Interpolation::kLinear, {1, 1}, {3, 0, 0, 4, 0, 0}));
  EXPECT_EQ(At(all, 0).translation.x, 3);
  EXPECT_EQ(At(all, 1).translation.x, 4);
  EXPECT_EQ(At(all, 2).translation.x, 4);
}

// Keys on the frames of a rate, their times rounded to float as in a file. Whether that went up or
// down, frame k shows key k, in the clip's rate and in its double, and by every interpolation.
TEST(SampleClip, AKeyIsAtItsFrameHoweverItsTimeWasRounded) {
  for (const Interpolation interpolation : {Interpolation::kStep, Interpolation::kLinear}) {
    for (const double rate : {24.0, 25.0, 30.0, 60.0}) {
      std::vector<double> times;
      std::vector<float> values;
      for (int k = 0; k < 2000; ++k) {
        times.push_back(static_cast<double>(static_cast<float>(k / rate)));
        values.insert(values.end(), {static_cast<float>(k), 0, 0});
      }
      Character c =
          WithChannel(MakeChannel(ChannelPath::kTranslation, interpolation, times, values));
      c.clips[0].frames_per_second = rate;
      for (int k = 0; k < 2000; ++k) {
        ASSERT_EQ(At(c, k / rate).translation.x, k) << rate;
        ASSERT_EQ(At(c, 2 * k / (2 * rate)).translation.x, k) << rate;
        if (interpolation != Interpolation::kStep) continue;
        ASSERT_EQ(At(c, (2 * k + 1) / (2 * rate)).translation.x, k) << rate;
        ASSERT_EQ(At(c, (k + 0.99) / rate).translation.x, k) << rate;
      }
    }
  }
}

// A jump written as two keys a float apart, as files must that forbid equal times.
TEST(SampleClip, AJumpBetweenNeighbouringFloatsHasHappenedAtItsFrame) {
  const float at = 7.0f / 30;  // later than 7 / 30
  const double before = static_cast<double>(std::nextafter(at, 0.0f)), after{at};
  ASSERT_GT(after, 7.0 / 30);
  for (const double first : {before, after}) {
    const double second = first == before ? after : static_cast<double>(std::nextafter(at, 1.0f));
    const Character c =
        WithChannel(MakeChannel(ChannelPath::kTranslation, Interpolation::kLinear,
                                {0, first, second, 1}, {1, 0, 0, 1, 0, 0, 5, 0, 0, 5, 0, 0}));
    EXPECT_EQ(At(c, 6.0 / 30).translation.x, 1);
    EXPECT_EQ(At(c, 7.0 / 30).translation.x, 5);
  }
}

TEST(SampleClip, KeysThatAreNotUnitGiveRotations) {
  const Character c = WithChannel(MakeChannel(ChannelPath::kRotation, Interpolation::kLinear,
                                              {0, 1}, {0, 0, 0, 1.01f, 0, 2, 0, 2}));
  for (const double t : {0.0, 0.5, 1.0}) {
    const Quatd q = At(c, t).rotation;
    EXPECT_NEAR(Dot(q, q), 1, 1e-14);
    EXPECT_NEAR(AngleAboutY(q), 90 * t, 1e-5);
  }
}

TEST(SampleClip, LeavesWhatHasNoChannel) {
  Character c =
      WithChannel(MakeChannel(ChannelPath::kTranslation, Interpolation::kLinear, {0}, {1, 2, 3}));
  c.nodes[0].rest.scale = {2, 3, 4};
  const Transform sampled = At(c, 0);
  EXPECT_EQ(sampled.scale, (Vec3d{2, 3, 4}));
  EXPECT_EQ(sampled.rotation, Quatd{});
}

TEST(SampleClip, MorphWeightsOfEveryInterpolation) {
  Character c;
  c.nodes.resize(1);
  c.meshes.resize(1);
  c.meshes[0].morphs.resize(2);
  c.instances.resize(2);
  Channel channel;
  channel.path = ChannelPath::kMorphWeights;
  channel.target = 1;
  channel.components = 2;
  channel.times = {0, 2};
  channel.values = {0, 1, 1, 0};
  c.clips.resize(2);
  c.clips[0].channels = {channel};
  channel.interpolation = Interpolation::kCubicSpline;
  channel.values = {0, 0, 0, 1, 1, 0, /**/ 0, 0, 1, 0, 0, 0};
  c.clips[1].channels = {channel};
  ASSERT_TRUE(asset::Finalize(c).ok());
  Pose pose = RestPose(c);
  SampleClip(c.clips[0], 0.5, pose);
  EXPECT_EQ(pose.morph_weights[0], (std::vector<float>{0, 0}));
  EXPECT_EQ(pose.morph_weights[1], (std::vector<float>{0.25f, 0.75f}));
  SampleClip(c.clips[1], 1, pose);
  EXPECT_EQ(pose.morph_weights[1], (std::vector<float>{0.5f + 0.25f, 0.5f}));
}

// Any frame alone equals the same frame reached in sequence, backwards or in random order.
TEST(SampleClip, HasNoMemory) {
  std::mt19937 random(3);
  std::normal_distribution<float> number(0, 1);
  Character c;
  c.nodes.resize(5);
  c.clips.resize(1);
  for (std::uint32_t n = 0; n < 5; ++n) {
    for (const ChannelPath path :
         {ChannelPath::kTranslation, ChannelPath::kRotation, ChannelPath::kScale}) {
      const auto interpolation = static_cast<Interpolation>(random() % 3);
      Channel channel = MakeChannel(path, interpolation, {}, {});
      channel.target = n;
      double time = 0;
      for (int k = 0; k < 7; ++k) {
        channel.times.push_back(time);
        time += 0.01 * static_cast<double>(random() % 30);
        const std::size_t parts = interpolation == Interpolation::kCubicSpline ? 3 : 1;
        for (std::size_t i = 0; i < parts * channel.components; ++i) {
          channel.values.push_back(number(random));
        }
      }
      c.clips[0].channels.push_back(channel);
    }
  }
  ASSERT_TRUE(asset::Finalize(c).ok());
  const auto alone = [&](int frame) {
    Pose pose = RestPose(c);
    SampleClip(c.clips[0], frame / 30.0, pose);
    return pose.locals;
  };
  Pose pose = RestPose(c);
  std::vector<int> frames;
  for (int f = 0; f < 60; ++f) frames.push_back(f);
  for (int f = 59; f >= 0; --f) frames.push_back(f);
  for (int i = 0; i < 60; ++i) frames.push_back(static_cast<int>(random() % 60));
  for (const int frame : frames) {
    SampleClip(c.clips[0], frame / 30.0, pose);
    ASSERT_EQ(pose.locals, alone(frame)) << frame;
  }
}

}  // namespace
}  // namespace flexor::pose
