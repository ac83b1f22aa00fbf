// VRM: versions, facing, metadata.

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
using test::RestPoints;
using ::testing::HasSubstr;

/// Hips, head above, nose in front; `forward` is +1 or -1 along Z. The nose is the third vertex and
/// is bound to the third joint; a hat rides on the head unskinned.
GltfBuilder Figure(double forward) {
  GltfBuilder b;
  const auto f = static_cast<float>(forward);
  const std::size_t position = b.Floats("VEC3", {0, 1, 0, 0.25f * f, 1.5f, 0, 0, 1.5f, 0.5f * f});
  const std::size_t joints =
      b.Accessor("VEC4", std::vector<std::uint8_t>{0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0});
  const std::size_t weights = b.Floats("VEC4", {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0});
  b.Mesh({{"primitives",
           {{{"attributes",
              {{"POSITION", position}, {"JOINTS_0", joints}, {"WEIGHTS_0", weights}}}}}}});
  b.Mesh({{"primitives",
           {{{"attributes", {{"POSITION", b.Floats("VEC3", {0, 0, 0.5f * f})}}}, {"mode", 0}}}}});
  b.Node({{"mesh", 0}, {"skin", 0}});
  b.Node({{"name", "hips"}, {"translation", {0, 1, 0}}, {"children", {2}}});
  b.Node({{"name", "head"}, {"translation", {0, 0.5, 0}}, {"children", {3, 4}}});
  b.Node({{"name", "nose"}, {"translation", {0, 0, 0.5 * forward}}});
  b.Node({{"name", "hat"}, {"mesh", 1}});
  const auto inverse = [&](float y, float z) {
    return std::vector<float>{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -y, -z, 1};
  };
  std::vector<float> matrices;
  for (const auto& m : {inverse(1, 0), inverse(1.5f, 0), inverse(1.5f, 0.5f * f)}) {
    matrices.insert(matrices.end(), m.begin(), m.end());
  }
  b.Skin({{"joints", {1, 2, 3}}, {"inverseBindMatrices", b.Floats("MAT4", matrices)}});
  return b;
}

Loaded LoadOk(const GltfBuilder& b) {
  auto loaded = b.Load();
  EXPECT_TRUE(loaded.ok()) << loaded.error().ToString();
  return loaded.ok() ? std::move(*loaded) : Loaded();
}

// VRM 0.x faces -Z, VRM 1.0 faces +Z.
TEST(GltfVrmTest, BothVersionsLookAlongPlusZ) {
  GltfBuilder zero = Figure(-1), one = Figure(1);
  zero.json["extensionsUsed"] = {"VRM"};
  zero.json["extensions"]["VRM"] = {
      {"specVersion", "0.0"},
      {"meta", {{"title", "Alicia"}, {"author", "A. B."}, {"licenseName", "CC0"}}}};
  one.json["extensionsUsed"] = {"VRMC_vrm"};
  one.json["extensions"]["VRMC_vrm"] = {
      {"specVersion", "1.0"},
      {"meta", {{"name", "Alicia"}, {"authors", {"A.", "B."}}, {"licenseUrl", "https://l"}}}};
  const Loaded loaded_zero = LoadOk(zero), loaded_one = LoadOk(one);
  for (std::size_t instance = 0; instance < 2; ++instance) {
    const auto a = RestPoints(loaded_zero.character, instance);
    const auto b = RestPoints(loaded_one.character, instance);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t v = 0; v < a.size(); ++v) {
      EXPECT_NEAR(a[v].x, b[v].x, 1e-7) << instance << ' ' << v;
      EXPECT_NEAR(a[v].y, b[v].y, 1e-7);
      EXPECT_NEAR(a[v].z, b[v].z, 1e-7);
    }
  }
  EXPECT_NEAR(RestPoints(loaded_zero.character, 0)[2].z, 0.5, 1e-7);

  const asset::SourceInfo& source = loaded_zero.character.source;
  EXPECT_EQ(source.format, "VRM 0.x");
  EXPECT_EQ(source.title, "Alicia");
  EXPECT_EQ(source.author, "A. B.");
  EXPECT_EQ(source.license, "CC0");
  EXPECT_EQ(loaded_one.character.source.format, "VRM 1.0");
  EXPECT_EQ(loaded_one.character.source.author, "A., B.");
  EXPECT_EQ(loaded_one.character.source.license, "https://l");
  const Diagnostic turned = FindDiagnostic(loaded_zero.diagnostics, "VRM_FORWARD_AXIS");
  EXPECT_EQ(turned.severity, Severity::kInfo);
  EXPECT_THAT(turned.message, HasSubstr("-Z"));
  EXPECT_THAT(FindDiagnostic(loaded_one.diagnostics, "VRM_FORWARD_AXIS").message, HasSubstr("+Z"));
}

TEST(GltfVrmTest, TheTurnIsOneRootThatMovesNoIndex) {
  GltfBuilder zero = Figure(-1);
  zero.json["extensions"]["VRM"] = Json::object();
  const asset::Character c = LoadOk(zero).character;
  ASSERT_EQ(c.nodes.size(), 6u);
  EXPECT_EQ(c.nodes[1].name, "hips");
  EXPECT_EQ(c.nodes[5].parent, asset::kNone);
  EXPECT_EQ(c.nodes[5].rest.rotation, (Quatd{0, 1, 0, 0}));
  EXPECT_EQ(c.nodes[0].parent, 5);
  EXPECT_EQ(c.nodes[1].parent, 5);
  EXPECT_EQ(c.nodes[2].parent, 1);
  EXPECT_EQ(c.node_order.front(), 5u);
  EXPECT_TRUE(c.instances[0].visible);
  // The points of the mesh itself are those of the file.
  EXPECT_EQ(c.meshes[0].positions[2], (Vec3f{0, 1.5f, -0.5f}));
}

TEST(GltfVrmTest, PlainGltfIsNotTurned) {
  const Loaded loaded = LoadOk(Figure(1));
  EXPECT_EQ(loaded.character.nodes.size(), 5u);
  EXPECT_FALSE(loaded.diagnostics.Contains("VRM_FORWARD_AXIS"));
  EXPECT_EQ(loaded.character.source.format, "GLB 2.0");
}

TEST(GltfVrmTest, BrokenMetadataIsADiagnostic) {
  for (const Json& meta : {Json("text"), Json({{"name", 5}}), Json({{"authors", {1, "B."}}})}) {
    GltfBuilder b = Figure(1);
    b.json["extensions"]["VRMC_vrm"] = {{"meta", meta}};
    const Loaded loaded = LoadOk(b);
    EXPECT_TRUE(loaded.diagnostics.Contains("VRM_META_INVALID")) << meta;
    EXPECT_EQ(loaded.character.source.format, "VRM 1.0");
  }
}

}  // namespace
}  // namespace flexor::io
