#include "flexor/measure/measure.h"

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace flexor::measure {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// A box from the origin with sides 2, 3, 4, faces outwards.
struct Box {
  std::vector<Vec3f> positions;
  std::vector<std::uint32_t> triangles{0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                       2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
  explicit Box(Vec3f offset = {}) {
    for (int i = 0; i < 8; ++i) {
      positions.push_back(offset + Vec3f{i & 1 ? 2.f : 0.f, i & 2 ? 3.f : 0.f, i & 4 ? 4.f : 0.f});
    }
  }
};

TEST(Measure, AreaAndVolumeOfABox) {
  const Box box;
  EXPECT_DOUBLE_EQ(Area(box.positions, box.triangles), 2 * (2 * 3 + 2 * 4 + 3 * 4));
  EXPECT_DOUBLE_EQ(Volume(box.positions, box.triangles), 24);
}

TEST(Measure, VolumeIsNegativeInsideOutAndTheSameAKilometreAway) {
  Box box({1000, -2000, 500});
  EXPECT_NEAR(Volume(box.positions, box.triangles), 24, 1e-9);
  for (std::size_t t = 0; t < box.triangles.size(); t += 3) {
    std::swap(box.triangles[t], box.triangles[t + 1]);
  }
  EXPECT_NEAR(Volume(box.positions, box.triangles), -24, 1e-9);
}

TEST(Measure, AreaAndVolumeOfNothing) {
  EXPECT_EQ(Area(std::span<const Vec3f>(), {}), 0);
  EXPECT_EQ(Volume(std::span<const Vec3f>(), {}), 0);
  const Box box;
  EXPECT_EQ(Area(box.positions, {}), 0);
  const std::array<std::uint32_t, 3> outside{0, 1, 8};
  EXPECT_EQ(Area(box.positions, outside), 0);
  EXPECT_EQ(Volume(box.positions, outside), 0);
}

TEST(Measure, AreaAndVolumeSayNanForNan) {
  Box box;
  box.positions[5].y = kNan;
  EXPECT_TRUE(std::isnan(Area(box.positions, box.triangles)));
  EXPECT_TRUE(std::isnan(Volume(box.positions, box.triangles)));
}

TEST(RingRadius, TakesTheSmallestWithinTheTolerance) {
  const std::vector<Vec3f> points{{3, 0, 0}, {0, 0.25f, 2}, {0, 0.5f, 1}, {0, -0.25f, 4}};
  EXPECT_EQ(RingRadius(points, {0, 1, 0}, 0), 2.0);  // both ends of the tolerance count
  EXPECT_EQ(RingRadius(points, {0, 1, 0}, 0, 0.0), 3.0);
  EXPECT_EQ(RingRadius(points, {0, 1, 0}, 0, 1.0), 1.0);
  EXPECT_EQ(RingRadius(points, {0, -1, 0}, 0.25, 0.0), 4.0);  // a turned axis turns `along`
}

TEST(RingRadius, HasNoValueWhereThereIsNoRing) {
  const std::vector<Vec3f> points{{3, 0, 0}};
  EXPECT_FALSE(RingRadius(points, {0, 1, 0}, 10).has_value());
  EXPECT_FALSE(RingRadius({}, {0, 1, 0}, 0).has_value());
  EXPECT_FALSE(RingRadius(points, {0, 0, 0}, 0).has_value());
  EXPECT_FALSE(RingRadius(points, {0, kNan, 0}, 0).has_value());
  EXPECT_FALSE(RingRadius(points, {0, 1, 0}, kNan).has_value());
  const std::array<std::uint32_t, 1> beyond{1};
  EXPECT_FALSE(RingRadiusOf(points, beyond, {0, 1, 0}).has_value());
}

TEST(RingRadius, NanIsNotANarrowRing) {
  std::vector<Vec3f> points{{3, 0, 0}, {2, 0, 0}};
  const auto ring = RingVertices(points, {0, 1, 0}, 0);
  points[1].x = kNan;
  EXPECT_EQ(RingRadius(points, {0, 1, 0}, 0), 3.0);  // found anew: it is on no ring
  const auto followed = RingRadiusOf(points, ring, {0, 1, 0});
  ASSERT_TRUE(followed.has_value());
  EXPECT_TRUE(std::isnan(*followed));
}

TEST(EdgeRatios, ListsEdgesPerTriangleAndLeavesOutEmptyOnes) {
  const std::vector<Vec3f> rest{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}};
  const std::vector<Vec3f> deformed{{0, 0, 0}, {2, 0, 0}, {0, 1, 0}, {0, 0, 5}};
  const std::array<std::uint32_t, 6> triangles{0, 1, 2, 0, 2, 3};
  const auto ratios = EdgeRatios(rest, deformed, triangles);
  ASSERT_TRUE(ratios.ok());
  // 0-1: 2, 1-2: sqrt(5/2), 2-0: 1, 0-2: 1, 2-3: sqrt(26), 3-0: length zero at rest.
  EXPECT_EQ(ratios->count, 5u);
  EXPECT_NEAR(ratios->min, 1, 1e-12);
  EXPECT_NEAR(ratios->max, std::sqrt(26.0), 1e-12);
  EXPECT_NEAR(ratios->mean, (2 + std::sqrt(2.5) + 1 + 1 + std::sqrt(26.0)) / 5, 1e-12);
}

TEST(EdgeRatios, SaysWhatDoesNotFit) {
  const std::vector<Vec3f> three(3), two(2);
  const std::array<std::uint32_t, 3> good{0, 1, 2}, bad{0, 1, 3};
  const auto shapes = EdgeRatios(three, two, good);
  EXPECT_EQ(shapes.error().code, ErrorCode::kShapeMismatch);
  EXPECT_NE(shapes.error().message.find("3"), std::string::npos);
  EXPECT_NE(shapes.error().message.find("2"), std::string::npos);
  const auto index = EdgeRatios(three, three, bad);
  EXPECT_EQ(index.error().code, ErrorCode::kIndexOutOfRange);
  EXPECT_NE(index.error().message.find("index 3 at entry 2"), std::string::npos);
  EXPECT_EQ(EdgeRatios(three, three, std::span(good).first(2)).error().code,
            ErrorCode::kShapeMismatch);
  std::vector<Vec3f> broken(3);
  broken[1].z = kInfinity;
  const auto value = EdgeRatios(three, broken, good);
  EXPECT_EQ(value.error().code, ErrorCode::kInvalidValue);
  EXPECT_EQ(value.error().place.element, "vertex 1");
}

TEST(EdgeRatios, EmptyIsAllZero) {
  const auto none = EdgeRatios(std::span<const Vec3f>(), {}, {});
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(none->count, 0u);
  EXPECT_EQ(none->mean, 0);
}

TEST(PairDistanceRatios, CountsEveryPairOnce) {
  const std::vector<Vec3f> rest{{0, 0, 0}, {1, 0, 0}, {3, 0, 0}, {9, 9, 9}};
  const std::vector<Vec3f> doubled{{0, 0, 0}, {2, 0, 0}, {6, 0, 0}, {0, 0, 0}};
  const std::array<std::uint32_t, 3> set{0, 1, 2};
  const auto ratios = PairDistanceRatios(rest, doubled, set);
  ASSERT_TRUE(ratios.ok());
  EXPECT_EQ(ratios->count, 3u);
  EXPECT_EQ(ratios->min, 2);
  EXPECT_EQ(ratios->max, 2);
  const std::array<std::uint32_t, 2> beyond{0, 4};
  EXPECT_EQ(PairDistanceRatios(rest, doubled, beyond).error().code, ErrorCode::kIndexOutOfRange);
}

TEST(Compare, MaximumRmsPercentileAndPlace) {
  // 200 vertices in a row of length 2 m, moved up by 1, 2, ... 200 mm in shuffled order.
  std::vector<Vec3f> a, b;
  for (int v = 0; v < 200; ++v) {
    const float x = static_cast<float>(v) * 2 / 199;
    const int millimetres = (v * 77) % 200 + 1;  // 77 and 200 share no factor: a permutation
    a.push_back({x, 0, 0});
    b.push_back({x, static_cast<float>(millimetres) / 1000, 0});
  }
  const auto distance = Compare(a, b);
  ASSERT_TRUE(distance.ok());
  EXPECT_NEAR(distance->max_mm, 200, 1e-5);
  EXPECT_NEAR(distance->p99_mm, 198, 1e-5);  // 198 of 200 do not exceed it
  EXPECT_NEAR(distance->rms_mm, std::sqrt(201.0 * 401.0 / 6), 1e-5);
  EXPECT_NEAR(distance->max_of_size, 0.1, 1e-7);
  EXPECT_EQ((distance->worst_vertex * 77) % 200, 199u);
  EXPECT_EQ(distance->normals_max_deg, 0);
}

TEST(Compare, PercentileOfFewIsTheMaximum) {
  std::vector<Vec3f> a(99), b(99);
  b[17].z = 1;
  const auto few = Compare(a, b);
  ASSERT_TRUE(few.ok());
  EXPECT_EQ(few->p99_mm, 1000);
  EXPECT_EQ(few->worst_vertex, 17u);
  EXPECT_EQ(few->max_of_size, 0);  // shape a is a point
  a.resize(100);
  b.resize(100);
  const auto hundred = Compare(a, b);
  ASSERT_TRUE(hundred.ok());
  EXPECT_EQ(hundred->p99_mm, 0);
}

TEST(Compare, AnglesBetweenNormals) {
  const std::vector<Vec3f> points(3);
  const float tiny = 1e-4f;
  const std::vector<Vec3f> up{{0, 1, 0}, {0, 1, 0}, {0, 0, 0}};
  const std::vector<Vec3f> turned{{0, 2, 0}, {tiny, 1, 0}, {0, 0, 0}};
  const auto small = Compare(points, points, up, turned);
  ASSERT_TRUE(small.ok());
  EXPECT_NEAR(small->normals_max_deg, 1e-4 * 180 / std::acos(-1.0), 1e-8);
  const std::vector<Vec3f> down{{0, -1, 0}, {0, 1, 0}, {0, 0, 0}};
  EXPECT_EQ(Compare(points, points, up, down)->normals_max_deg, 180);
  const std::vector<Vec3f> gained{{0, 1, 0}, {0, 1, 0}, {1, 0, 0}};
  EXPECT_EQ(Compare(points, points, up, gained)->normals_max_deg, 180);
}

TEST(Compare, NothingIsNotFarFromNothing) {
  const auto none = Compare(std::span<const Vec3f>(), {});
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(none->max_mm, 0);
  EXPECT_EQ(none->p99_mm, 0);
}

TEST(Compare, RefusesWhatCannotBeCompared) {
  const std::vector<Vec3f> two(2), three(3);
  EXPECT_EQ(Compare(two, three).error().code, ErrorCode::kShapeMismatch);
  EXPECT_EQ(Compare(two, two, two, {}).error().code, ErrorCode::kShapeMismatch);
  EXPECT_EQ(Compare(two, two, three, three).error().code, ErrorCode::kShapeMismatch);
  for (const float bad : {kNan, kInfinity, -kInfinity}) {
    std::vector<Vec3f> broken(2);
    broken[1].y = bad;
    // The same bad number on both sides must not count as agreement either.
    for (const auto& result : {Compare(two, broken), Compare(broken, two), Compare(broken, broken),
                               Compare(two, two, broken, two), Compare(two, two, two, broken)}) {
      ASSERT_FALSE(result.ok());
      EXPECT_EQ(result.error().code, ErrorCode::kInvalidValue);
      EXPECT_EQ(result.error().place.element, "vertex 1");
    }
  }
}

TEST(DistancesMm, OnePerVertex) {
  const std::vector<Vec3f> a{{0, 0, 0}, {1, 0, 0}, {0, 0, 0}};
  const std::vector<Vec3f> b{{0, 3, 4}, {1, 0, 0}, {0, kNan, 0}};
  const auto distances = DistancesMm(a, b);
  ASSERT_TRUE(distances.ok());
  EXPECT_EQ((*distances)[0], 5000);
  EXPECT_EQ((*distances)[1], 0);
  EXPECT_TRUE(std::isnan((*distances)[2]));
  EXPECT_EQ(DistancesMm(a, std::span(b).first(2)).error().code, ErrorCode::kShapeMismatch);
}

// What is measured in double keeps what floats round away, and agrees with them otherwise.
TEST(InDouble, MeasuresWhatFloatsCannotTell) {
  const std::vector<Vec3d> rest = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  std::vector<Vec3d> longer = rest;
  longer[1].x += 1e-12;
  const std::vector<std::uint32_t> triangle = {0, 1, 2};
  const auto edges = EdgeRatios(rest, longer, triangle);
  ASSERT_TRUE(edges.ok());
  EXPECT_NEAR(edges->max - 1, 1e-12, 1e-15);
  const auto pairs = PairDistanceRatios(rest, longer, triangle);
  ASSERT_TRUE(pairs.ok());
  EXPECT_NEAR(pairs->max - 1, 1e-12, 1e-15);
  const auto distance = Compare(rest, longer);
  ASSERT_TRUE(distance.ok());
  EXPECT_NEAR(distance->max_mm, 1e-9, 1e-12);
  EXPECT_EQ(distance->worst_vertex, 1u);
  EXPECT_DOUBLE_EQ(Area(rest, triangle), 0.5);
  EXPECT_EQ(RingVertices(rest, {0, 1, 0}, 0, 0.5).size(), 2u);
  EXPECT_DOUBLE_EQ(*RingRadiusOf(rest, triangle, {0, 0, 1}), 0);
  std::vector<Vec3d> broken = rest;
  broken[2].y = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Compare(rest, broken).error().code, ErrorCode::kInvalidValue);
  EXPECT_EQ(EdgeRatios(rest, broken, triangle).error().code, ErrorCode::kInvalidValue);
}

}  // namespace
}  // namespace flexor::measure
