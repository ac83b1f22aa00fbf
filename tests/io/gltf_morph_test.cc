// Morph targets: dense and sparse, names, weights.

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
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Floats = std::vector<float>;

Loaded LoadOk(const GltfBuilder& b) {
  auto loaded = b.Load();
  EXPECT_TRUE(loaded.ok()) << loaded.error().ToString();
  return loaded.ok() ? std::move(*loaded) : Loaded();
}

/// Offsets for `count` vertices, all zero but some.
Floats Offsets(std::size_t count, const std::vector<std::pair<std::size_t, Vec3f>>& moved) {
  Floats values(count * 3, 0.0f);
  for (const auto& [v, offset] : moved) {
    values[v * 3] = offset.x;
    values[v * 3 + 1] = offset.y;
    values[v * 3 + 2] = offset.z;
  }
  return values;
}

Json Primitive(std::size_t position, std::vector<Json> targets) {
  return {{"attributes", {{"POSITION", position}}}, {"targets", targets}};
}

TEST(GltfMorphTest, DenseWhenMostVerticesMove) {
  GltfBuilder b;
  const std::size_t position = b.Zigzag(3);
  b.Mesh(
      {{"primitives",
        {Primitive(position, {{{"POSITION", b.Floats("VEC3", Offsets(3, {{0, {1, 0, 0}},
                                                                         {2, {0, 0, 5}}}))}}})}}});
  const asset::Morph morph = LoadOk(b).character.meshes[0].morphs[0];
  EXPECT_THAT(morph.vertices, IsEmpty());
  EXPECT_THAT(morph.positions, ElementsAre(Vec3f{1, 0, 0}, Vec3f{}, Vec3f{0, 0, 5}));
  EXPECT_THAT(morph.normals, IsEmpty());
}

TEST(GltfMorphTest, SparseWhenFewVerticesMove) {
  GltfBuilder b;
  Json primitive = Primitive(b.Zigzag(6), {});
  primitive["attributes"]["NORMAL"] =
      b.Floats("VEC3", {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1});
  primitive["targets"] = {{{"POSITION", b.Floats("VEC3", Offsets(6, {{4, {1, 0, 0}}}))},
                           {"NORMAL", b.Floats("VEC3", Offsets(6, {{1, {0, 2, 0}}}))}}};
  b.Mesh({{"primitives", {primitive}}});
  const asset::Morph morph = LoadOk(b).character.meshes[0].morphs[0];
  EXPECT_THAT(morph.vertices, ElementsAre(1, 4));
  EXPECT_THAT(morph.positions, ElementsAre(Vec3f{}, Vec3f{1, 0, 0}));
  EXPECT_THAT(morph.normals, ElementsAre(Vec3f{0, 2, 0}, Vec3f{}));
  EXPECT_THAT(morph.tangents, IsEmpty());
}

// Sparse accessors.
TEST(GltfMorphTest, SparseAccessorWithoutBaseView) {
  GltfBuilder b;
  const std::size_t indices = b.View(std::vector<std::uint16_t>{5, 1, 5});
  const std::size_t values = b.View(Floats{9, 9, 9, 0, 2, 0, 3, 0, 0});
  const std::size_t target =
      b.Append("accessors", {{"componentType", 5126},
                             {"count", 6},
                             {"type", "VEC3"},
                             {"sparse",
                              {{"count", 3},
                               {"indices", {{"bufferView", indices}, {"componentType", 5123}}},
                               {"values", {{"bufferView", values}}}}}});
  b.Mesh({{"primitives", {Primitive(b.Zigzag(6), {{{"POSITION", target}}})}}});
  const asset::Morph morph = LoadOk(b).character.meshes[0].morphs[0];
  EXPECT_THAT(morph.vertices, ElementsAre(1, 5));
  EXPECT_THAT(morph.positions, ElementsAre(Vec3f{0, 2, 0}, Vec3f{3, 0, 0}));
}

TEST(GltfMorphTest, TargetsOfSeveralPrimitives) {
  GltfBuilder b;
  const std::size_t first = b.Zigzag(2), second = b.Zigzag(2);
  const std::size_t a = b.Floats("VEC3", Offsets(2, {{0, {1, 0, 0}}}));
  const std::size_t c = b.Floats("VEC3", Offsets(2, {{1, {0, 1, 0}}}));
  b.Mesh({{"primitives",
           {Primitive(first, {{{"POSITION", a}}, Json::object()}),
            Primitive(second, {Json::object(), {{"POSITION", c}}})}}});
  const auto morphs = LoadOk(b).character.meshes[0].morphs;
  ASSERT_EQ(morphs.size(), 2u);
  EXPECT_THAT(morphs[0].vertices, ElementsAre(0));
  EXPECT_THAT(morphs[1].vertices, ElementsAre(3));
  EXPECT_THAT(morphs[1].positions, ElementsAre(Vec3f{0, 1, 0}));
}

