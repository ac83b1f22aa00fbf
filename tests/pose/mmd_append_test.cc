#include "pose/mmd_rigs.h"

namespace flexor::pose {
namespace {

using asset::Character;
using asset::kNone;

// Two unrelated bones; 1 appends from 0 with the given ratio.
MmdRigBuilder Pair(double ratio, bool rotation = true, bool translation = false,
                   bool local = false) {
  MmdRigBuilder rig;
  rig.Bone(kNone, {0, 1, 0});
  rig.Bone(kNone, {1, 0, 0});
  rig.Append(1, 0, ratio, rotation, translation, local);
  return rig;
}

class MmdAppend : public ::testing::TestWithParam<MmdDialect> {};
INSTANTIATE_TEST_SUITE_P(Dialects, MmdAppend, ::testing::ValuesIn(kAllDialects),
                         [](const auto& p) { return std::string(MmdDialectName(p.param)); });

TEST_P(MmdAppend, TakesAShareOfARotationWithAnyRatio) {
  for (const double ratio : {1.0, 0.5, 0.25, 0.0, -1.0, -0.5, 2.0, 3.0}) {
    const Character c = Pair(ratio).Build();
    Pose pose = RestPose(c);
    pose.locals[0].rotation = AboutX(40);
    const Solved solved = Solve(c, pose, GetParam());
    EXPECT_NEAR(AngleBetween(solved.rotation(1), AboutX(40 * ratio)), 0, 1e-12) << ratio;
    EXPECT_EQ(solved.position(1), (Vec3d{1, 0, 0}));
  }
}

TEST_P(MmdAppend, ANegatedQuaternionIsTheSameRotation) {
  const Character c = Pair(0.3).Build();
  Pose pose = RestPose(c);
  pose.locals[0].rotation = AboutX(170) * AboutY(33);
  pose.locals[1].rotation = AboutZ(20);
  const Solved plain = Solve(c, pose, GetParam());
  pose.locals[0].rotation = -pose.locals[0].rotation;
  pose.locals[1].rotation = -pose.locals[1].rotation;
  EXPECT_LT(LargestDifference(Solve(c, pose, GetParam()).world, plain.world), 1e-14);
  // Half a turn exactly, where no sign is the shorter way.
  pose.locals[0].rotation = {0, 1, 0, 0};
  const Solved half = Solve(c, pose, GetParam());
  pose.locals[0].rotation = {0, -1, 0, 0};
  EXPECT_LT(LargestDifference(Solve(c, pose, GetParam()).world, half.world), 1e-14);
}

TEST_P(MmdAppend, AddsTheSourceOffsetTimesTheRatio) {
  const Character c = Pair(-0.5, false, true).Build();
  Pose pose = RestPose(c);
  pose.locals[0].translation += Vec3d{2, 4, -6};
  pose.locals[0].rotation = AboutX(90);  // not taken
  pose.locals[1].translation += Vec3d{0, 0, 1};
  const Solved solved = Solve(c, pose, GetParam());
  // saba hands on offsets of bone morphs only.
  const Vec3d moved = GetParam() == MmdDialect::kSaba ? Vec3d{1, 0, 1} : Vec3d{0, -2, 4};
  EXPECT_LT(Distance(solved.position(1), moved), 1e-15);
  EXPECT_NEAR(AngleBetween(solved.rotation(1), Quatd{}), 0, 1e-15);
}

TEST_P(MmdAppend, AddsTheOffsetOfBoneMorphsInEveryDialect) {
  for (const bool local : {false, true}) {
    MmdRigBuilder rig = Pair(-0.5, false, true, local);
    asset::MmdMorph morph;
    morph.kind = asset::MmdMorphKind::kBone;
    morph.bones = {{0, {2, 4, -6}, {}}};
    rig.rig().morphs = {morph};
    const Character c = rig.Build();
    Pose pose = RestPose(c);
    pose.mmd_morphs[0] = 1;
    EXPECT_LT(Distance(Solve(c, pose, GetParam()).position(1), Vec3d{0, -2, 3}), 1e-15);
  }
}

// Own rotation and appended one do not commute: the table of the dialects, by hand.
TEST_P(MmdAppend, JoinsOwnAndAppendedInTheDialectsOrder) {
  const Character c = Pair(0.5).Build();
  Pose pose = RestPose(c);
  pose.locals[0].rotation = AboutX(120);
  pose.locals[1].rotation = AboutZ(90);
  const Solved solved = Solve(c, pose, GetParam());
  const Quatd wanted =
      GetParam() == MmdDialect::kUmt ? AboutX(60) * AboutZ(90) : AboutZ(90) * AboutX(60);
  EXPECT_NEAR(AngleBetween(solved.rotation(1), wanted), 0, 1e-12);
  EXPECT_NEAR(AngleBetween(solved.stages.local[1].rotation, AboutZ(90)), 0, 1e-15);
  EXPECT_NEAR(AngleBetween(solved.stages.append[1].rotation, wanted), 0, 1e-12);
}

// A child whose append undoes its parent: shoulder cancel.
TEST_P(MmdAppend, RatioMinusOneCancels) {
  MmdRigBuilder rig;
  rig.Bone(kNone, {0, 0, 0});
  rig.Bone(0, {0, 1, 0});
  rig.Append(1, 0, -1);
  const Character c = rig.Build();
  Pose pose = RestPose(c);
  pose.locals[0].rotation = AboutX(70) * AboutY(-20);
  const Solved solved = Solve(c, pose, GetParam());
  EXPECT_NEAR(AngleBetween(solved.rotation(1), Quatd{}), 0, 1e-12);
}

// 0 -> 1 (half) -> 2 (half): what the last one gets differs by what a dialect hands on.
TEST_P(MmdAppend, ChainsHandOnWhatTheDialectSays) {
  MmdRigBuilder rig;
  for (int i = 0; i < 3; ++i) rig.Bone(kNone, {0, 0, 0});
  rig.Append(1, 0, 0.5);
  rig.Append(2, 1, 0.5);
  const Character c = rig.Build();
  Pose pose = RestPose(c);
  pose.locals[0].rotation = AboutX(80);
  pose.locals[1].rotation = AboutX(10);
  const Solved solved = Solve(c, pose, GetParam());
  EXPECT_NEAR(AngleBetween(solved.rotation(1), AboutX(50)), 0, 1e-12);
  // saba hands on the appended 40 degrees alone; the others own and appended together, 50.
  const double last = GetParam() == MmdDialect::kSaba ? 20 : 25;
  EXPECT_NEAR(AngleBetween(solved.rotation(2), AboutX(last)), 0, 1e-12);
}

TEST_P(MmdAppend, ChainsOfOffsets) {
  MmdRigBuilder rig;
  for (int i = 0; i < 3; ++i) rig.Bone(kNone, {0, 0, 0});
  rig.Append(1, 0, 0.5, false, true);
  rig.Append(2, 1, 2, false, true);
  const Character c = rig.Build();
  Pose pose = RestPose(c);
  pose.locals[0].translation = {8, 0, 0};
  pose.locals[1].translation = {0, 1, 0};
  const Solved solved = Solve(c, pose, GetParam());
  const bool saba = GetParam() == MmdDialect::kSaba;  // hands on offsets of bone morphs only
  EXPECT_LT(Distance(solved.position(1), saba ? Vec3d{0, 1, 0} : Vec3d{4, 1, 0}), 1e-15);
  EXPECT_LT(Distance(solved.position(2), saba ? Vec3d{} : Vec3d{8, 2, 0}), 1e-15);
}

// The local flag: the source has a turned, moved parent; 2 takes from it.
TEST_P(MmdAppend, TheLocalFlagTakesModelSpaceMotion) {
  MmdRigBuilder rig;
  rig.Bone(kNone, {0, 0, 0});
  rig.Bone(0, {0, 1, 0});
  rig.Bone(kNone, {5, 0, 0});
  rig.Append(2, 1, 1, true, true, true);
  const Character c = rig.Build();
  Pose pose = RestPose(c);
  pose.locals[0].rotation = AboutZ(90);
  pose.locals[1].translation += Vec3d{0, 1, 0};
  pose.locals[1].rotation = AboutX(30);
  const Solved solved = Solve(c, pose, GetParam());
  if (GetParam() == MmdDialect::kSaba) {  // there the flag means the source's own motion
    EXPECT_NEAR(AngleBetween(solved.rotation(2), AboutX(30)), 0, 1e-12);
    EXPECT_LT(Distance(solved.position(2), Vec3d{5, 0, 0}), 1e-14);  // no offset of a morph
    return;
  }
  EXPECT_NEAR(AngleBetween(solved.rotation(2), AboutZ(90) * AboutX(30)), 0, 1e-12);
  // The source went from (0,1,0) to (-2,0,0).
  EXPECT_LT(Distance(solved.position(2), Vec3d{3, -1, 0}), 1e-14);
}

// A pose that is held stays as it is, however often it is solved.
TEST_P(MmdAppend, AHeldPoseNeverDrifts) {
  const Character c = Pair(1.5, true, true).Build();
  Pose start = RestPose(c);
  start.locals[0].rotation = AboutX(25) * AboutZ(10);
  start.locals[0].translation += Vec3d{0.1, 0.2, 0.3};
  MmdSolver solver(c);
  MmdSettings settings;
  settings.dialect = GetParam();
  std::vector<Mat34d> first, later;
  Pose pose = start;
  solver.Solve(settings, pose, first);
  for (int frame = 0; frame < 1000; ++frame) {
    pose = start;
    solver.Solve(settings, pose, later);
    ASSERT_EQ(later, first) << frame;
  }
}

// The order of layers, then indices, decides what an append sees: a source that comes later in the
// order has not appended yet.
TEST_P(MmdAppend, LayersOrderTheBones) {
  for (const std::int32_t layer : {0, 1}) {
    MmdRigBuilder rig;
    rig.Bone(kNone, {0, 0, 0});
    rig.Bone(kNone, {0, 0, 0}, layer);  // takes from 2, which takes from 0
    rig.Bone(kNone, {0, 0, 0});
    rig.Append(1, 2, 1);
    rig.Append(2, 0, 1);
    const Character c = rig.Build();
    Pose pose = RestPose(c);
    pose.locals[0].rotation = AboutX(30);
    const Solved solved = Solve(c, pose, GetParam());
    EXPECT_NEAR(AngleBetween(solved.rotation(1), AboutX(layer == 1 ? 30 : 0)), 0, 1e-12) << layer;
  }
}

// 40 degrees about Z of a bone that may only turn about (1,1,0).
TEST(MmdFixedAxis, KeepsThePartThatTheDialectSays) {
  MmdRigBuilder rig;
  rig.Bone(kNone, {0, 0, 0});
  rig.rig().bones[0].fixed_axis = Vec3d{3, 3, 0};
  const Character c = rig.Build();
  const Vec3d axis = Normalized(Vec3d{1, 1, 0});
  EXPECT_LT(Distance(*c.mmd->bones[0].fixed_axis, axis), 1e-15);
  Pose pose = RestPose(c);
  pose.locals[0].rotation = AboutZ(40);
  EXPECT_NEAR(AngleBetween(Solve(c, pose, MmdDialect::kUmt).rotation(0), Quatd{}), 0, 1e-12);
  EXPECT_NEAR(AngleBetween(Solve(c, pose, MmdDialect::kBabylon).rotation(0),
                           FromAxisAngle(axis, 40 * kDegree)),
              0, 1e-12);
  EXPECT_NEAR(AngleBetween(Solve(c, pose, MmdDialect::kSaba).rotation(0), AboutZ(40)), 0, 1e-12);
  // A turn about the axis itself passes unchanged, either way round.
  for (const double degrees : {25.0, -25.0, 179.0}) {
    pose.locals[0].rotation = FromAxisAngle(axis, degrees * kDegree);
    for (const MmdDialect dialect : kAllDialects) {
      EXPECT_NEAR(AngleBetween(Solve(c, pose, dialect).rotation(0), pose.locals[0].rotation), 0,
                  1e-12);
    }
  }
  // X: half of the axis is along it. tan(twist / 2) = tan(20 degrees) * cos(45 degrees), by hand.
  pose.locals[0].rotation = AboutX(40);
  const double twist = 2 * std::atan(std::tan(20 * kDegree) * std::sqrt(0.5));
  EXPECT_NEAR(
      AngleBetween(Solve(c, pose, MmdDialect::kUmt).rotation(0), FromAxisAngle(axis, twist)), 0,
      1e-12);
}

}  // namespace
}  // namespace flexor::pose
