#include <array>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flexor/pose/mmd_solver.h"
#include "flexor/pose/palette.h"

#include "io/mmd/convert.h"
#include "support/corpus.h"

namespace flexor::io::mmd {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

PmxBone Bone(const char* name, Vec3f position, std::int32_t parent = kNoIndex) {
  PmxBone bone;
  bone.name = name;
  bone.position = position;
  bone.parent = parent;
  return bone;
}

PmxVertex VertexOf(PmxWeightType type, std::array<std::int32_t, 4> bones,
                   std::array<float, 4> weights) {
  PmxVertex vertex;
  vertex.position = {1, 2, 3};
  vertex.normal = {0, 0, -1};
  vertex.type = type;
  vertex.bones = bones;
  vertex.weights = weights;
  return vertex;
}

PmxModel TwoBones() {
  PmxModel model;
  model.name = "模型";
  model.bones = {Bone("センター", {0, 10, 1}), Bone("腕", {2, 15, -1}, 0)};
  for (int i = 0; i < 3; ++i) {
    model.vertices.push_back(
        VertexOf(PmxWeightType::kBdef1, {0, kNoIndex, kNoIndex, kNoIndex}, {1, 0, 0, 0}));
  }
  model.indices = {0, 1, 2};
  model.materials.resize(1);
  model.materials[0].index_count = 3;
  return model;
}

asset::Character Converted(const PmxModel& model, Diagnostics& diagnostics) {
  MemoryBudget budget(1 << 20);
  auto character = Convert(model, {}, {}, budget, diagnostics);
  EXPECT_TRUE(character.ok()) << character.error().ToString();
  return character.ok() ? *character : asset::Character{};
}

asset::Character Converted(const PmxModel& model) {
  Diagnostics diagnostics;
  asset::Character character = Converted(model, diagnostics);
  for (const Diagnostic& entry : diagnostics.entries()) ADD_FAILURE() << entry.code;
  return character;
}

TEST(MmdConvertTest, MirrorsZAndScalesToMetres) {
  const asset::Character character = Converted(TwoBones());
  EXPECT_EQ(character.name, "模型");
  ASSERT_EQ(character.nodes.size(), 2u);
  EXPECT_NEAR(character.nodes[0].rest.translation.y, 0.8, 1e-15);
  EXPECT_NEAR(character.nodes[0].rest.translation.z, -0.08, 1e-15);
  // The child relative to its parent: (2, 5, -2) units.
  EXPECT_NEAR(character.nodes[1].rest.translation.x, 0.16, 1e-15);
  EXPECT_NEAR(character.nodes[1].rest.translation.y, 0.40, 1e-15);
  EXPECT_NEAR(character.nodes[1].rest.translation.z, 0.16, 1e-15);
  const asset::Mesh& mesh = character.meshes.at(0);
  EXPECT_FLOAT_EQ(mesh.positions[0].x, 0.08f);
  EXPECT_FLOAT_EQ(mesh.positions[0].y, 0.16f);
  EXPECT_FLOAT_EQ(mesh.positions[0].z, -0.24f);
  EXPECT_FLOAT_EQ(mesh.normals[0].z, 1);
  EXPECT_THAT(mesh.triangles, ElementsAre(0, 2, 1)) << "a mirror image turns the winding";
}

TEST(MmdConvertTest, UnitIsAnOption) {
  MemoryBudget budget(1 << 20);
  Diagnostics diagnostics;
  LoadOptions options;
  options.mmd_metres_per_unit = 1;
  const auto character = Convert(TwoBones(), {}, options, budget, diagnostics);
  ASSERT_TRUE(character.ok());
  EXPECT_EQ(character->nodes[0].rest.translation.y, 10);
  EXPECT_EQ(character->mmd->metres_per_unit, 1);
}

TEST(MmdConvertTest, RestPoseLeavesEveryVertexWhereItWas) {
  const asset::Character character = Converted(TwoBones());
  pose::Pose pose = pose::RestPose(character);
  std::vector<Mat34d> world;
  pose::SolveMmd(character, {}, pose, world);
  pose::Palette palette;
  pose::ComputePalette(character, character.instances.at(0), world, palette);
  for (const Mat34d& matrix : palette) {
    EXPECT_NEAR(Length(matrix.translation), 0, 1e-16);
    EXPECT_EQ(matrix.linear, Mat3d{});
  }
}

TEST(MmdConvertTest, KeepsTheWeightTypeOfEachVertex) {
  PmxModel model = TwoBones();
  model.vertices[0] = VertexOf(PmxWeightType::kSdef, {0, 1, kNoIndex, kNoIndex}, {0.6f, 0.4f});
  model.vertices[0].c = {1, 2, 3};
  model.vertices[0].r0 = {0, 1, 2};
  model.vertices[0].r1 = {4, 5, 6};
  model.vertices[1] = VertexOf(PmxWeightType::kQdef, {0, 1, 0, 1}, {0.1f, 0.2f, 0.3f, 0.4f});
  model.vertices[2] = VertexOf(PmxWeightType::kBdef4, {0, 1, 0, 0}, {0.5f, 0.5f, 0.5f, 0.5f});
  const asset::Character character = Converted(model);
  const asset::Mesh& mesh = character.meshes.at(0);
  EXPECT_THAT(mesh.sdef.vertices, ElementsAre(0)) << "C equal to the position is SDEF all the same";
  EXPECT_EQ(mesh.sdef.weights.at(0), 0.6f);
  EXPECT_FLOAT_EQ(mesh.sdef.centers.at(0).z, -0.24f);
  EXPECT_FLOAT_EQ(mesh.sdef.r0.at(0).y, 0.08f) << "as the file has it, not corrected";
  EXPECT_FLOAT_EQ(mesh.sdef.r1.at(0).x, 0.32f);
  EXPECT_THAT(mesh.dqs_weights, ElementsAre(0, 1, 0));
  EXPECT_THAT(mesh.influences.offsets, ElementsAre(0, 2, 6, 10));
  EXPECT_EQ(mesh.influences.weights[5], 0.4f) << "all four weights, in order";
  EXPECT_EQ(mesh.influences.weights[9], 0.5f) << "the sum is the plan's business";
}

TEST(MmdConvertTest, VerticesWithoutBonesAreReported) {
  PmxModel model = TwoBones();
  model.vertices[0] =
      VertexOf(PmxWeightType::kSdef, {0, kNoIndex, kNoIndex, kNoIndex}, {0.6f, 0.4f, 0, 0});
  model.vertices[1] =
      VertexOf(PmxWeightType::kBdef1, {kNoIndex, kNoIndex, kNoIndex, kNoIndex}, {1, 0, 0, 0});
  Diagnostics diagnostics;
  const asset::Character character = Converted(model, diagnostics);
  const asset::Mesh& mesh = character.meshes.at(0);
  EXPECT_TRUE(mesh.sdef.empty());
  EXPECT_THAT(mesh.influences.joints, ElementsAre(0, 0, 0));
  EXPECT_EQ(mesh.influences.weights[1], 1);
  EXPECT_TRUE(diagnostics.Contains("MMD_SDEF_WITHOUT_BONE"));
  EXPECT_TRUE(diagnostics.Contains("MMD_VERTEX_WITHOUT_BONE"));
  EXPECT_TRUE(diagnostics.Contains("MMD_WEIGHT_WITHOUT_BONE"));
}

TEST(MmdConvertTest, AnModelWithoutBonesStandsStill) {
  PmxModel model = TwoBones();
  model.bones.clear();
  for (PmxVertex& vertex : model.vertices) vertex.bones[0] = kNoIndex;
  Diagnostics diagnostics;
  const asset::Character character = Converted(model, diagnostics);
  EXPECT_EQ(character.instances.at(0).skin, asset::kNone);
  EXPECT_TRUE(character.meshes.at(0).influences.empty());
}

TEST(MmdConvertTest, FacesBeyondTheMaterialsStay) {
  PmxModel model = TwoBones();
  model.indices = {0, 1, 2, 2, 1, 0};
  const asset::Character character = Converted(model);
  const asset::Mesh& mesh = character.meshes.at(0);
  ASSERT_EQ(mesh.subsets.size(), 2u);
  EXPECT_EQ(mesh.subsets[1].material, asset::kNone);
  EXPECT_EQ(mesh.subsets[1].index_count, 3u);
}

TEST(MmdConvertTest, BonesOfOneNameAreReportedWithBothNumbers) {
  PmxModel model = TwoBones();
  model.bones.push_back(Bone("腕", {3, 15, -1}, 0));
  model.bones.push_back(Bone("a_name_of_15_b_and_more", {3, 15, -1}, 0));
  model.bones.push_back(Bone("a_name_of_15_b_or_less", {3, 15, -1}, 0));
  model.bones.push_back(Bone("", {3, 15, -1}, 0));
  model.bones.push_back(Bone("", {3, 15, -1}, 0));
  Diagnostics diagnostics;
  Converted(model, diagnostics);
  ASSERT_EQ(diagnostics.entries().size(), 1u);
  EXPECT_EQ(diagnostics.entries()[0].code, "MMD_BONE_NAME_TWICE");
  EXPECT_EQ(diagnostics.entries()[0].count, 2u);
  EXPECT_THAT(diagnostics.entries()[0].message,
              ::testing::HasSubstr("bones 1 and 2 have one name"));
}

TEST(MmdConvertTest, IkLimitsAreMirrored) {
  PmxModel model = TwoBones();
  model.bones[0].flags = kBoneIk;
  model.bones[0].ik.effector = 1;
  model.bones[0].ik.iterations = 15;
  model.bones[0].ik.limit_angle = 0.5f;
  // The last link's limits are the wrong way round in the file.
  model.bones[0].ik.links = {{1, true, {-3, -0.1f, -0.2f}, {-0.5f, 0.3f, 0.4f}},
                             {1, true, {1, 0, 0}, {-2, 0, 0}}};
  const asset::Character character = Converted(model);
  const asset::MmdIk& ik = character.mmd->ik.at(0);
  EXPECT_EQ(ik.goal, 0u);
  EXPECT_EQ(ik.effector, 1u);
  EXPECT_EQ(ik.iterations, 15u);
  EXPECT_EQ(ik.links[0].min.x, 0.5);
  EXPECT_EQ(ik.links[0].max.x, 3);
  EXPECT_FLOAT_EQ(static_cast<float>(ik.links[0].min.y), -0.3f);
  EXPECT_FLOAT_EQ(static_cast<float>(ik.links[0].max.y), 0.1f);
  EXPECT_FLOAT_EQ(static_cast<float>(ik.links[0].min.z), -0.2f) << "z keeps its sign";
  EXPECT_EQ(ik.links[1].min.x, -1);
  EXPECT_EQ(ik.links[1].max.x, 2);
}

TEST(MmdConvertTest, MirroredTurnsAgreeWithMirroredPoints) {
  // Turning a point and mirroring it is mirroring the turn and the point.
  const Space space(0.08);
  const Quatd turn = Normalized(Quatd{0.3, -0.4, 0.5, 0.6});
  const Vec3d point{1, 2, 3};
  const Vec3d one = space.Point(Rotate(turn, point));
  const Vec3d other = Rotate(Space::Rotation(turn), space.Point(point));
  EXPECT_NEAR(Length(one - other), 0, 1e-15);
}

TEST(MmdConvertTest, BodyAnglesMirrorAsTurns) {
  // Ry * Rx * Rz of the file, as a turn, mirrored, against the mirrored angles.
  const Vec3d angles{0.3, -0.7, 1.1};
  const Quatd one = Space::Rotation(FromBodyAngles(angles));
  const Quatd other = FromBodyAngles(Space::Angles(angles));
  EXPECT_NEAR(std::abs(Dot(one, other)), 1, 1e-15);
}

TEST(MmdConvertTest, MorphsOfEachKind) {
  PmxModel model = TwoBones();
  PmxMorph blink;
  blink.name = "まばたき";
  blink.type = PmxMorphType::kVertex;
  blink.vertex = {{2, {0, 0, 1}}, {0, {1, 0, 0}}, {2, {0, 1, 0}}};
  PmxMorph nod;
  nod.name = "頷き";
  nod.type = PmxMorphType::kBone;
  nod.bone = {{1, {0, 0, 2}, {0.6f, 0, 0, 0.8f}}};
  PmxMorph both;
  both.name = "両方";
  both.type = PmxMorphType::kGroup;
  both.group = {{0, 1}, {1, -0.5f}};
  PmxMorph shine;
  shine.type = PmxMorphType::kMaterial;
  model.morphs = {blink, nod, both, shine};
  Diagnostics diagnostics;
  const asset::Character character = Converted(model, diagnostics);
  const asset::Mesh& mesh = character.meshes.at(0);
  ASSERT_EQ(mesh.morphs.size(), 1u);
  EXPECT_THAT(mesh.morphs[0].vertices, ElementsAre(0, 2)) << "sorted, equal vertices joined";
  EXPECT_FLOAT_EQ(mesh.morphs[0].positions[1].y, 0.08f);
  EXPECT_FLOAT_EQ(mesh.morphs[0].positions[1].z, -0.08f);
  const asset::MmdRig& rig = *character.mmd;
  ASSERT_EQ(rig.morphs.size(), 4u);
  EXPECT_EQ(rig.morphs[0].mesh_morph, 0);
  EXPECT_NEAR(rig.morphs[1].bones.at(0).translation.z, -0.16, 1e-15);
  EXPECT_NEAR(rig.morphs[1].bones.at(0).rotation.x, -0.6, 1e-7);
  EXPECT_EQ(rig.morphs[2].members.at(1).rate, -0.5);
  EXPECT_EQ(rig.morphs[0].match_name.size(), 8u) << "four characters of CP932";
  ASSERT_EQ(diagnostics.entries().size(), 1u);
  EXPECT_EQ(diagnostics.entries()[0].code, "MMD_MORPH_LOOK_ONLY");
}

TEST(MmdConvertTest, AFileThatClaimsTooMuchIsRefused) {
  const PmxModel model = TwoBones();
  MemoryBudget budget(200);
  Diagnostics diagnostics;
  const auto character = Convert(model, {}, {}, budget, diagnostics);
  ASSERT_FALSE(character.ok());
  EXPECT_EQ(character.error().code, ErrorCode::kLimitExceeded);
}

TEST(MmdConvertTest, TexturesAreFoundByTheirWindowsNames) {
  PmxModel model = TwoBones();
  model.textures = {"tex\\Face.PNG", "..\\secret.png", "gone.png"};
  model.materials.assign(3, {});
  for (int i = 0; i < 3; ++i) model.materials[static_cast<std::size_t>(i)].texture = i;
  model.materials[0].index_count = 3;
  std::vector<std::string> asked;
  const ResourceFn resources = [&](const std::string& name,
                                   std::uint64_t) -> Result<std::vector<std::byte>> {
    asked.push_back(name);
    if (name != "tex/Face.PNG") return Error{ErrorCode::kFileNotFound, "no such file", {}};
    return std::vector<std::byte>{std::byte{0x89}, std::byte{'P'}, std::byte{'N'}, std::byte{'G'}};
  };
  MemoryBudget budget(1 << 20);
  Diagnostics diagnostics;
  const auto character = Convert(model, resources, {}, budget, diagnostics);
  ASSERT_TRUE(character.ok());
  EXPECT_THAT(asked, ElementsAre("tex/Face.PNG", "gone.png")) << "the folder is not left";
  EXPECT_EQ(character->images.at(0).media_type, "image/png");
  EXPECT_EQ(character->materials[0].base_image, 0);
  std::size_t missing = 0;
  for (const Diagnostic& entry : diagnostics.entries()) missing += entry.code == "IMAGE_NOT_FOUND";
  EXPECT_EQ(missing, 2u);
}

}  // namespace
}  // namespace flexor::io::mmd
