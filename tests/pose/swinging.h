/// @file pose/swinging.h
/// Characters whose bodies swing and collide, for tests of simulation.
#pragma once

#include "pose/mmd_rigs.h"

namespace flexor::pose {

#define FLEXOR_REQUIRE_PHYSICS() \
  if (!HasMmdPhysics()) GTEST_SKIP() << "SKIPPED FOR WANT OF BULLET in this build"

/// A channel that moves bone 0 about its rest position.
inline asset::Channel Moving(const std::vector<double>& times, const std::vector<Vec3f>& offsets,
                             Vec3d base) {
  asset::Channel channel;
  channel.path = asset::ChannelPath::kTranslation;
  channel.target = 0;
  channel.times = times;
  channel.base = base;
  for (const Vec3f& v : offsets) channel.values.insert(channel.values.end(), {v.x, v.y, v.z});
  return channel;
}

/// Bone 0 swings to and fro in clip 0 and stands in clip 1; bones 1 to 3 hang from it on bodies
/// that collide with each other, with the ground and with a box on bone 0. Morph 0 appends nothing.
inline asset::Character Swinging(double height = 1.2) {
  MmdRigBuilder rig;
  rig.Bone(asset::kNone, {0, height, 0});
  for (int b = 1; b < 4; ++b) rig.Bone(b - 1, {0.1 * b, height, 0});
  for (int b = 0; b < 4; ++b) {
    asset::MmdBody body;
    body.bone = b;
    body.group = static_cast<std::uint8_t>(b % 2);
    body.shape = b == 0 ? asset::MmdShape::kBox : asset::MmdShape::kCapsule;
    body.size = b == 0 ? Vec3d{0.06, 0.06, 0.06} : Vec3d{0.03, 0.05, 0};
    body.position = {0.1 * b + (b == 0 ? 0 : 0.05), height, 0};
    body.rotation = b == 0 ? Quatd{} : AboutZ(90);
    body.mass = b == 0 ? 0 : 1;
    body.linear_damping = body.angular_damping = 0.2;
    body.friction = 0.5;
    body.mode = b == 0   ? asset::MmdBodyMode::kFollowBone
                : b == 3 ? asset::MmdBodyMode::kPhysicsAtBone
                         : asset::MmdBodyMode::kPhysics;
    rig.rig().bodies.push_back(body);
    if (b == 0) continue;
    asset::MmdJoint joint;
    joint.body_a = static_cast<std::uint32_t>(b - 1);
    joint.body_b = static_cast<std::uint32_t>(b);
    joint.position = {0.1 * b, height, 0};
    joint.rotation_min = {-1, -1, -1};
    joint.rotation_max = {1, 1, 1};
    joint.spring_rotation = {0.02, 0.02, 0.02};
    rig.rig().joints.push_back(joint);
  }
  asset::Clip swing, stand;
  swing.name = "swing";
  std::vector<double> times;
  std::vector<Vec3f> offsets;
  for (int k = 0; k <= 24; ++k) {
    times.push_back(k * 0.5);
    offsets.push_back(
        {k % 2 == 0 ? 0.0f : 0.8f, k % 4 == 3 ? -0.6f : 0.0f, 0.1f * static_cast<float>(k % 3)});
  }
  swing.channels = {Moving(times, offsets, {0, height, 0})};
  stand.name = "stand";
  stand.channels = {Moving({0}, {{0, 0, 0}}, {0, height, 0})};
  rig.character().clips = {swing, stand};
  return rig.Build();
}

}  // namespace flexor::pose
