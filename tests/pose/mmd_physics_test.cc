#include "flexor/pose/mmd_physics.h"

#include "pose/mmd_rigs.h"

namespace flexor::pose {
namespace {

using asset::Character;
using asset::kNone;
using asset::MmdBody;
using asset::MmdBodyMode;
using asset::MmdJoint;
using asset::MmdJointKind;
using asset::MmdShape;

#define FLEXOR_REQUIRE_PHYSICS() \
  if (!HasMmdPhysics()) GTEST_SKIP() << "SKIPPED FOR WANT OF BULLET in this build"

MmdBody Ball(std::int32_t bone, Vec3d position, MmdBodyMode mode) {
  MmdBody body;
  body.bone = bone;
  body.size = {0.02, 0, 0};
  body.position = position;
  body.mass = 1;
  body.mode = mode;
  body.collides_with = 0;
  return body;
}

MmdJoint Hold(std::uint32_t a, std::uint32_t b, Vec3d position) {
  MmdJoint joint;
  joint.body_a = a;
  joint.body_b = b;
  joint.position = position;
  joint.rotation_min = {-1, -1, -1};
  joint.rotation_max = {1, 1, 1};
  return joint;
}

// A free ball on bone 0, a metre above the ground.
MmdRigBuilder FreeBall() {
  MmdRigBuilder rig;
  rig.Bone(kNone, {0, 1, 0});
  rig.rig().bodies = {Ball(0, {0, 1, 0}, MmdBodyMode::kPhysics)};
  return rig;
}

// A pendulum: bone 0 carries a kinematic ball, bones 1 and 2 hang off to the side on joints.
MmdRigBuilder Pendulum() {
  MmdRigBuilder rig;
  rig.Bone(kNone, {0, 1.5, 0});
  rig.Bone(0, {0.1, 1.5, 0});
  rig.Bone(1, {0.2, 1.5, 0});
  rig.rig().bodies = {Ball(0, {0, 1.5, 0}, MmdBodyMode::kFollowBone),
                      Ball(1, {0.15, 1.5, 0}, MmdBodyMode::kPhysics),
                      Ball(2, {0.25, 1.5, 0}, MmdBodyMode::kPhysics)};
  rig.rig().joints = {Hold(0, 1, {0.1, 1.5, 0}), Hold(1, 2, {0.2, 1.5, 0})};
  return rig;
}

struct Motion {
  std::vector<std::vector<Mat34d>> frames;
  std::vector<std::uint32_t> driven;
  MmdPhysicsReport report;
};

// Frames at 30 per second, `move` having set the keys.
template <class Move>
Motion Simulate(const Character& c, int frames, const Move& move, MmdPhysicsSettings settings = {},
                double warm_up = 0) {
  auto physics = MmdPhysics::Create(c, settings);
  EXPECT_TRUE(physics.ok());
  MmdSolver solver(c);
  Motion run;
  for (int f = 0; f < frames; ++f) {
    Pose pose = RestPose(c);
    move(f, pose);
    std::vector<Mat34d> world;
    solver.Solve({}, pose, world, [&](std::vector<Mat34d>& at, std::vector<std::uint32_t>& driven) {
      if (f == 0) physics->WarmUp(warm_up, at);
      physics->Step(f == 0 ? 0 : 1.0 / 30, solver.morph_weights(), at, driven);
      run.driven = driven;
    });
    run.frames.push_back(world);
  }
  run.report = physics->report();
  return run;
}

const auto kStill = [](int, Pose&) {};

TEST(MmdPhysics, WithoutBulletSaysSo) {
  if (HasMmdPhysics()) GTEST_SKIP() << "this build has Bullet";
  const auto physics = MmdPhysics::Create(FreeBall().Build());
  ASSERT_FALSE(physics.ok());
  EXPECT_EQ(physics.error().code, ErrorCode::kBackendMissing);
}

TEST(MmdPhysics, RefusesSettingsWithoutMeaning) {
  FLEXOR_REQUIRE_PHYSICS();
  const Character c = FreeBall().Build();
  MmdPhysicsSettings settings;
  settings.steps_per_second = 0;
  EXPECT_FALSE(MmdPhysics::Create(c, settings).ok());
  settings = {};
  settings.solver_iterations = 0;
  EXPECT_FALSE(MmdPhysics::Create(c, settings).ok());
  EXPECT_FALSE(MmdPhysics::Create(Character{}).ok());
}

// 98 units of 0.08 m per second squared. With steps of h, n of them fall g h^2 n (n + 1) / 2.
TEST(MmdPhysics, FallsByTheFormatsGravity) {
  FLEXOR_REQUIRE_PHYSICS();
  const Character c = FreeBall().Build();
  const Motion run = Simulate(c, 7, kStill);
  const double g = 98 * 0.08, h = 1.0 / 120;
  for (int f = 0; f < 7; ++f) {
    const double n = 4.0 * f;
    const double fallen = 1 - run.frames[static_cast<std::size_t>(f)][0].translation.y;
    EXPECT_NEAR(fallen, g * h * h * n * (n + 1) / 2, 1e-6) << f;
  }
  EXPECT_EQ(run.report.steps, 24u);
  EXPECT_EQ(run.driven, std::vector<std::uint32_t>{0});
}

TEST(MmdPhysics, LandsOnTheGroundUnlessTold) {
  FLEXOR_REQUIRE_PHYSICS();
  const Character c = FreeBall().Build();
  EXPECT_NEAR(Simulate(c, 120, kStill).frames.back()[0].translation.y, 0.02, 0.005);
  MmdPhysicsSettings settings;
  settings.ground = false;
  EXPECT_LT(Simulate(c, 120, kStill, settings).frames.back()[0].translation.y, -10);
}

TEST(MmdPhysics, EveryShapeRestsOnTheGroundByItsSize) {
  FLEXOR_REQUIRE_PHYSICS();
  const struct {
    MmdShape shape;
    Vec3d size;
    double height;  // of the middle, standing
  } rows[] = {{MmdShape::kSphere, {0.1, 9, 9}, 0.1},
              {MmdShape::kBox, {0.3, 0.2, 0.25}, 0.2},
              {MmdShape::kCapsule, {0.1, 0.4, 9}, 0.3}};
  for (const auto& row : rows) {
    MmdRigBuilder rig = FreeBall();
    MmdBody& body = rig.rig().bodies[0];
    body.shape = row.shape;
    body.size = row.size;
    body.position.y = row.height + 0.05;
    body.angular_damping = 1;
    const Character c = rig.Build();
    const double lowered = 1 - Simulate(c, 60, kStill).frames.back()[0].translation.y;
    EXPECT_NEAR(lowered, 0.05, 0.01) << static_cast<int>(row.shape);
  }
}

// Two equal runs agree to the last bit; so does a second run of one object after a reset.
TEST(MmdPhysics, IsTheSameEveryTime) {
  FLEXOR_REQUIRE_PHYSICS();
  const Character c = Pendulum().Build();
  const auto swing = [](int f, Pose& pose) {
    pose.locals[0].rotation = AboutZ(20 * std::sin(0.3 * f)) * AboutX(3.0 * f);
    pose.locals[0].translation.x = 0.02 * f;
  };
  const Motion first = Simulate(c, 90, swing, {}, 0.5);
  const Motion second = Simulate(c, 90, swing, {}, 0.5);
  EXPECT_EQ(first.frames, second.frames);
  EXPECT_EQ(first.report.steps, 60u + 89 * 4);

  auto physics = MmdPhysics::Create(c);
  ASSERT_TRUE(physics.ok());
  std::vector<Mat34d> rest, once, again;
  ComputeModelSpace(c, RestPose(c), rest);
  for (std::vector<Mat34d>* out : {&once, &again}) {
    physics->Reset(rest);
    for (int f = 0; f < 30; ++f) {
      *out = rest;
      std::vector<std::uint32_t> driven;
      physics->Step(1.0 / 30, {}, *out, driven);
    }
  }
  EXPECT_EQ(once, again);
}

TEST(MmdPhysics, JointsHoldAndBonesFollowTheirBodies) {
  FLEXOR_REQUIRE_PHYSICS();
  const Character c = Pendulum().Build();
  const Motion run = Simulate(c, 120, kStill);
  EXPECT_EQ(run.driven, (std::vector<std::uint32_t>{1, 2}));
  const std::vector<Mat34d>& last = run.frames.back();
  EXPECT_EQ(last[0].translation, (Vec3d{0, 1.5, 0}));  // kinematic: as keyed
  // The joints keep the distances; the limit of one radian keeps each link above 58 degrees down.
  EXPECT_NEAR(Distance(last[1].translation, Vec3d{0.1, 1.5, 0}), 0, 0.01);
  EXPECT_NEAR(Distance(last[1].translation, last[2].translation), 0.1, 0.01);
  EXPECT_LT(last[2].translation.y, 1.46);
  EXPECT_EQ(run.report.lost_bodies, 0u);
}

// After the warm-up the chain hangs, and the first frame shows it so.
TEST(MmdPhysics, WarmUpSettlesBeforeTheFirstFrame) {
  FLEXOR_REQUIRE_PHYSICS();
  const Character c = Pendulum().Build();
  EXPECT_NEAR(Simulate(c, 1, kStill).frames[0][2].translation.y, 1.5, 1e-9);
  const Motion warm = Simulate(c, 1, kStill, {}, 3);
  EXPECT_LT(warm.frames[0][2].translation.y, 1.46);
  EXPECT_EQ(warm.report.steps, 360u);
}

// Mode 2 keeps the bone where its parent carries it and takes the rotation alone.
TEST(MmdPhysics, ModeTwoTakesTheRotationAlone) {
  FLEXOR_REQUIRE_PHYSICS();
  MmdRigBuilder rig = Pendulum();
  rig.rig().bodies[2].mode = MmdBodyMode::kPhysicsAtBone;
  const Character c = rig.Build();
  const Motion run = Simulate(c, 60, kStill);
  for (const std::vector<Mat34d>& world : run.frames) {
    EXPECT_NEAR(Distance(world[2].translation, TransformPoint(world[1], Vec3d{0.1, 0, 0})), 0,
                1e-9);
  }
  EXPECT_GT(AngleBetween(ToQuat(run.frames.back()[2].linear), Quatd{}), 0.2);
}

// A bone's group must be in the other's mask, both ways.
TEST(MmdPhysics, GroupsAndMasksDecideWhoCollides) {
  FLEXOR_REQUIRE_PHYSICS();
  const struct {
    std::uint16_t mask_a, mask_b;
    bool rests;
  } rows[] = {{0xffff, 0xffff, true},
              {0xffff, 0xffff & ~(1 << 3), false},
              {0xffff & ~(1 << 5), 0xffff, false},
              {1 << 5, 1 << 3, true}};
  for (const auto& row : rows) {
    MmdRigBuilder rig;
    rig.Bone(kNone, {0, 0.5, 0});
    rig.Bone(kNone, {0, 0.8, 0});
    rig.rig().bodies = {Ball(0, {0, 0.5, 0}, MmdBodyMode::kFollowBone),
                        Ball(1, {0, 0.8, 0}, MmdBodyMode::kPhysics)};
    rig.rig().bodies[0].shape = MmdShape::kBox;
    rig.rig().bodies[0].size = {0.2, 0.1, 0.2};
    rig.rig().bodies[0].group = 3;
    rig.rig().bodies[0].collides_with = row.mask_a;
    rig.rig().bodies[1].group = 5;
    rig.rig().bodies[1].collides_with = row.mask_b;
    const Character c = rig.Build();
    const double y = Simulate(c, 60, kStill).frames.back()[1].translation.y;
    EXPECT_NEAR(y, row.rests ? 0.62 : 0.02, 0.01) << row.mask_a << " " << row.mask_b;
  }
}

// Each kind of joint between a still ball and a free one keeps them together.
TEST(MmdPhysics, EveryKindOfJointHolds) {
  FLEXOR_REQUIRE_PHYSICS();
  for (const MmdJointKind kind :
       {MmdJointKind::kSpring6Dof, MmdJointKind::k6Dof, MmdJointKind::kPointToPoint,
        MmdJointKind::kConeTwist, MmdJointKind::kSlider, MmdJointKind::kHinge}) {
    MmdRigBuilder rig = Pendulum();
    for (MmdJoint& joint : rig.rig().joints) joint.kind = kind;
    rig.rig().joints[0].spring_rotation = {0.5, 0.5, 0.5};
    rig.rig().joints[0].spring_translation = {10, 0, 0};
    const Character c = rig.Build();
    const Motion run = Simulate(c, 90, kStill);
    const std::vector<Mat34d>& last = run.frames.back();
    EXPECT_NEAR(Distance(last[1].translation, Vec3d{0.1, 1.5, 0}), 0, 0.02)
        << static_cast<int>(kind);
    EXPECT_NEAR(Distance(last[1].translation, last[2].translation), 0.1, 0.02)
        << static_cast<int>(kind);
  }
}

// A spring of rotation carries weight: with it the end hangs higher than without.
TEST(MmdPhysics, SpringsOfRotationCarry) {
  FLEXOR_REQUIRE_PHYSICS();
  double height[2];
  for (const int stiff : {0, 1}) {
    MmdRigBuilder rig = Pendulum();
    for (MmdJoint& joint : rig.rig().joints) {
      const double k = stiff * 20000 * 0.08 * 0.08;
      joint.spring_rotation = {k, k, k};
    }
    height[stiff] = Simulate(rig.Build(), 90, kStill).frames.back()[2].translation.y;
  }
  EXPECT_GT(height[1], height[0] + 0.03);
}

TEST(MmdPhysics, ImpulsesPush) {
  FLEXOR_REQUIRE_PHYSICS();
  MmdRigBuilder rig = FreeBall();
  asset::MmdMorph push;
  push.kind = asset::MmdMorphKind::kImpulse;
  push.impulses = {{0, false, {0.3, 0, 0}, {0, 0, 0}}};
  rig.rig().morphs = {push};
  const Character c = rig.Build();
  // Pushed once by half of 0.3 m/s; six frames later it is a fifth of a second further.
  const Motion run =
      Simulate(c, 7, [](int f, Pose& pose) { pose.mmd_morphs[0] = f == 1 ? 0.5f : 0; });
  EXPECT_NEAR(run.frames[6][0].translation.x, 0.15 * 6 / 30, 1e-6);
  EXPECT_NEAR(run.frames[6][0].translation.z, 0, 1e-9);
}

// A body without mass cannot be simulated and rides on its bone.
TEST(MmdPhysics, NoMassFollowsTheBone) {
  FLEXOR_REQUIRE_PHYSICS();
  MmdRigBuilder rig = FreeBall();
  rig.rig().bodies[0].mass = 0;
  const Motion run = Simulate(rig.Build(), 10, kStill);
  EXPECT_EQ(run.frames.back()[0].translation, (Vec3d{0, 1, 0}));
  EXPECT_TRUE(run.driven.empty());
}

// A kilometre away the chain moves as at home.
TEST(MmdPhysics, KeepsItsDigitsFarAway) {
  FLEXOR_REQUIRE_PHYSICS();
  MmdRigBuilder rig = Pendulum();
  MmdPhysicsSettings settings;
  settings.ground = false;
  const Character c = rig.Build();
  const Motion home = Simulate(c, 60, kStill, settings);
  const Vec3d away{1000, 0, 1000};
  const Motion far =
      Simulate(c, 60, [&](int, Pose& pose) { pose.locals[0].translation += away; }, settings);
  for (std::size_t f = 0; f < home.frames.size(); f += 10) {
    for (std::size_t b = 0; b < 3; ++b) {
      EXPECT_LT(Distance(far.frames[f][b].translation - away, home.frames[f][b].translation), 1e-5)
          << f << " " << b;
    }
  }
}

TEST(MmdPhysics, LongFramesAreCutAndReported) {
  FLEXOR_REQUIRE_PHYSICS();
  const Character c = Pendulum().Build();
  auto physics = MmdPhysics::Create(c);
  ASSERT_TRUE(physics.ok());
  std::vector<Mat34d> world;
  ComputeModelSpace(c, RestPose(c), world);
  std::vector<std::uint32_t> driven;
  physics->Step(100, {}, world, driven);
  EXPECT_EQ(physics->report().steps, 120u);
  EXPECT_NEAR(physics->report().dropped_seconds, 99, 1e-12);
  EXPECT_EQ(physics->report().bodies, 3u);
  EXPECT_EQ(physics->report().joints, 2u);
}

}  // namespace
}  // namespace flexor::pose
