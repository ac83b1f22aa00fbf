// Frames of a character whose hair swings: the same alone, in order, and backwards.
#include <vector>

#include <gtest/gtest.h>

#include "flexor/bake/compare.h"
#include "flexor/bake/performer.h"
#include "flexor/bake/plain_copy.h"

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
  return performer.posed().model_from_node[2].translation;
}

Performer PerformerOf(const asset::Character& character, pose::SimulationUse physics) {
  PerformerSettings settings;
  settings.pose.simulation.use = physics;
  auto performer = Performer::Create(character, settings);
  EXPECT_TRUE(performer.ok()) << performer.error().ToString();
  return std::move(*performer);
}

TEST(PerformerPhysics, AFrameAloneIsTheFrameOfASequence) {
  if (!pose::HasMmdPhysics()) GTEST_SKIP() << "SKIPPED: built without rigid bodies";
  const asset::Character character = Swinging();
  Performer forward = PerformerOf(character, pose::SimulationUse::kOn);
  std::vector<Vec3d> tips;
  for (int f = 0; f <= 30; ++f) tips.push_back(TipAt(forward, f / 30.0));
  EXPECT_GT(Length(tips[15] - tips[0]), 0.1) << "the strand moves";
  Performer back = PerformerOf(character, pose::SimulationUse::kOn);
  for (const int f : {30, 15, 15, 1, 0, 22}) {
    EXPECT_EQ(TipAt(back, f / 30.0), tips[static_cast<std::size_t>(f)]) << "frame " << f;
  }
  EXPECT_GT(forward.simulation().ticks, 100u);
}

TEST(PerformerPhysics, WithoutBodiesTheStrandIsStiff) {
  const asset::Character character = Swinging();
  Performer performer = PerformerOf(character, pose::SimulationUse::kOff);
  const Vec3d tip = TipAt(performer, 0.25);
  EXPECT_NEAR(tip.x, 0.5, 1e-6);
  EXPECT_NEAR(tip.y, 1.6, 1e-6);
  EXPECT_FALSE(performer.simulates());
}

TEST(PerformerPhysics, TheRestPoseIsAtRest) {
  if (!pose::HasMmdPhysics()) GTEST_SKIP() << "SKIPPED: built without rigid bodies";
  const asset::Character character = Swinging();
  Performer performer = PerformerOf(character, pose::SimulationUse::kOn);
  ASSERT_TRUE(performer.Evaluate(std::nullopt, 0).ok());
  EXPECT_NEAR(performer.posed().model_from_node[2].translation.y, 1.6, 1e-12);
}

TEST(PerformerPhysics, RefusesFramesThatWouldTakeForEver) {
  if (!pose::HasMmdPhysics()) GTEST_SKIP() << "SKIPPED: built without rigid bodies";
  const asset::Character character = Swinging();
  Performer performer = PerformerOf(character, pose::SimulationUse::kOn);
  const Status status = performer.Evaluate(0, 1e6);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kLimitExceeded);
}

TEST(PerformerPhysics, AnErrorWhereTheBuildHasNone) {
  if (pose::HasMmdPhysics()) GTEST_SKIP() << "SKIPPED: built with rigid bodies";
  PerformerSettings settings;
  settings.pose.simulation.use = pose::SimulationUse::kOn;
  const asset::Character character = Swinging();
  const auto performer = Performer::Create(character, settings);
  ASSERT_FALSE(performer.ok());
  EXPECT_EQ(performer.error().code, ErrorCode::kBackendMissing);
}

// However many methods and pictures there are, the clip is simulated once: four ticks a frame, and
// the first.
TEST(PerformerPhysics, AComparisonPosesEachFrameOnce) {
  if (!pose::HasMmdPhysics()) GTEST_SKIP() << "SKIPPED: built without rigid bodies";
  asset::Character character = Swinging();
  asset::Mesh mesh;
  mesh.name = "strand";
  mesh.positions = {{0, 2, 0}, {0.1f, 1.8f, 0}, {0, 1.6f, 0.1f}};
  mesh.triangles = {0, 1, 2};
  mesh.influences.offsets = {0, 2, 4, 6};
  mesh.influences.joints = {0, 1, 1, 2, 0, 2};
  mesh.influences.weights = {0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f};
  character.meshes = {mesh};
  asset::Skin skin;
  skin.joints = {0, 1, 2};
  for (int b = 0; b < 3; ++b) {
    skin.joint_from_mesh.push_back({{}, Vec3d{0, -(2 - 0.2 * b), 0}});
  }
  character.skins = {skin};
  character.instances.resize(1);
  character.instances[0].skin = 0;
  ASSERT_TRUE(asset::Finalize(character).ok());
  CompareSettings settings;
  for (const char* method : {"lbs", "dqs", "dqs:usd"}) {
    settings.methods.push_back(*ParseMethodChoice(method, {}));
  }
  settings.clip = 0;
  settings.times = *ListTimes(&character.clips[0], std::nullopt, 30);
  ASSERT_EQ(settings.times.size(), 31u);
  settings.rows = 3;
  const auto comparison = CompareMethods(character, settings);
  ASSERT_TRUE(comparison.ok()) << comparison.error().ToString();
  EXPECT_EQ(comparison->simulation.ticks, 121u);
  // What is kept to be drawn is what was measured.
  ASSERT_EQ(comparison->kept.size(), 3u);
  Performer performer = PerformerOf(character, pose::SimulationUse::kOn);
  double worst = 0;
  std::size_t worst_frame = 0;
  for (std::size_t f = 0; f < comparison->frames.size(); ++f) {
    for (const PairNumbers& pair : comparison->frames[f].pairs) {
      if (pair.distance.max_mm <= worst) continue;
      worst = pair.distance.max_mm;
      worst_frame = f;
    }
  }
  EXPECT_EQ(comparison->kept[comparison->worst_kept].frame, worst_frame);
  for (const KeptPose& kept : comparison->kept) {
    ASSERT_TRUE(performer.Evaluate(0, static_cast<double>(kept.frame) / 30).ok());
    EXPECT_EQ(kept.posed.model_from_node, performer.posed().model_from_node) << kept.frame;
  }
}

// A copy without a rig hangs as the character does.
TEST(PerformerPhysics, APlainCopyHasTheMotionOfTheBodies) {
  if (!pose::HasMmdPhysics()) GTEST_SKIP() << "SKIPPED: built without rigid bodies";
  const asset::Character character = Swinging();
  for (const pose::SimulationUse use : {pose::SimulationUse::kAuto, pose::SimulationUse::kOff}) {
    MotionSettings motion;
    motion.pose.simulation.use = use;
    Diagnostics notes;
    const auto plain = PlainCopy(character, motion, notes);
    ASSERT_TRUE(plain.ok()) << plain.error().ToString();
    EXPECT_TRUE(notes.Contains("PLAIN_PHYSICS_LEFT_OUT"));
    Performer wanted = PerformerOf(character, use), got = PerformerOf(*plain, use);
    for (int f = 0; f <= 30; f += 5) {
      EXPECT_LT(Length(TipAt(wanted, f / 30.0) - TipAt(got, f / 30.0)), 1e-6) << f;
    }
  }
}

}  // namespace
}  // namespace flexor::bake
