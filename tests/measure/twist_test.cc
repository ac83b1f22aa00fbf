// The published numbers of the twist: what "candy wrapper" means, measured.
#include <numbers>

#include <gtest/gtest.h>

#include "flexor/measure/measure.h"

#include "measure/tube.h"

namespace flexor::measure {
namespace {

constexpr double kHalfTurn = std::numbers::pi;

TEST(Twist, MeanEdgeRatiosOverTheListedEdges) {
  const Tube tube = MakeTube();
  const auto linear = EdgeRatios(tube.positions, TwistLinear(tube, kHalfTurn), tube.triangles);
  const auto dual =
      EdgeRatios(tube.positions, TwistDualQuaternion(tube, kHalfTurn), tube.triangles);
  ASSERT_TRUE(linear.ok() && dual.ok());
  EXPECT_EQ(linear->count, 288u);
  EXPECT_EQ(dual->count, 288u);
  EXPECT_NEAR(linear->mean, 0.950067, 5e-7);
  EXPECT_NEAR(linear->min, 0.0, 1e-6);
  EXPECT_NEAR(linear->max, 1.1180, 5e-5);
  EXPECT_NEAR(dual->mean, 1.051186, 5e-7);
  EXPECT_NEAR(dual->min, 1.0, 1e-6);
  EXPECT_NEAR(dual->max, 1.2247, 5e-5);
}

TEST(Twist, EdgeRatiosDependOnTheDiagonalButNotOnTheSize) {
  const Tube other = MakeTube(0.5, /*other_diagonal=*/true);
  const auto leaning =
      EdgeRatios(other.positions, TwistDualQuaternion(other, kHalfTurn), other.triangles);
  ASSERT_TRUE(leaning.ok());
  EXPECT_NEAR(leaning->mean, 1.0842, 5e-5);
  const Tube small = MakeTube(0.25);
  const auto scaled =
      EdgeRatios(small.positions, TwistDualQuaternion(small, kHalfTurn), small.triangles);
  ASSERT_TRUE(scaled.ok());
  EXPECT_NEAR(scaled->mean, 1.051186, 5e-7);
}

TEST(Twist, RingRadiusIsNothingLinearAndWholeByDualQuaternions) {
  const Tube tube = MakeTube();
  const Vec3d axis{0, 3, 0};  // any length
  const auto ring = RingVertices(tube.positions, axis, 0);
  ASSERT_EQ(ring.size(), 12u);
  EXPECT_EQ(ring.front(), 24u);
  EXPECT_EQ(ring.back(), 35u);
  const auto rest = RingRadiusOf(tube.positions, ring, axis);
  const auto linear = RingRadiusOf(TwistLinear(tube, kHalfTurn), ring, axis);
  const auto dual = RingRadiusOf(TwistDualQuaternion(tube, kHalfTurn), ring, axis);
  ASSERT_TRUE(rest && linear && dual);
  EXPECT_NEAR(*rest, 0.5, 1e-7);
  EXPECT_NEAR(*linear / *rest, 0.0, 1e-7);
  EXPECT_NEAR(*dual / *rest, 1.0, 1e-6);
}

TEST(Twist, LinearRadiusFollowsTheCosineOfHalfTheAngle) {
  const Tube tube = MakeTube();
  for (const double degrees : {0.0, 30.0, 90.0, 150.0, 180.0}) {
    const double radians = degrees * std::numbers::pi / 180;
    const auto linear = RingRadius(TwistLinear(tube, radians), {0, 1, 0}, 0);
    const auto dual = RingRadius(TwistDualQuaternion(tube, radians), {0, 1, 0}, 0);
    ASSERT_TRUE(linear && dual);
    EXPECT_NEAR(*linear, 0.5 * std::cos(radians / 2), 1e-7) << degrees;
    EXPECT_NEAR(*dual, 0.5, 1e-7) << degrees;
  }
}

TEST(Twist, PairDistancesOfTheRingKeepByDualQuaternions) {
  const Tube tube = MakeTube();
  const auto ring = RingVertices(tube.positions, {0, 1, 0}, 0);
  const auto dual = PairDistanceRatios(tube.positions, TwistDualQuaternion(tube, kHalfTurn), ring);
  ASSERT_TRUE(dual.ok());
  EXPECT_EQ(dual->count, 66u);
  EXPECT_NEAR(dual->min, 1.0, 2.5e-7);
  EXPECT_NEAR(dual->max, 1.0, 2.5e-7);
  const auto linear = PairDistanceRatios(tube.positions, TwistLinear(tube, kHalfTurn), ring);
  ASSERT_TRUE(linear.ok());
  EXPECT_NEAR(linear->max, 0.0, 1e-6);
}

TEST(Twist, RestShapeMeasuresAsItself) {
  const Tube tube = MakeTube();
  const auto edges = EdgeRatios(tube.positions, tube.positions, tube.triangles);
  ASSERT_TRUE(edges.ok());
  EXPECT_EQ(edges->min, 1.0);
  EXPECT_EQ(edges->mean, 1.0);
  EXPECT_EQ(edges->max, 1.0);
}

}  // namespace
}  // namespace flexor::measure
