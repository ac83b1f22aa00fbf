#include "pose/mmd_rotation.h"

#include <random>

#include "pose/mmd_rigs.h"

namespace flexor::pose {
namespace {

constexpr EulerOrder kOrders[] = {EulerOrder::kZxy, EulerOrder::kXyz, EulerOrder::kYzx,
                                  EulerOrder::kYxz, EulerOrder::kZyx, EulerOrder::kXzy};

// Which angle is an arc sine.
std::size_t Middle(EulerOrder order) {
  switch (order) {
    case EulerOrder::kZxy:
    case EulerOrder::kYxz:
      return 0;
    case EulerOrder::kXyz:
    case EulerOrder::kZyx:
      return 1;
    default:
      return 2;
  }
}

TEST(MmdRotation, EulerAnglesComeBackInEveryOrder) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> wide(-179, 179), narrow(-87, 87);
  for (const EulerOrder order : kOrders) {
    for (int i = 0; i < 100; ++i) {
      Vec3d angles;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        angles[axis] = (axis == Middle(order) ? narrow : wide)(random)*kDegree;
      }
      EXPECT_LT(Distance(ToEuler(FromEuler(angles, order), order), angles), 1e-10);
    }
  }
}

// The name of an order is its product: kZxy turns by y first and by z last.
TEST(MmdRotation, OrdersAreWhatTheirNamesSay) {
  const Vec3d a{0.3, 0.5, -0.7};
  const Quatd x = AboutX(a.x / kDegree), y = AboutY(a.y / kDegree), z = AboutZ(a.z / kDegree);
  const Quatd products[] = {z * x * y, x * y * z, y * z * x, y * x * z, z * y * x, x * z * y};
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(AngleBetween(FromEuler(a, kOrders[i]), products[i]), 0, 1e-12);
  }
}

TEST(MmdRotation, TheMiddleAngleStopsAt88Degrees) {
  for (const EulerOrder order : kOrders) {
    for (const double degrees : {89.5, -89.5, 90.0}) {
      Vec3d angles;
      angles[Middle(order)] = degrees * kDegree;
      const Vec3d got = ToEuler(FromEuler(angles, order), order);
      EXPECT_NEAR(got[Middle(order)], std::copysign(88 * kDegree, degrees), 1e-12);
    }
  }
}

TEST(MmdRotation, ScalesTheAngle) {
  const Vec3d axis = Normalized(Vec3d{1, -2, 0.5});
  for (const double degrees : {0.0, 1e-9, 0.01, 33.0, 179.0, 180.0}) {
    for (const double share : {0.0, 0.5, 1.0, -1.0, 2.5}) {
      const Quatd got = ScaledRotation(FromAxisAngle(axis, degrees * kDegree), share);
      EXPECT_NEAR(Dot(got, got), 1, 1e-14);
      EXPECT_NEAR(AngleBetween(got, FromAxisAngle(axis, degrees * share * kDegree)), 0, 1e-12)
          << degrees << " " << share;
    }
  }
  // More than half a turn is the shorter way round the other way.
  EXPECT_NEAR(AngleBetween(ScaledRotation(AboutX(300), 0.5), AboutX(-30)), 0, 1e-12);
}

TEST(MmdRotation, FindsTheRotationInScaledAndShearedMatrices) {
  const Quatd q = AboutY(40) * AboutX(100);
  const Mat3d r = ToMat3(q);
  EXPECT_NEAR(AngleBetween(RotationIn({r.x * 2.0, r.y * 0.5, r.z * 3.0}), q), 0, 1e-12);
  EXPECT_NEAR(AngleBetween(RotationIn({r.x, r.y + r.x * 0.4, r.z}), q), 0, 1e-12);
  // Nothing to find: still a rotation.
  const Quatd none = RotationIn({{0, 0, 0}, {0, 0, 0}, {0, 0, 0}});
  EXPECT_NEAR(Dot(none, none), 1, 1e-14);
}

}  // namespace
}  // namespace flexor::pose
