#include "flexor/math/palette_split.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

namespace flexor {
namespace {

double Largest(const Mat3d& m) {
  double largest = 0;
  for (const Vec3d c : {m.x, m.y, m.z}) {
    largest = std::max({largest, std::abs(c.x), std::abs(c.y), std::abs(c.z)});
  }
  return largest;
}

Mat3d Diagonal(double x, double y, double z) { return {{x, 0, 0}, {0, y, 0}, {0, 0, z}}; }

Quatd RandomRotation(std::mt19937& random) {
  std::normal_distribution<double> number(0, 1);
  return Normalized(Quatd{number(random), number(random), number(random), number(random)});
}

Mat3d RandomMatrix(std::mt19937& random) {
  std::normal_distribution<double> number(0, 1);
  Mat3d m;
  for (Vec3d* c : {&m.x, &m.y, &m.z}) *c = {number(random), number(random), number(random)};
  return m;
}

using Split = PaletteSplit (*)(const Mat34d&, double);

// What both splits promise for anything that is not degenerate.
void ExpectFactors(const Mat34d& m, const PaletteSplit& split, double bound) {
  ASSERT_NE(split.kind, SplitKind::kDegenerate);
  const Mat3d rotation = ToMat3(split.rotation);
  EXPECT_NEAR(Dot(split.rotation, split.rotation), 1, 1e-14);
  EXPECT_NEAR(Determinant(rotation), 1, 1e-13);
  EXPECT_EQ(split.translation, m.translation);
  EXPECT_LE(Largest(rotation * split.residual - m.linear), bound * Largest(m.linear));
}

class BothSplits : public ::testing::TestWithParam<Split> {};
INSTANTIATE_TEST_SUITE_P(, BothSplits, ::testing::Values(&SplitGramSchmidt, &SplitPolar),
                         [](const auto& p) {
                           return p.param == &SplitGramSchmidt ? "gram_schmidt" : "polar";
                         });

TEST_P(BothSplits, RigidJointsAreRigidAndKeepTheirRotation) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    const Quatd q = RandomRotation(random);
    const Mat34d m{ToMat3(q), {1, 2, 3}};
    const PaletteSplit split = GetParam()(m, 1e-6);
    ASSERT_EQ(split.kind, SplitKind::kRigid);
    EXPECT_EQ(split.residual, Mat3d{});
    EXPECT_NEAR(std::abs(Dot(split.rotation, q)), 1, 1e-14);
    EXPECT_EQ(split.translation, (Vec3d{1, 2, 3}));
  }
}

TEST_P(BothSplits, IdentityIsExact) {
  const PaletteSplit split = GetParam()(Mat34d{}, 1e-6);
  EXPECT_EQ(split.kind, SplitKind::kRigid);
  EXPECT_EQ(split.rotation, Quatd{});
  EXPECT_EQ(split.residual, Mat3d{});
}

TEST_P(BothSplits, HalfTurnsAboutEveryAxis) {
  for (const Vec3d axis :
       {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}, Vec3d{1, 1, 0}, Vec3d{-1, 2, 0.5}}) {
    const Mat34d m{ToMat3(FromAxisAngle(axis, std::numbers::pi)), {}};
    const PaletteSplit split = GetParam()(m, 1e-6);
    EXPECT_EQ(split.kind, SplitKind::kRigid);
    EXPECT_LT(Largest(ToMat3(split.rotation) - m.linear), 1e-14);
  }
}

TEST_P(BothSplits, RandomMatricesComeTogetherAgain) {
  std::mt19937 random(2);
  int mirrored = 0;
  for (int round = 0; round < 2000; ++round) {
    const Mat34d m{RandomMatrix(random), {0, 1, 0}};
    if (std::abs(Determinant(m.linear)) < 1e-3) continue;
    mirrored += Determinant(m.linear) < 0;
    ExpectFactors(m, GetParam()(m, 1e-6), 1e-13);
  }
  EXPECT_GT(mirrored, 500);
}

