#include "flexor/pose/mmd_solver.h"

#include <numeric>
#include <random>

#include "pose/mmd_rigs.h"
#include "support/allocation_count.h"

namespace flexor::pose {
namespace {

using asset::Character;
using asset::kNone;
using asset::MmdMorphKind;

asset::MmdMorph Morph(MmdMorphKind kind) {
  asset::MmdMorph morph;
  morph.kind = kind;
  return morph;
}

class MmdSolverIn : public ::testing::TestWithParam<MmdDialect> {};
INSTANTIATE_TEST_SUITE_P(Dialects, MmdSolverIn, ::testing::ValuesIn(kAllDialects),
                         [](const auto& p) { return std::string(MmdDialectName(p.param)); });

TEST(MmdDialect, NamesAreReadBack) {
  for (const MmdDialect dialect : kAllDialects) {
    const auto parsed = ParseMmdDialect(MmdDialectName(dialect));
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(*parsed, dialect);
  }
  const auto wrong = ParseMmdDialect("mmm");
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(wrong.error().message,
            "no MMD dialect is named 'mmm'; there are 'umt', 'babylon' (the default) and 'saba'");
}

TEST_P(MmdSolverIn, TheRestPoseRests) {
  const Character c = LegRig(false).Build();
  std::vector<Mat34d> rest;
  ComputeModelSpace(c, RestPose(c), rest);
  EXPECT_LT(LargestDifference(Solve(c, RestPose(c), GetParam()).world, rest), 1e-15);
}

// A walking leg: a clip whose frames are all different.
Character Walking() {
  MmdRigBuilder rig = LegRig();
  asset::Clip clip;
  asset::Channel goal;
  goal.interpolation = asset::Interpolation::kBezier;
  goal.target = 7;
  asset::Channel thigh;
  thigh.path = asset::ChannelPath::kRotation;
  thigh.target = 1;
  thigh.components = 4;
  for (int key = 0; key <= 4; ++key) {
    const double phase = key * std::numbers::pi / 2;
    goal.times.push_back(key * 0.5);
    for (const double v : {0.1, 0.15 + 0.1 * std::sin(phase), 0.3 * std::cos(phase)}) {
      goal.values.push_back(static_cast<float>(v));
    }
    for (int curve = 0; curve < 3; ++curve) {
      for (const float v : {0.4f, 0.1f, 0.6f, 0.9f}) goal.controls.push_back(v);
    }
    thigh.times.push_back(key * 0.5);
    const Quatd q = AboutX(20 * std::sin(phase)) * AboutY(10 * std::cos(phase));
    for (const double v : {q.x, q.y, q.z, q.w}) thigh.values.push_back(static_cast<float>(v));
  }
  clip.channels = {goal, thigh};
  rig.character().clips = {clip};
  return rig.Build();
}

// A frame alone is the frame in sequence, backwards or in any order, bit for bit.
TEST_P(MmdSolverIn, FrameOrderNeverMatters) {
  const Character c = Walking();
  MmdSettings settings;
  settings.dialect = GetParam();
  constexpr int kFrames = 61;
  const auto alone = [&](int frame) {
    Pose pose = RestPose(c);
    SampleClip(c.clips[0], frame / 30.0, pose);
    return Solve(c, pose, settings).world;
  };
  std::vector<int> order(kFrames);
  std::iota(order.begin(), order.end(), 0);
  std::mt19937 random(3);
  for (int way = 0; way < 3; ++way) {
    if (way == 1) std::reverse(order.begin(), order.end());
    if (way == 2) std::shuffle(order.begin(), order.end(), random);
    MmdSolver solver(c);
    std::vector<Mat34d> world;
    for (const int frame : order) {
      Pose pose = RestPose(c);
      SampleClip(c.clips[0], frame / 30.0, pose);
      solver.Solve(settings, pose, world);
      ASSERT_EQ(world, alone(frame)) << "way " << way << " frame " << frame;
    }
  }
}

TEST_P(MmdSolverIn, SolvingAsksForNoMemory) {
  const Character c = Walking();
  MmdSettings settings;
  settings.dialect = GetParam();
  MmdSolver solver(c);
  std::vector<Mat34d> world;
  MmdStages stages;
  Pose pose = RestPose(c);
  solver.Solve(settings, pose, world, {}, &stages);
  const std::size_t before = test::AllocationCount();
  for (int frame = 0; frame < 60; ++frame) {
    SampleClip(c.clips[0], frame / 30.0, pose);
    solver.Solve(settings, pose, world, {}, &stages);
  }
  EXPECT_EQ(test::AllocationCount(), before);
}

// Negated quaternions anywhere in the keys change nothing.
TEST_P(MmdSolverIn, SignsOfKeysDoNotMatter) {
  const Character c = Walking();
  for (int frame = 0; frame < 60; frame += 7) {
    Pose pose = RestPose(c);
    SampleClip(c.clips[0], frame / 30.0, pose);
    const Solved plain = Solve(c, pose, GetParam());
    for (Transform& local : pose.locals) local.rotation = -local.rotation;
    EXPECT_LT(LargestDifference(Solve(c, pose, GetParam()).world, plain.world), 1e-12) << frame;
  }
}

TEST_P(MmdSolverIn, VertexMorphsAddToEveryInstanceOfTheMesh) {
  MmdRigBuilder rig = LegRig();
  rig.character().meshes.resize(2);
  rig.character().meshes[0].morphs.resize(2);
  rig.character().meshes[1].morphs.resize(1);
  rig.character().instances.resize(3);
  rig.character().instances[1].mesh = 1;
  rig.rig().morphs = {Morph(MmdMorphKind::kVertex), Morph(MmdMorphKind::kMaterial)};
  rig.rig().morphs[0].mesh_morph = 1;
  const Character c = rig.Build();
  Pose pose = RestPose(c);
  pose.morph_weights[0][1] = 0.25f;
  pose.mmd_morphs = {0.5f, 1.0f};
  const Solved solved = Solve(c, pose, GetParam());
  EXPECT_EQ(solved.pose.morph_weights[0], (std::vector<float>{0, 0.75f}));
  EXPECT_EQ(solved.pose.morph_weights[1], (std::vector<float>{0}));
  EXPECT_EQ(solved.pose.morph_weights[2], (std::vector<float>{0, 0.5f}));
}

// 0 group {1 group {3: 0.5}, 2 vertex: 2}, so 3 gets w * rate(1) * 0.5; babylon leaves groups in
// groups alone.
TEST_P(MmdSolverIn, GroupsSpreadToTheirMembers) {
  MmdRigBuilder rig = LegRig();
  rig.rig().morphs = {Morph(MmdMorphKind::kGroup), Morph(MmdMorphKind::kGroup),
                      Morph(MmdMorphKind::kVertex), Morph(MmdMorphKind::kVertex)};
  rig.rig().morphs[0].members = {{1, -1}, {2, 2}};
  rig.rig().morphs[1].members = {{3, 0.5}};
  const Character c = rig.Build();
  MmdSolver solver(c);
  MmdSettings settings;
  settings.dialect = GetParam();
  Pose pose = RestPose(c);
  pose.mmd_morphs = {0.5f, 0.25f, 0.125f, 0};
  std::vector<Mat34d> world;
  solver.Solve(settings, pose, world);
  const bool nested = GetParam() != MmdDialect::kBabylon;
  const double inner = nested ? 0.25 - 0.5 : 0.25;
  const double wanted[] = {0.5, inner, 0.125 + 1, inner * 0.5};
  for (std::size_t m = 0; m < 4; ++m) EXPECT_DOUBLE_EQ(solver.morph_weights()[m], wanted[m]) << m;
}

// Forty groups that each name the next twice: 2^40 paths, but one sum.
TEST(MmdSolver, NestedGroupsTakeNoLongerThanTheyAre) {
  MmdRigBuilder rig = LegRig();
  for (std::uint32_t m = 0; m < 40; ++m) {
    rig.rig().morphs.push_back(Morph(MmdMorphKind::kGroup));
    rig.rig().morphs.back().members = {{m + 1, 0.5}, {m + 1, 0.5}};
  }
  rig.rig().morphs.push_back(Morph(MmdMorphKind::kVertex));
  const Character c = rig.Build();
  MmdSolver solver(c);
  Pose pose = RestPose(c);
  pose.mmd_morphs[0] = 1;
  std::vector<Mat34d> world;
  MmdSettings settings;
  settings.dialect = MmdDialect::kUmt;  // babylon leaves groups in groups out
  solver.Solve(settings, pose, world);
  EXPECT_DOUBLE_EQ(solver.morph_weights()[40], 1);
}

TEST(MmdSolver, AFlipShowsOneMember) {
  MmdRigBuilder rig = LegRig();
  rig.rig().morphs = {Morph(MmdMorphKind::kFlip), Morph(MmdMorphKind::kVertex),
                      Morph(MmdMorphKind::kVertex), Morph(MmdMorphKind::kVertex)};
  rig.rig().morphs[0].members = {{1, 1}, {2, 0.5}, {3, 1}};
  const Character c = rig.Build();
  MmdSolver solver(c);
  const struct {
    float weight;
    double shown[3];
  } rows[] = {{0, {0, 0, 0}},     {0.24f, {0, 0, 0}}, {0.25f, {1, 0, 0}}, {0.5f, {0, 0.5, 0}},
              {0.75f, {0, 0, 1}}, {1, {0, 0, 1}},     {7, {0, 0, 1}},     {-1, {0, 0, 0}}};
  for (const auto& row : rows) {
    Pose pose = RestPose(c);
    pose.mmd_morphs[0] = row.weight;
    std::vector<Mat34d> world;
    solver.Solve({}, pose, world);
    for (std::size_t m = 0; m < 3; ++m) {
      EXPECT_EQ(solver.morph_weights()[m + 1], row.shown[m]) << row.weight << " " << m;
    }
  }
}

TEST_P(MmdSolverIn, BoneMorphsMoveAndTurnByTheirWeight) {
  MmdRigBuilder rig;
  rig.Bone(kNone, {0, 1, 0});
  rig.Bone(0, {0, 2, 0});
  rig.rig().morphs = {Morph(MmdMorphKind::kBone)};
  rig.rig().morphs[0].bones = {{0, {2, 0, 0}, AboutZ(80)}};
  const Character c = rig.Build();
  Pose pose = RestPose(c);
  pose.locals[0].rotation = AboutX(30);
  pose.mmd_morphs[0] = 0.25f;
  const Solved solved = Solve(c, pose, GetParam());
  EXPECT_LT(Distance(solved.position(0), Vec3d{0.5, 1, 0}), 1e-15);
  const Quatd turned =
      GetParam() == MmdDialect::kBabylon ? AboutZ(20) * AboutX(30) : AboutX(30) * AboutZ(20);
  EXPECT_NEAR(AngleBetween(solved.rotation(0), turned), 0, 1e-12);
  EXPECT_LT(Distance(solved.stages.local[0].translation, Vec3d{0.5, 1, 0}), 1e-15);
}

// 8 and 20 degrees at 1 and a half: half of the way from 8 to 20, or both added up.
TEST_P(MmdSolverIn, TwoBoneMorphsOnOneBoneFollowEachOther) {
  MmdRigBuilder rig;
  rig.Bone(kNone, {0, 1, 0});
  rig.rig().morphs = {Morph(MmdMorphKind::kBone), Morph(MmdMorphKind::kBone)};
  rig.rig().morphs[0].bones = {{0, {1, 0, 0}, AboutZ(8)}};
  rig.rig().morphs[1].bones = {{0, {1, 0, 0}, AboutZ(20)}};
  const Character c = rig.Build();
  Pose pose = RestPose(c);
  pose.mmd_morphs = {1.0f, 0.5f};
  const Solved solved = Solve(c, pose, GetParam());
  const double degrees = GetParam() == MmdDialect::kUmt ? 18 : 14;
  EXPECT_NEAR(AngleBetween(solved.rotation(0), AboutZ(degrees)), 0, 1e-12);
  EXPECT_LT(Distance(solved.position(0), Vec3d{1.5, 1, 0}), 1e-15);
}

// babylon-mmd holds the keys to the fixed axis, and not what bone morphs turn.
TEST(MmdSolver, BabylonTurnsByMorphsBeyondTheFixedAxis) {
  MmdRigBuilder rig;
  rig.Bone(kNone, {0, 1, 0});
  rig.rig().bones[0].fixed_axis = Vec3d{1, 0, 0};
  rig.rig().morphs = {Morph(MmdMorphKind::kBone)};
  rig.rig().morphs[0].bones = {{0, {}, AboutZ(40)}};
  const Character c = rig.Build();
  Pose pose = RestPose(c);
  pose.locals[0].rotation = AboutX(30);
  pose.mmd_morphs[0] = 0.5f;
  EXPECT_NEAR(
      AngleBetween(Solve(c, pose, MmdDialect::kBabylon).rotation(0), AboutZ(20) * AboutX(30)), 0,
      1e-12);
}

// Nodes that are no bones: one above the rig, one below a bone, one with a matrix.
TEST_P(MmdSolverIn, OtherNodesAreComposedAsEver) {
  Character c;
  c.mmd.emplace();
  c.mmd->first_node = 1;
  c.mmd->bones.resize(2);
  c.nodes.resize(5);
  c.nodes[0].rest.translation = {10, 0, 0};
  c.nodes[0].rest.rotation = AboutY(90);
  c.nodes[1].parent = 0;
  c.nodes[1].rest.translation = {0, 1, 0};
  c.nodes[2].parent = 1;
  c.nodes[2].rest.translation = {0, 0, 1};
  c.nodes[3].parent = 2;
  c.nodes[3].rest.scale = {2, 2, 2};
  c.nodes[4].parent = 3;
  c.nodes[4].rest_matrix = Mat34d{{{1, 0, 0}, {0.5, 1, 0}, {0, 0, 1}}, {7, 0, 0}};
  ASSERT_TRUE(asset::Finalize(c).ok());
  Pose pose = RestPose(c);
  pose.locals[1].rotation = AboutX(33);
  pose.locals[1].scale = {1, 3, 1};  // not MMD's, but a pose may hold it
  std::vector<Mat34d> plain;
  ComputeModelSpace(c, pose, plain);
  EXPECT_LT(LargestDifference(Solve(c, pose, GetParam()).world, plain), 1e-14);
}

// A child on an earlier layer than its parent still moves with it.
TEST_P(MmdSolverIn, ChildrenFollowParentsOfLaterLayers) {
  MmdRigBuilder rig;
  rig.Bone(kNone, {0, 0, 0});
  rig.Bone(kNone, {0, 1, 0}, 5);
  rig.Bone(1, {0, 2, 0}, 0);
  rig.Append(1, 0, 1);
  const Character c = rig.Build();
  Pose pose = RestPose(c);
  pose.locals[0].rotation = AboutZ(90);
  EXPECT_LT(Distance(Solve(c, pose, GetParam()).position(2), Vec3d{-1, 1, 0}), 1e-14);
}

// Any rig that Finalize accepts gives finite matrices and rigid bones, whatever depends on what.
TEST_P(MmdSolverIn, RandomRigsStayFiniteAndRigid) {
  std::mt19937 random(21);
  std::uniform_real_distribution<double> unit(-1, 1);
  const auto pick = [&](std::uint32_t count) {
    return std::uniform_int_distribution<std::uint32_t>(0, count - 1)(random);
  };
  const auto vector = [&] { return Vec3d{unit(random), unit(random), unit(random)}; };
  constexpr std::uint32_t kBones = 14;
  for (int round = 0; round < 150; ++round) {
    MmdRigBuilder rig;
    for (std::uint32_t b = 0; b < kBones; ++b) {
      const std::int32_t parent =
          b == 0 || pick(5) == 0 ? kNone : static_cast<std::int32_t>(pick(b));
      rig.Bone(parent, vector(), static_cast<std::int32_t>(pick(3)) - 1);
      rig.rig().bones[b].after_physics = pick(4) == 0;
      if (b > 0 && pick(2) == 0) {  // of an earlier bone: no cycles
        rig.Append(b, pick(b), 2 * unit(random), pick(2) == 0, pick(2) == 0, pick(2) == 0);
      }
      if (pick(5) == 0) rig.rig().bones[b].fixed_axis = vector();
    }
    for (int chain = 0; chain < 3; ++chain) {
      const std::uint32_t goal = pick(kBones);
      if (rig.rig().bones[goal].ik != kNone) continue;
      asset::MmdIk& ik = rig.Ik(goal, pick(kBones), {pick(kBones), pick(kBones), pick(kBones)},
                                pick(40), 3 * std::abs(unit(random)));
      for (asset::MmdIkLink& link : ik.links) {
        link.limited = pick(2) == 0;
        const Vec3d low = vector(), size = vector();
        for (std::size_t axis = 0; axis < 3; ++axis) {
          if (pick(2) == 0) continue;
          link.min[axis] = 3 * low[axis];
          link.max[axis] = 3 * low[axis] + 3 * std::abs(size[axis]);
        }
      }
    }
    const Character c = rig.Build();
    Pose pose = RestPose(c);
    for (Transform& local : pose.locals) {
      local.rotation = FromAxisAngle(vector(), 4 * unit(random));
      local.translation += vector() * 0.1;
    }
    MmdSettings settings;
    settings.dialect = GetParam();
    settings.append_again_after_physics = pick(2) == 0;
    const std::uint32_t driven = pick(kBones);
    const Quatd turned = FromAxisAngle(vector(), 1.0);
    const auto body = [&](std::vector<Mat34d>& world, std::vector<std::uint32_t>& out) {
      world[driven] = {ToMat3(turned), {1, 2, 3}};
      out.push_back(driven);
    };
    for (const bool physics : {false, true}) {
      const Solved solved = physics ? Solve(c, pose, settings, body) : Solve(c, pose, settings);
      for (std::uint32_t b = 0; b < kBones; ++b) {
        ASSERT_TRUE(IsFinite(solved.world[b])) << round << " " << b;
        EXPECT_NEAR(Determinant(solved.world[b].linear), 1, 1e-9) << round << " " << b;
        EXPECT_NEAR(Length(solved.world[b].linear.x), 1, 1e-9) << round << " " << b;
      }
    }
  }
}

// Physics: 1 is driven by a body; 2 is its child, 3 appends from it before, 4 after physics.
Character WithBody() {
  MmdRigBuilder rig;
  rig.Bone(kNone, {0, 0, 0});
  rig.Bone(0, {0, 1, 0});
  rig.Bone(1, {0, 2, 0});
  rig.Bone(0, {1, 0, 0});
  rig.Bone(0, {2, 0, 0});
  rig.Append(3, 1, 1);
  rig.Append(4, 1, 1);
  rig.rig().bones[4].after_physics = true;
  return rig.Build();
}

// Appends from a bone that physics drives.
TEST_P(MmdSolverIn, BodiesLeadBonesBetweenThePasses) {
  const Character c = WithBody();
  int calls = 0;
  const auto body = [&](std::vector<Mat34d>& world, std::vector<std::uint32_t>& driven) {
    ++calls;
    EXPECT_TRUE(driven.empty());
    EXPECT_EQ(world.size(), 5u);
    EXPECT_LT(Distance(world[1].translation, Vec3d{-1, 0, 0}), 1e-14);  // as keyed
    world[1] = {ToMat3(AboutZ(180)), {-1, 0.5, 0}};
    driven.push_back(1);
  };
  for (const bool again : {false, true}) {
    MmdSettings settings;
    settings.dialect = GetParam();
    settings.append_again_after_physics = again;
    Pose pose = RestPose(c);
    pose.locals[0].rotation = AboutZ(90);
    const Solved solved = Solve(c, pose, settings, body);
    // The body's matrix stays, its child follows, local rotation 90 goes to the late append.
    EXPECT_LT(LargestDifference({solved.world[1]}, {{ToMat3(AboutZ(180)), {-1, 0.5, 0}}}), 1e-14);
    EXPECT_LT(Distance(solved.position(2), Vec3d{-1, -0.5, 0}), 1e-14);
    EXPECT_NEAR(AngleBetween(LocalRotation(c, solved, 4), AboutZ(90)), 0, 1e-12);
    EXPECT_NEAR(AngleBetween(LocalRotation(c, solved, 3), AboutZ(again ? 90 : 0)), 0, 1e-12);
    EXPECT_EQ(solved.stages.append[1].rotation, Quatd{});  // before the body
    EXPECT_LT(Distance(solved.stages.before_physics[1].translation, Vec3d{-1, 0, 0}), 1e-14);
    EXPECT_LT(Distance(solved.stages.after_physics[1].translation, Vec3d{-1, 0.5, 0}), 1e-14);
  }
  EXPECT_EQ(calls, 2);
}

TEST_P(MmdSolverIn, WithoutPhysicsBothReadingsOfTheFlagAgree) {
  const Character c = WithBody();
  Pose pose = RestPose(c);
  pose.locals[0].rotation = AboutZ(90);
  pose.locals[1].rotation = AboutX(20);
  MmdSettings settings;
  settings.dialect = GetParam();
  const Solved by_flag = Solve(c, pose, settings);
  settings.append_again_after_physics = true;
  EXPECT_EQ(Solve(c, pose, settings).world, by_flag.world);
  EXPECT_NEAR(AngleBetween(LocalRotation(c, by_flag, 3), AboutX(20)), 0, 1e-12);
  EXPECT_NEAR(AngleBetween(LocalRotation(c, by_flag, 4), AboutX(20)), 0, 1e-12);
}

}  // namespace
}  // namespace flexor::pose
