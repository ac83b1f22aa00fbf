#include "pose/mmd_rotation.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace flexor::pose {
namespace {

// Of q and -q the one that turns by at most half a turn; at exactly half a turn, where both do, the
// one whose first number that is not 0 is positive.
Quatd ShortWay(Quatd q) {
  if (q.w > 0) return q;
  if (q.w < 0) return -q;
  const double first = q.x != 0 ? q.x : q.y != 0 ? q.y : q.z;
  return first < 0 ? -q : q;
}

double MiddleAngle(double sine) {
  constexpr double kMost = 88 * std::numbers::pi / 180;
  return std::clamp(std::asin(std::clamp(sine, -1.0, 1.0)), -kMost, kMost);
}

Quatd AboutX(double angle) { return {std::sin(angle / 2), 0, 0, std::cos(angle / 2)}; }
Quatd AboutY(double angle) { return {0, std::sin(angle / 2), 0, std::cos(angle / 2)}; }
Quatd AboutZ(double angle) { return {0, 0, std::sin(angle / 2), std::cos(angle / 2)}; }

}  // namespace

Quatd ScaledRotation(Quatd q, double share) {
  if (share == 1) return q;
  q = ShortWay(q);
  const double sine = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
  if (!(sine > 0)) return {};
  const double half = share * std::atan2(sine, q.w);
  const double scale = std::sin(half) / sine;
  return {q.x * scale, q.y * scale, q.z * scale, std::cos(half)};
}

Quatd TwistAbout(Quatd q, Vec3d axis) {
  const double along = Dot(Vec3d{q.x, q.y, q.z}, axis);
  return Normalized(Quatd{axis.x * along, axis.y * along, axis.z * along, q.w});
}

Quatd SameAngleAbout(Quatd q, Vec3d axis) {
  q = ShortWay(q);
  const Vec3d v{q.x, q.y, q.z};
  const double sine = Length(v);
  if (!(sine > 0)) return {};
  const double side = Dot(v, axis) < 0 ? -sine : sine;
  return Normalized(Quatd{axis.x * side, axis.y * side, axis.z * side, q.w});
}

Quatd RotationIn(const Mat3d& m) {
  const Vec3d x = Normalized(m.x, {1, 0, 0});
  const Vec3d y = Normalized(m.y - x * Dot(x, m.y), Normalized(Cross(m.z, x), {0, 1, 0}));
  return ToQuat(Mat3d{x, y, Cross(x, y)});
}

// Each line reads the angles off the product of the three rotations written out: the middle one
// stands alone in one entry, the others share its cosine, which is positive within 88 degrees.
Vec3d ToEuler(Quatd q, EulerOrder order) {
  const Mat3d m = ToMat3(q);
  switch (order) {
    case EulerOrder::kZxy:
      return {MiddleAngle(m.y.z), std::atan2(-m.x.z, m.z.z), std::atan2(-m.y.x, m.y.y)};
    case EulerOrder::kXyz:
      return {std::atan2(-m.z.y, m.z.z), MiddleAngle(m.z.x), std::atan2(-m.y.x, m.x.x)};
    case EulerOrder::kYzx:
      return {std::atan2(-m.z.y, m.y.y), std::atan2(-m.x.z, m.x.x), MiddleAngle(m.x.y)};
    case EulerOrder::kYxz:
      return {MiddleAngle(-m.z.y), std::atan2(m.z.x, m.z.z), std::atan2(m.x.y, m.y.y)};
    case EulerOrder::kZyx:
      return {std::atan2(m.y.z, m.z.z), MiddleAngle(-m.x.z), std::atan2(m.x.y, m.x.x)};
    case EulerOrder::kXzy:
      return {std::atan2(m.y.z, m.y.y), std::atan2(m.z.x, m.x.x), MiddleAngle(-m.y.x)};
  }
  return {};
}

Quatd FromEuler(Vec3d angles, EulerOrder order) {
  const Quatd x = AboutX(angles.x), y = AboutY(angles.y), z = AboutZ(angles.z);
  switch (order) {
    case EulerOrder::kZxy:
      return z * x * y;
    case EulerOrder::kXyz:
      return x * y * z;
    case EulerOrder::kYzx:
      return y * z * x;
    case EulerOrder::kYxz:
      return y * x * z;
    case EulerOrder::kZyx:
      return z * y * x;
    case EulerOrder::kXzy:
      return x * z * y;
  }
  return {};
}

}  // namespace flexor::pose