TEST_P(BothSplits, HugeAndTinyScalesComeTogetherAgain) {
  std::mt19937 random(3);
  for (const double scale : {1e-3, 1e3, 1e6, 1e12}) {
    for (int round = 0; round < 50; ++round) {
      const Mat34d m{ToMat3(RandomRotation(random)) * Diagonal(scale, scale * 2, scale * 3), {}};
      ExpectFactors(m, GetParam()(m, 1e-6), 1e-13);
    }
  }
}

TEST_P(BothSplits, ZeroAndBrokenMatricesAreKeptWhole) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  for (const Mat3d& linear :
       {Diagonal(0, 0, 0), Diagonal(1, 1, 0), Diagonal(0, 1, 1), Diagonal(1, 0, 1),
        Mat3d{{1, 2, 3}, {2, 4, 6}, {0, 0, 1}}, Mat3d{{1, 0, 0}, {0, 1, 0}, {1, 1, 0}}}) {
    const PaletteSplit split = GetParam()({linear, {4, 5, 6}}, 1e-6);
    EXPECT_EQ(split.kind, SplitKind::kDegenerate);
    EXPECT_EQ(split.rotation, Quatd{});
    EXPECT_EQ(split.residual, linear);
    EXPECT_EQ(split.translation, (Vec3d{4, 5, 6}));
  }
  for (const double broken : {nan, inf, 1e300}) {
    for (const Mat3d& linear :
         {Diagonal(broken, 1, 1), Diagonal(1, broken, 1), Diagonal(1, 1, broken)}) {
      EXPECT_EQ(GetParam()({linear, {}}, 1e-6).kind, SplitKind::kDegenerate);
    }
  }
}

// Whatever singular or nearly singular matrix comes: either whole, or factors that multiply back.
TEST_P(BothSplits, NearlySingularMatricesNeverGiveABrokenRotation) {
  std::mt19937 random(4);
  for (int round = 0; round < 2000; ++round) {
    Mat3d linear = RandomMatrix(random);
    const double left = std::pow(10.0, -static_cast<double>(random() % 22));
    linear.z = linear.x * 0.3 + linear.y * 0.7 + linear.z * left;
    if (round % 2 == 0) std::swap(linear.y, linear.z);
    const Mat34d m{linear, {}};
    const PaletteSplit split = GetParam()(m, 1e-6);
    if (split.kind == SplitKind::kDegenerate) {
      EXPECT_EQ(split.residual, linear);
    } else {
      ExpectFactors(m, split, 1e-11);
    }
  }
}

TEST(SplitGramSchmidt, ResidualIsUpperTriangularAndAReflectionIsItsThirdAxis) {
  std::mt19937 random(5);
  for (int round = 0; round < 1000; ++round) {
    const Mat34d m{RandomMatrix(random), {}};
    const PaletteSplit split = SplitGramSchmidt(m);
    const Mat3d& s = split.residual;
    EXPECT_EQ(s.x.y, 0);
    EXPECT_EQ(s.x.z, 0);
    EXPECT_EQ(s.y.z, 0);
    EXPECT_GT(s.x.x, 0);
    EXPECT_GT(s.y.y, 0);
    EXPECT_EQ(s.z.z < 0, Determinant(m.linear) < 0);
  }
}

TEST(SplitGramSchmidt, GivesBackScaleAndShearThatWentIn) {
  std::mt19937 random(6);
  const Mat3d triangular{{2, 0, 0}, {0.5, 3, 0}, {-1, 0.25, -0.5}};
  for (int round = 0; round < 100; ++round) {
    const Quatd q = RandomRotation(random);
    const PaletteSplit split = SplitGramSchmidt({ToMat3(q) * triangular, {}});
    EXPECT_EQ(split.kind, SplitKind::kResidual);
    EXPECT_LT(Largest(split.residual - triangular), 1e-13);
    EXPECT_NEAR(std::abs(Dot(split.rotation, q)), 1, 1e-14);
  }
}

