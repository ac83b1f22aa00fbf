#include "flexor/asset/character.h"

#include <limits>
#include <numeric>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "asset/finalize_faults.h"

namespace flexor::asset {
namespace {

using ::testing::ElementsAre;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr float kNanF = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfF = std::numeric_limits<float>::infinity();

// Two joints, one skinned triangle with a morph, one clip, one material.
Character MakeWhole() {
  Character c;
  c.nodes.resize(3);
  c.nodes[0].name = "root";
  c.nodes[1].name = "arm";
  c.nodes[1].parent = 0;
  c.nodes[2].name = "holder";
  c.materials.resize(1);
  c.images.resize(1);
  Mesh mesh;
  mesh.name = "Body";
  mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  mesh.normals.assign(3, {0, 0, 1});
  mesh.tangents.assign(3, {1, 0, 0, 1});
  mesh.texcoords.assign(3, {0, 0});
  mesh.triangles = {0, 1, 2};
  mesh.subsets = {{0, 3, 0}};
  mesh.influences.offsets = {0, 1, 3, 3};
  mesh.influences.joints = {0, 0, 1};
  mesh.influences.weights = {1, 0.5f, 0.5f};
  mesh.sdef.vertices = {0, 1};
  mesh.sdef.joints = {{0, 1}, {1, 0}};
  mesh.sdef.weights = {1, 0.5f};
  mesh.sdef.centers.assign(2, {0, 0, 0});
  mesh.sdef.r0.assign(2, {0, 0, 1});
  mesh.sdef.r1.assign(2, {0, 0, -1});
  Morph smile;
  smile.name = "smile";
  smile.vertices = {0, 2};
  smile.positions.assign(2, {0, 0, 1});
  smile.normals.assign(2, {0, 0, 0});
  mesh.morphs = {smile};
  mesh.morph_weights = {0.25f};
  c.meshes = {mesh};
  Skin skin;
  skin.name = "rig";
  skin.joints = {0, 1};
  skin.joint_from_mesh.resize(2);
  c.skins = {skin};
  MeshInstance instance;
  instance.name = "body";
  instance.node = 2;
  instance.skin = 0;
  c.instances = {instance};
  Clip clip;
  clip.name = "wave";
  Channel channel;
  channel.path = ChannelPath::kRotation;
  channel.target = 1;
  channel.components = 4;
  channel.times = {0, 2};
  channel.values = {0, 0, 0, 1, 0, 0, 1, 0};
  clip.channels = {channel};
  c.clips = {clip};
  return c;
}

TEST(Finalize, FillsWhatMayBeLeftOut) {
  Character c = MakeWhole();
  c.meshes[0].subsets.clear();
  c.meshes[0].morphs.push_back({});
  c.meshes[0].morph_weights.clear();
  ASSERT_TRUE(Finalize(c).ok());
  ASSERT_EQ(c.meshes[0].subsets.size(), 1u);
  EXPECT_EQ(c.meshes[0].subsets[0].index_count, 3u);
  EXPECT_EQ(c.meshes[0].subsets[0].material, kNone);
  EXPECT_THAT(c.meshes[0].morph_weights, ElementsAre(0.0f, 0.0f));
  EXPECT_THAT(c.instances[0].morph_weights, ElementsAre(0.0f, 0.0f));
  EXPECT_EQ(c.clips[0].end_time, 2.0);
}

TEST(Finalize, InstanceTakesTheMeshesMorphWeightsOnlyWhenItHasNone) {
  Character c = MakeWhole();
  c.instances.push_back(c.instances[0]);
  c.instances[1].morph_weights = {0.75f};
  ASSERT_TRUE(Finalize(c).ok());
  EXPECT_THAT(c.instances[0].morph_weights, ElementsAre(0.25f));
  EXPECT_THAT(c.instances[1].morph_weights, ElementsAre(0.75f));
}

TEST(Finalize, SecondCallChangesNothing) {
  Character c = MakeWhole();
  c.nodes[1].rest.rotation = {0.1f, 0.2f, 0.3f, 0.9f};
  ASSERT_TRUE(Finalize(c).ok());
  const Character once = c;
  ASSERT_TRUE(Finalize(c).ok());
  EXPECT_EQ(c.node_order, once.node_order);
  EXPECT_EQ(c.nodes[1].rest, once.nodes[1].rest);
  EXPECT_NEAR(Dot(c.nodes[1].rest.rotation, c.nodes[1].rest.rotation), 1.0, 1e-15);
  EXPECT_EQ(c.instances[0].name, once.instances[0].name);
}

TEST(Finalize, EmptyCharacterIsWhole) {
  Character c;
  EXPECT_TRUE(Finalize(c).ok());
  EXPECT_TRUE(c.node_order.empty());
}

// One fault each, with the code, the place and the words that a person needs.
class FinalizeFault : public ::testing::TestWithParam<Fault> {};

TEST_P(FinalizeFault, IsNamedWithItsPlace) { ExpectRefused(MakeWhole(), GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Nodes, FinalizeFault,
    ::testing::Values(
        Fault{"parent_range", [](Character& c) { c.nodes[1].parent = 99; }, kIndex, "node 'arm'",
              "parent 99, but there are 3 nodes"},
        Fault{"parent_negative", [](Character& c) { c.nodes[1].parent = -2; }, kIndex, "node 'arm'",
              "-2"},
        Fault{"own_parent", [](Character& c) { c.nodes[1].parent = 1; }, kValue, "node 'arm'",
              "node 'arm' -> node 'arm'"},
        Fault{"cycle", [](Character& c) { c.nodes[0].parent = 1; }, kValue, "node 'root'",
              "node 'root' -> node 'arm' -> node 'root'"},
        // The range of every parent comes before any walk: 99 is reported, not the cycle.
        Fault{"range_before_cycle",
              [](Character& c) {
                c.nodes[0].parent = 1;
                c.nodes[2].parent = 99;
              },
              kIndex, "node 'holder'", "parent 99"},
        Fault{"translation", [](Character& c) { c.nodes[0].rest.translation.y = kNan; }, kValue,
              "node 'root'", "translation"},
        Fault{"rotation", [](Character& c) { c.nodes[0].rest.rotation.w = kNan; }, kValue,
              "node 'root'", "rotation"},
        Fault{"zero_rotation", [](Character& c) { c.nodes[0].rest.rotation = {0, 0, 0, 0}; },
              kValue, "node 'root'", "zero quaternion"},
        Fault{"scale", [](Character& c) { c.nodes[0].rest.scale.x = kNan; }, kValue, "node 'root'",
              "scale"},
        Fault{"matrix",
              [](Character& c) {
                c.nodes[0].rest_matrix = Mat34d{};
                c.nodes[0].rest_matrix->linear.z.x = kNan;
              },
              kValue, "node 'root'", "matrix"}),
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    Meshes, FinalizeFault,
    ::testing::Values(
        Fault{"position", [](Character& c) { c.meshes[0].positions[1].z = kInfF; }, kValue,
              "mesh 'Body' vertex 1", "positions"},
        Fault{"normal_count", [](Character& c) { c.meshes[0].normals.pop_back(); }, kShape,
              "mesh 'Body'", "2 normals, but 3 are needed"},
        Fault{"normal", [](Character& c) { c.meshes[0].normals[2].x = kNanF; }, kValue,
              "mesh 'Body' vertex 2", "normals"},
        Fault{"tangent_count", [](Character& c) { c.meshes[0].tangents.push_back({}); }, kShape,
              "mesh 'Body'", "4 tangents, but 3 are needed"},
        Fault{"texcoord", [](Character& c) { c.meshes[0].texcoords[0].x = kNanF; }, kValue,
              "mesh 'Body' vertex 0", "texture coordinates"},
        Fault{"dqs_weight", [](Character& c) { c.meshes[0].dqs_weights = {0, 1, 1.5f}; }, kValue,
              "mesh 'Body' vertex 2", "1.5"},
        Fault{"triangle_count", [](Character& c) { c.meshes[0].triangles.push_back(0); }, kShape,
              "mesh 'Body'", "4 triangle indices"},
        Fault{"triangle_index", [](Character& c) { c.meshes[0].triangles[2] = 3; }, kIndex,
              "mesh 'Body' triangle 0", "vertex 3, but there are 3 vertices"},
        Fault{"subset_gap", [](Character& c) { c.meshes[0].subsets[0].first_index = 3; }, kShape,
              "mesh 'Body' subset 0", "starts at index 3, but 0"},
        Fault{"subset_short", [](Character& c) { c.meshes[0].subsets[0].index_count = 0; }, kShape,
              "mesh 'Body'", "cover 0 triangle indices, but there are 3"},
        Fault{"subset_odd", [](Character& c) { c.meshes[0].subsets[0].index_count = 2; }, kShape,
              "mesh 'Body' subset 0", "2 indices"},
        Fault{"subset_material", [](Character& c) { c.meshes[0].subsets[0].material = 1; }, kIndex,
              "mesh 'Body' subset 0", "material 1, but there are 1"},
        Fault{"runs", [](Character& c) { c.meshes[0].influences.offsets = {0, 3}; }, kShape,
              "mesh 'Body'", "1 runs of influences, but 3 are needed"},
        Fault{"offset_start", [](Character& c) { c.meshes[0].influences.offsets[0] = 1; }, kShape,
              "mesh 'Body'", "first influence offset is 1"},
        Fault{"offset_falls", [](Character& c) { c.meshes[0].influences.offsets = {0, 2, 1, 3}; },
              kShape, "mesh 'Body' vertex 1", "end at 1, before their start at 2"},
        Fault{"offset_end", [](Character& c) { c.meshes[0].influences.offsets[3] = 4; }, kShape,
              "mesh 'Body'", "end at 4, but there are 3"},
        Fault{"weights_short", [](Character& c) { c.meshes[0].influences.weights.pop_back(); },
              kShape, "mesh 'Body'", "3 joints of influences, but 2 weights"},
        Fault{"no_offsets", [](Character& c) { c.meshes[0].influences.offsets.clear(); }, kShape,
              "mesh 'Body'", "no offsets"},
        Fault{"weight", [](Character& c) { c.meshes[0].influences.weights[2] = kNanF; }, kValue,
              "mesh 'Body' vertex 1", "joint 1"},
        // Beyond the skin, and -1 as it arrives in unsigned storage.
        Fault{"joint_range", [](Character& c) { c.meshes[0].influences.joints[2] = 2; }, kIndex,
              "mesh 'Body' vertex 1", "joint 2, but skin 'rig' has 2 joints"},
        Fault{"joint_minus_one",
              [](Character& c) { c.meshes[0].influences.joints[0] = 0xffffffffu; }, kIndex,
              "mesh 'Body' vertex 0", "joint 4294967295, but skin 'rig' has 2 joints"},
        Fault{"sdef_joints", [](Character& c) { c.meshes[0].sdef.joints.pop_back(); }, kShape,
              "mesh 'Body'", "1 pairs of joints of spherical vertices, but 2 are needed"},
        Fault{"sdef_weights", [](Character& c) { c.meshes[0].sdef.weights.push_back(0); }, kShape,
              "mesh 'Body'", "3 weights of spherical vertices, but 2 are needed"},
        Fault{"sdef_centers", [](Character& c) { c.meshes[0].sdef.centers.clear(); }, kShape,
              "mesh 'Body'", "0 centres of spherical vertices, but 2 are needed"},
        Fault{"sdef_r0", [](Character& c) { c.meshes[0].sdef.r0.pop_back(); }, kShape,
              "mesh 'Body'", "1 points R0 of spherical vertices, but 2 are needed"},
        Fault{"sdef_r1", [](Character& c) { c.meshes[0].sdef.r1.pop_back(); }, kShape,
              "mesh 'Body'", "1 points R1 of spherical vertices, but 2 are needed"},
        Fault{"sdef_alone",
              [](Character& c) {
                c.meshes[0].influences = {};
                c.instances[0].skin = kNone;
              },
              kShape, "mesh 'Body'", "2 spherical vertices, but no influences"},
        Fault{"sdef_vertex", [](Character& c) { c.meshes[0].sdef.vertices[1] = 3; }, kIndex,
              "mesh 'Body' spherical entry 1", "vertex 3, but there are 3 vertices"},
        Fault{"sdef_order", [](Character& c) { c.meshes[0].sdef.vertices = {1, 1}; }, kValue,
              "mesh 'Body' spherical entry 1", "must ascend"},
        Fault{"sdef_weight", [](Character& c) { c.meshes[0].sdef.weights[1] = kNanF; }, kValue,
              "mesh 'Body' vertex 1", "spherical weight"},
        Fault{"sdef_center", [](Character& c) { c.meshes[0].sdef.centers[0].y = kInfF; }, kValue,
              "mesh 'Body' vertex 0", "spherical centre"},
        Fault{"sdef_r1_value", [](Character& c) { c.meshes[0].sdef.r1[1].z = kNanF; }, kValue,
              "mesh 'Body' vertex 1", "R1"},
        Fault{"sdef_joint_range", [](Character& c) { c.meshes[0].sdef.joints[1] = {1, 2}; }, kIndex,
              "mesh 'Body' vertex 1", "joint 2, but skin 'rig' has 2 joints"},
        Fault{"morph_vertex", [](Character& c) { c.meshes[0].morphs[0].vertices[1] = 7; }, kIndex,
              "mesh 'Body' morph 'smile' entry 1", "vertex 7, but there are 3 vertices"},
        Fault{"morph_order", [](Character& c) { c.meshes[0].morphs[0].vertices = {2, 0}; }, kValue,
              "mesh 'Body' morph 'smile' entry 1", "must ascend"},
        Fault{"morph_count", [](Character& c) { c.meshes[0].morphs[0].normals.pop_back(); }, kShape,
              "mesh 'Body' morph 'smile'", "1 normal offsets, but 2 are needed"},
        Fault{"morph_dense_count", [](Character& c) { c.meshes[0].morphs[0].vertices.clear(); },
              kShape, "mesh 'Body' morph 'smile'", "2 position offsets, but 3 are needed"},
        Fault{"morph_value", [](Character& c) { c.meshes[0].morphs[0].positions[1].x = kNanF; },
              kValue, "mesh 'Body' vertex 2", "morph 'smile'"},
        Fault{"morph_weights", [](Character& c) { c.meshes[0].morph_weights = {0, 0}; }, kShape,
              "mesh 'Body'", "2 default morph weights, but 1"}),
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    Others, FinalizeFault,
    ::testing::Values(
        Fault{"skin_joint", [](Character& c) { c.skins[0].joints[1] = 3; }, kIndex,
              "skin 'rig' joint 1", "node 3, but there are 3 nodes"},
        Fault{"skin_matrices", [](Character& c) { c.skins[0].joint_from_mesh.pop_back(); }, kShape,
              "skin 'rig'", "1 inverse bind matrices, but 2 are needed"},
        Fault{"skin_matrix",
              [](Character& c) { c.skins[0].joint_from_mesh[1].translation.x = kNan; }, kValue,
              "skin 'rig' joint 1", "not finite"},
        Fault{"skin_empty",
              [](Character& c) {
                c.skins[0].joints.clear();
                c.skins[0].joint_from_mesh.clear();
              },
              kValue, "skin 'rig'", "no joints"},
        Fault{"instance_mesh", [](Character& c) { c.instances[0].mesh = 1; }, kIndex,
              "mesh instance 'body'", "mesh 1, but there are 1 meshes"},
        Fault{"instance_node", [](Character& c) { c.instances[0].node = 3; }, kIndex,
              "mesh instance 'body'", "node 3"},
        Fault{"instance_skin", [](Character& c) { c.instances[0].skin = -7; }, kIndex,
              "mesh instance 'body'", "skin -7 is negative"},
        Fault{"instance_weights", [](Character& c) { c.instances[0].morph_weights = {1, 2}; },
              kShape, "mesh instance 'body'", "2 morph weights, but 1"},
        Fault{"skin_without_influences",
              [](Character& c) {
                c.meshes[0].influences = {};
                c.meshes[0].sdef = {};
              },
              kShape, "mesh instance 'body'", "no influences"},
        Fault{"material_image", [](Character& c) { c.materials[0].base_image = 1; }, kIndex,
              "material 0", "base image 1, but there are 1 images"},
        Fault{"material_color", [](Character& c) { c.materials[0].base_color.y = kNanF; }, kValue,
              "material 0", "not finite"},
        Fault{"channel_node", [](Character& c) { c.clips[0].channels[0].target = 3; }, kIndex,
              "clip 'wave' channel 0 (rotation)", "target node 3, but there are 3 nodes"},
        Fault{"channel_instance",
              [](Character& c) { c.clips[0].channels[0].path = ChannelPath::kMorphWeights; },
              kIndex, "clip 'wave' channel 0 (morph weights)",
              "target mesh instance 1, but there are 1"},
        Fault{"channel_components", [](Character& c) { c.clips[0].channels[0].components = 3; },
              kShape, "clip 'wave' channel 0 (rotation)", "3 components, but 4"},
        Fault{"channel_values", [](Character& c) { c.clips[0].channels[0].values.pop_back(); },
              kShape, "clip 'wave' channel 0 (rotation)", "7 values, but 8"},
        Fault{"channel_cubic_values",
              [](Character& c) {
                c.clips[0].channels[0].interpolation = Interpolation::kCubicSpline;
              },
              kShape, "clip 'wave' channel 0 (rotation)", "8 values, but 24"},
        Fault{"channel_value", [](Character& c) { c.clips[0].channels[0].values[5] = kNanF; },
              kValue, "clip 'wave' channel 0 (rotation) key 1", "not finite"},
        Fault{"channel_time", [](Character& c) { c.clips[0].channels[0].times[1] = kNan; }, kValue,
              "clip 'wave' channel 0 (rotation) key 1", "time"},
        Fault{"channel_order", [](Character& c) { c.clips[0].channels[0].times = {2, 1}; }, kValue,
              "clip 'wave' channel 0 (rotation) key 1", "comes before"},
        Fault{"channel_empty",
              [](Character& c) {
                c.clips[0].channels[0].times.clear();
                c.clips[0].channels[0].values.clear();
              },
              kValue, "clip 'wave' channel 0 (rotation)", "no keys"},
        Fault{"channel_base_of_rotation",
              [](Character& c) { c.clips[0].channels[0].base = {0, 1, 0}; }, kValue,
              "clip 'wave' channel 0 (rotation)", "which only translations have"},
        Fault{"channel_base_nan", [](Character& c) { c.clips[0].channels[0].base = {0, kNan, 0}; },
              kValue, "clip 'wave' channel 0 (rotation)", "not finite"},
        Fault{"rate", [](Character& c) { c.clips[0].frames_per_second = 0; }, kValue, "clip 'wave'",
              "frames per second"},
        Fault{"end", [](Character& c) { c.clips[0].end_time = kNan; }, kValue, "clip 'wave'",
              "end time"}),
    NameOf);

TEST(Finalize, KeysAtEqualTimesAreAllowed) {
  Character c = MakeWhole();
  c.clips[0].channels[0].times = {1, 1};
  EXPECT_TRUE(Finalize(c).ok());
  EXPECT_EQ(c.clips[0].end_time, 1.0);
}

TEST(Finalize, ThingsWithoutNamesAreNumbered) {
  Character c = MakeWhole();
  c.meshes[0].name.clear();
  c.meshes[0].triangles[0] = 5;
  EXPECT_EQ(Finalize(c).error().place.element, "mesh 0 triangle 0");
}

TEST(Finalize, InstanceNamesBecomeUniqueAndGivenOnesStay) {
  Character c = MakeWhole();
  c.meshes[0].name = "Body";
  MeshInstance blank = c.instances[0];
  blank.name.clear();
  MeshInstance taken = c.instances[0];
  taken.name = "Body";
  MeshInstance numbered = c.instances[0];
  numbered.name = "body_2";
  c.instances = {blank, c.instances[0], c.instances[0], taken, numbered};
  ASSERT_TRUE(Finalize(c).ok());
  std::vector<std::string> names;
  for (const MeshInstance& instance : c.instances) names.push_back(instance.name);
  EXPECT_THAT(names, ElementsAre("Body_2", "body", "body_3", "Body", "body_2"));
}

// Any order of nodes is accepted, file indices stay, parents come first in node_order.
TEST(Finalize, OrderPutsParentsFirstForRandomForests) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const std::size_t count = 1 + random() % 60;
    std::vector<std::uint32_t> label(count);
    std::iota(label.begin(), label.end(), 0u);
    std::shuffle(label.begin(), label.end(), random);
    Character c;
    c.nodes.resize(count);
    for (std::size_t i = 1; i < count; ++i) {
      if (random() % 5 == 0) continue;  // another root
      c.nodes[label[i]].parent = static_cast<std::int32_t>(label[random() % i]);
    }
    ASSERT_TRUE(Finalize(c).ok());
    ASSERT_EQ(c.node_order.size(), count);
    std::vector<bool> seen(count, false);
    for (const std::uint32_t node : c.node_order) {
      ASSERT_FALSE(seen[node]);
      if (c.nodes[node].parent != kNone) {
        ASSERT_TRUE(seen[static_cast<std::size_t>(c.nodes[node].parent)]);
      }
      seen[node] = true;
    }
  }
}

TEST(Finalize, DeepChainNeedsNoStack) {
  Character c;
  c.nodes.resize(1'000'000);
  // Children before parents, the worst order.
  for (std::size_t i = 0; i + 1 < c.nodes.size(); ++i) {
    c.nodes[i].parent = static_cast<std::int32_t>(i + 1);
  }
  ASSERT_TRUE(Finalize(c).ok());
  EXPECT_EQ(c.node_order.front(), 999'999u);
  EXPECT_EQ(c.node_order.back(), 0u);
  c.nodes.back().parent = 0;
  const Status status = Finalize(c);
  ASSERT_FALSE(status.ok());
  EXPECT_LT(status.error().message.size(), 400u);
}

}  // namespace
}  // namespace flexor::asset
