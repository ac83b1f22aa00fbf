// Nodes, scenes, instances and the document around them.

#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/gltf_builder.h"

namespace flexor::io {
namespace {

using test::FindDiagnostic;
using test::GltfBuilder;
using test::Json;
using ::testing::HasSubstr;

Loaded LoadOk(const GltfBuilder& b) {
  auto loaded = b.Load();
  EXPECT_TRUE(loaded.ok()) << loaded.error().ToString();
  return loaded.ok() ? std::move(*loaded) : Loaded();
}

Error LoadError(const GltfBuilder& b) {
  const auto loaded = b.Load();
  EXPECT_FALSE(loaded.ok());
  return loaded.ok() ? Error{} : loaded.error();
}

std::size_t TriangleMesh(GltfBuilder& b) {
  return b.Mesh({{"primitives", {{{"attributes", {{"POSITION", b.Zigzag(3)}}}}}}});
}

TEST(GltfSceneTest, TransformsAsWritten) {
  GltfBuilder b;
  b.Node({{"name", "Hüfte"},
          {"translation", {1, 2, 3}},
          {"rotation", {0, 0.6, 0, 0.8}},
          {"scale", {-1, 2, 0}},
          {"children", {1}}});
  b.Node({});
  const asset::Character c = LoadOk(b).character;
  ASSERT_EQ(c.nodes.size(), 2u);
  EXPECT_EQ(c.nodes[0].name, "Hüfte");
  EXPECT_EQ(c.nodes[0].rest.translation, (Vec3d{1, 2, 3}));
  EXPECT_NEAR(c.nodes[0].rest.rotation.y, 0.6, 1e-15);
  EXPECT_EQ(c.nodes[0].rest.scale, (Vec3d{-1, 2, 0}));
  EXPECT_FALSE(c.nodes[0].rest_matrix.has_value());
  EXPECT_EQ(c.nodes[1].parent, 0);
  EXPECT_EQ(c.nodes[1].rest, Transform());
}

TEST(GltfSceneTest, MatricesAreColumnMajorAndKept) {
  GltfBuilder b;
  // A shear: no translation, rotation and scale make it.
  b.Node({{"matrix", {1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 4, 5, 6, 1}}});
  const Loaded loaded = LoadOk(b);
  const Mat34d& m = *loaded.character.nodes[0].rest_matrix;
  EXPECT_EQ(m.linear.y, (Vec3d{0.5, 1, 0}));
  EXPECT_EQ(m.translation, (Vec3d{4, 5, 6}));
  EXPECT_TRUE(loaded.diagnostics.Contains("NODE_MATRIX_NON_TRS"));

  GltfBuilder rotated;  // 90 degrees about Z, then scaled by 2, 3, -4 along its own axes
  rotated.Node({{"matrix", {0, 2, 0, 0, -3, 0, 0, 0, 0, 0, -4, 0, 0, 0, 0, 1}}});
  const Loaded exact = LoadOk(rotated);
  EXPECT_FALSE(exact.diagnostics.Contains("NODE_MATRIX_NON_TRS"));
  const Mat34d back = ToMat34(exact.character.nodes[0].rest);
  EXPECT_NEAR(back.linear.x.y, 2, 1e-12);
  EXPECT_NEAR(back.linear.y.x, -3, 1e-12);
  EXPECT_NEAR(back.linear.z.z, -4, 1e-12);

  GltfBuilder singular;
  singular.Node({{"matrix", {0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}}});
  EXPECT_EQ(LoadOk(singular).character.nodes[0].rest_matrix->linear.x, (Vec3d{0, 0, 0}));

  GltfBuilder transposed;
  transposed.Node({{"matrix", {1, 0, 0, 4, 0, 1, 0, 5, 0, 0, 1, 6, 0, 0, 0, 1}}});
  const Error error = LoadError(transposed);
  EXPECT_EQ(error.place.element, "/nodes/0/matrix");
  EXPECT_THAT(error.message, HasSubstr("looks transposed"));
}

TEST(GltfSceneTest, MatrixBesideTranslationWins) {
  GltfBuilder b;
  b.Node(
      {{"matrix", {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 4, 5, 6, 1}}, {"translation", {9, 9, 9}}});
  const Loaded loaded = LoadOk(b);
  EXPECT_EQ(test::RestWorld(loaded.character)[0].translation, (Vec3d{4, 5, 6}));
  EXPECT_EQ(FindDiagnostic(loaded.diagnostics, "NODE_MATRIX_TRS").where, "/nodes/0/matrix");
}

TEST(GltfSceneTest, RotationsAreMadeUnit) {
  GltfBuilder b;
  b.Node({{"rotation", {0, 0, 2, 0}}});
  b.Node({{"rotation", {0, 0, 0, 0}}});
  b.Node({{"rotation", {0, 0.70710678, 0, 0.70710678}}});
  const Loaded loaded = LoadOk(b);
  EXPECT_EQ(loaded.character.nodes[0].rest.rotation, (Quatd{0, 0, 1, 0}));
  EXPECT_EQ(loaded.character.nodes[1].rest.rotation, (Quatd{0, 0, 0, 1}));
  const Quatd q = loaded.character.nodes[2].rest.rotation;
  EXPECT_NEAR(Dot(q, q), 1, 1e-15);
  std::size_t reported = 0;
  for (const auto& entry : loaded.diagnostics.entries()) {
    reported += entry.code == "ROTATION_NON_UNIT" ? 1 : 0;
  }
  EXPECT_EQ(reported, 2u);
}

TEST(GltfSceneTest, NumbersThatAreNotFinite) {
  GltfBuilder b;
  b.Node({{"translation", {0, 1, 2}}});
  std::string text = b.Gltf();
  const std::size_t at = text.find("[0,1,2]");
  text.replace(at, 7, "[0,1e999,2]");
  const auto loaded = LoadCharacterFromMemory(test::Bytes(text), "x.gltf", {}, {});
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().place.element, "/nodes/0/translation/1");
}

TEST(GltfSceneTest, InstancesHaveUniqueNames) {
  GltfBuilder b;
  const std::size_t unnamed = TriangleMesh(b);
  const std::size_t named = TriangleMesh(b);
  b.json["meshes"][named]["name"] = "Body";
  b.Node({{"mesh", unnamed}});
  b.Node({{"mesh", named}});
  b.Node({{"mesh", named}, {"name", "Body"}});
  b.Node({{"mesh", named}, {"name", "Body_2"}});
  b.Node({{"mesh", unnamed}});
  b.Node({{"mesh", named}, {"name", "Body"}});
  const asset::Character c = LoadOk(b).character;
  std::vector<std::string> names;
  for (const auto& instance : c.instances) names.push_back(instance.name);
  EXPECT_THAT(names,
              ::testing::ElementsAre("mesh_0", "Body", "Body_2", "Body_2_2", "mesh_0_2", "Body_3"));
}

TEST(GltfSceneTest, TheDefaultSceneDecidesWhatIsSeen) {
  GltfBuilder b;
  const std::size_t mesh = TriangleMesh(b);
  b.Node({{"mesh", mesh}});
  b.Node({{"mesh", mesh}, {"children", {2}}});
  b.Node({{"mesh", mesh}});
  b.Node({{"mesh", mesh}});
  const auto visible = [&](const Json& scenes, const Json& scene) {
    GltfBuilder copy = b;
    if (!scenes.is_null()) copy.json["scenes"] = scenes;
    if (!scene.is_null()) copy.json["scene"] = scene;
    std::vector<bool> result;
    for (const auto& instance : LoadOk(copy).character.instances)
      result.push_back(instance.visible);
    return result;
  };
  const Json two = {{{"nodes", {0}}}, {{"nodes", {1}}}};
  EXPECT_EQ(visible(Json(), Json()), (std::vector<bool>{true, true, true, true}));
  EXPECT_EQ(visible(two, Json()), (std::vector<bool>{true, false, false, false}));
  EXPECT_EQ(visible(two, 1), (std::vector<bool>{false, true, true, false}));

  GltfBuilder beyond = b;
  beyond.json["scenes"] = two;
  beyond.json["scene"] = 2;
  EXPECT_EQ(LoadError(beyond).place.element, "/scene");
}

TEST(GltfSceneTest, HiddenNodesHideWhatIsBelow) {
  GltfBuilder b;
  const std::size_t mesh = TriangleMesh(b);
  const Json hidden = {{"KHR_node_visibility", {{"visible", false}}}};
  const Json shown = {{"KHR_node_visibility", {{"visible", true}}}};
  b.Node({{"mesh", mesh}});
  b.Node({{"mesh", mesh}, {"extensions", hidden}, {"children", {2}}});
  b.Node({{"mesh", mesh}, {"extensions", shown}});
  b.json["extensionsUsed"] = {"KHR_node_visibility"};
  const asset::Character c = LoadOk(b).character;
  EXPECT_TRUE(c.instances[0].visible);
  EXPECT_FALSE(c.instances[1].visible);
  EXPECT_FALSE(c.instances[2].visible);
}

TEST(GltfSceneTest, UnskinnedMeshesRideOnTheirNodes) {
  GltfBuilder b;
  b.Node({{"mesh", TriangleMesh(b)}, {"scale", {1, 1, -2}}});
  b.Node({{"children", {0}}, {"translation", {0, 3, 0}}});
  const asset::Character c = LoadOk(b).character;
  EXPECT_EQ(test::RestPoints(c, 0)[1], (Vec3d{1, 3, 0}));
}

TEST(GltfSceneTest, Extensions) {
  GltfBuilder required;
  required.json["extensionsRequired"] = {"KHR_mesh_quantization", "ACME_rubber"};
  const Error error = LoadError(required);
  EXPECT_EQ(error.code, ErrorCode::kUnsupportedFeature);
  EXPECT_EQ(error.place.element, "/extensionsRequired/1");
  EXPECT_THAT(error.message, HasSubstr("ACME_rubber"));

  GltfBuilder used;
  used.json["extensionsUsed"] = {"KHR_materials_clearcoat", "ACME_rubber"};
  const Loaded loaded = LoadOk(used);
  const Diagnostic found = FindDiagnostic(loaded.diagnostics, "UNSUPPORTED_EXTENSION");
  EXPECT_EQ(found.severity, Severity::kInfo);
  EXPECT_EQ(found.where, "/extensionsUsed/1");
  EXPECT_EQ(loaded.character.source.extensions.size(), 2u);
}

TEST(GltfSceneTest, VersionsAndGenerator) {
  GltfBuilder b;
  b.json["asset"] = {{"version", "2.1"}, {"generator", "hand"}};
  const asset::Character c = LoadOk(b).character;
  EXPECT_EQ(c.source.generator, "hand");
  EXPECT_EQ(c.source.format, "GLB 2.0");
  EXPECT_EQ(c.source.path, "test.glb");
  EXPECT_EQ(c.name, "test");
  for (const Json& asset : {Json({{"version", "1.0"}}), Json({{"version", ""}}),
                            Json({{"version", "2.0"}, {"minVersion", "2.1"}})}) {
    b.json["asset"] = asset;
    EXPECT_EQ(LoadError(b).code, ErrorCode::kUnsupportedFeature);
  }
  b.json["asset"] = {{"version", 2}};
  EXPECT_EQ(LoadError(b).place.element, "/asset/version");
}

TEST(GltfSceneTest, MembersOfTheWrongTypeNameTheirPlace) {
  const std::pair<const char*, Json> wrong[] = {
      {"/nodes", 5},     {"/meshes", "x"},    {"/accessors", Json::object()}, {"/scene", -1},
      {"/scenes", true}, {"/skins", nullptr}, {"/animations", 1.5},           {"/buffers", "no"}};
  for (const auto& [pointer, value] : wrong) {
    GltfBuilder b;
    b.json[pointer + 1] = value;
    const auto loaded = LoadCharacterFromMemory(test::Bytes(b.Gltf()), "x.gltf", {}, {});
    ASSERT_FALSE(loaded.ok()) << pointer;
    EXPECT_EQ(loaded.error().place.element, pointer);
    EXPECT_EQ(loaded.error().place.path, "x.gltf");
  }
}

TEST(GltfSceneTest, TheDocumentItselfIsAPlace) {
  for (const char* text : {"{}", "{\"nodes\":[]}"}) {
    const auto loaded = LoadCharacterFromMemory(test::Bytes(std::string(text)), "x.gltf", {}, {});
    ASSERT_FALSE(loaded.ok());
    EXPECT_EQ(loaded.error().place.element, "/");
  }
}

TEST(GltfSceneTest, EmptyArraysAreReported) {
  GltfBuilder b;
  b.json["nodes"] = Json::array();
  b.json["skins"] = Json::array();
  const Loaded loaded = LoadOk(b);
  EXPECT_EQ(FindDiagnostic(loaded.diagnostics, "EMPTY_ENTITY").where, "/nodes");
  EXPECT_EQ(loaded.diagnostics.Count(Severity::kError), 2u);
}

}  // namespace
}  // namespace flexor::io