TEST(SplitGramSchmidt, ToleranceDecidesWhatIsRigid) {
  EXPECT_EQ(SplitGramSchmidt({Diagonal(1 + 0.9e-4, 1, 1 - 0.9e-4), {}}).kind, SplitKind::kRigid);
  EXPECT_EQ(SplitGramSchmidt({Diagonal(1, 1.00011, 1), {}}).kind, SplitKind::kResidual);
  EXPECT_EQ(SplitGramSchmidt({Mat3d{{1, 0, 0}, {2e-4, 1, 0}, {0, 0, 1}}, {}}).kind,
            SplitKind::kResidual);
  EXPECT_EQ(SplitGramSchmidt({Diagonal(1, 1, -1), {}}).kind, SplitKind::kResidual);
}

// The seed's bound of 1e-20 is on lengths; smaller columns have no basis, larger ones do.
TEST(SplitGramSchmidt, TinyColumns) {
  const auto kind = [](double x, double y, double z) {
    return SplitGramSchmidt({Diagonal(x, y, z), {}}).kind;
  };
  EXPECT_EQ(kind(1, 1, 1.1e-20), SplitKind::kResidual);
  EXPECT_EQ(kind(1, 1, -0.9e-20), SplitKind::kDegenerate);
  EXPECT_EQ(kind(1, 1.1e-20, 1), SplitKind::kResidual);
  EXPECT_EQ(kind(1, 0.9e-20, 1), SplitKind::kDegenerate);
  EXPECT_EQ(kind(1.1e-20, 1, 1), SplitKind::kResidual);
  EXPECT_EQ(kind(0.9e-20, 1, 1), SplitKind::kDegenerate);
}

// What rounding leaves of a column that lies in the span of those before it is no direction.
TEST(SplitGramSchmidt, LessThanARoundingOfAColumnIsNothing) {
  const auto kind = [](const Mat3d& m) { return SplitGramSchmidt({m, {}}).kind; };
  for (const double size : {1.0, 1e6, 1e-3}) {
    const double above = 1.1e-14 * size, below = 0.9e-14 * size;
    EXPECT_EQ(kind({{1, 0, 0}, {size, above, 0}, {0, 0, 1}}), SplitKind::kResidual);
    EXPECT_EQ(kind({{1, 0, 0}, {size, below, 0}, {0, 0, 1}}), SplitKind::kDegenerate);
    EXPECT_EQ(kind({{1, 0, 0}, {0, 1, 0}, {size, 0, above}}), SplitKind::kResidual);
    EXPECT_EQ(kind({{1, 0, 0}, {0, 1, 0}, {size, 0, -below}}), SplitKind::kDegenerate);
  }
}

// Of a column that nearly lies along the first one little is left, and rounding must not turn that
// little back towards the first: the first axis of the rotation is the first column's own.
TEST(SplitGramSchmidt, AxesAreOrthogonalHoweverLittleIsLeft) {
  std::mt19937 random(9);
  for (const double left : {1e-4, 1e-8, 1e-11}) {
    for (int round = 0; round < 100; ++round) {
      const Vec3d a = RandomMatrix(random).x, aside = RandomMatrix(random).y;
      const Mat3d m{a, a * 3.0 + Normalized(Cross(a, aside)) * left, aside};
      const PaletteSplit split = SplitGramSchmidt({m, {}});
      ASSERT_EQ(split.kind, SplitKind::kResidual);
      const Mat3d rotation = ToMat3(split.rotation);
      EXPECT_LT(Length(rotation.x - Normalized(a)), 1e-14) << left;
      EXPECT_LT(Largest(rotation * split.residual - m), 1e-14 * Largest(m)) << left;
    }
  }
}