TEST(GltfMorphTest, NothingMovedIsAnEmptyMorph) {
  GltfBuilder b;
  const std::size_t zeros =
      b.Append("accessors", {{"componentType", 5126}, {"count", 3}, {"type", "VEC3"}});
  b.Mesh({{"primitives", {Primitive(b.Zigzag(3), {{{"POSITION", zeros}}})}}});
  const auto morphs = LoadOk(b).character.meshes[0].morphs;
  ASSERT_EQ(morphs.size(), 1u);
  EXPECT_THAT(morphs[0].vertices, IsEmpty());
  EXPECT_THAT(morphs[0].positions, IsEmpty());
}

TEST(GltfMorphTest, NamesAndWeights) {
  GltfBuilder b;
  const std::size_t moved = b.Floats("VEC3", Offsets(3, {{0, {1, 0, 0}}}));
  const Json target = {{"POSITION", moved}};
  b.Mesh({{"primitives", {Primitive(b.Zigzag(3), {target, target, target})}},
          {"weights", {0.5, 0, 1}},
          {"extras", {{"targetNames", {"smile", "あ"}}}}});
  b.Node({{"mesh", 0}});
  b.Node({{"mesh", 0}, {"weights", {0, 0.25, 0}}});
  const asset::Character c = LoadOk(b).character;
  EXPECT_EQ(c.meshes[0].morphs[0].name, "smile");
  EXPECT_EQ(c.meshes[0].morphs[1].name, "あ");
  EXPECT_EQ(c.meshes[0].morphs[2].name, "");
  EXPECT_THAT(c.meshes[0].morph_weights, ElementsAre(0.5f, 0.0f, 1.0f));
  EXPECT_THAT(c.instances[0].morph_weights, ElementsAre(0.5f, 0.0f, 1.0f));
  EXPECT_THAT(c.instances[1].morph_weights, ElementsAre(0.0f, 0.25f, 0.0f));
}

TEST(GltfMorphTest, WeightsOfTheWrongNumberAreFilledUp) {
  GltfBuilder b;
  const Json target = {{"POSITION", b.Floats("VEC3", Offsets(3, {{0, {1, 0, 0}}}))}};
  b.Mesh({{"primitives", {Primitive(b.Zigzag(3), {target, target})}}, {"weights", {0.5}}});
  b.Node({{"mesh", 0}, {"weights", {1, 2, 3}}});
  const Loaded loaded = LoadOk(b);
  EXPECT_THAT(loaded.character.meshes[0].morph_weights, ElementsAre(0.5f, 0.0f));
  EXPECT_THAT(loaded.character.instances[0].morph_weights, ElementsAre(1.0f, 2.0f));
  EXPECT_TRUE(loaded.diagnostics.Contains("MESH_INVALID_WEIGHTS_COUNT"));
  EXPECT_EQ(FindDiagnostic(loaded.diagnostics, "NODE_WEIGHTS_INVALID").where, "/nodes/0/weights");
}

TEST(GltfMorphTest, OddTargetNamesDoNotMatter) {
  for (const Json& extras :
       {Json("text"), Json(5), Json({{"targetNames", "x"}}), Json({{"targetNames", {1, 2}}})}) {
    GltfBuilder b;
    const Json target = {{"POSITION", b.Floats("VEC3", Offsets(3, {{0, {1, 0, 0}}}))}};
    b.Mesh({{"primitives", {Primitive(b.Zigzag(3), {target})}}, {"extras", extras}});
    EXPECT_EQ(LoadOk(b).character.meshes[0].morphs[0].name, "");
  }
}

TEST(GltfMorphTest, TargetsThatCannotBe) {
  GltfBuilder counts;
  const Json target = {{"POSITION", counts.Floats("VEC3", Offsets(3, {{0, {1, 0, 0}}}))}};
  const std::size_t position = counts.Zigzag(3);
  counts.Mesh(
      {{"primitives", {Primitive(position, {target, target}), Primitive(position, {target})}}});
  auto loaded = counts.Load();
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().place.element, "/meshes/0/primitives/1");
  EXPECT_THAT(loaded.error().message, HasSubstr("has 1 morph targets, but the first"));

  GltfBuilder lengths;
  const Json shorter = {{"POSITION", lengths.Floats("VEC3", Offsets(2, {{0, {1, 0, 0}}}))}};
  lengths.Mesh({{"primitives", {Primitive(lengths.Zigzag(3), {shorter})}}});
  loaded = lengths.Load();
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().place.element, "/meshes/0/primitives/0/targets/0/POSITION");

  GltfBuilder baseless;
  const Json normal = {{"NORMAL", baseless.Floats("VEC3", Offsets(3, {{0, {1, 0, 0}}}))}};
  baseless.Mesh({{"primitives", {Primitive(baseless.Zigzag(3), {normal})}}});
  const Loaded kept = LoadOk(baseless);
  EXPECT_THAT(kept.character.meshes[0].morphs[0].normals, IsEmpty());
  EXPECT_TRUE(kept.diagnostics.Contains("MESH_PRIMITIVE_MORPH_TARGET_NO_BASE_ACCESSOR"));
}

}  // namespace
}  // namespace flexor::io
