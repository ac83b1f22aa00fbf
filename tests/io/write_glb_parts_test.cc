// The sums inside the GLB writer: matrices taken apart, and curves cut at time 0.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "io/gltf/write_glb_clip.h"
#include "io/gltf/write_glb_transform.h"

namespace flexor::io::gltf {
namespace {

using asset::Channel;
using asset::ChannelPath;
using asset::Interpolation;

double LargestDifference(const Mat34d& a, const Mat34d& b) {
  double largest = 0;
  const auto add = [&](Vec3d u, Vec3d v) {
    for (std::size_t i = 0; i < 3; ++i) largest = std::max(largest, std::abs(u[i] - v[i]));
  };
  add(a.linear.x, b.linear.x);
  add(a.linear.y, b.linear.y);
  add(a.linear.z, b.linear.z);
  add(a.translation, b.translation);
  return largest;
}

Mat34d Together(const NodeTransforms& parts) {
  const Mat34d outer = ToMat34(parts.outer);
  return parts.inner ? outer * ToMat34(*parts.inner) : outer;
}

TEST(TakeApart, AnyMatrixComesBack) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  const auto vec = [&] { return Vec3d{normal(random), normal(random), normal(random)}; };
  for (int round = 0; round < 20000; ++round) {
    Mat34d m{{vec(), vec(), vec()}, {}};
    const double size = std::pow(10.0, round % 13 - 6);
    if (round % 5 == 1) m.linear.y = m.linear.x * 2.0;            // rank 2
    if (round % 5 == 2) m.linear = {m.linear.x, m.linear.x, {}};  // rank 1
    if (round % 5 == 3) m.linear.z = Cross(m.linear.x, m.linear.y) * 1e-9;
    m.linear = m.linear * size;
    const NodeTransforms parts = TakeApart(m);
    ASSERT_TRUE(parts.inner.has_value());
    EXPECT_LE(LargestDifference(Together(parts), m), 1e-14 * size) << round;
    for (const Quatd& q : {parts.outer.rotation, parts.inner->rotation}) {
      EXPECT_NEAR(Dot(q, q), 1, 1e-14);
    }
  }
}

TEST(TakeApart, MatricesWithoutShearStayOneNode) {
  std::mt19937_64 random(12);
  std::normal_distribution<double> normal;
  for (int round = 0; round < 20000; ++round) {
    Transform t;
    t.translation = {normal(random), normal(random), normal(random)};
    t.rotation = Normalized(Quatd{normal(random), normal(random), normal(random), normal(random)});
    t.scale = {normal(random), normal(random), normal(random)};
    for (std::size_t i = 0; i < 3; ++i) {
      if (round % 4 > static_cast<int>(i)) t.scale[i] = 0;  // up to all of them
    }
    const Mat34d m = ToMat34(t);
    const NodeTransforms parts = TakeApart(m);
    EXPECT_FALSE(parts.inner.has_value()) << round;
    EXPECT_LE(LargestDifference(ToMat34(parts.outer), m), 1e-14) << round;
    // What float rounding does to a file's matrix is no shear.
    const NodeTransforms rounded = TakeApart(Cast<double>(Cast<float>(m)));
    EXPECT_FALSE(rounded.inner.has_value()) << round;
    EXPECT_LE(LargestDifference(ToMat34(rounded.outer), m), 3e-6) << round;
  }
}

TEST(TakeApart, SizesAtTheEdgesOfDouble) {
  for (const double size : {1e-300, 1e300}) {
    const Mat34d m{{{size, 0, 0}, {size, size, 0}, {0, 0, -size}}, {}};
    const NodeTransforms parts = TakeApart(m);
    EXPECT_LE(LargestDifference(Together(parts), m), 1e-14 * size);
  }
}

TEST(IsPlainMatrix, TakesNoChances) {
  EXPECT_TRUE(IsPlainMatrix({}));
  EXPECT_TRUE(IsPlainMatrix({{{0, -2, 0}, {2, 0, 0}, {0, 0, 2}}, {1, 2, 3}}));
  EXPECT_FALSE(IsPlainMatrix({{{1, 0, 0}, {0.001, 1, 0}, {0, 0, 1}}, {}}));
  EXPECT_FALSE(IsPlainMatrix({{{1, 0, 0}, {0, 0, 0}, {0, 0, 1}}, {}}));
  EXPECT_FALSE(IsPlainMatrix({{}, {1000, 0, 0}}));
}

Channel Curve(ChannelPath path, Interpolation interpolation, std::vector<double> times,
              std::vector<float> values) {
  return {path,
          interpolation,
          0,
          path == ChannelPath::kRotation ? 4u : 3u,
          std::move(times),
          std::move(values)};
}

TEST(MakeTrack, StepAndLinearAreCutAtZero) {
  const std::vector<float> values = {0, 0, 0, 4, 8, 12, 5, 5, 5};
  Track track =
      MakeTrack(Curve(ChannelPath::kTranslation, Interpolation::kLinear, {-1, 3, 4}, values));
  EXPECT_TRUE(track.trimmed);
  EXPECT_EQ(track.times, (std::vector<float>{0, 3, 4}));
  EXPECT_EQ(track.values, (std::vector<float>{1, 2, 3, 4, 8, 12, 5, 5, 5}));
  track = MakeTrack(Curve(ChannelPath::kTranslation, Interpolation::kStep, {-2, -1, 1}, values));
  EXPECT_EQ(track.times, (std::vector<float>{0, 1}));
  EXPECT_EQ(track.values, (std::vector<float>{4, 8, 12, 5, 5, 5}));
  track = MakeTrack(Curve(ChannelPath::kTranslation, Interpolation::kLinear, {-2, 0, 1}, values));
  EXPECT_EQ(track.values, (std::vector<float>{4, 8, 12, 5, 5, 5}));
  track = MakeTrack(Curve(ChannelPath::kTranslation, Interpolation::kLinear, {-3, -2, -1}, values));
  EXPECT_EQ(track.times, (std::vector<float>{0}));
  EXPECT_EQ(track.values, (std::vector<float>{5, 5, 5}));
}

// Values count from a base in the clip, and from the parent in the file; tangents from neither.
TEST(MakeTrack, TheBaseIsAddedToValuesAlone) {
  Channel offsets =
      Curve(ChannelPath::kTranslation, Interpolation::kLinear, {0, 1}, {1, 2, 3, 4, 5, 6});
  offsets.base = {10, 20, 30};
  EXPECT_EQ(MakeTrack(offsets).values, (std::vector<float>{11, 22, 33, 14, 25, 36}));
  Channel spline = Curve(ChannelPath::kTranslation, Interpolation::kCubicSpline, {0, 1},
                         {0, 0, 0, 1, 2, 3, 4, 5, 6, -1, 0, 1, 7, 8, 9, 0, 0, 0});
  spline.base = {10, 20, 30};
  EXPECT_EQ(MakeTrack(spline).values,
            (std::vector<float>{0, 0, 0, 11, 22, 33, 4, 5, 6, -1, 0, 1, 17, 28, 39, 0, 0, 0}));
}

TEST(MakeTrack, RotationsAreCutAlongTheArc) {
  const float h = std::sqrt(0.5f);
  const Track track = MakeTrack(
      Curve(ChannelPath::kRotation, Interpolation::kLinear, {-1, 1}, {0, 0, 0, 1, 0, 0, h, h}));
  ASSERT_EQ(track.times, (std::vector<float>{0, 1}));
  EXPECT_NEAR(track.values[2], std::sin(M_PI / 8), 1e-7);  // half of 90 degrees
  EXPECT_NEAR(track.values[3], std::cos(M_PI / 8), 1e-7);
}

// Cutting a spline must not change it: compared at many times against the whole one.
TEST(MakeTrack, SplinesAreTheSameAfterTheCut) {
  const std::vector<float> values = {0, 0, 0, 1, 2, 3, 4, 5, 6, -1, 0, 1, 7, 8, 9, 0, 0, 0};
  const Channel whole =
      Curve(ChannelPath::kTranslation, Interpolation::kCubicSpline, {-0.5, 1.5}, values);
  const Track cut = MakeTrack(whole);
  ASSERT_EQ(cut.times, (std::vector<float>{0, 1.5f}));
  const auto at = [](const float* keys, double interval, double u, std::size_t c) {
    const double from = keys[3 + c], to = keys[12 + c];
    const double leave = keys[6 + c] * interval, arrive = keys[9 + c] * interval;
    const double a = 2 * from - 2 * to + leave + arrive;
    const double b = 3 * to - 3 * from - 2 * leave - arrive;
    return ((a * u + b) * u + leave) * u + from;
  };
  for (double t = 0; t <= 1.5; t += 0.1) {
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_NEAR(at(cut.values.data(), 1.5, t / 1.5, c),
                  at(values.data(), 2.0, (t + 0.5) / 2.0, c), 1e-5)
          << t;
    }
  }
}

