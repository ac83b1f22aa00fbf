#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flexor/asset/sample.h"
#include "flexor/bake/performer.h"
#include "flexor/bake/plain_copy.h"
#include "flexor/bake/to_pmx.h"
#include "flexor/bake/to_vmd.h"
#include "flexor/io/load.h"
#include "flexor/io/motion.h"
#include "flexor/io/write_glb.h"
#include "flexor/render/image.h"

namespace flexor::bake {
namespace {

constexpr double kUnit = 0.08;

asset::Character Sample(const char* name) {
  auto sample = asset::MakeSample(name);
  EXPECT_TRUE(sample.ok());
  return *sample;
}

/// A character written as PMX with its first clip as VMD, and read again.
asset::Character ThroughPmx(const asset::Character& character) {
  Diagnostics notes, found;
  auto made = ToPmx(character, kUnit, notes);
  EXPECT_TRUE(made.ok()) << made.error().ToString();
  auto bytes = io::mmd::WritePmx(made->model);
  EXPECT_TRUE(bytes.ok()) << bytes.error().ToString();
  auto loaded = io::LoadCharacterFromMemory(*bytes, "sample.pmx", {});
  EXPECT_TRUE(loaded.ok()) << loaded.error().ToString();
  if (!loaded.ok()) return {};
  if (character.clips.empty()) return loaded->character;
  auto motion = ToVmd(character, 0, kUnit, {}, notes);
  EXPECT_TRUE(motion.ok()) << motion.error().ToString();
  auto motion_bytes = io::mmd::WriteVmd(*motion);
  EXPECT_TRUE(motion_bytes.ok());
  auto report = io::AddMotionFromMemory(*motion_bytes, "clip.vmd", {}, loaded->character, found);
  EXPECT_TRUE(report.ok()) << report.error().ToString();
  EXPECT_EQ(report->unmatched_bones, 0u);
  EXPECT_EQ(report->unmatched_morphs, 0u);
  return loaded->character;
}

/// Points of all drawn instances at a frame of the first clip, one after another.
std::vector<Vec3f> PointsAt(const asset::Character& character, double seconds,
                            deform::SdefMode sdef = deform::SdefMode::kOn) {
  PerformerSettings settings;
  settings.backend = deform::BackendKind::kReference;
  settings.deform.sdef.mode = sdef;
  settings.deform.weights.max_influences = 4;  // what the format holds
  auto performer = Performer::Create(character, settings);
  EXPECT_TRUE(performer.ok());
  const std::optional<std::uint32_t> clip =
      character.clips.empty() ? std::nullopt : std::optional<std::uint32_t>(0);
  EXPECT_TRUE(performer->Evaluate(clip, seconds).ok());
  std::vector<Vec3f> points;
  for (const deform::DeformedMesh& result : performer->results()) {
    points.insert(points.end(), result.positions.begin(), result.positions.end());
  }
  return points;
}

double FarthestApart(const std::vector<Vec3f>& a, const std::vector<Vec3f>& b) {
  EXPECT_EQ(a.size(), b.size());
  double most = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    most = std::max(most, static_cast<double>(Length(a[i] - b[i])));
  }
  return most;
}

class ThroughPmxTest : public testing::TestWithParam<const char*> {};

TEST_P(ThroughPmxTest, MovesAsBefore) {
  const asset::Character before = Sample(GetParam());
  const asset::Character after = ThroughPmx(before);
  ASSERT_FALSE(after.clips.empty());
  // Frames of the format lie at 30 a second; floats of 100 units hold 1e-5 of a metre.
  for (const int frame : {0, 7, 15}) {
    EXPECT_LT(FarthestApart(PointsAt(before, frame / 30.0), PointsAt(after, frame / 30.0)), 2e-5)
        << "frame " << frame;
  }
}

INSTANTIATE_TEST_SUITE_P(Samples, ThroughPmxTest, testing::Values("elbow", "figure", "sdef"));

// Names that a motion cannot tell apart: equal, empty, equal in their first 15 bytes, not in CP932.
TEST(ToPmxTest, NamesThatAMotionCannotTellApart) {
  for (const std::vector<std::string>& names :
       {std::vector<std::string>{"arm", "arm"}, std::vector<std::string>{"", ""},
        std::vector<std::string>{"Skeleton_arm_joint_R", "Skeleton_arm_joint_L"},
        std::vector<std::string>{"\u0440\u0443\u043a\u0430\U0001F600", "\U0001F600"},
        std::vector<std::string>{"左左左左左左左左左", "左左左左左左左左左", "~2"}}) {
    asset::Character before = Sample("elbow");
    for (std::size_t n = 0; n < before.nodes.size(); ++n) {
      before.nodes[n].name = names[n % names.size()];
    }
    Diagnostics notes;
    const auto made = ToPmx(before, kUnit, notes);
    ASSERT_TRUE(made.ok());
    EXPECT_TRUE(notes.Contains("PMX_NAME_MADE")) << names[0];
    EXPECT_EQ(made->model.bones.back().name_en, before.nodes.back().name);
    const asset::Character after = ThroughPmx(before);
    for (const int frame : {0, 7, 15}) {
      EXPECT_LT(FarthestApart(PointsAt(before, frame / 30.0), PointsAt(after, frame / 30.0)), 2e-5)
          << names[0] << " frame " << frame;
    }
  }
}

// A triangle on a node, with a morph (0, 0, 1) and a clip that moves it.
asset::Character MorphOn(const Transform& node, float at_rest) {
  asset::Character character;
  character.nodes.resize(1);
  character.nodes[0].name = "node";
  character.nodes[0].rest = node;
  asset::Mesh mesh;
  mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  mesh.triangles = {0, 1, 2};
  mesh.subsets = {{0, 3, asset::kNone}};
  asset::Morph morph;
  morph.name = "smile";
  morph.vertices = {1};
  morph.positions = {{0, 0, 1}};
  mesh.morphs = {morph};
  character.meshes = {mesh};
  asset::MeshInstance instance;
  instance.name = "face";
  instance.node = 0;
  instance.morph_weights = {at_rest};
  character.instances = {instance};
  asset::Clip clip;
  clip.end_time = 1;
  asset::Channel channel;
  channel.path = asset::ChannelPath::kMorphWeights;
  channel.components = 1;
  channel.times = {0, 1};
  channel.values = {at_rest, 1};
  clip.channels = {channel};
  character.clips = {clip};
  EXPECT_TRUE(asset::Finalize(character).ok());
  return character;
}

TEST(ToPmxTest, MorphsTurnAndScaleWithTheirNode) {
  Transform node;
  node.rotation = FromAxisAngle(Vec3d{1, 0, 0}, -std::acos(0.0));
  node.scale = {0.01, 0.01, 0.01};
  Diagnostics notes;
  const auto made = ToPmx(MorphOn(node, 0), kUnit, notes);
  ASSERT_TRUE(made.ok());
  ASSERT_EQ(made->model.morphs.size(), 1u);
  ASSERT_EQ(made->model.morphs[0].vertex.size(), 1u);
  const Vec3f offset = made->model.morphs[0].vertex[0].offset;
  EXPECT_LT(Length(offset - Vec3f{0, static_cast<float>(0.01 / kUnit), 0}), 1e-6f);
}

TEST(ToPmxTest, AMorphThatIsOnAtRestIsAddedOnce) {
  const asset::Character before = MorphOn({}, 0.25f);
  const asset::Character after = ThroughPmx(before);
  for (const double seconds : {0.0, 0.5, 1.0}) {
    EXPECT_LT(FarthestApart(PointsAt(before, seconds), PointsAt(after, seconds)), 1e-5) << seconds;
  }
}

TEST(ToPmxTest, MorphsOfOneNameOnTwoMeshesAreTwoSliders) {
  asset::Character before = MorphOn({}, 0);
  before.meshes.push_back(before.meshes[0]);
  before.instances.push_back(before.instances[0]);
  before.instances[1].name = "brows";
  before.instances[1].mesh = 1;
  ASSERT_TRUE(asset::Finalize(before).ok());
  const asset::Character after = ThroughPmx(before);
  const std::vector<Vec3f> points = PointsAt(after, 1);
  ASSERT_EQ(points.size(), 6u);
  EXPECT_NEAR(points[1].z, 1, 1e-5);
  EXPECT_NEAR(points[4].z, 0, 1e-5);
}

TEST(ToPmxTest, AModelOutOfItsBindPoseMovesAsBefore) {
  asset::Character before = Sample("elbow");
  for (asset::Node& node : before.nodes) {
    node.rest.rotation = node.rest.rotation * FromAxisAngle(Vec3d{0, 0, 1}, 0.4);
  }
  // A clip that leaves one of the joints at rest.
  auto& channels = before.clips.at(0).channels;
  channels.erase(channels.begin(), channels.end() - 1);
  ASSERT_TRUE(asset::Finalize(before).ok());
  Diagnostics notes;
  ASSERT_TRUE(ToPmx(before, kUnit, notes).ok());
  EXPECT_TRUE(notes.Contains("PMX_BIND_POSE"));
  const asset::Character after = ThroughPmx(before);
  for (const int frame : {0, 7, 15}) {
    EXPECT_LT(FarthestApart(PointsAt(before, frame / 30.0), PointsAt(after, frame / 30.0)), 2e-5)
        << "frame " << frame;
  }
}

TEST(ToPmxTest, ABoneBeforeItsParentComesALayerLater) {
  asset::Character character = MorphOn({}, 0);
  character.clips.clear();
  character.nodes.resize(3);
  character.nodes[0].parent = 2;
  character.nodes[1].name = "b";
  character.nodes[1].parent = 0;
  character.nodes[2].name = "c";
  ASSERT_TRUE(asset::Finalize(character).ok());
  Diagnostics notes;
  const auto made = ToPmx(character, kUnit, notes);
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->model.bones[2].layer, 0);
  EXPECT_EQ(made->model.bones[0].layer, 1);
  EXPECT_EQ(made->model.bones[1].layer, 1);
}

