// Frames of a character whose hair swings: the same alone, in order, and backwards.
#include "bake/mmd_player.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace flexor::bake {
namespace {

/// A head that is swung to and fro, with a strand of two bones on bodies.
asset::Character Swinging() {
  asset::Character character;
  character.mmd.emplace();
  asset::MmdRig& rig = *character.mmd;
  for (int b = 0; b < 3; ++b) {
    asset::Node node;
    node.name = "bone" + std::to_string(b);
    node.parent = b - 1;
    node.rest.translation = b == 0 ? Vec3d{0, 2, 0} : Vec3d{0, -0.2, 0};
    character.nodes.push_back(node);
    asset::MmdBone bone;
    bone.match_name = node.name;
    rig.bones.push_back(bone);
    asset::MmdBody body;
    body.name = node.name;
    body.bone = b;
    body.group = 1;
    body.collides_with = 0;
    body.size = {0.05, 0, 0};
    body.position = {0, 2 - 0.2 * b, 0};
    body.mass = b == 0 ? 0 : 1;
    body.linear_damping = body.angular_damping = 0.3;
    body.mode = b == 0 ? asset::MmdBodyMode::kFollowBone : asset::MmdBodyMode::kPhysics;
    rig.bodies.push_back(body);
    if (b == 0) continue;
    asset::MmdJoint joint;
    joint.body_a = static_cast<std::uint32_t>(b - 1);
    joint.body_b = static_cast<std::uint32_t>(b);
    joint.position = {0, 2 - 0.2 * (b - 1), 0};
    joint.rotation_min = {-1, -1, -1};
    joint.rotation_max = {1, 1, 1};
    rig.joints.push_back(joint);
  }
  asset::Channel swing;
  swing.path = asset::ChannelPath::kTranslation;
  swing.target = 0;
  swing.times = {0, 0.5, 1};
  swing.values = {0, 2, 0, 1, 2, 0, 0, 2, 0};
  asset::Clip clip;
  clip.name = "swing";
  clip.channels = {swing};
  character.clips = {clip};
  EXPECT_TRUE(asset::Finalize(character).ok());
  return character;
}

Vec3d TipAt(Performer& performer, double seconds) {
  EXPECT_TRUE(performer.Evaluate(0, seconds).ok());
  return performer.model_from_node()[2].translation;
}

Performer PerformerOf(const asset::Character& character, MmdPhysicsUse physics) {
  PerformerSettings settings;
  settings.mmd.physics = physics;
  auto performer = Performer::Create(character, settings);
  EXPECT_TRUE(performer.ok()) << performer.error().ToString();
  return std::move(*performer);
}

TEST(MmdPlayer, AFrameAloneIsTheFrameOfASequence) {
  if (!pose::HasMmdPhysics()) GTEST_SKIP() << "SKIPPED: built without rigid bodies";
  const asset::Character character = Swinging();
  Performer forward = PerformerOf(character, MmdPhysicsUse::kOn);
  std::vector<Vec3d> tips;
  for (int f = 0; f <= 30; ++f) tips.push_back(TipAt(forward, f / 30.0));
  EXPECT_GT(Length(tips[15] - tips[0]), 0.1) << "the strand moves";
  Performer back = PerformerOf(character, MmdPhysicsUse::kOn);
  for (const int f : {30, 15, 15, 1, 0, 22}) {
    EXPECT_EQ(TipAt(back, f / 30.0), tips[static_cast<std::size_t>(f)]) << "frame " << f;
  }
  EXPECT_GT(forward.physics()->steps, 100u);
}

TEST(MmdPlayer, WithoutBodiesTheStrandIsStiff) {
  const asset::Character character = Swinging();
  Performer performer = PerformerOf(character, MmdPhysicsUse::kOff);
  const Vec3d tip = TipAt(performer, 0.25);
  EXPECT_NEAR(tip.x, 0.5, 1e-6);
  EXPECT_NEAR(tip.y, 1.6, 1e-6);
  EXPECT_EQ(performer.physics(), nullptr);
}

TEST(MmdPlayer, TheRestPoseIsAtRest) {
  if (!pose::HasMmdPhysics()) GTEST_SKIP() << "SKIPPED: built without rigid bodies";
  const asset::Character character = Swinging();
  Performer performer = PerformerOf(character, MmdPhysicsUse::kOn);
  ASSERT_TRUE(performer.Evaluate(std::nullopt, 0).ok());
  EXPECT_NEAR(performer.model_from_node()[2].translation.y, 1.6, 1e-12);
}

TEST(MmdPlayer, RefusesFramesThatWouldTakeForEver) {
  if (!pose::HasMmdPhysics()) GTEST_SKIP() << "SKIPPED: built without rigid bodies";
  const asset::Character character = Swinging();
  Performer performer = PerformerOf(character, MmdPhysicsUse::kOn);
  const Status status = performer.Evaluate(0, 1e6);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kLimitExceeded);
}

TEST(MmdPlayer, AnErrorWhereTheBuildHasNone) {
  if (pose::HasMmdPhysics()) GTEST_SKIP() << "SKIPPED: built with rigid bodies";
  PerformerSettings settings;
  settings.mmd.physics = MmdPhysicsUse::kOn;
  const asset::Character character = Swinging();
  const auto performer = Performer::Create(character, settings);
  ASSERT_FALSE(performer.ok());
  EXPECT_EQ(performer.error().code, ErrorCode::kBackendMissing);
}

}  // namespace
}  // namespace flexor::bake
