// What EncodeGlb puts where, read with a JSON parser and a few lines of accessor arithmetic.
#include "flexor/io/write_glb.h"

#include <set>

#include "flexor/core/version.h"

#include "io/gltf/write_glb_builder.h"
#include "io/gltf/write_glb_material.h"
#include "io/write_glb_support.h"

namespace flexor::io {
namespace {

using asset::Character;
using asset::kNone;
using test::AccessorValues;
using test::Encoded;
using test::Glb;
using test::SkinnedSquare;
using test::SplitGlb;
using Json = nlohmann::json;

const Json& Primitive(const Glb& glb, std::size_t mesh = 0, std::size_t primitive = 0) {
  return glb.json["meshes"][mesh]["primitives"][primitive];
}

std::vector<double> Attribute(const Glb& glb, const std::string& name, std::size_t mesh = 0) {
  return AccessorValues(glb, Primitive(glb, mesh)["attributes"][name].get<std::size_t>());
}

bool HasNote(const Diagnostics& notes, std::string_view code) { return notes.Contains(code); }

TEST(WriteGlb, TwelveInfluencesMakeThreeSets) {
  Character character = SkinnedSquare(12);
  auto& influences = character.meshes[0].influences;
  influences = {};
  influences.offsets = {0};
  for (std::uint32_t v = 0; v < 4; ++v) {
    // 12, 9, 6 and 3 influences, all weights 3.
    for (std::uint32_t j = 0; j < 12 - 3 * v; ++j) {
      influences.joints.push_back(11 - j);
      influences.weights.push_back(3);
    }
    influences.offsets.push_back(static_cast<std::uint32_t>(influences.joints.size()));
  }
  Diagnostics notes;
  const Glb glb = SplitGlb(Encoded(character, &notes));
  EXPECT_TRUE(HasNote(notes, "WEIGHTS_NOT_NORMALIZED"));
  const Json& attributes = Primitive(glb)["attributes"];
  for (const char* name :
       {"JOINTS_0", "JOINTS_1", "JOINTS_2", "WEIGHTS_0", "WEIGHTS_1", "WEIGHTS_2"}) {
    EXPECT_TRUE(attributes.contains(name)) << name;
  }
  EXPECT_FALSE(attributes.contains("JOINTS_3"));
  for (std::size_t v = 0; v < 4; ++v) {
    const std::size_t used = 12 - 3 * v;
    double sum = 0;
    for (std::size_t k = 0; k < 12; ++k) {
      const std::string set = std::to_string(k / 4);
      const double joint = Attribute(glb, "JOINTS_" + set)[v * 4 + k % 4];
      const double weight = Attribute(glb, "WEIGHTS_" + set)[v * 4 + k % 4];
      EXPECT_EQ(joint, k < used ? static_cast<double>(11 - k) : 0) << v << " " << k;
      EXPECT_EQ(weight, k < used ? static_cast<double>(1.0f / static_cast<float>(used)) : 0);
      sum += weight;
    }
    EXPECT_NEAR(sum, 1, 2e-7 * static_cast<double>(used));
  }
}

TEST(WriteGlb, SaysWhichVersionWroteIt) {
  Character character = SkinnedSquare(1);
  const Glb glb = SplitGlb(Encoded(character));
  EXPECT_EQ(glb.json["asset"]["generator"], WriterName());
}

TEST(WriteGlb, JointsTakeAByteWhereTheyFit) {
  for (const std::uint32_t joints : {256u, 257u}) {
    Character character = SkinnedSquare(joints);
    character.meshes[0].influences.joints = {0, 1, joints - 1, 3};
    const Glb glb = SplitGlb(Encoded(character));
    const auto index = Primitive(glb)["attributes"]["JOINTS_0"].get<std::size_t>();
    EXPECT_EQ(glb.json["accessors"][index]["componentType"], joints == 256 ? 5121 : 5123);
    EXPECT_EQ(AccessorValues(glb, index)[8], joints - 1);
  }
}

TEST(WriteGlb, VerticesWithoutWeightHangOnAJointThatHoldsStill) {
  Character character = SkinnedSquare(2);
  character.nodes[0].rest.translation = {100, 0, 0};
  character.meshes[0].influences.weights[3] = 0;
  Diagnostics notes;
  const Glb glb = SplitGlb(Encoded(character, &notes));
  EXPECT_TRUE(HasNote(notes, "GLB_STILL_JOINT"));
  EXPECT_TRUE(HasNote(notes, "WEIGHTS_ZERO_SUM"));
  const Json& skin = glb.json["skins"][0];
  ASSERT_EQ(skin["joints"].size(), 3u);
  EXPECT_EQ(Attribute(glb, "JOINTS_0")[12], 2);
  EXPECT_EQ(Attribute(glb, "WEIGHTS_0")[12], 1);
  // Its matrix is the identity, and so is every transform above it: skinning returns the point.
  const auto matrices = AccessorValues(glb, skin["inverseBindMatrices"].get<std::size_t>());
  ASSERT_EQ(matrices.size(), 48u);
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(matrices[32 + i], i % 5 == 0 ? 1 : 0);
  std::size_t still = skin["joints"][2];
  for (bool above = true; above;) {
    const Json& node = glb.json["nodes"][still];
    for (const char* member : {"translation", "rotation", "scale", "matrix"}) {
      EXPECT_FALSE(node.contains(member)) << still;
    }
    above = false;
    for (std::size_t n = 0; n < glb.json["nodes"].size() && !above; ++n) {
      const Json children = glb.json["nodes"][n].value("children", Json::array());
      above = std::find(children.begin(), children.end(), Json(still)) != children.end();
      if (above) still = n;
    }
  }
}

TEST(WriteGlb, StillJointHasOneIndexForAllSkinsOfAMesh) {
  Character character = SkinnedSquare(2);
  test::AddChain(character, 5);
  character.meshes[0].influences.weights[3] = 0;
  character.instances.push_back(character.instances[0]);
  character.instances[1].skin = 1;
  character.instances[1].node = kNone;
  const Glb glb = SplitGlb(Encoded(character));
  EXPECT_EQ(Attribute(glb, "JOINTS_0")[12], 5);
  for (std::size_t s = 0; s < 2; ++s) {
    const Json& joints = glb.json["skins"][s]["joints"];
    ASSERT_EQ(joints.size(), 6u);
    EXPECT_EQ((std::set<int>(joints.begin(), joints.end())).size(), 6u);
  }
}

TEST(WriteGlb, SubsetsShareAttributesAndIndexWidthFitsTheMesh) {
  Character character = SkinnedSquare();
  character.materials.resize(2);
  character.meshes[0].subsets = {{0, 3, 1}, {3, 3, 0}};
  for (const std::size_t vertices : {4u, 65535u, 65536u}) {
    asset::Mesh& mesh = character.meshes[0];
    mesh.positions.resize(vertices, {0, 0, 0});
    mesh.normals.resize(vertices, {0, 0, 1});
    test::BindRoundRobin(mesh, 2);
    const Glb glb = SplitGlb(Encoded(character));
    ASSERT_EQ(glb.json["meshes"][0]["primitives"].size(), 2u);
    EXPECT_EQ(Primitive(glb, 0, 0)["attributes"], Primitive(glb, 0, 1)["attributes"]);
    EXPECT_EQ(Primitive(glb, 0, 0)["material"], 1);
    EXPECT_EQ(Primitive(glb, 0, 1)["material"], 0);
    const auto first = Primitive(glb, 0, 0)["indices"].get<std::size_t>();
    const auto second = Primitive(glb, 0, 1)["indices"].get<std::size_t>();
    EXPECT_EQ(AccessorValues(glb, first), (std::vector<double>{0, 1, 2}));
    EXPECT_EQ(AccessorValues(glb, second), (std::vector<double>{0, 2, 3}));
    EXPECT_EQ(glb.json["accessors"][first]["componentType"], vertices <= 65535 ? 5123 : 5125);
  }
}

TEST(WriteGlb, PositionsCarryTheirBoundsAndEveryViewIsAligned) {
  Character character = SkinnedSquare();
  character.meshes[0].positions[2] = {-0.1f, 7, 1e-20f};
  const Glb glb = SplitGlb(Encoded(character));
  const Json& accessor =
      glb.json["accessors"][Primitive(glb)["attributes"]["POSITION"].get<std::size_t>()];
  EXPECT_EQ(accessor["min"], Json::array({static_cast<double>(-0.1f), 0.0, 0.0}));
  EXPECT_EQ(accessor["max"], Json::array({1.0, 7.0, static_cast<double>(1e-20f)}));
  std::set<int> targets;
  for (const Json& view : glb.json["bufferViews"]) {
    EXPECT_EQ(view.value("byteOffset", 0) % 4, 0);
    targets.insert(view.value("target", 0));
  }
  EXPECT_EQ(targets, (std::set<int>{0, 34962, 34963}));
}

TEST(WriteGlb, SparseMorphsStaySparse) {
  Character character = SkinnedSquare();
  asset::Mesh& mesh = character.meshes[0];
  mesh.morphs.resize(3);
  mesh.morphs[0].name = "smile";
  mesh.morphs[0].vertices = {1, 3};
  mesh.morphs[0].positions = {{1, 2, 3}, {-4, 5, 6}};
  mesh.morphs[1].positions.assign(4, {0, 0, 0.5f});
  mesh.morph_weights = {0, 0.1f, 0};
  const Glb glb = SplitGlb(Encoded(character));
  const Json& targets = Primitive(glb)["targets"];
  ASSERT_EQ(targets.size(), 3u);
  const Json& sparse = glb.json["accessors"][targets[0]["POSITION"].get<std::size_t>()];
  EXPECT_FALSE(sparse.contains("bufferView"));
  EXPECT_EQ(sparse["count"], 4);
  EXPECT_EQ(sparse["sparse"]["count"], 2);
  EXPECT_EQ(sparse["min"], Json::array({-4.0, 0.0, 0.0}));  // the vertices not listed count, too
  EXPECT_EQ(sparse["max"], Json::array({1.0, 5.0, 6.0}));
  EXPECT_EQ(AccessorValues(glb, targets[1]["POSITION"].get<std::size_t>())[11], 0.5);
  // The third moves nothing and is still there.
  EXPECT_FALSE(glb.json["accessors"][targets[2]["POSITION"].get<std::size_t>()].contains("sparse"));
  EXPECT_EQ(glb.json["meshes"][0]["weights"], Json::array({0.0, 0.1, 0.0}));
  EXPECT_EQ(glb.json["meshes"][0]["extras"]["targetNames"], Json::array({"smile", "", ""}));
}

TEST(WriteGlb, NodesKeepTheirOrderAndNumbers) {
  Character character = SkinnedSquare(3);
  character.nodes[1].rest.rotation = Normalized(Quatd{0.1, 0.2, 0.3, 0.9});
  character.nodes[1].rest.scale = {1, -2, 0};
  character.nodes[2].rest_matrix = Mat34d{{{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}}, {0.1, 0.2, 0.3}};
  Character written = character;
  const Glb glb = SplitGlb(Encoded(written));
  const Json& nodes = glb.json["nodes"];
  ASSERT_EQ(nodes.size(), 4u);
  EXPECT_EQ(nodes[0]["children"], Json::array({1}));
  EXPECT_EQ(nodes[1]["children"], Json::array({2}));
  const Quatd q = written.nodes[1].rest.rotation;
  EXPECT_EQ(nodes[1]["rotation"], Json::array({q.x, q.y, q.z, q.w}));
  EXPECT_EQ(nodes[1]["scale"], Json::array({1.0, -2.0, 0.0}));
  EXPECT_EQ(nodes[2]["matrix"], Json::array({0.0, 1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0,
                                             0.0, 0.1, 0.2, 0.3, 1.0}));
  EXPECT_FALSE(nodes[2].contains("translation"));
  EXPECT_EQ(nodes[3]["name"], "carrier");
  EXPECT_EQ(nodes[3]["mesh"], 0);
  EXPECT_EQ(nodes[3]["skin"], 0);
  EXPECT_EQ(glb.json["scenes"][0]["nodes"], Json::array({0, 3}));
}

TEST(WriteGlb, AnimatedNodesHaveNoMatrix) {
  Character character = SkinnedSquare(2);
  character.nodes[1].rest_matrix = Mat34d{{{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}}, {0.1, 0.2, 0.3}};
  character.nodes[1].rest = {{0.1, 0.2, 0.3}, {0, 0, 0.6, 0.8}, {1, 1, 1}};
  asset::Clip clip;
  clip.channels.push_back(
      {asset::ChannelPath::kScale, asset::Interpolation::kLinear, 1, 3, {0}, {1, 1, 1}});
  character.clips.push_back(clip);
  const Glb glb = SplitGlb(Encoded(character));
  EXPECT_FALSE(glb.json["nodes"][1].contains("matrix"));
  EXPECT_EQ(glb.json["nodes"][1]["rotation"], Json::array({0.0, 0.0, 0.6, 0.8}));
}

TEST(WriteGlb, HiddenInstancesAreOutsideTheScene) {
  // Two trees, each with a rigid mesh; the second is hidden.
  Character character;
  character.meshes.push_back(test::Square());
  character.nodes.resize(2);
  character.instances.resize(2);
  character.instances[0].node = 0;
  character.instances[1].node = 1;
  character.instances[1].visible = false;
  {
    Character copy = character;
    const Glb glb = SplitGlb(Encoded(copy));
    EXPECT_EQ(glb.json["scenes"][0]["nodes"], Json::array({0}));
    EXPECT_EQ(glb.json["nodes"][1]["mesh"], 0);
  }
  {
    // In one tree, the hidden one has to leave it, where its node puts it at rest.
    Character copy = character;
    copy.nodes[0].rest.translation = {1, 2, 3};
    copy.nodes[1].parent = 0;
    copy.nodes[1].rest.scale = {2, 2, 2};
    Diagnostics notes;
    const Glb glb = SplitGlb(Encoded(copy, &notes));
    EXPECT_TRUE(HasNote(notes, "GLB_NODE_ADDED"));
    ASSERT_EQ(glb.json["nodes"].size(), 3u);
    EXPECT_EQ(glb.json["scenes"][0]["nodes"], Json::array({0}));
    EXPECT_FALSE(glb.json["nodes"][1].contains("mesh"));
    EXPECT_EQ(glb.json["nodes"][2]["translation"], Json::array({1.0, 2.0, 3.0}));
    EXPECT_EQ(glb.json["nodes"][2]["scale"], Json::array({2.0, 2.0, 2.0}));
  }
}

TEST(WriteGlb, OneMeshUnderTwoSkinsIsWrittenOnce) {
  Character character = SkinnedSquare(2);
  test::AddChain(character, 3);
  character.nodes.emplace_back();
  character.instances.push_back(character.instances[0]);
  character.instances[1].skin = 1;
  character.instances[1].node = static_cast<std::int32_t>(character.nodes.size() - 1);
  character.instances[1].name.clear();
  const Glb glb = SplitGlb(Encoded(character));
  EXPECT_EQ(glb.json["meshes"].size(), 1u);
  EXPECT_EQ(glb.json["skins"].size(), 2u);
  EXPECT_EQ(glb.json["nodes"][2]["skin"], 0);
  EXPECT_EQ(glb.json["nodes"][6]["skin"], 1);
  EXPECT_EQ(glb.json["nodes"][6]["mesh"], 0);
}

TEST(WriteGlb, SkinsThatNothingUsesAreKept) {
  Character character = SkinnedSquare(2);
  test::AddChain(character, 3);
  const Glb glb = SplitGlb(Encoded(character));
  ASSERT_EQ(glb.json["skins"].size(), 2u);
  EXPECT_EQ(glb.json["skins"][1]["joints"], Json::array({3, 4, 5}));
}

TEST(WriteGlb, SaysWhatItLeavesOut) {
  Character character = SkinnedSquare(2);
  character.meshes.emplace_back();  // no vertices
  character.instances.emplace_back();
  character.instances[1].mesh = 1;
  character.images.push_back({"lost", "image/png", {}});
  character.clips.emplace_back();
  character.meshes[0].normals[1] = {0, 0, 3};
  Diagnostics notes;
  const Glb glb = SplitGlb(Encoded(character, &notes));
  for (const char* code :
       {"GLB_MESH_EMPTY", "GLB_IMAGE_LEFT_OUT", "GLB_CLIP_LEFT_OUT", "GLB_NORMALS_REPAIRED"}) {
    EXPECT_TRUE(HasNote(notes, code)) << code;
  }
  EXPECT_EQ(glb.json["meshes"].size(), 1u);
  EXPECT_FALSE(glb.json.contains("animations"));
  EXPECT_FALSE(glb.json.contains("images"));
  EXPECT_EQ(Attribute(glb, "NORMAL")[5], 1);
}

TEST(WriteGlb, EqualCharactersAreEqualBytes) {
  Character a = SkinnedSquare(5), b = SkinnedSquare(5);
  EXPECT_EQ(Encoded(a), Encoded(b));
}

TEST(WriteGlb, RefusesWhatTheFormatCannotHold) {
  Character character;
  test::AddChain(character, 65537);
  ASSERT_TRUE(asset::Finalize(character).ok());
  const auto bytes = EncodeGlb(character);
  ASSERT_FALSE(bytes.ok());
  EXPECT_EQ(bytes.error().code, ErrorCode::kLimitExceeded);
  EXPECT_NE(bytes.error().message.find("65537"), std::string::npos);
  EXPECT_NE(bytes.error().message.find("65536"), std::string::npos);
}

TEST(GlbBuilder, CountsBytesPastItsLimitWithoutHoldingThem) {
  const std::vector<float> many(1000, 1.0f);
  gltf::GlbBuilder builder(2000);
  for (int i = 0; i < 3; ++i) {
    builder.AddArray(std::span<const float>(many), "SCALAR", 1, gltf::BufferUse::kOther);
  }
  const auto bytes = builder.Finish({{"asset", {{"version", "2.0"}}}});
  ASSERT_FALSE(bytes.ok());
  EXPECT_EQ(bytes.error().code, ErrorCode::kLimitExceeded);
  EXPECT_NE(bytes.error().message.find("at most 2000"), std::string::npos);
  gltf::GlbBuilder fits(20000);
  fits.AddArray(std::span<const float>(many), "SCALAR", 1, gltf::BufferUse::kOther);
  EXPECT_TRUE(fits.Finish({{"asset", {{"version", "2.0"}}}}).ok());
}

TEST(GlbBuilder, ShortNumbersReadBackAsTheSameFloat) {
  EXPECT_EQ(nlohmann::json(gltf::Short(0.1f)).dump(), "0.1");
  for (const float value : {0.1f, 1e-7f, 3.4e38f, -0.0f, 1.0f / 3}) {
    EXPECT_EQ(static_cast<float>(gltf::Short(value)), value);
  }
}

TEST(PictureType, GoesByContent) {
  const auto type = [](const std::string& bytes) {
    return gltf::PictureType(std::as_bytes(std::span(bytes)));
  };
  const std::string png =
      test::Bytes({0x89, 'P', 'N', 'G', 0x0D, 0x0A, 0x1A, 0x0A, 0,   0,   0,   13, 'I', 'H', 'D',
                   'R',  0,   0,   0,   1,    0,    0,    0,    1,   8,   2,   0,  0,   0,   0,
                   0,    0,   0,   0,   0,    0,    0,    'I',  'D', 'A', 'T', 0,  0,   0,   0});
  EXPECT_EQ(type(png), "image/png");
  for (std::size_t cut = 0; cut < png.size(); ++cut) EXPECT_EQ(type(png.substr(0, cut)), "") << cut;
  const std::string jpeg = test::Bytes(
      {0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xFF, 0xC0, 0, 11, 8, 0, 1, 0, 2, 1, 1, 0x11, 0});
  EXPECT_EQ(type(jpeg), "image/jpeg");
  for (std::size_t cut = 0; cut < jpeg.size(); ++cut)
    EXPECT_EQ(type(jpeg.substr(0, cut)), "") << cut;
  EXPECT_EQ(type("RIFF....WEBP"), "");
}

TEST(WritePosedGlb, HoldsPointsInOrderWithMaterials) {
  Character character = SkinnedSquare(2);
  character.materials.resize(3);
  character.materials[2].name = "used";
  character.meshes[0].subsets = {{0, 6, 2}};
  character.meshes[0].texcoords = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  ASSERT_TRUE(asset::Finalize(character).ok());
  const std::vector<Vec3f> moved = {{5, 0, 0}, {6, 0, 0}, {6, 1, 0}, {5, 1, 0}};
  const PosedInstance posed[2] = {{0, moved, {}, {}}, {0, character.meshes[0].positions, {}, {}}};
  const auto bytes = EncodePosedGlb(character, posed);
  ASSERT_TRUE(bytes.ok()) << bytes.error().ToString();
  const Glb glb = SplitGlb(*bytes);
  EXPECT_FALSE(glb.json.contains("skins"));
  ASSERT_EQ(glb.json["nodes"].size(), 2u);
  EXPECT_EQ(glb.json["nodes"][0], Json({{"name", "carrier"}, {"mesh", 0}}));
  EXPECT_EQ(glb.json["scenes"][0]["nodes"], Json::array({0, 1}));
  ASSERT_EQ(glb.json["materials"].size(), 1u);
  EXPECT_EQ(glb.json["materials"][0]["name"], "used");
  EXPECT_EQ(Primitive(glb)["material"], 0);
  EXPECT_EQ(Attribute(glb, "POSITION"), (std::vector<double>{5, 0, 0, 6, 0, 0, 6, 1, 0, 5, 1, 0}));
  EXPECT_EQ(Attribute(glb, "TEXCOORD_0"), (std::vector<double>{0, 0, 1, 0, 1, 1, 0, 1}));
  EXPECT_FALSE(Primitive(glb)["attributes"].contains("NORMAL"));
}

TEST(WritePosedGlb, ChecksWhatItIsGiven) {
  Character character = SkinnedSquare(2);
  ASSERT_TRUE(asset::Finalize(character).ok());
  std::vector<Vec3f> points = character.meshes[0].positions;
  const auto code = [&](const PosedInstance& posed) {
    const auto bytes = EncodePosedGlb(character, {&posed, 1});
    EXPECT_FALSE(bytes.ok());
    return bytes.ok() ? ErrorCode::kInternal : bytes.error().code;
  };
  EXPECT_EQ(code({1, points, {}, {}}), ErrorCode::kIndexOutOfRange);
  EXPECT_EQ(code({0, std::span(points).first(3), {}, {}}), ErrorCode::kShapeMismatch);
  EXPECT_EQ(code({0, points, std::span(points).first(1), {}}), ErrorCode::kShapeMismatch);
  points[2].y = std::nanf("");
  EXPECT_EQ(code({0, points, {}, {}}), ErrorCode::kInvalidValue);
}

}  // namespace
}  // namespace flexor::io
