#include "flexor/asset/mmd_rig.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "asset/finalize_faults.h"

namespace flexor::asset {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr float kNanF = std::numeric_limits<float>::quiet_NaN();

// A node beside the rig, then four bones; every kind of thing once.
Character MakeMmd() {
  Character c;
  c.nodes.resize(5);
  for (std::size_t i = 0; i < 5; ++i) c.nodes[i].name = "n" + std::to_string(i);
  c.nodes[2].parent = 1;
  c.nodes[3].parent = 2;
  c.meshes.resize(1);
  c.meshes[0].morphs.resize(2);
  MmdRig& rig = c.mmd.emplace();
  rig.first_node = 1;
  rig.bones.resize(4);
  rig.bones[3].append = MmdAppend{0, -2.5, true, true, true};
  rig.bones[1].fixed_axis = Vec3d{0, 2, 0};
  rig.bones[3].ik = 0;
  rig.ik.push_back({3, 2, 40, 2, {{1, true, {0, 0, 0}, {1, 0, 0}}, {0, false, {}, {}}}});
  rig.morphs.resize(4);
  rig.morphs[0].name = "all";
  rig.morphs[0].members = {{1, 1}, {2, 0.5}};
  rig.morphs[1].name = "smile";
  rig.morphs[1].kind = MmdMorphKind::kVertex;
  rig.morphs[1].mesh_morph = 1;
  rig.morphs[2].name = "lift";
  rig.morphs[2].kind = MmdMorphKind::kBone;
  rig.morphs[2].bones = {{0, {0, 1, 0}, {0, 0, 0, 2}}};
  rig.morphs[3].name = "push";
  rig.morphs[3].kind = MmdMorphKind::kImpulse;
  rig.morphs[3].impulses = {{1, false, {0, 1, 0}, {0, 0, 0}}};
  rig.bodies.resize(2);
  rig.bodies[0].name = "head";
  rig.bodies[0].bone = 3;
  rig.bodies[1].name = "hair";
  rig.joints.resize(1);
  rig.joints[0].name = "root of hair";
  rig.joints[0].body_b = 1;
  Clip clip;
  clip.name = "dance";
  Channel smile;
  smile.path = ChannelPath::kMmdMorph;
  smile.target = 1;
  smile.components = 1;
  smile.times = {0, 1};
  smile.values = {0, 1};
  Channel ik;
  ik.path = ChannelPath::kMmdIkEnabled;
  ik.interpolation = Interpolation::kStep;
  ik.components = 1;
  ik.times = {0};
  ik.values = {1};
  Channel eased;
  eased.interpolation = Interpolation::kBezier;
  eased.times = {0, 1};
  eased.values.resize(6);
  eased.controls.assign(24, 0.5f);
  Channel turned = eased;
  turned.path = ChannelPath::kRotation;
  turned.components = 4;
  turned.values = {0, 0, 0, 1, 0, 0, 0, 1};
  turned.controls.assign(8, 0.5f);
  clip.channels = {smile, ik, eased, turned};
  c.clips = {clip};
  return c;
}

TEST(FinalizeMmd, AcceptsAWholeRigAndGivesUnitLength) {
  Character c = MakeMmd();
  const Status status = Finalize(c);
  ASSERT_TRUE(status.ok()) << status.error().ToString();
  EXPECT_EQ(*c.mmd->bones[1].fixed_axis, (Vec3d{0, 1, 0}));
  EXPECT_EQ(c.mmd->morphs[2].bones[0].rotation, Quatd{});
  EXPECT_EQ(c.clips[0].end_time, 1);
  ASSERT_TRUE(Finalize(c).ok());
}

TEST(FinalizeMmd, MinAboveMaxIsFreeForJointsAndNegativeRatiosAreFine) {
  Character c = MakeMmd();
  c.mmd->joints[0].rotation_min = {1, 1, 1};
  c.mmd->bones[3].append->ratio = -1e6;
  EXPECT_TRUE(Finalize(c).ok());
}

// Deep nesting must not exhaust the stack.
TEST(FinalizeMmd, ChecksDeepGroupsWithoutRecursion) {
  Character c = MakeMmd();
  c.mmd->morphs.resize(200000);
  for (std::uint32_t m = 4; m + 1 < 200000; ++m) c.mmd->morphs[m].members = {{m + 1, 1}};
  EXPECT_TRUE(Finalize(c).ok());
  c.mmd->morphs.back().members = {{4, 1}};
  EXPECT_FALSE(Finalize(c).ok());
}

class MmdFault : public ::testing::TestWithParam<Fault> {};

TEST_P(MmdFault, IsNamedWithItsPlace) { ExpectRefused(MakeMmd(), GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Bones, MmdFault,
    ::testing::Values(Fault{"range", [](Character& c) { c.mmd->first_node = 2; }, kIndex, "MMD rig",
                            "4 bones from node 2, but there are 5 nodes"},
                      Fault{"far", [](Character& c) { c.mmd->first_node = 0xffffffff; }, kIndex,
                            "MMD rig", "4294967295"},
                      Fault{"unit", [](Character& c) { c.mmd->metres_per_unit = 0; }, kValue,
                            "MMD rig", "must be positive"},
                      Fault{"turned", [](Character& c) { c.nodes[2].rest.rotation = {1, 0, 0, 0}; },
                            kValue, "MMD bone 'n2'", "turned at rest"},
                      Fault{"scaled", [](Character& c) { c.nodes[2].rest.scale = {1, 2, 1}; },
                            kValue, "MMD bone 'n2'", "scaled at rest"},
                      Fault{"matrix", [](Character& c) { c.nodes[2].rest_matrix.emplace(); },
                            kValue, "MMD bone 'n2'", "matrix"},
                      Fault{"source", [](Character& c) { c.mmd->bones[3].append->source = 4; },
                            kIndex, "MMD bone 'n4'", "append source 4, but there are 4 MMD bones"},
                      Fault{"ratio", [](Character& c) { c.mmd->bones[3].append->ratio = kNan; },
                            kValue, "MMD bone 'n4'", "append ratio is not finite"},
                      Fault{"itself", [](Character& c) { c.mmd->bones[3].append->source = 3; },
                            kValue, "MMD bone 'n4'", "back to itself"},
                      Fault{"cycle",
                            [](Character& c) {
                              c.mmd->bones[0].append = MmdAppend{2, 1, true, false, false};
                              c.mmd->bones[2].append = MmdAppend{0, 1, true, false, false};
                            },
                            kValue, "MMD bone 'n1'", "by way of MMD bone 'n3'"},
                      Fault{"axis", [](Character& c) { c.mmd->bones[1].fixed_axis = Vec3d{}; },
                            kValue, "MMD bone 'n2'", "no direction"},
                      Fault{"axis_nan", [](Character& c) { c.mmd->bones[1].fixed_axis->x = kNan; },
                            kValue, "MMD bone 'n2'", "fixed axis is not finite"}),
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    Ik, MmdFault,
    ::testing::Values(Fault{"chain", [](Character& c) { c.mmd->bones[3].ik = 1; }, kIndex,
                            "MMD bone 'n4'", "IK chain 1, but there are 1 IK chains"},
                      Fault{"chain_negative", [](Character& c) { c.mmd->bones[3].ik = -7; }, kIndex,
                            "MMD bone 'n4'", "IK chain -7"},
                      Fault{"stranger", [](Character& c) { c.mmd->bones[0].ik = 0; }, kValue,
                            "MMD bone 'n1'", "whose goal is bone 3"},
                      Fault{"unowned", [](Character& c) { c.mmd->bones[3].ik = kNone; }, kValue,
                            "IK chain 0 of MMD bone 'n4'", "names chain -1"},
                      Fault{"goal",
                            [](Character& c) {
                              c.mmd->bones[3].ik = kNone;
                              c.mmd->ik[0].goal = 9;
                            },
                            kIndex, "IK chain 0", "goal 9"},
                      Fault{"effector", [](Character& c) { c.mmd->ik[0].effector = 4; }, kIndex,
                            "IK chain 0 of MMD bone 'n4'", "effector 4, but there are 4 MMD bones"},
                      Fault{"step", [](Character& c) { c.mmd->ik[0].step_limit = -1; }, kValue,
                            "IK chain 0 of MMD bone 'n4'", "step limit -1.000000 is negative"},
                      Fault{"link", [](Character& c) { c.mmd->ik[0].links[1].bone = 4; }, kIndex,
                            "IK chain 0 of MMD bone 'n4' link 1", "bone 4"},
                      Fault{"limit", [](Character& c) { c.mmd->ik[0].links[0].max.y = kNan; },
                            kValue, "IK chain 0 of MMD bone 'n4' link 0",
                            "upper limit is not finite"},
                      Fault{"limit_order", [](Character& c) { c.mmd->ik[0].links[0].min.x = 2; },
                            kValue, "IK chain 0 of MMD bone 'n4' link 0",
                            "lower limit 2.000000 is above"}),
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    MorphsAndBodies, MmdFault,
    ::testing::Values(
        Fault{"mesh_morph", [](Character& c) { c.mmd->morphs[1].mesh_morph = 2; }, kIndex,
              "MMD morph 'smile'", "mesh morph 2, but there are 2 morphs of mesh 0"},
        Fault{"no_mesh", [](Character& c) { c.meshes.clear(); }, kIndex, "MMD morph 'smile'",
              "there are 0"},
        Fault{"member", [](Character& c) { c.mmd->morphs[0].members[1].morph = 4; }, kIndex,
              "MMD morph 'all' entry 1", "morph 4, but there are 4 MMD morphs"},
        Fault{"rate", [](Character& c) { c.mmd->morphs[0].members[1].rate = kNan; }, kValue,
              "MMD morph 'all' entry 1", "rate"},
        Fault{"own_member", [](Character& c) { c.mmd->morphs[0].members[0].morph = 0; }, kValue,
              "MMD morph 'all'", "member of itself"},
        Fault{"morph_cycle",
              [](Character& c) {
                c.mmd->morphs[1].kind = MmdMorphKind::kFlip;
                c.mmd->morphs[1].members = {{0, 1}};
              },
              kValue, "MMD morph 'all'", "by way of MMD morph 'smile'"},
        Fault{"morph_bone", [](Character& c) { c.mmd->morphs[2].bones[0].bone = 4; }, kIndex,
              "MMD morph 'lift' entry 0", "bone 4"},
        Fault{"morph_turn", [](Character& c) { c.mmd->morphs[2].bones[0].rotation = {0, 0, 0, 0}; },
              kValue, "MMD morph 'lift' entry 0", "zero quaternion"},
        Fault{"impulse", [](Character& c) { c.mmd->morphs[3].impulses[0].body = 2; }, kIndex,
              "MMD morph 'push' entry 0", "rigid body 2"},
        Fault{"body_bone", [](Character& c) { c.mmd->bodies[0].bone = 4; }, kIndex,
              "rigid body 'head'", "bone 4, but there are 4 MMD bones"},
        Fault{"group", [](Character& c) { c.mmd->bodies[1].group = 16; }, kValue,
              "rigid body 'hair'", "groups are 0 to 15"},
        Fault{"mass", [](Character& c) { c.mmd->bodies[1].mass = -1; }, kValue, "rigid body 'hair'",
              "mass -1.000000 is negative"},
        Fault{"size", [](Character& c) { c.mmd->bodies[1].size.y = kNan; }, kValue,
              "rigid body 'hair'", "size is not finite"},
        Fault{"joint", [](Character& c) { c.mmd->joints[0].body_a = 2; }, kIndex,
              "joint between bodies 'root of hair'", "rigid body 2, but there are 2 rigid bodies"},
        Fault{"joint_limit", [](Character& c) { c.mmd->joints[0].rotation_max.z = kNan; }, kValue,
              "joint between bodies 'root of hair'", "upper limit of rotation"}),
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    Channels, MmdFault,
    ::testing::Values(
        Fault{"no_rig", [](Character& c) { c.mmd.reset(); }, kValue,
              "clip 'dance' channel 0 (MMD morph)", "the character has none"},
        Fault{"morph", [](Character& c) { c.clips[0].channels[0].target = 4; }, kIndex,
              "clip 'dance' channel 0 (MMD morph)", "target MMD morph 4, but there are 4"},
        Fault{"ik", [](Character& c) { c.clips[0].channels[1].target = 1; }, kIndex,
              "clip 'dance' channel 1 (MMD IK switch)", "target IK chain 1, but there are 1"},
        Fault{"ik_step",
              [](Character& c) { c.clips[0].channels[1].interpolation = Interpolation::kLinear; },
              kValue, "clip 'dance' channel 1 (MMD IK switch)", "STEP"},
        Fault{"controls", [](Character& c) { c.clips[0].channels[2].controls.pop_back(); }, kShape,
              "clip 'dance' channel 2 (translation)",
              "23 numbers of curve controls, but 24 are needed: 12 for each of 2 keys"},
        Fault{"controls_turn", [](Character& c) { c.clips[0].channels[3].controls.resize(32); },
              kShape, "clip 'dance' channel 3 (rotation)", "32 numbers of curve controls, but 8"},
        Fault{"control_range", [](Character& c) { c.clips[0].channels[2].controls[13] = 1.01f; },
              kValue, "clip 'dance' channel 2 (translation) key 1", "outside 0 to 1"},
        Fault{"control_nan", [](Character& c) { c.clips[0].channels[2].controls[3] = kNanF; },
              kValue, "clip 'dance' channel 2 (translation) key 0", "outside 0 to 1"},
        Fault{"controls_unused",
              [](Character& c) { c.clips[0].channels[2].interpolation = Interpolation::kLinear; },
              kShape, "clip 'dance' channel 2 (translation)", "BEZIER"}),
    NameOf);

}  // namespace
}  // namespace flexor::asset