TEST(ToPmxTest, SphericalVerticesKeepTheirNumbers) {
  const asset::Character before = Sample("sdef");
  const asset::Character after = ThroughPmx(before);
  const asset::SdefVertices& a = before.meshes.at(0).sdef;
  const asset::SdefVertices& b = after.meshes.at(0).sdef;
  ASSERT_FALSE(a.empty());
  ASSERT_EQ(a.vertices, b.vertices);
  EXPECT_EQ(a.weights, b.weights);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_LT(Length(a.centers[i] - b.centers[i]), 1e-6f);
    EXPECT_LT(Length(a.r0[i] - b.r0[i]), 1e-6f);
    EXPECT_LT(Length(a.r1[i] - b.r1[i]), 1e-6f);
  }
}

TEST(ToPmxTest, KeepsAtMostFourInfluencesAndSaysSo) {
  Diagnostics notes;
  const auto made = ToPmx(Sample("shear"), kUnit, notes);
  ASSERT_TRUE(made.ok());
  EXPECT_TRUE(notes.Contains("PMX_INFLUENCES_LIMITED"));
}

TEST(ToPmxTest, WindingAndMaterialsCoverTheFaces) {
  Diagnostics notes;
  const auto made = ToPmx(Sample("figure"), kUnit, notes);
  ASSERT_TRUE(made.ok());
  std::size_t sum = 0;
  for (const auto& material : made->model.materials) sum += material.index_count;
  EXPECT_EQ(sum, made->model.indices.size());
  EXPECT_GE(made->model.frames.size(), 2u);
}

