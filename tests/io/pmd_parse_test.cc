#include <algorithm>
#include <limits>
#include <numbers>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flexor/io/mmd/pmd.h"

#include "support/mmd_builder.h"

namespace flexor::io::mmd {
namespace {

using test::FullPmd;
using test::MmdBytes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::uint64_t kBudget = 64ull << 20;

Result<PmxModel> Parse(const MmdBytes& file, Diagnostics& diagnostics) {
  MemoryBudget budget(kBudget);
  return ParsePmd(file.span(), budget, diagnostics);
}

PmxModel Model() {
  Diagnostics diagnostics;
  auto model = Parse(FullPmd(), diagnostics);
  EXPECT_TRUE(model.ok()) << model.error().ToString();
  return model.ok() ? *std::move(model) : PmxModel();
}

const PmxBone& BoneOf(const PmxModel& model, const std::string& english) {
  const auto found = std::find_if(model.bones.begin(), model.bones.end(),
                                  [&](const PmxBone& bone) { return bone.name_en == english; });
  EXPECT_NE(found, model.bones.end()) << english;
  return *found;
}

TEST(PmdParse, HeaderAndVertices) {
  const PmxModel model = Model();
  EXPECT_EQ(model.name, "初音ミク");
  EXPECT_EQ(model.name_en, "Miku");
  EXPECT_EQ(model.comment, "comment");
  EXPECT_EQ(model.comment_en, "comment en");
  ASSERT_EQ(model.vertices.size(), 4u);
  const PmxVertex& v = model.vertices[1];
  EXPECT_EQ(v.position, (Vec3f{1, 1, 2}));
  EXPECT_EQ(v.normal, (Vec3f{0, 1, 0}));
  EXPECT_EQ(v.uv, (Vec2f{0.5f, 0.25f}));
  EXPECT_EQ(v.type, PmxWeightType::kBdef2);
  EXPECT_EQ(v.bones, (std::array<std::int32_t, 4>{1, 0, kNoIndex, kNoIndex}));
  EXPECT_EQ(v.weights, (std::array<float, 4>{0.75f, 0.25f, 0, 0}));
  EXPECT_EQ(v.edge_scale, 0);
  EXPECT_EQ(model.vertices[0].edge_scale, 1);
  EXPECT_EQ(model.vertices[3].bones[1], kNoIndex);
  EXPECT_EQ(model.indices, (std::vector<std::uint32_t>{0, 1, 2, 2, 1, 3, 3, 0, 1}));
}

TEST(PmdParse, Materials) {
  const PmxModel model = Model();
  EXPECT_THAT(model.textures, ElementsAre("body.bmp", "shine.SPH", "glow.spa", "own.bmp"));
  ASSERT_EQ(model.materials.size(), 3u);
  const PmxMaterial& body = model.materials[0];
  EXPECT_EQ(body.name, "材質1");
  EXPECT_EQ(body.diffuse, (Vec4f{1, 0.5f, 0.25f, 1}));
  EXPECT_EQ(body.shininess, 7);
  EXPECT_EQ(body.specular, (Vec3f{0.1f, 0.2f, 0.3f}));
  EXPECT_EQ(body.ambient, (Vec3f{0.4f, 0.5f, 0.6f}));
  EXPECT_EQ(body.flags,
            kMaterialEdge | kMaterialGroundShadow | kMaterialCastsShadow | kMaterialReceivesShadow);
  EXPECT_EQ(body.texture, 0);
  EXPECT_EQ(body.sphere, 1);
  EXPECT_EQ(body.sphere_mode, kSphereMultiply);
  EXPECT_TRUE(body.shared_toon);  // TOON03.bmp, whatever its case
  EXPECT_EQ(body.toon, 2);
  const PmxMaterial& glow = model.materials[1];
  EXPECT_EQ(glow.flags, kMaterialDoubleSided);  // 0.98: no self shadow
  EXPECT_EQ(glow.texture, kNoIndex);
  EXPECT_EQ(glow.sphere, 2);
  EXPECT_EQ(glow.sphere_mode, kSphereAdd);
  EXPECT_FALSE(glow.shared_toon);
  EXPECT_EQ(glow.toon, 3);
  const PmxMaterial& plain = model.materials[2];
  EXPECT_EQ(plain.flags, kMaterialDoubleSided | kMaterialCastsShadow | kMaterialReceivesShadow);
  EXPECT_EQ(plain.toon, kNoIndex);
  EXPECT_FALSE(plain.shared_toon);
  EXPECT_EQ(plain.index_count, 3u);
}

TEST(PmdParse, BonesOfEveryType) {
  const PmxModel model = Model();
  ASSERT_EQ(model.bones.size(), 12u);  // eleven of the file, one for the second chain
  constexpr int kUsual = kBoneTailIsBone | kBoneRotatable | kBoneVisible | kBoneOperable;
  const PmxBone& center = BoneOf(model, "center");
  EXPECT_EQ(center.name, "センター");
  EXPECT_EQ(center.parent, kNoIndex);
  EXPECT_EQ(center.flags, kUsual | kBoneMovable);
  EXPECT_EQ(center.tail_bone, 1);
  EXPECT_EQ(BoneOf(model, "leg").flags, kUsual);
  EXPECT_EQ(BoneOf(model, "ankle").flags, kUsual & ~kBoneVisible);
  EXPECT_EQ(BoneOf(model, "ankle").tail_bone, kNoIndex) << "0 means none";
  EXPECT_EQ(BoneOf(model, "hidden").flags, kUsual & ~kBoneVisible);
  EXPECT_EQ(BoneOf(model, "plain").flags, kUsual);
  EXPECT_EQ(BoneOf(model, "plain").tail_bone, kNoIndex) << "99 is not there";
  const PmxBone& twist = BoneOf(model, "twist");
  EXPECT_EQ(twist.flags, kUsual | kBoneFixedAxis);
  EXPECT_EQ(twist.fixed_axis, (Vec3f{0, -1, 0}));
  const PmxBone& follow = BoneOf(model, "follow");
  EXPECT_EQ(follow.flags, kBoneRotatable | kBoneOperable | kBoneAppendRotation);
  EXPECT_EQ(follow.append_source, 1);
  EXPECT_EQ(follow.append_ratio, 0.5f);
  const PmxBone& under = BoneOf(model, "under");
  EXPECT_EQ(under.flags, kUsual | kBoneAppendRotation);
  EXPECT_EQ(under.append_source, 2);
  EXPECT_EQ(under.append_ratio, 1);
}

TEST(PmdParse, IkChains) {
  Diagnostics diagnostics;
  const auto model = Parse(FullPmd(), diagnostics);
  ASSERT_TRUE(model.ok());
  const PmxBone& toe = model->bones[10];
  EXPECT_TRUE(toe.has(kBoneIk) && toe.has(kBoneMovable));
  EXPECT_EQ(toe.ik.effector, 3);
  EXPECT_EQ(toe.ik.iterations, 3);
  EXPECT_EQ(toe.ik.limit_angle, 4) << "four times the number of the file";
  const PmxBone& leg = model->bones[4];
  EXPECT_TRUE(leg.has(kBoneIk));
  EXPECT_EQ(leg.ik.iterations, 40);
  EXPECT_EQ(leg.ik.limit_angle, 2);
  ASSERT_EQ(leg.ik.links.size(), 2u);
  EXPECT_EQ(leg.ik.links[0].bone, 2);
  EXPECT_TRUE(leg.ik.links[0].has_limit) << "the knee";
  EXPECT_EQ(leg.ik.links[0].min, (Vec3f{-std::numbers::pi_v<float>, 0, 0}));
  EXPECT_NEAR(leg.ik.links[0].max.x, -0.00872664626, 1e-9);
  EXPECT_FALSE(leg.ik.links[1].has_limit);
  // The second chain of that goal has a bone of its own on top of it.
  EXPECT_TRUE(diagnostics.Contains("MMD_IK_SPLIT"));
  const PmxBone& further = model->bones[11];
  EXPECT_EQ(further.name, "左足ＩＫ+");
  EXPECT_EQ(further.name_en, "leg IK L");
  EXPECT_EQ(further.parent, 4);
  EXPECT_EQ(further.position, leg.position);
  EXPECT_FALSE(further.has(kBoneVisible));
  EXPECT_EQ(further.ik.effector, 2);
  EXPECT_EQ(further.ik.limit_angle, 1);
}

TEST(PmdParse, LayersKeepTheOrderOfTheChains) {
  const PmxModel model = Model();
  // The chain of bone 10 comes first in the file, but its parent 4 must come before it.
  EXPECT_EQ(model.bones[4].layer, 2);
  EXPECT_EQ(model.bones[10].layer, 2);
  EXPECT_EQ(model.bones[11].layer, 2);
  EXPECT_EQ(BoneOf(model, "follow").layer, 3) << "appends see what IK did";
  EXPECT_EQ(BoneOf(model, "under").layer, 3);
  EXPECT_EQ(BoneOf(model, "hidden").layer, 3) << "no child before its parent";
  EXPECT_EQ(model.bones[0].layer, 0);
  for (const PmxBone& bone : model.bones) {
    if (bone.parent != kNoIndex) {
      EXPECT_GE(bone.layer, model.bones[static_cast<std::size_t>(bone.parent)].layer);
    }
  }
}

TEST(PmdParse, MorphsNameTheVerticesOfTheBase) {
  const PmxModel model = Model();
  ASSERT_EQ(model.morphs.size(), 2u);
  EXPECT_EQ(model.morphs[0].name, "smile");
  EXPECT_EQ(model.morphs[0].name_en, "Smile");
  EXPECT_EQ(model.morphs[0].panel, 3);
  EXPECT_EQ(model.morphs[0].type, PmxMorphType::kVertex);
  EXPECT_EQ(model.morphs[0].vertex,
            (std::vector<PmxVertexEntry>{{3, {0, 0.5f, 0}}, {1, {0, 0, 1}}}));
  EXPECT_EQ(model.morphs[1].vertex, (std::vector<PmxVertexEntry>{{1, {0, -1, 0}}}));
  EXPECT_EQ(model.morphs[1].name_en, "Blink");
}

TEST(PmdParse, DisplayFrames) {
  const PmxModel model = Model();
  ASSERT_EQ(model.frames.size(), 3u);
  EXPECT_EQ(model.frames[0], (PmxDisplayFrame{"Root", "Root", true, {{false, 0}}}));
  EXPECT_EQ(model.frames[1], (PmxDisplayFrame{"表情", "Exp", true, {{true, 1}, {true, 0}}}));
  EXPECT_EQ(model.frames[2], (PmxDisplayFrame{"arms", "Arms", false, {{false, 1}, {false, 2}}}));
}

TEST(PmdParse, BodiesAreMadeAbsolute) {
  const PmxModel model = Model();
  ASSERT_EQ(model.bodies.size(), 2u);
  EXPECT_EQ(model.bodies[0].bone, 1);
  EXPECT_EQ(model.bodies[0].position, (Vec3f{1.5f, 9, 0}));
  EXPECT_EQ(model.bodies[0].shape, PmxShape::kCapsule);
  EXPECT_EQ(model.bodies[0].size, (Vec3f{0.5f, 2, 0}));
  EXPECT_EQ(model.bodies[0].mode, PmxBodyMode::kPhysics);
  EXPECT_EQ(model.bodies[0].collides_with, 0xfffe);
  EXPECT_EQ(model.bodies[0].friction, 0.75f);
  EXPECT_EQ(model.bodies[1].bone, kNoIndex);
  EXPECT_EQ(model.bodies[1].position, (Vec3f{0.5f, -1, 0})) << "from the first bone";
  ASSERT_EQ(model.joints.size(), 1u);
  EXPECT_EQ(model.joints[0].body_b, 1);
  EXPECT_EQ(model.joints[0].rotation_min, (Vec3f{0.5f, 0, 0}));
  EXPECT_EQ(model.joints[0].spring_rotation, (Vec3f{4, 5, 6}));
}

TEST(PmdParse, NamesKeepTheirBytes) {
  const PmxModel model = Model();
  ASSERT_EQ(model.pmd_names.bones.size(), model.bones.size());
  EXPECT_EQ(model.pmd_names.bones[0], "\x83\x5a\x83\x93\x83\x5e\x81\x5b");
  EXPECT_EQ(model.pmd_names.bones[11], model.pmd_names.bones[4] + "+");
  EXPECT_THAT(model.pmd_names.morphs, ElementsAre("smile", "blink"));
}

TEST(PmdParse, FindingsAreAsExpectedAndNoOthers) {
  Diagnostics diagnostics;
  ASSERT_TRUE(Parse(FullPmd(), diagnostics).ok());
  std::set<std::string> codes;
  for (const Diagnostic& d : diagnostics.entries()) codes.insert(d.code);
  EXPECT_EQ(codes, (std::set<std::string>{"MMD_BONE_VALUE_REPAIRED", "MMD_IK_SPLIT",
                                          "MMD_JOINT_LIMITS_REVERSED"}));
}

TEST(PmdParse, CanBeWrittenAsPmx) {
  PmxModel model = Model();
  const auto bytes = WritePmx(model);
  ASSERT_TRUE(bytes.ok()) << bytes.error().ToString();
  MemoryBudget budget(kBudget);
  Diagnostics diagnostics;
  const auto read = ParsePmx(*bytes, budget, diagnostics);
  ASSERT_TRUE(read.ok()) << read.error().ToString();
  model.pmd_names = {};
  EXPECT_EQ(*read, model);
}

TEST(PmdParse, OldFilesEndBeforeTheirLaterParts) {
  for (const char* part : {"English names", "toon textures", "rigid bodies", "joints"}) {
    MmdBytes file = FullPmd();
    file.bytes.resize(file.at[part]);
    Diagnostics diagnostics;
    const auto model = Parse(file, diagnostics);
    ASSERT_TRUE(model.ok()) << part << ": " << model.error().ToString();
    EXPECT_FALSE(diagnostics.Contains("MMD_TRAILING_BYTES"));
    EXPECT_TRUE(model->joints.empty());
    EXPECT_EQ(model->bodies.empty(), std::string(part) != "joints");
    if (std::string(part) == "English names" || std::string(part) == "toon textures") {
      EXPECT_TRUE(model->materials[0].shared_toon);
      EXPECT_EQ(model->materials[0].toon, 0) << "without a list, the shared ones";
    }
  }
}

TEST(PmdParse, EveryOtherTruncationIsAnErrorWithItsPlace) {
  const MmdBytes file = FullPmd();
  const std::set<std::size_t> ends = {file.at.at("English names"), file.at.at("toon textures"),
                                      file.at.at("rigid bodies"), file.at.at("joints")};
  for (std::size_t length = 0; length < file.bytes.size(); ++length) {
    MemoryBudget budget(kBudget);
    Diagnostics diagnostics;
    const auto model = ParsePmd(file.span().first(length), budget, diagnostics);
    ASSERT_EQ(model.ok(), ends.contains(length)) << length;
    if (model.ok()) continue;
    ASSERT_EQ(model.error().code, ErrorCode::kTruncated) << model.error().ToString();
    ASSERT_TRUE(model.error().place.byte_offset.has_value());
    ASSERT_LE(*model.error().place.byte_offset, length);
    ASSERT_FALSE(model.error().place.element.empty());
  }
}

TEST(PmdParse, BrokenTablesAreErrors) {
  const auto expect = [](const char* mark, std::uint64_t value, int width, std::size_t skip,
                         ErrorCode code, const std::string& element, const char* words) {
    MmdBytes file = FullPmd();
    file.Patch(mark, value, width, skip);
    Diagnostics diagnostics;
    const auto model = Parse(file, diagnostics);
    ASSERT_FALSE(model.ok()) << words;
    EXPECT_EQ(model.error().code, code) << model.error().ToString();
    EXPECT_EQ(model.error().place.element, element) << model.error().ToString();
    EXPECT_THAT(model.error().message, HasSubstr(words));
    EXPECT_TRUE(model.error().place.byte_offset.has_value());
  };
  const std::uint64_t nan = 0x7fc00000;
  expect("vertex 1", 11, 2, 32, ErrorCode::kIndexOutOfRange, "vertex 1", "is 11, but there are 11");
  expect("vertex 0", nan, 4, 0, ErrorCode::kInvalidValue, "vertex 0", "not finite");
  expect("face index 0", 4, 2, 2, ErrorCode::kIndexOutOfRange, "face index 1", "names vertex 4");
  expect("faces", 8, 4, 0, ErrorCode::kShapeMismatch, "faces", "multiple of 3");
  expect("bone 1", 11, 2, 20, ErrorCode::kIndexOutOfRange, "bone 1", "the parent of bone 1 is 11");
  expect("bone 1", 2, 2, 20, ErrorCode::kInvalidValue, "bone 1", "its own ancestor");
  expect("bone 1", nan, 4, 27, ErrorCode::kInvalidValue, "bone 1", "not finite");
  expect("vertices", 0xffffffff, 4, 0, ErrorCode::kTruncated, "vertices", "4294967295");
  expect("faces", 0x7fffffff, 4, 0, ErrorCode::kTruncated, "faces", "2147483647");
  expect("materials", 0x7fffffff, 4, 0, ErrorCode::kTruncated, "materials", "2147483647");
  expect("bones", 0xffff, 2, 0, ErrorCode::kTruncated, "bones", "65535");
  expect("IK chains", 0xffff, 2, 0, ErrorCode::kTruncated, "IK chains", "65535");
  expect("morphs", 0xffff, 2, 0, ErrorCode::kTruncated, "morphs", "65535");
  expect("morph 0 count", 0xffffffff, 4, 0, ErrorCode::kTruncated, "morph 0", "4294967295");
  expect("rigid bodies", 0xffffffff, 4, 0, ErrorCode::kTruncated, "rigid bodies", "4294967295");
  expect("joints", 0xffffffff, 4, 0, ErrorCode::kTruncated, "joints", "4294967295");
}

TEST(PmdParse, BrokenPartsAreDropped) {
  const auto expect = [](const char* mark, std::uint64_t value, int width, std::size_t skip,
                         const char* code) {
    MmdBytes file = FullPmd();
    file.Patch(mark, value, width, skip);
    Diagnostics diagnostics;
    const auto model = Parse(file, diagnostics);
    EXPECT_TRUE(model.ok()) << model.error().ToString();
    EXPECT_TRUE(diagnostics.Contains(code)) << code;
    return model.ok() ? *model : PmxModel();
  };
  EXPECT_EQ(expect("morph 1 entry", 2, 4, 0, "MMD_MORPH_ENTRY_DROPPED").morphs[0].vertex.size(),
            1u);
  EXPECT_EQ(expect("morph 0 entry", 4, 4, 0, "MMD_MORPH_ENTRY_DROPPED").morphs[0].vertex.size(),
            1u);
  const PmxModel baseless = expect("morph 0 panel", 1, 1, 0, "PMD_NO_BASE_MORPH");
  ASSERT_EQ(baseless.morphs.size(), 3u);
  EXPECT_TRUE(baseless.morphs[1].vertex.empty());
  EXPECT_EQ(expect("rigid body 0", 3, 1, 20 + 2 + 1 + 2, "MMD_BODY_DROPPED").bodies.size(), 1u);
  EXPECT_TRUE(expect("rigid body 0", 3, 1, 20 + 2 + 1 + 2, "MMD_JOINT_DROPPED").joints.empty());
  EXPECT_TRUE(expect("joint 0 bodies", 2, 4, 0, "MMD_JOINT_DROPPED").joints.empty());
  EXPECT_TRUE(expect("joint 0 numbers", 0x7f800000, 4, 0, "MMD_JOINT_DROPPED").joints.empty());
  EXPECT_EQ(expect("IK chain 1 link", 11, 2, 0, "MMD_IK_LINK_DROPPED").bones[4].ik.links.size(),
            1u);
  EXPECT_FALSE(expect("IK chain 0", 11, 2, 0, "MMD_IK_LINK_DROPPED").bones[10].has(kBoneIk));
  EXPECT_EQ(expect("vertex 0", 200, 1, 36, "PMD_WEIGHT_OUT_OF_RANGE").vertices[0].weights[0], 2);
  EXPECT_EQ(expect("vertex 0", 0x7fc00000, 4, 12, "MMD_VERTEX_VALUE_REPAIRED").vertices[0].normal,
            Vec3f{});
  expect("display lists", 9, 2, 1, "MMD_FRAME_ENTRY_DROPPED");
  expect("bone 9", 10, 1, 24, "MMD_UNKNOWN_VALUE");
}

TEST(PmdParse, NamesOfOddBytesAreNoReasonToStop) {
  MmdBytes file = FullPmd();
  file.Patch("bone 9", 0x85fd83, 3);  // a half character, and bytes that mean nothing
  Diagnostics diagnostics;
  const auto model = Parse(file, diagnostics);
  ASSERT_TRUE(model.ok());
  EXPECT_TRUE(diagnostics.Contains("MMD_TEXT_REPAIRED"));
  EXPECT_EQ(model->pmd_names.bones[9].substr(0, 3), "\x83\xfd\x85");
}

TEST(PmdParse, TheMemoryBudgetHolds) {
  const MmdBytes file = FullPmd();
  MemoryBudget whole(kBudget);
  Diagnostics diagnostics;
  ASSERT_TRUE(ParsePmd(file.span(), whole, diagnostics).ok());
  for (std::uint64_t limit = 0; limit < whole.used(); limit += 101) {
    MemoryBudget budget(limit);
    const auto model = ParsePmd(file.span(), budget, diagnostics);
    ASSERT_FALSE(model.ok());
    ASSERT_EQ(model.error().code, ErrorCode::kLimitExceeded);
  }
}

TEST(PmdParse, RefusesWhatIsNoPmd) {
  MmdBytes file = FullPmd();
  file.bytes[0] = std::byte{'p'};
  Diagnostics diagnostics;
  const auto model = Parse(file, diagnostics);
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.error().code, ErrorCode::kUnknownFormat);
}

}  // namespace
}  // namespace flexor::io::mmd
