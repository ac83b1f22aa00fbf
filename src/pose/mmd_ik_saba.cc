#include <algorithm>
#include <cmath>
#include <numbers>

#include "pose/mmd_ik.h"

namespace flexor::pose {
namespace {

constexpr double kPi = std::numbers::pi;

// The directions from a link to the goal and to the effector, in the link's own space.
struct Aim {
  Vec3d goal, effector;
  double angle = 0;  // between them, at most the step limit
  bool valid = false;
};

Aim AimOf(const ChainPlan& chain, const LinkPlan& link, const MmdBones& bones) {
  const Vec3d here = bones.position(link.bone);
  const Quatd to_local = Conjugate(bones.frame(link.bone).model_rotation);
  Aim aim;
  aim.goal = Normalized(Rotate(to_local, bones.position(chain.goal) - here));
  aim.effector = Normalized(Rotate(to_local, bones.position(chain.effector) - here));
  // At the goal, or the effector in the link itself: there is no direction to turn.
  aim.valid = aim.goal != Vec3d{} && aim.effector != Vec3d{};
  const Vec3d across = Cross(aim.effector, aim.goal);
  aim.angle = std::min(std::atan2(Length(across), Dot(aim.effector, aim.goal)), chain.step_limit);
  return aim;
}

void SetRotation(const ChainPlan& chain, const LinkPlan& link, Quatd rotation, MmdBones& bones) {
  BoneFrame& frame = bones.frame(link.bone);
  frame.ik = Normalized(rotation * Conjugate(frame.base));
  bones.Turn(link.bone);
  FollowPath(chain, link.at + 1, bones);
}

// Whether only this axis has room to turn. A single limit at 0 counts as no room.
bool OnlyAxis(const LinkPlan& link, std::size_t axis) {
  if (link.min[axis] == 0 && link.max[axis] == 0) return false;
  for (std::size_t other = 0; other < 3; ++other) {
    if (other != axis && link.min[other] != 0 && link.max[other] != 0) return false;
  }
  return true;
}

void StepInPlane(const ChainPlan& chain, const LinkPlan& link, std::size_t axis, LinkFrame& frame,
                 bool first, MmdBones& bones) {
  const Aim aim = AimOf(chain, link, bones);
  if (!aim.valid) return;
  Vec3d about;
  about[axis] = 1;
  const double stay = Dot(aim.effector, aim.goal);
  const double forth = Dot(Rotate(FromAxisAngle(about, aim.angle), aim.effector), aim.goal);
  const double back = Dot(Rotate(FromAxisAngle(about, -aim.angle), aim.effector), aim.goal);
  if (!first && stay > forth && stay > back) return;

  const double min = link.min[axis], max = link.max[axis];
  double angle = frame.plane_angle + (forth > back ? aim.angle : -aim.angle);
  if (first && (angle < min || angle > max)) {
    // The first step may go to the other side: a stretched knee does not know which way it bends.
    const bool other_side_fits = -angle > min && -angle < max;
    const double middle = (min + max) / 2;
    if (other_side_fits || std::abs(middle - angle) > std::abs(middle + angle)) angle = -angle;
  }
  angle = std::clamp(angle, min, max);
  frame.plane_angle = angle;
  SetRotation(chain, link, FromAxisAngle(about, angle), bones);
}

// How far apart two sets of angles are, full turns left out.
double AngleDistance(Vec3d a, Vec3d b) {
  double sum = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    sum += std::abs(std::remainder(a[axis] - b[axis], 2 * kPi));
  }
  return sum;
}

// Angles of the product Z * Y * X nearest to the ones before. saba puts them together again as
// X * Y * Z; with one axis in play that is the same.
Vec3d AnglesNear(Quatd rotation, Vec3d before) {
  const Mat3d m = ToMat3(rotation);
  const double sine = std::clamp(-m.x.z, -1.0, 1.0);
  Vec3d angles{0, std::asin(sine), 0};
  const auto arc_sine = [](double value) { return std::asin(std::clamp(value, -1.0, 1.0)); };
  if (1 - std::abs(sine) >= 1e-6) {
    angles.x = std::atan2(m.y.z, m.z.z);
    angles.z = std::atan2(m.x.y, m.x.x);
  } else if (std::abs(std::sin(before.x)) < std::abs(std::sin(before.z))) {
    const bool near_zero = std::cos(before.x) > 0;
    angles.x = near_zero ? 0 : kPi;
    angles.z = near_zero ? arc_sine(-m.y.x) : arc_sine(m.y.x);
  } else {
    const bool near_zero = std::cos(before.z) > 0;
    angles.z = near_zero ? 0 : kPi;
    angles.x = near_zero ? arc_sine(-m.z.y) : arc_sine(m.z.y);
  }
  // Every rotation has a second set of angles.
  const Vec3d second{angles.x + kPi, kPi - angles.y, angles.z + kPi};
  return AngleDistance(second, before) < AngleDistance(angles, before) ? second : angles;
}

}  // namespace

void StepSaba(const ChainPlan& chain, const LinkPlan& link, LinkFrame& frame, bool first,
              MmdBones& bones) {
  if (link.limited) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (OnlyAxis(link, axis)) return StepInPlane(chain, link, axis, frame, first, bones);
    }
  }
  const Aim aim = AimOf(chain, link, bones);
  constexpr double kLeastDegrees = 1e-3;
  if (!aim.valid || aim.angle < kLeastDegrees * kPi / 180) return;
  const Vec3d across = Cross(aim.effector, aim.goal);
  const BoneFrame& bone = bones.frame(link.bone);
  Quatd rotation = Normalized(bone.ik * bone.base * FromAxisAngle(across, aim.angle));
  if (link.limited) {
    Vec3d angles = AnglesNear(rotation, frame.angles);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double inside = std::clamp(angles[axis], link.min[axis], link.max[axis]);
      angles[axis] = frame.angles[axis] +
                     std::clamp(inside - frame.angles[axis], -chain.step_limit, chain.step_limit);
    }
    frame.angles = angles;
    rotation = FromEuler(angles, EulerOrder::kXyz);
  }
  SetRotation(chain, link, rotation, bones);
}

}  // namespace flexor::pose