TEST(MakeTrack, TimesAscendInFloat) {
  const Track track =
      MakeTrack(Curve(ChannelPath::kTranslation, Interpolation::kLinear,
                      {0, 0, 1000, 1000 + 1e-9, 1001}, std::vector<float>(15, 1.0f)));
  for (std::size_t i = 1; i < track.times.size(); ++i)
    EXPECT_LT(track.times[i - 1], track.times[i]);
  EXPECT_NEAR(track.times[3], 1000, 1e-3);
  EXPECT_EQ(track.times[4], 1001);
}

TEST(MakeTrack, RotationsGetUnitLengthAndKeepGoodBits) {
  const float h = 0.70710677f;
  const Track track = MakeTrack(Curve(ChannelPath::kRotation, Interpolation::kLinear, {0, 1, 2},
                                      {0, 0, h, h, 0, 0, 0, 0, 0, 3, 0, 4}));
  EXPECT_EQ(track.values, (std::vector<float>{0, 0, h, h, 0, 0, 0, 1, 0, 0.6f, 0, 0.8f}));
  const Track spline =
      MakeTrack(Curve(ChannelPath::kRotation, Interpolation::kCubicSpline, {0, 1},
                      {0, 0, 0, 2, 0, 0, 0, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0}));
  EXPECT_EQ(spline.values[3], 1);
  EXPECT_EQ(spline.values[7], 1);
  EXPECT_EQ(spline.values[8], 1);
}

TEST(MakeTrack, OneCubicKeyIsAStep) {
  const Track track = MakeTrack(
      Curve(ChannelPath::kScale, Interpolation::kCubicSpline, {0.5}, {9, 9, 9, 1, 2, 3, 8, 8, 8}));
  EXPECT_EQ(track.interpolation, Interpolation::kStep);
  EXPECT_EQ(track.values, (std::vector<float>{1, 2, 3}));
}

}  // namespace
}  // namespace flexor::io::gltf