TEST(SplitPolar, GivesUpBelowTheBoundOfOpenUsdOnTheDeterminant) {
  for (const double sign : {1.0, -1.0}) {
    EXPECT_EQ(SplitPolar({Diagonal(1, 1, sign * 1.1e-10), {}}).kind, SplitKind::kResidual);
    EXPECT_EQ(SplitPolar({Diagonal(1, 1, sign * 0.9e-10), {}}).kind, SplitKind::kDegenerate);
  }
}

// Squares of such entries leave the range of double although the determinant is 1: upwards the
// stretches are lost, downwards the axes.
TEST_P(BothSplits, EntriesWhoseSquaresLeaveTheRangeAreKeptWhole) {
  for (const Mat3d& linear : {Diagonal(1e200, 1e-100, 1e-100), Diagonal(1e-170, 1e85, 1e85),
                              Diagonal(1e85, 1e-170, 1e85), Diagonal(1e85, 1e85, 1e-170)}) {
    const PaletteSplit split = GetParam()({linear, {4, 5, 6}}, 1e-6);
    EXPECT_EQ(split.kind, SplitKind::kDegenerate);
    EXPECT_EQ(split.rotation, Quatd{});
    EXPECT_EQ(split.residual, linear);
    EXPECT_EQ(split.translation, (Vec3d{4, 5, 6}));
  }
}

TEST(SplitPolar, ResidualIsSymmetricWithStretchesOfOneSign) {
  std::mt19937 random(7);
  for (int round = 0; round < 1000; ++round) {
    const Mat34d m{RandomMatrix(random), {}};
    const double determinant = Determinant(m.linear);
    if (std::abs(determinant) < 1e-6) continue;
    const Mat3d s = SplitPolar(m).residual;
    EXPECT_NEAR(s.x.y, s.y.x, 1e-13);
    EXPECT_NEAR(s.x.z, s.z.x, 1e-13);
    EXPECT_NEAR(s.y.z, s.z.y, 1e-13);
    // All leading minors of sign * s are positive: sign * s is positive definite.
    const double sign = determinant < 0 ? -1 : 1;
    EXPECT_GT(sign * s.x.x, 0);
    EXPECT_GT(s.x.x * s.y.y - s.x.y * s.y.x, 0);
    EXPECT_GT(sign * Determinant(s), 0);
  }
}

TEST(SplitPolar, IsTheNearestRotation) {
  std::mt19937 random(8);
  const auto distance = [](const Mat3d& a, const Mat3d& b) {
    const Mat3d d = a - b;
    return Dot(d.x, d.x) + Dot(d.y, d.y) + Dot(d.z, d.z);
  };
  for (int round = 0; round < 100; ++round) {
    Mat3d m = RandomMatrix(random);
    if (Determinant(m) < 0) m.x = -m.x;
    if (Determinant(m) < 1e-3) continue;
    const Quatd best = SplitPolar({m, {}}).rotation;
    for (int other = 0; other < 20; ++other) {
      const double angle = other < 10 ? 0.01 : 1.0;
      const Quatd turned =
          best *
          FromAxisAngle(Vec3d{RandomRotation(random).x, RandomRotation(random).y, 0.1}, angle);
      EXPECT_LT(distance(m, ToMat3(best)), distance(m, ToMat3(turned)));
    }
  }
}

TEST(SplitPolar, PlainReflectionIsMinusOne) {
  const PaletteSplit split = SplitPolar({Diagonal(-1, -1, -1), {}});
  EXPECT_EQ(split.kind, SplitKind::kResidual);
  EXPECT_LT(Largest(split.residual - Diagonal(-1, -1, -1)), 1e-15);
  EXPECT_NEAR(std::abs(split.rotation.w), 1, 1e-15);
  // Mirrored in x alone: a half turn about x is left over.
  const PaletteSplit x = SplitPolar({Diagonal(-1, 1, 1), {}});
  EXPECT_NEAR(std::abs(x.rotation.x), 1, 1e-15);
}

}  // namespace
}  // namespace flexor
