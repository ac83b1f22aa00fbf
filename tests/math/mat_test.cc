#include "flexor/math/mat.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include "flexor/math/aabb.h"
#include "flexor/math/transform.h"

namespace flexor {
namespace {

constexpr double kPi = std::numbers::pi;

double Apart(Vec3d a, Vec3d b) { return Length(a - b); }

double Apart(const Mat3d& a, const Mat3d& b) {
  return Apart(a.x, b.x) + Apart(a.y, b.y) + Apart(a.z, b.z);
}

Quatd RandomRotation(std::mt19937& random) {
  std::normal_distribution<double> n(0, 1);
  return Normalized(Quatd{n(random), n(random), n(random), n(random)});
}

Vec3d RandomVector(std::mt19937& random) {
  std::normal_distribution<double> n(0, 1);
  return {n(random), n(random), n(random)};
}

TEST(Quat, TurnsRightHanded) {
  const auto turned = [](Vec3d axis, Vec3d v) { return Rotate(FromAxisAngle(axis, kPi / 2), v); };
  EXPECT_LT(Apart(turned({0, 0, 1}, {1, 0, 0}), {0, 1, 0}), 1e-15);
  EXPECT_LT(Apart(turned({1, 0, 0}, {0, 1, 0}), {0, 0, 1}), 1e-15);
  EXPECT_LT(Apart(turned({0, 1, 0}, {0, 0, 1}), {1, 0, 0}), 1e-15);
}

TEST(Quat, ProductIsTheRightOneFirst) {
  const Quatd about_z = FromAxisAngle(Vec3d{0, 0, 1}, kPi / 2);
  const Quatd about_x = FromAxisAngle(Vec3d{1, 0, 0}, kPi / 2);
  // First z (x -> y), then x (y -> z).
  EXPECT_LT(Apart(Rotate(about_x * about_z, Vec3d{1, 0, 0}), {0, 0, 1}), 1e-15);
}

TEST(Quat, MatrixAndBackForAllOctantsAndHalfTurns) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    Quatd q = RandomRotation(random);
    if (round % 4 == 0) q = Normalized(Quatd{q.x, q.y, q.z, 0});
    const Quatd back = ToQuat(ToMat3(q));
    EXPECT_NEAR(std::abs(Dot(q, back)), 1, 1e-14);
    const Vec3d v = RandomVector(random);
    EXPECT_LT(Apart(ToMat3(q) * v, Rotate(q, v)), 1e-14);
    EXPECT_LT(Apart(Rotate(Conjugate(q), Rotate(q, v)), v), 1e-14);
  }
}

TEST(Quat, SlerpKeepsTheSpeedAndTheShorterArc) {
  std::mt19937 random(2);
  for (int round = 0; round < 200; ++round) {
    const Quatd a = RandomRotation(random), b = RandomRotation(random);
    const double whole = std::acos(std::min(1.0, std::abs(Dot(a, b))));
    for (const double t : {0.0, 0.1, 0.5, 0.9, 1.0}) {
      const Quatd q = Slerp(a, b, t);
      EXPECT_NEAR(Dot(q, q), 1, 1e-14);
      EXPECT_NEAR(std::acos(std::min(1.0, std::abs(Dot(a, q)))), whole * t, 1e-7);
      EXPECT_NEAR(std::abs(Dot(q, Slerp(a, -b, t))), 1, 1e-13);
    }
  }
}

TEST(Quat, SlerpOfNearlyEqualOnesIsSmooth) {
  const Quatd a = FromAxisAngle(Vec3d{0, 1, 0}, 0.5);
  const Quatd b = FromAxisAngle(Vec3d{0, 1, 0}, 0.5 + 1e-9);
  const Quatd q = Slerp(a, b, 0.5);
  EXPECT_NEAR(Dot(q, q), 1, 1e-15);
  EXPECT_NEAR(Slerp(a, a, 0.3).y, a.y, 1e-15);
}