/// Two bones; the second is turned by IK towards a third that moves, and its skin follows.
asset::Character IkCharacter() {
  asset::Character character = Sample("sdef");
  character.mmd.emplace();
  for (const asset::Node& node : character.nodes) {
    asset::MmdBone bone;
    bone.match_name = node.name;
    character.mmd->bones.push_back(bone);
  }
  EXPECT_TRUE(asset::Finalize(character).ok());
  return character;
}

TEST(ToPmxTest, BodiesJointsAndIkComeBackAsTheyWere) {
  asset::Character before = IkCharacter();
  before.clips.clear();
  asset::MmdRig& rig = *before.mmd;
  for (const Vec3d axis : {Vec3d{1, 2, 3}, Vec3d{-3, 1, 0.5}, Vec3d{1, 0, 0}}) {
    asset::MmdBody body;
    body.name = "body" + std::to_string(rig.bodies.size());
    body.bone = 1;
    body.size = {0.1, 0.2, 0.3};
    body.position = {0.4, 0.5, 0.6};
    // The last looks straight along an axis, where the angles of the format are not unique.
    body.rotation = FromAxisAngle(axis, rig.bodies.size() == 2 ? std::acos(0.0) : 1.3);
    body.mass = 1;
    rig.bodies.push_back(body);
  }
  asset::MmdJoint joint;
  joint.name = "joint";
  joint.body_b = 1;
  joint.translation_min = {-0.1, -0.2, -0.3};
  joint.translation_max = {0.4, 0.5, 0.6};
  joint.rotation_min = {-1, -0.5, -0.25};
  joint.rotation_max = {2, 1.5, 1};
  joint.spring_rotation = {1, 2, 3};
  rig.joints.push_back(joint);
  asset::MmdIk ik;
  ik.goal = 2;
  ik.effector = 1;
  ik.iterations = 10;
  ik.step_limit = 0.5;
  ik.links = {{0, true, {0.5, -0.2, -0.1}, {3, 0.3, 0.4}}};
  rig.ik.push_back(ik);
  rig.bones[2].ik = 0;
  ASSERT_TRUE(asset::Finalize(before).ok());
  const asset::Character after = ThroughPmx(before);
  ASSERT_TRUE(after.mmd.has_value());
  ASSERT_EQ(after.mmd->bodies.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    const asset::MmdBody &a = rig.bodies[i], &b = after.mmd->bodies[i];
    EXPECT_NEAR(std::abs(Dot(a.rotation, b.rotation)), 1, 1e-6) << i;
    EXPECT_LT(Length(a.position - b.position), 1e-6);
    EXPECT_LT(Length(a.size - b.size), 1e-6);
  }
  const asset::MmdJoint& back = after.mmd->joints.at(0);
  EXPECT_LT(Length(back.translation_min - joint.translation_min), 1e-6);
  EXPECT_LT(Length(back.translation_max - joint.translation_max), 1e-6);
  EXPECT_LT(Length(back.rotation_min - joint.rotation_min), 1e-6);
  EXPECT_LT(Length(back.rotation_max - joint.rotation_max), 1e-6);
  EXPECT_LT(Length(back.spring_rotation - joint.spring_rotation), 1e-5);
  const asset::MmdIkLink& link = after.mmd->ik.at(0).links.at(0);
  EXPECT_LT(Length(link.min - ik.links[0].min), 1e-6);
  EXPECT_LT(Length(link.max - ik.links[0].max), 1e-6);
}

