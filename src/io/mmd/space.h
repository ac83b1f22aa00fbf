/// @file io/mmd/space.h
/// From the axes and units of MikuMikuDance to house conventions and back: mirror Z, scale. The
/// table is in asset/mmd_rig.h. Every mapping is its own inverse but for the scale.
#pragma once

#include <algorithm>
#include <utility>

#include "flexor/math/quat.h"
#include "flexor/math/vec.h"

namespace flexor::io::mmd {

/// Mirrors Z and scales lengths.
class Space {
 public:
  /// `scale` is metres per unit when reading, units per metre when writing.
  explicit Space(double scale) : scale_(scale) {}

  double scale() const { return scale_; }

  Vec3d Point(Vec3d p) const { return {p.x * scale_, p.y * scale_, -p.z * scale_}; }
  Vec3d Point(Vec3f p) const { return Point(Cast<double>(p)); }
  template <class T>
  Vec3f PointF(Vec3<T> p) const {
    return Cast<float>(Point(p));
  }
  template <class T>
  Vec3d Size(Vec3<T> s) const {
    return Cast<double>(s) * scale_;
  }

  template <class T>
  static Vec3<T> Direction(Vec3<T> d) {
    return {d.x, d.y, -d.z};
  }
  template <class T>
  static Quat<T> Rotation(Quat<T> q) {
    return {-q.x, -q.y, q.z, q.w};
  }
  template <class T>
  static Vec3<T> Angles(Vec3<T> a) {
    return {-a.x, -a.y, a.z};
  }

  using Limits = std::pair<Vec3d, Vec3d>;
  static Limits AngleLimits(Vec3f low, Vec3f high) {
    const Vec3d a = Cast<double>(low);
    const Vec3d b = Cast<double>(high);
    return {{-b.x, -b.y, a.z}, {-a.x, -a.y, b.z}};
  }
  Limits OffsetLimits(Vec3f low, Vec3f high) const {
    const Vec3d a = Cast<double>(low) * scale_;
    const Vec3d b = Cast<double>(high) * scale_;
    return {{a.x, a.y, -b.z}, {b.x, b.y, -a.z}};
  }

 private:
  double scale_;
};

/// The rotation of a rigid body or joint from its angles, both in house axes: Ry * Rx * Rz.
inline Quatd FromBodyAngles(Vec3d radians) {
  const Quatd x = FromAxisAngle(Vec3d{1, 0, 0}, radians.x);
  const Quatd y = FromAxisAngle(Vec3d{0, 1, 0}, radians.y);
  const Quatd z = FromAxisAngle(Vec3d{0, 0, 1}, radians.z);
  return y * x * z;
}

}  // namespace flexor::io::mmd