TEST(Quat, NothingHasTheIdentityAsDirection) {
  EXPECT_EQ(Normalized(Quatd{0, 0, 0, 0}), Quatd{});
  EXPECT_EQ(Normalized(Quatd{std::numeric_limits<double>::quiet_NaN(), 0, 0, 1}), Quatd{});
  EXPECT_EQ(FromAxisAngle(Vec3d{0, 0, 0}, 1.0), Quatd{});
}

TEST(Vec, NormalizedKeepsTinyAndHugeDirections) {
  for (const double scale : {1e-300, 1e-200, 1.0, 1e200, 1e300}) {
    EXPECT_LT(Apart(Normalized(Vec3d{3 * scale, 0, 4 * scale}), {0.6, 0, 0.8}), 1e-15);
  }
  EXPECT_EQ(Normalized(Vec3d{0, 0, 0}, Vec3d{0, 1, 0}), (Vec3d{0, 1, 0}));
  EXPECT_EQ(Normalized(Vec3d{std::numeric_limits<double>::infinity(), 0, 0}, Vec3d{0, 1, 0}),
            (Vec3d{0, 1, 0}));
}

TEST(Mat, InverseAndCofactorAgree) {
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    const Mat3d m{RandomVector(random), RandomVector(random), RandomVector(random)};
    const double determinant = Determinant(m);
    if (std::abs(determinant) < 1e-2) continue;
    EXPECT_LT(Apart(m * Inverse(m), Mat3d{}), 1e-10);
    EXPECT_LT(Apart(Cofactor(m), Transposed(Inverse(m)) * determinant), 1e-10);
    const Mat34d affine{m, RandomVector(random)};
    const Vec3d p = RandomVector(random);
    EXPECT_LT(Apart(TransformPoint(Inverse(affine), TransformPoint(affine, p)), p), 1e-10);
  }
}

TEST(Mat, ProductActsFromTheRight) {
  std::mt19937 random(4);
  for (int round = 0; round < 100; ++round) {
    const Mat34d a{ToMat3(RandomRotation(random)), RandomVector(random)};
    const Mat34d b{{RandomVector(random), RandomVector(random), RandomVector(random)},
                   RandomVector(random)};
    const Vec3d p = RandomVector(random);
    EXPECT_LT(Apart(TransformPoint(a * b, p), TransformPoint(a, TransformPoint(b, p))), 1e-13);
  }
}

// The cofactor keeps a normal of a flattened surface: scale x by zero, and the normal along x
// stays.
TEST(Mat, CofactorOfAFlatMatrixIsFinite) {
  const Mat3d flat{{0, 0, 0}, {0, 2, 0}, {0, 0, 3}};
  EXPECT_EQ(Cofactor(flat) * (Vec3d{1, 1, 0}), (Vec3d{6, 0, 0}));
}

TEST(Transform, IsTranslateRotateScale) {
  const Transform t{{1, 2, 3}, FromAxisAngle(Vec3d{0, 0, 1}, kPi / 2), {2, 3, 4}};
  EXPECT_LT(Apart(TransformPoint(ToMat34(t), Vec3d{1, 1, 1}), {1 - 3, 2 + 2, 3 + 4}), 1e-15);
}

TEST(Aabb, IsEmptyUntilSomethingIsInIt) {
  Aabbd box;
  EXPECT_TRUE(box.empty());
  EXPECT_EQ(box.Extent(), 0);
  EXPECT_EQ(box.Center(), Vec3d{});
  EXPECT_FALSE(box.Contains({0, 0, 0}));
  box.Add(Vec3d{1, 2, 3});
  EXPECT_FALSE(box.empty());
  EXPECT_TRUE(box.Contains({1, 2, 3}));
  box.Add(Vec3d{-1, 0, 3});
  EXPECT_EQ(box.Size(), (Vec3d{2, 2, 0}));
  EXPECT_EQ(box.Center(), (Vec3d{0, 1, 3}));
  const Aabbd before = box;
  box.Add(Aabbd{});
  EXPECT_EQ(box, before);
}

}  // namespace
}  // namespace flexor