TEST(PlainCopyTest, PosesAsTheSolverDoes) {
  const asset::Character before = IkCharacter();
  Diagnostics notes;
  const auto plain = PlainCopy(before, {}, notes);
  ASSERT_TRUE(plain.ok()) << plain.error().ToString();
  EXPECT_FALSE(plain->mmd.has_value());
  EXPECT_TRUE(plain->meshes[0].sdef.empty());
  EXPECT_TRUE(notes.Contains("PLAIN_SDEF_LINEAR"));
  const double fps = before.clips.at(0).frames_per_second;
  for (const int frame : {0, 5, 11}) {
    EXPECT_LT(FarthestApart(PointsAt(before, frame / fps, deform::SdefMode::kOff),
                            PointsAt(*plain, frame / fps)),
              1e-6)
        << "frame " << frame;
  }
}

TEST(PlainCopyTest, AClipThatClaimsForeverIsRefused) {
  asset::Character character = IkCharacter();
  character.clips[0].end_time = 4294967295.0 / 30;
  Diagnostics notes;
  const auto plain = PlainCopy(character, {}, notes);
  ASSERT_FALSE(plain.ok());
  EXPECT_EQ(plain.error().code, ErrorCode::kLimitExceeded);
  const auto motion = ToVmd(character, 0, kUnit, {}, notes);
  ASSERT_FALSE(motion.ok());
  EXPECT_EQ(motion.error().code, ErrorCode::kLimitExceeded);
}

