/// @file pose/mmd_world.h
/// The seam to Bullet: rigid bodies and joints of one rig, simulated in the file's own units, to
/// which the margins inside Bullet fit. No Bullet type shows.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "flexor/asset/mmd_rig.h"
#include "flexor/pose/mmd_physics.h"

namespace flexor::pose {

/// A place and an orientation, in metres.
struct BodyPlace {
  Quatd rotation;
  Vec3d position;
};

/// A body in motion, in units of the world, just as it computes: read and set again nothing is
/// rounded.
struct BodyMotion {
  Mat3d rotation;
  Vec3d position, velocity, spin;
};

/// One simulated world.
class MmdWorld {
 public:
  virtual ~MmdWorld() = default;
  /// Where a body that follows its bone is to be at the end of the next step.
  virtual void Move(std::size_t body, const BodyPlace& place) = 0;
  /// Puts a body somewhere at once; its velocity stays.
  virtual void Put(std::size_t body, const BodyPlace& place) = 0;
  /// The rotation has unit length but for rounding; runaways are not finite.
  virtual BodyPlace Place(std::size_t body) const = 0;
  virtual BodyMotion Motion(std::size_t body) const = 0;
  virtual void SetMotion(std::size_t body, const BodyMotion& motion) = 0;
  virtual void Push(const asset::MmdMorph::Impulse& impulse, double weight) = 0;
  virtual void Step() = 0;
};

/// Whether a body of the rig follows its bone: by its mode, or because it has no mass to be moved.
inline bool FollowsBone(const asset::MmdBody& body) {
  return body.mode == asset::MmdBodyMode::kFollowBone || !(body.mass > 0);
}

/// A new world with the bodies at their places of `places` (bodies). Two worlds of equal arguments
/// go the same way bit for bit.
std::unique_ptr<MmdWorld> MakeMmdWorld(const asset::MmdRig& rig, const MmdPhysicsSettings& settings,
                                       std::span<const BodyPlace> places);

}  // namespace flexor::pose
