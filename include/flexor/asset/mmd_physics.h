/// @file asset/mmd_physics.h
/// Rigid bodies and joints of a MikuMikuDance character, in house axes and metres.
#pragma once

#include <cstdint>
#include <string>

#include "flexor/asset/node.h"
#include "flexor/math/quat.h"
#include "flexor/math/vec.h"

namespace flexor::asset {

/// What a body looks like to others.
enum class MmdShape : std::uint8_t { kSphere, kBox, kCapsule };

/// Which drives the other: the bone or the body.
enum class MmdBodyMode : std::uint8_t {
  kFollowBone,     ///< kinematic
  kPhysics,        ///< the bone follows the body
  kPhysicsAtBone,  ///< rotation from the body, position from the bone
};

/// A rigid body.
struct MmdBody {
  std::string name{};
  std::int32_t bone = kNone;             ///< index into MmdRig::bones; kNone is attached to bone 0
  std::uint8_t group = 0;                ///< 0..15
  std::uint16_t collides_with = 0xffff;  ///< bit g: collides with group g
  MmdShape shape = MmdShape::kSphere;
  Vec3d size{};      ///< metres: radius in x · half extents · radius in x, cylinder height in y
  Vec3d position{};  ///< metres, model space at rest
  Quatd rotation{};  ///< model space at rest
  double mass = 0;
  double linear_damping = 0, angular_damping = 0;
  double restitution = 0, friction = 0;
  MmdBodyMode mode = MmdBodyMode::kFollowBone;
};

/// How two bodies hang together; all but the first need PMX 2.1.
enum class MmdJointKind : std::uint8_t {
  kSpring6Dof,
  k6Dof,
  kPointToPoint,
  kConeTwist,
  kSlider,
  kHinge,
};

/// A constraint between two bodies. Limits are in the joint's own frame; min > max on an axis
/// leaves that axis free, min = max locks it.
struct MmdJoint {
  std::string name{};
  MmdJointKind kind = MmdJointKind::kSpring6Dof;
  std::uint32_t body_a = 0, body_b = 0;  ///< indices into MmdRig::bodies
  Vec3d position{};                      ///< metres, model space at rest
  Quatd rotation{};
  Vec3d translation_min{}, translation_max{};  ///< metres
  Vec3d rotation_min{}, rotation_max{};        ///< radians
  Vec3d spring_translation{};                  ///< as in the file: per kilogram-unit, unscaled
  Vec3d spring_rotation{};                     ///< the file's, times metres_per_unit squared
};

}  // namespace flexor::asset
