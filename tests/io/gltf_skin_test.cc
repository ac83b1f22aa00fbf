// Skins and the structures around them.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/gltf_builder.h"

namespace flexor::io {
namespace {

using test::GltfBuilder;
using test::Json;
using test::RestPoints;
using ::testing::HasSubstr;

constexpr float kIdentity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

std::vector<float> Translation(float x, float y, float z) {
  std::vector<float> m(std::begin(kIdentity), std::end(kIdentity));
  m[12] = x;
  m[13] = y;
  m[14] = z;
  return m;
}

/// A mesh of one primitive of zigzag points, each on one joint with weight 1.
std::size_t BoundMesh(GltfBuilder& b, const std::vector<std::uint8_t>& joint_of_vertex) {
  std::vector<std::uint8_t> joints;
  std::vector<float> weights;
  for (const std::uint8_t joint : joint_of_vertex) {
    joints.insert(joints.end(), {joint, 0, 0, 0});
    weights.insert(weights.end(), {1, 0, 0, 0});
  }
  const std::size_t position = b.Zigzag(joint_of_vertex.size());
  return b.Mesh({{"primitives",
                  {{{"attributes",
                     {{"POSITION", position},
                      {"JOINTS_0", b.Accessor("VEC4", joints)},
                      {"WEIGHTS_0", b.Floats("VEC4", weights)}}}}}}});
}

void ExpectPoint(const Vec3d& actual, Vec3d expected, double tolerance = 1e-6) {
  EXPECT_NEAR(actual.x, expected.x, tolerance);
  EXPECT_NEAR(actual.y, expected.y, tolerance);
  EXPECT_NEAR(actual.z, expected.z, tolerance);
}

/// Loads and returns the character; a failure ends the test by an empty one.
asset::Character Loaded(const GltfBuilder& b) {
  auto loaded = b.Load();
  EXPECT_TRUE(loaded.ok()) << loaded.error().ToString();
  return loaded.ok() ? std::move(loaded->character) : asset::Character();
}

// Only joints place a skinned mesh; the transform of its own node has no effect.
TEST(GltfSkinTest, TheTransformOfASkinnedMeshNodeHasNoEffect) {
  GltfBuilder b;
  b.json["scenes"] = {{{"nodes", {0, 2, 3}}}};
  b.Node({{"mesh", BoundMesh(b, {0, 0, 0})}, {"skin", 0}, {"rotation", {0, 1, 0, 0}}});
  b.Node({{"mesh", 0}, {"skin", 0}, {"rotation", {0, 1, 0, 0}}});
  b.Node({{"children", {1}}, {"scale", {3, 3, 3}}});
  b.Node({{"translation", {5, 0, 0}}});
  b.Skin({{"joints", {3}}});
  const asset::Character c = Loaded(b);
  ASSERT_EQ(c.instances.size(), 2u);
  const auto first = RestPoints(c, 0), second = RestPoints(c, 1);
  ASSERT_EQ(first.size(), 3u);
  ExpectPoint(first[1], {6, 0, 0});
  for (std::size_t v = 0; v < 3; ++v) ExpectPoint(second[v], first[v], 0);
}

// Without inverse bind matrices each is the identity; with them they are used as given.
TEST(GltfSkinTest, AbsentInverseBindMatricesAreIdentities) {
  GltfBuilder b;
  b.Node({{"mesh", BoundMesh(b, {1, 0, 0})}, {"skin", 0}});
  b.Node({{"children", {2}}});
  b.Node({{"translation", {0, 1, 0}}});
  b.Skin({{"joints", {1, 2}}});
  ExpectPoint(RestPoints(Loaded(b), 0)[0], {0, 1, 0});
}

TEST(GltfSkinTest, InverseBindMatricesAreUsedAsGiven) {
  GltfBuilder b;
  b.Node({{"mesh", BoundMesh(b, {0, 0, 0})}, {"skin", 0}});
  b.Node({{"translation", {0, 2, 0}}});
  b.Skin({{"joints", {1}}, {"inverseBindMatrices", b.Floats("MAT4", Translation(0, 0, 0))}});
  ExpectPoint(RestPoints(Loaded(b), 0)[0], {0, 2, 0});
}

TEST(GltfSkinTest, AnAccessorWithoutDataIsNoMatrix) {
  GltfBuilder b;
  b.Node({{"mesh", BoundMesh(b, {0, 0, 0})}, {"skin", 0}});
  b.Node({{"translation", {0, 2, 0}}});
  const std::size_t empty =
      b.Append("accessors", {{"componentType", 5126}, {"count", 1}, {"type", "MAT4"}});
  b.Skin({{"joints", {1}}, {"inverseBindMatrices", empty}});
  const auto loaded = b.Load();
  ASSERT_TRUE(loaded.ok()) << loaded.error().ToString();
  ExpectPoint(RestPoints(loaded->character, 0)[1], {1, 2, 0});
  EXPECT_TRUE(loaded->diagnostics.Contains("SKIN_IBM_WITHOUT_DATA"));
}

TEST(GltfSkinTest, MoreMatricesThanJointsAreAllowed) {
  GltfBuilder b;
  b.Node({{"mesh", BoundMesh(b, {0, 0, 0})}, {"skin", 0}});
  b.Node({});
  std::vector<float> two = Translation(1, 2, 3);
  const auto spare = Translation(9, 9, 9);
  two.insert(two.end(), spare.begin(), spare.end());
  b.Skin({{"joints", {1}}, {"inverseBindMatrices", b.Floats("MAT4", two)}});
  ExpectPoint(RestPoints(Loaded(b), 0)[0], {1, 2, 3});
}

Error LoadError(const GltfBuilder& b) {
  const auto loaded = b.Load();
  EXPECT_FALSE(loaded.ok());
  return loaded.ok() ? Error{} : loaded.error();
}

// A row-major inverse bind matrix is refused, and the message says that it looks transposed.
TEST(GltfSkinTest, TransposedInverseBindMatrixIsNamedAsSuch) {
  GltfBuilder b;
  b.Node({{"mesh", BoundMesh(b, {0, 0, 0})}, {"skin", 0}});
  b.Node({});
  std::vector<float> m = Translation(0, 0, 0);
  m[3] = 1;
  m[7] = 2;
  m[11] = 3;
  b.Skin({{"joints", {1}}, {"inverseBindMatrices", b.Floats("MAT4", m)}});
  const Error error = LoadError(b);
  EXPECT_EQ(error.code, ErrorCode::kInvalidValue);
  EXPECT_EQ(error.place.element, "/skins/0/inverseBindMatrices");
  EXPECT_THAT(error.message, HasSubstr("fourth row must be 0 0 0 1"));
  EXPECT_THAT(error.message, HasSubstr("looks transposed"));
  EXPECT_THAT(error.message, HasSubstr("fourth row 1 2 3 1"));
}

TEST(GltfSkinTest, OtherMatricesThatAreNotAffine) {
  for (const int element : {3, 7, 11, 15}) {
    GltfBuilder b;
    b.Node({{"mesh", BoundMesh(b, {0, 0, 0})}, {"skin", 0}});
    b.Node({});
    std::vector<float> m = Translation(4, 5, 6);
    m[static_cast<std::size_t>(element)] += 0.5f;
    b.Skin({{"joints", {1}}, {"inverseBindMatrices", b.Floats("MAT4", m)}});
    const Error error = LoadError(b);
    EXPECT_THAT(error.message, HasSubstr("fourth row must be 0 0 0 1"));
    EXPECT_EQ(error.message.find("transposed"), std::string::npos);
  }
  // Rounding in the fourth row is not worth refusing a character for.
  GltfBuilder b;
  b.Node({{"mesh", BoundMesh(b, {0, 0, 0})}, {"skin", 0}});
  b.Node({});
  std::vector<float> m = Translation(4, 5, 6);
  m[3] = 1e-7f;
  m[15] = 0.99999994f;
  b.Skin({{"joints", {1}}, {"inverseBindMatrices", b.Floats("MAT4", m)}});
  ExpectPoint(RestPoints(Loaded(b), 0)[0], {4, 5, 6});
}

// Inverse bind matrices that are too few or of the wrong type.
TEST(GltfSkinTest, InverseBindMatricesOfTheWrongTypeOrNumber) {
  const auto error = [](auto accessor, std::size_t joints) {
    GltfBuilder b;
    Json skin = {{"joints", Json::array()}};
    for (std::size_t j = 0; j < joints; ++j) skin["joints"].push_back(b.Node(Json::object()));
    skin["inverseBindMatrices"] = accessor(b);
    b.Skin(skin);
    return LoadError(b);
  };
  const Error few =
      error([](GltfBuilder& b) { return b.Floats("MAT4", std::vector<float>(2 * 16, 1)); }, 5);
  EXPECT_EQ(few.code, ErrorCode::kShapeMismatch);
  EXPECT_THAT(few.message, HasSubstr("2 inverse bind matrices for 5 joints"));
  EXPECT_EQ(few.place.element, "/skins/0/inverseBindMatrices");
  const Error vec4 =
      error([](GltfBuilder& b) { return b.Floats("VEC4", std::vector<float>(8, 0)); }, 2);
  EXPECT_EQ(vec4.code, ErrorCode::kInvalidValue);
  EXPECT_THAT(vec4.message, HasSubstr("VEC4, but must be MAT4"));
  const Error shorts = error(
      [](GltfBuilder& b) { return b.Accessor("MAT4", std::vector<std::int16_t>(16, 0), true); }, 1);
  EXPECT_EQ(shorts.code, ErrorCode::kInvalidValue);
}

// One mesh on several nodes, each with a skin of its own.
TEST(GltfSkinTest, OneMeshOnManyNodesWithDifferentSkins) {
  GltfBuilder b;
  const std::size_t mesh = BoundMesh(b, {1, 1, 1});
  b.Node({{"mesh", mesh}, {"skin", 0}, {"name", "a"}});
  b.Node({{"name", "root"}});
  b.Node({{"name", "tip"}, {"translation", {0, 1, 0}}});
  b.Node({{"name", "root"}});
  b.Node({{"name", "tip"}, {"translation", {0, 5, 0}}});
  b.Node({{"mesh", mesh}, {"skin", 1}, {"name", "b"}});
  b.Skin({{"joints", {1, 2}}, {"name", "same"}});
  b.Skin({{"joints", {3, 4}}, {"name", "same"}});
  const asset::Character c = Loaded(b);
  EXPECT_EQ(c.meshes.size(), 1u);
  ASSERT_EQ(c.skins.size(), 2u);
  ExpectPoint(RestPoints(c, 0)[0], {0, 1, 0});
  ExpectPoint(RestPoints(c, 1)[0], {0, 5, 0});
}

// The property "skeleton" is optional and has no effect.
TEST(GltfSkinTest, TheSkeletonMemberHasNoPart) {
  for (const Json& skeleton : {Json(), Json(0), Json(2), Json(99), Json(-1), Json("x")}) {
    GltfBuilder b;
    b.Node({{"mesh", BoundMesh(b, {0, 1, 0})}, {"skin", 0}});
    b.Node({{"translation", {1, 0, 0}}});
    b.Node({{"translation", {0, 1, 0}}});
    b.Skin({{"joints", {1, 2}}});
    if (!skeleton.is_null()) b.json["skins"][0]["skeleton"] = skeleton;
    const auto loaded = b.Load();
    ASSERT_TRUE(loaded.ok()) << skeleton << loaded.error().ToString();
    ExpectPoint(RestPoints(loaded->character, 0)[0], {1, 0, 0});
    ExpectPoint(RestPoints(loaded->character, 0)[1], {1, 1, 0});
    EXPECT_EQ(loaded->diagnostics.Contains("UNRESOLVED_REFERENCE"),
              skeleton == 99 || skeleton == -1 || skeleton == "x");
  }
}

// A plain node between two joints counts in the hierarchy, not in the palette.
TEST(GltfSkinTest, APlainNodeBetweenJointsMovesThemButIsNone) {
  GltfBuilder b;
  b.Node({{"mesh", BoundMesh(b, {1, 0, 0})}, {"skin", 0}});
  b.Node({{"children", {2}}});
  b.Node({{"children", {3}}, {"translation", {0, 1, 0}}});
  b.Node({{"translation", {2, 0, 0}}});
  b.Skin({{"joints", {1, 3}}});
  b.json["animations"] = {
      {{"samplers",
        {{{"input", b.Floats("SCALAR", {0, 1})},
          {"output", b.Floats("VEC3", {0, 1, 0, 0, 4, 0})}}}},
       {"channels", {{{"sampler", 0}, {"target", {{"node", 2}, {"path", "translation"}}}}}}}};
  const asset::Character c = Loaded(b);
  EXPECT_EQ(c.skins[0].joints, (std::vector<std::uint32_t>{1, 3}));
  ExpectPoint(RestPoints(c, 0)[0], {2, 1, 0});
  ASSERT_EQ(c.clips.size(), 1u);
  EXPECT_EQ(c.clips[0].channels[0].target, 2u);
}

// Skins that no node refers to are read too.
TEST(GltfSkinTest, UnusedSkinsAreKeptAndReported) {
  GltfBuilder b;
  b.Node({});
  b.Skin({{"joints", {0}}, {"name", "spare"}});
  const auto loaded = b.Load();
  ASSERT_TRUE(loaded.ok());
  ASSERT_EQ(loaded->character.skins.size(), 1u);
  EXPECT_EQ(loaded->character.skins[0].name, "spare");
  EXPECT_EQ(test::FindDiagnostic(loaded->diagnostics, "UNUSED_OBJECT").where, "/skins/0");
}

// Positions as normalised shorts, the inverse bind matrix undoes the quantisation.
TEST(GltfSkinTest, QuantizedPositionsThroughTheInverseBindMatrix) {
  const auto build = [](bool quantized) {
    GltfBuilder b;
    b.json["extensionsUsed"] = {"KHR_mesh_quantization"};
    // Points (x, y, z) of the mesh are 2 * q + (0, 1, 0).
    const std::vector<float> exact = {0, 1, 0, 2, 1, 0, -1, 2, 0.5f};
    std::vector<std::int16_t> q;
    for (std::size_t i = 0; i < exact.size(); ++i) {
      const float centred = (exact[i] - (i % 3 == 1 ? 1.0f : 0.0f)) / 2;
      q.push_back(static_cast<std::int16_t>(std::lround(centred * 32767)));
    }
    const std::size_t position = quantized ? b.Accessor("VEC3", q, true) : b.Floats("VEC3", exact);
    const std::size_t joints =
        b.Accessor("VEC4", std::vector<std::uint8_t>{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    const std::size_t weights = b.Floats("VEC4", {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0});
    b.Mesh({{"primitives",
             {{{"attributes",
                {{"POSITION", position}, {"JOINTS_0", joints}, {"WEIGHTS_0", weights}}}}}}});
    b.Node({{"mesh", 0}, {"skin", 0}});
    b.Node({{"translation", {0, 3, 0}}});
    std::vector<float> m = Translation(0, -3, 0);
    if (quantized) {
      m[0] = m[5] = m[10] = 2;
      m[13] = -3 + 1;
    }
    b.Skin({{"joints", {1}}, {"inverseBindMatrices", b.Floats("MAT4", m)}});
    return RestPoints(Loaded(b), 0);
  };
  const auto exact = build(false), quantized = build(true);
  ASSERT_EQ(exact.size(), 3u);
  ExpectPoint(exact[2], {-1, 2, 0.5});
  for (std::size_t v = 0; v < 3; ++v) ExpectPoint(quantized[v], exact[v], 1e-4);
}

// A joint index beyond the skin.
TEST(GltfSkinTest, JointBeyondTheSkin) {
  GltfBuilder b;
  b.Node({{"mesh", BoundMesh(b, {0, 1, 3})}, {"skin", 0}});
  b.Node({});
  b.Node({});
  b.Skin({{"joints", {1, 2}}});
  const Error error = LoadError(b);
  EXPECT_EQ(error.code, ErrorCode::kIndexOutOfRange);
  EXPECT_EQ(error.place.element, "/meshes/0/primitives/0");
  EXPECT_THAT(error.message, HasSubstr("vertex 2 is weighted to joint 3"));
  EXPECT_THAT(error.message, HasSubstr("skin 0 has only 2 joints"));
}

TEST(GltfSkinTest, JointBeyondTheSkinOfASecondNodeOnly) {
  GltfBuilder b;
  const std::size_t mesh = BoundMesh(b, {0, 1, 0});
  b.Node({{"mesh", mesh}, {"skin", 0}});
  b.Node({});
  b.Node({});
  b.Node({{"mesh", mesh}, {"skin", 1}});
  b.Skin({{"joints", {1, 2}}});
  b.Skin({{"joints", {2}}});
  EXPECT_THAT(LoadError(b).message, HasSubstr("skin 1 has only 1 joints"));
}

TEST(GltfSkinTest, JointBeyondTheSkinWithoutWeightIsDroppedAndCounted) {
  GltfBuilder b;
  const std::size_t mesh = BoundMesh(b, {0, 0, 0});
  // Vertex 1 and 2 name joints 200 and 201 with weight 0.
  const std::size_t accessor = b.json["meshes"][0]["primitives"][0]["attributes"]["JOINTS_0"];
  const std::size_t offset =
      b.json["bufferViews"][b.json["accessors"][accessor]["bufferView"].get<std::size_t>()]
            ["byteOffset"];
  b.bin[offset + 5] = std::byte{200};
  b.bin[offset + 9] = std::byte{201};
  b.Node({{"mesh", mesh}, {"skin", 0}});
  b.Node({});
  b.Skin({{"joints", {1}}});
  const auto loaded = b.Load();
  ASSERT_TRUE(loaded.ok()) << loaded.error().ToString();
  const Diagnostic found = test::FindDiagnostic(loaded->diagnostics, "ACCESSOR_JOINTS_INDEX_OOB");
  EXPECT_EQ(found.count, 2u);
  EXPECT_THAT(found.message, HasSubstr("the first at vertex 1"));
  EXPECT_EQ(loaded->character.meshes[0].influences.joints, (std::vector<std::uint32_t>{0, 0, 0}));
}

TEST(GltfSkinTest, SkinWithoutBoundMeshAndBoundMeshWithoutSkin) {
  GltfBuilder b;
  const std::size_t plain =
      b.Mesh({{"primitives", {{{"attributes", {{"POSITION", b.Zigzag(3)}}}}}}});
  const std::size_t bound = BoundMesh(b, {0, 0, 0});
  b.Node({{"mesh", plain}, {"skin", 0}, {"translation", {0, 0, 1}}});
  b.Node({{"mesh", bound}, {"translation", {0, 0, 2}}});
  b.Node({{"translation", {7, 7, 7}}});
  b.Skin({{"joints", {2}}});
  const auto loaded = b.Load();
  ASSERT_TRUE(loaded.ok()) << loaded.error().ToString();
  const asset::Character& c = loaded->character;
  EXPECT_EQ(c.instances[0].skin, asset::kNone);
  EXPECT_EQ(c.instances[1].skin, asset::kNone);
  ExpectPoint(RestPoints(c, 0)[0], {0, 0, 1});
  ExpectPoint(RestPoints(c, 1)[0], {0, 0, 2});
  EXPECT_EQ(test::FindDiagnostic(loaded->diagnostics, "NODE_SKIN_WITH_NON_SKINNED_MESH").where,
            "/nodes/0");
  EXPECT_EQ(test::FindDiagnostic(loaded->diagnostics, "NODE_SKINNED_MESH_WITHOUT_SKIN").where,
            "/nodes/1");
}

// Joints that are separate roots, joints shared by skins, rotated roots.
TEST(GltfSkinTest, SeparateRootsSharedJointsAndRotatedRoots) {
  GltfBuilder b;
  const std::size_t mesh = BoundMesh(b, {0, 1, 1});
  b.Node({{"mesh", mesh}, {"skin", 0}});
  b.Node({{"rotation", {0, 0, 0.7071067811865476, 0.7071067811865476}}});  // 90 degrees about Z
  b.Node({{"translation", {0, 4, 0}}});
  b.Node({{"mesh", mesh}, {"skin", 1}});
  b.Node({{"translation", {3, 0, 0}}});
  b.Skin({{"joints", {1, 2}}});
  b.Skin({{"joints", {4, 2}}});
  const asset::Character c = Loaded(b);
  const auto first = RestPoints(c, 0), second = RestPoints(c, 1);
  ExpectPoint(first[1], {1, 4, 0});
  ExpectPoint(second[1], {1, 4, 0});
  ExpectPoint(second[0], {3, 0, 0});
  const auto world = test::RestWorld(c);
  ExpectPoint(TransformPoint(world[1], Vec3d{1, 0, 0}), {0, 1, 0});
}

// Children before parents; joints listed child first.
TEST(GltfSkinTest, AnyOrderOfNodesAndJoints) {
  GltfBuilder b;
  b.Node({{"translation", {0, 1, 0}}});  // the tip, child of node 2
  b.Node({{"mesh", BoundMesh(b, {0, 1, 0})}, {"skin", 0}});
  b.Node({{"children", {0}}, {"translation", {5, 0, 0}}});  // the root
  b.Skin({{"joints", {0, 2}}});
  const asset::Character c = Loaded(b);
  EXPECT_EQ(c.skins[0].joints, (std::vector<std::uint32_t>{0, 2}));
  const auto points = RestPoints(c, 0);
  ExpectPoint(points[0], {5, 1, 0});
  ExpectPoint(points[1], {6, 0, 0});
}

// Parent links that form no hierarchy.
TEST(GltfSkinTest, BrokenHierarchies) {
  const auto error = [](const std::vector<Json>& nodes) {
    GltfBuilder b;
    for (const Json& node : nodes) b.Node(node);
    return LoadError(b);
  };
  const Error range = error({{{"children", {1, 99}}}, Json::object()});
  EXPECT_EQ(range.code, ErrorCode::kIndexOutOfRange);
  EXPECT_EQ(range.place.element, "/nodes/0/children/1");
  EXPECT_THAT(range.message, HasSubstr("99"));
  EXPECT_THAT(range.message, HasSubstr("2 nodes"));
  EXPECT_THAT(error({{{"children", {1}}}, {{"children", {0}}}}).message, HasSubstr("own ancestor"));
  EXPECT_THAT(error({{{"children", {0}}}}).message, HasSubstr("own ancestor"));
  const Error two = error({{{"children", {2}}}, {{"children", {2}}}, Json::object()});
  EXPECT_EQ(two.place.element, "/nodes/1/children/0");
  EXPECT_THAT(two.message, HasSubstr("already a child of node 0"));
  EXPECT_EQ(error({{{"children", {-1}}}}).place.element, "/nodes/0/children/0");
}

TEST(GltfSkinTest, SkinsThatNameNothing) {
  const auto error = [](const Json& joints) {
    GltfBuilder b;
    b.Node({});
    b.Skin({{"joints", joints}});
    return LoadError(b);
  };
  EXPECT_EQ(error(Json::array()).place.element, "/skins/0/joints");
  EXPECT_EQ(error({0, 1}).place.element, "/skins/0/joints/1");
  EXPECT_EQ(error({-1}).place.element, "/skins/0/joints/0");
  EXPECT_EQ(error({0.5}).code, ErrorCode::kInvalidValue);
}

}  // namespace
}  // namespace flexor::io
