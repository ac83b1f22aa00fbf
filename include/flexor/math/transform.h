/// @file math/transform.h
/// Translation, rotation, scale: a node's local transform as animation sees it.
#pragma once

#include "flexor/math/mat.h"

namespace flexor {

/// parent_from_node = translate * rotate * scale, metres and unit quaternion. Scale may be negative
/// or zero.
struct Transform {
  Vec3d translation{};
  Quatd rotation{};
  Vec3d scale{1, 1, 1};

  friend bool operator==(const Transform&, const Transform&) = default;
};

/// The affine matrix of a transform.
inline Mat34d ToMat34(const Transform& t) {
  const Mat3d r = ToMat3(t.rotation);
  return {{r.x * t.scale.x, r.y * t.scale.y, r.z * t.scale.z}, t.translation};
}

}  // namespace flexor