/// One red pixel.
std::vector<std::byte> RedBmp() {
  std::vector<std::byte> bytes(58);
  for (const auto& [at, value] : std::vector<std::pair<int, int>>{{0, 'B'},
                                                                  {1, 'M'},
                                                                  {10, 54},
                                                                  {14, 40},
                                                                  {18, 1},
                                                                  {22, 1},
                                                                  {26, 1},
                                                                  {28, 24},
                                                                  {56, 255}}) {
    bytes[static_cast<std::size_t>(at)] = static_cast<std::byte>(value);
  }
  return bytes;
}

std::vector<std::byte> RedTga() {
  std::vector<std::byte> bytes(21);
  for (const auto& [at, value] :
       std::vector<std::pair<int, int>>{{2, 2}, {12, 1}, {14, 1}, {16, 24}, {20, 255}}) {
    bytes[static_cast<std::size_t>(at)] = static_cast<std::byte>(value);
  }
  return bytes;
}

TEST(PlainCopyTest, BmpAndTgaPicturesBecomePng) {
  asset::Character character = Sample("elbow");
  for (const auto& bytes : {RedBmp(), RedTga()}) {
    character.images = {{"skin", "", bytes}};
    character.materials[0].base_image = 0;
    Diagnostics notes;
    const auto plain = PlainCopy(character, {}, notes);
    ASSERT_TRUE(plain.ok());
    EXPECT_EQ(plain->images[0].media_type, "image/png");
    const auto red = render::DecodeImage(plain->images[0].bytes);
    ASSERT_TRUE(red.ok()) << red.error().ToString();
    EXPECT_THAT(red->rgba, testing::ElementsAre(255, 0, 0, 255));
  }
  // What cannot be decoded stays, for the writer to speak about.
  character.images[0].bytes = RedBmp();
  character.images[0].bytes.resize(50);
  Diagnostics notes;
  EXPECT_EQ(PlainCopy(character, {}, notes)->images[0].bytes, character.images[0].bytes);
}

TEST(ToPmxTest, TexturesKeepTheirFormat) {
  asset::Character character = Sample("elbow");
  character.materials[0].base_image = 0;
  Diagnostics notes;
  character.images = {{"skin", "", RedTga()}};
  EXPECT_THAT(ToPmx(character, kUnit, notes)->model.textures, testing::ElementsAre("texture0.tga"));
  character.images[0].bytes = RedBmp();
  EXPECT_THAT(ToPmx(character, kUnit, notes)->model.textures, testing::ElementsAre("texture0.bmp"));
}

TEST(PlainCopyTest, OtherCharactersStayAsTheyAre) {
  const asset::Character before = Sample("elbow");
  Diagnostics notes;
  const auto plain = PlainCopy(before, {}, notes);
  ASSERT_TRUE(plain.ok());
  EXPECT_TRUE(notes.entries().empty());
  const auto a = io::EncodeGlb(before), b = io::EncodeGlb(*plain);
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ(*a, *b);
}

}  // namespace
}  // namespace flexor::bake
