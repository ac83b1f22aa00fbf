// Meshes: point order, shared vertices, modes, normals, and what is broken about primitives.

#include <limits>
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

using Bytes8 = std::vector<std::uint8_t>;
using Shorts = std::vector<std::uint16_t>;
using Floats = std::vector<float>;

Json Primitive(std::size_t position) { return {{"attributes", {{"POSITION", position}}}}; }

Loaded LoadOk(const GltfBuilder& b) {
  auto loaded = b.Load();
  EXPECT_TRUE(loaded.ok()) << loaded.error().ToString();
  return loaded.ok() ? std::move(*loaded) : Loaded();
}

asset::Mesh MeshOf(const GltfBuilder& b) {
  const Loaded loaded = LoadOk(b);
  return loaded.character.meshes.empty() ? asset::Mesh() : loaded.character.meshes[0];
}

Error LoadError(const GltfBuilder& b) {
  const auto loaded = b.Load();
  EXPECT_FALSE(loaded.ok());
  return loaded.ok() ? Error{} : loaded.error();
}

TEST(GltfMeshTest, PrimitivesFollowEachOther) {
  GltfBuilder b;
  Json first = Primitive(b.Zigzag(4));
  first["indices"] = b.Accessor("SCALAR", Bytes8{0, 1, 2, 2, 1, 3});
  first["material"] = 1;
  Json second = Primitive(b.Zigzag(3));
  second["material"] = 0;
  b.json["materials"] = {{{"name", "zero"}}, {{"name", "one"}}};
  b.Mesh({{"name", "both"}, {"primitives", {first, second}}});
  const asset::Mesh mesh = MeshOf(b);
  EXPECT_EQ(mesh.name, "both");
  EXPECT_EQ(mesh.vertex_count(), 7u);
  EXPECT_EQ(mesh.positions[3], (Vec3f{2, 0, 0}));
  EXPECT_EQ(mesh.positions[5], (Vec3f{1, 0, 0}));
  EXPECT_THAT(mesh.triangles, ElementsAre(0, 1, 2, 2, 1, 3, 4, 5, 6));
  ASSERT_EQ(mesh.subsets.size(), 2u);
  EXPECT_EQ(mesh.subsets[0].first_index, 0u);
  EXPECT_EQ(mesh.subsets[0].index_count, 6u);
  EXPECT_EQ(mesh.subsets[0].material, 1);
  EXPECT_EQ(mesh.subsets[1].first_index, 6u);
  EXPECT_EQ(mesh.subsets[1].material, 0);
  EXPECT_THAT(mesh.normals, IsEmpty());
  EXPECT_THAT(mesh.texcoords, IsEmpty());
}

TEST(GltfMeshTest, PrimitivesWithTheSameAttributesShareVertices) {
  GltfBuilder b;
  const std::size_t position = b.Zigzag(4), other = b.Zigzag(4);
  Json first = Primitive(position), second = Primitive(position), third = Primitive(other);
  first["indices"] = b.Accessor("SCALAR", Bytes8{0, 1, 2});
  second["indices"] = b.Accessor("SCALAR", Bytes8{1, 3, 2});
  third["indices"] = b.Accessor("SCALAR", Bytes8{0, 1, 3});
  b.Mesh({{"primitives", {first, third, second}}});
  const asset::Mesh mesh = MeshOf(b);
  EXPECT_EQ(mesh.vertex_count(), 8u);
  EXPECT_THAT(mesh.triangles, ElementsAre(0, 1, 2, 4, 5, 7, 1, 3, 2));
  EXPECT_EQ(mesh.subsets.size(), 3u);
}

TEST(GltfMeshTest, IndicesOfEveryWidth) {
  const auto triangles = [](auto store) {
    GltfBuilder b;
    Json primitive = Primitive(b.Zigzag(3));
    primitive["indices"] = store(b);
    b.Mesh({{"primitives", {primitive}}});
    return MeshOf(b).triangles;
  };
  EXPECT_THAT(triangles([](GltfBuilder& b) { return b.Accessor("SCALAR", Bytes8{2, 1, 0}); }),
              ElementsAre(2, 1, 0));
  EXPECT_THAT(triangles([](GltfBuilder& b) { return b.Accessor("SCALAR", Shorts{2, 1, 0}); }),
              ElementsAre(2, 1, 0));
  EXPECT_THAT(triangles([](GltfBuilder& b) {
                return b.Accessor("SCALAR", std::vector<std::uint32_t>{2, 1, 0});
              }),
              ElementsAre(2, 1, 0));
}

asset::Mesh WithMode(int mode, const Bytes8& indices, Diagnostics* diagnostics = nullptr) {
  GltfBuilder b;
  Json primitive = Primitive(b.Zigzag(6));
  primitive["mode"] = mode;
  if (!indices.empty()) primitive["indices"] = b.Accessor("SCALAR", indices);
  b.Mesh({{"primitives", {primitive}}});
  Loaded loaded = LoadOk(b);
  if (diagnostics != nullptr) *diagnostics = loaded.diagnostics;
  return loaded.character.meshes.empty() ? asset::Mesh() : loaded.character.meshes[0];
}

TEST(GltfMeshTest, StripsAndFansBecomeTriangles) {
  // Every triangle of a strip keeps the sense of the first.
  EXPECT_THAT(WithMode(5, {0, 1, 2, 3, 4}).triangles, ElementsAre(0, 1, 2, 1, 3, 2, 2, 3, 4));
  EXPECT_THAT(WithMode(6, {0, 1, 2, 3}).triangles, ElementsAre(1, 2, 0, 2, 3, 0));
  EXPECT_THAT(WithMode(5, {}).triangles, ElementsAre(0, 1, 2, 1, 3, 2, 2, 3, 4, 3, 5, 4));
  Diagnostics diagnostics;
  EXPECT_THAT(WithMode(5, {0, 1}, &diagnostics).triangles, IsEmpty());
  EXPECT_TRUE(diagnostics.Contains("MESH_PRIMITIVE_INCOMPATIBLE_MODE"));
  EXPECT_THAT(WithMode(4, {0, 1, 2, 3, 4}, &diagnostics).triangles, ElementsAre(0, 1, 2));
  EXPECT_THAT(FindDiagnostic(diagnostics, "MESH_PRIMITIVE_INCOMPATIBLE_MODE").message,
              HasSubstr("the last 2"));
  EXPECT_THAT(WithMode(4, {0, 0, 0}).triangles, ElementsAre(0, 0, 0));
}

TEST(GltfMeshTest, PointsAndLinesKeepTheirVertices) {
  for (int mode = 0; mode < 4; ++mode) {
    Diagnostics diagnostics;
    const asset::Mesh mesh = WithMode(mode, {0, 1, 2, 3}, &diagnostics);
    EXPECT_EQ(mesh.vertex_count(), 6u);
    EXPECT_THAT(mesh.triangles, IsEmpty());
    EXPECT_THAT(mesh.subsets, IsEmpty());
    EXPECT_THAT(FindDiagnostic(diagnostics, "MESH_PRIMITIVE_NOT_TRIANGLES").message,
                HasSubstr("indices are dropped"));
  }
}

TEST(GltfMeshTest, RestartValuesAndIndicesBeyondTheVertices) {
  const auto error = [](auto store) {
    GltfBuilder b;
    Json primitive = Primitive(b.Zigzag(300));
    primitive["indices"] = store(b);
    b.Mesh({{"primitives", {primitive}}});
    return LoadError(b);
  };
  // 255 would be a vertex, but in bytes it is the restart value.
  const Error restart =
      error([](GltfBuilder& b) { return b.Accessor("SCALAR", Bytes8{0, 255, 1}); });
  EXPECT_EQ(restart.code, ErrorCode::kInvalidValue);
  EXPECT_THAT(restart.message, HasSubstr("index 1 is 255, the primitive restart value"));
  EXPECT_THAT(
      error([](GltfBuilder& b) { return b.Accessor("SCALAR", Shorts{0, 1, 65535}); }).message,
      HasSubstr("restart"));
  EXPECT_THAT(error([](GltfBuilder& b) {
                return b.Accessor("SCALAR", std::vector<std::uint32_t>{0xffffffff, 0, 1});
              }).message,
              HasSubstr("restart"));
  const Error beyond =
      error([](GltfBuilder& b) { return b.Accessor("SCALAR", Shorts{0, 300, 1}); });
  EXPECT_EQ(beyond.code, ErrorCode::kIndexOutOfRange);
  EXPECT_EQ(beyond.place.element, "/meshes/0/primitives/0/indices");
  EXPECT_THAT(beyond.message, HasSubstr("index 1 names vertex 300 of only 300"));
  EXPECT_EQ(error([](GltfBuilder& b) { return b.Floats("SCALAR", {0, 1, 2}); }).code,
            ErrorCode::kInvalidValue);
  EXPECT_EQ(error([](GltfBuilder& b) { return b.Accessor("VEC3", Bytes8{0, 1, 2}); }).code,
            ErrorCode::kInvalidValue);
}

TEST(GltfMeshTest, PrimitiveWithoutPositionIsLeftOut) {
  GltfBuilder b;
  Json shapeless = {{"attributes", {{"NORMAL", b.Floats("VEC3", {0, 0, 1})}}}};
  b.Mesh({{"primitives", {shapeless, Primitive(b.Zigzag(3))}}});
  const Loaded loaded = LoadOk(b);
  EXPECT_EQ(loaded.character.meshes[0].vertex_count(), 3u);
  EXPECT_THAT(loaded.character.meshes[0].normals, IsEmpty());
  EXPECT_TRUE(loaded.diagnostics.Contains("MESH_PRIMITIVE_NO_POSITION"));
}

TEST(GltfMeshTest, NormalsAreFilledWhereOnlySomePrimitivesHaveThem) {
  GltfBuilder b;
  Json with = Primitive(b.Zigzag(3));
  with["attributes"]["NORMAL"] = b.Floats("VEC3", {0, 0, 1, 0, 0, 2, 0, 0, 0});
  // (0,0,0), (1,0,0), (0,1,0) turned backwards: its normal is -Z.
  Json without = Primitive(b.Floats("VEC3", {0, 0, 0, 1, 0, 0, 0, 1, 0}));
  without["indices"] = b.Accessor("SCALAR", Bytes8{0, 2, 1});
  b.Mesh({{"primitives", {with, without}}});
  const Loaded loaded = LoadOk(b);
  const asset::Mesh& mesh = loaded.character.meshes[0];
  ASSERT_EQ(mesh.normals.size(), 6u);
  EXPECT_EQ(mesh.normals[0], (Vec3f{0, 0, 1}));
  EXPECT_EQ(mesh.normals[1], (Vec3f{0, 0, 1}));   // was of length 2
  EXPECT_NEAR(Length(mesh.normals[2]), 1, 1e-6);  // was zero
  for (std::size_t v = 3; v < 6; ++v) EXPECT_EQ(mesh.normals[v], (Vec3f{0, 0, -1}));
  EXPECT_EQ(FindDiagnostic(loaded.diagnostics, "NORMALS_COMPUTED").where,
            "/meshes/0/primitives/1/attributes");
  EXPECT_EQ(FindDiagnostic(loaded.diagnostics, "NORMALS_ZERO").count, 1u);
  EXPECT_EQ(FindDiagnostic(loaded.diagnostics, "ACCESSOR_VECTOR3_NON_UNIT").count, 1u);
}

TEST(GltfMeshTest, NormalsOfVerticesInNoTriangleAreFinite) {
  GltfBuilder b;
  Json with = Primitive(b.Zigzag(1)), without = Primitive(b.Zigzag(2));
  with["attributes"]["NORMAL"] = b.Floats("VEC3", {0, 1, 0});
  with["mode"] = 0;
  without["mode"] = 0;
  b.Mesh({{"primitives", {with, without}}});
  for (const Vec3f normal : MeshOf(b).normals) EXPECT_NEAR(Length(normal), 1, 1e-6);
}

TEST(GltfMeshTest, TangentsKeepTheirHand) {
  GltfBuilder b;
  Json with = Primitive(b.Zigzag(3));
  with["attributes"]["NORMAL"] = b.Floats("VEC3", {0, 0, 1, 0, 0, 1, 0, 0, 1});
  with["attributes"]["TANGENT"] = b.Floats("VEC4", {1, 0, 0, -1, 0, 3, 0, 1, 0, 0, 0, 0.2f});
  Json without = Primitive(b.Zigzag(3));
  without["attributes"]["NORMAL"] = b.Floats("VEC3", {0, 1, 0, 1, 0, 0, 0, 0, 1});
  b.Mesh({{"primitives", {with, without}}});
  const Loaded loaded = LoadOk(b);
  const asset::Mesh& mesh = loaded.character.meshes[0];
  ASSERT_EQ(mesh.tangents.size(), 6u);
  EXPECT_EQ(mesh.tangents[0], (Vec4f{1, 0, 0, -1}));
  EXPECT_EQ(mesh.tangents[1], (Vec4f{0, 1, 0, 1}));
  EXPECT_EQ(mesh.tangents[2].w, 1);
  for (std::size_t v = 0; v < 6; ++v) {
    const Vec3f t{mesh.tangents[v].x, mesh.tangents[v].y, mesh.tangents[v].z};
    EXPECT_NEAR(Length(t), 1, 1e-6);
    if (v >= 2) {
      EXPECT_NEAR(Dot(t, mesh.normals[v]), 0, 1e-6);
    }
  }
  EXPECT_TRUE(loaded.diagnostics.Contains("TANGENTS_MADE_UP"));
  EXPECT_TRUE(loaded.diagnostics.Contains("ACCESSOR_INVALID_SIGN"));
}

TEST(GltfMeshTest, TangentsWithoutNormalsAreLeftOut) {
  GltfBuilder b;
  Json primitive = Primitive(b.Zigzag(1));
  primitive["attributes"]["TANGENT"] = b.Floats("VEC4", {1, 0, 0, 1});
  b.Mesh({{"primitives", {primitive}}});
  const Loaded loaded = LoadOk(b);
  EXPECT_THAT(loaded.character.meshes[0].tangents, IsEmpty());
  EXPECT_TRUE(loaded.diagnostics.Contains("MESH_PRIMITIVE_TANGENT_WITHOUT_NORMAL"));
}

TEST(GltfMeshTest, TexcoordsOfTheSetThatTheTextureReads) {
  GltfBuilder b;
  b.json["images"] = {{{"uri", "data:image/png;base64,iVBORw0KGgo="}}};
  b.json["textures"] = {{{"source", 0}}};
  b.json["materials"] = {
      {{"pbrMetallicRoughness", {{"baseColorTexture", {{"index", 0}, {"texCoord", 1}}}}}}};
  Json first = Primitive(b.Zigzag(1)), second = Primitive(b.Zigzag(1)),
       third = Primitive(b.Zigzag(1));
  first["attributes"]["TEXCOORD_0"] = b.Floats("VEC2", {0.1f, 0.2f});
  first["attributes"]["TEXCOORD_1"] = b.Floats("VEC2", {0.3f, 0.4f});
  first["material"] = 0;
  second["attributes"]["TEXCOORD_0"] = b.Accessor("VEC2", Bytes8{255, 51}, true);
  second["material"] = 0;
  b.Mesh({{"primitives", {first, second, third}}});
  const Loaded loaded = LoadOk(b);
  EXPECT_THAT(loaded.character.meshes[0].texcoords,
              ElementsAre(Vec2f{0.3f, 0.4f}, Vec2f{1, 0.2f}, Vec2f{0, 0}));
  EXPECT_EQ(FindDiagnostic(loaded.diagnostics, "MESH_PRIMITIVE_TOO_FEW_TEXCOORDS").where,
            "/meshes/0/primitives/1/material");
  EXPECT_TRUE(loaded.diagnostics.Contains("TEXCOORDS_MISSING"));
}

TEST(GltfMeshTest, QuantizedPositionsAsTheyAreStored) {
  GltfBuilder b;
  b.Mesh({{"primitives", {Primitive(b.Accessor("VEC3", std::vector<std::int16_t>{1, -2, 300}))}}});
  Loaded loaded = LoadOk(b);
  EXPECT_EQ(loaded.character.meshes[0].positions[0], (Vec3f{1, -2, 300}));
  EXPECT_TRUE(loaded.diagnostics.Contains("MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT"));
  b.json["extensionsUsed"] = {"KHR_mesh_quantization"};
  loaded = LoadOk(b);
  EXPECT_FALSE(loaded.diagnostics.Contains("MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT"));
}

TEST(GltfMeshTest, PositionsThatAreNone) {
  GltfBuilder nan;
  nan.Mesh({{"primitives",
             {Primitive(nan.Floats("VEC3", {0, std::numeric_limits<float>::quiet_NaN(), 0}))}}});
  EXPECT_EQ(LoadError(nan).place.element, "/meshes/0/primitives/0/attributes/POSITION");
  GltfBuilder flat;
  flat.Mesh({{"primitives", {Primitive(flat.Floats("VEC2", {0, 0}))}}});
  EXPECT_THAT(LoadError(flat).message, HasSubstr("VEC2, but must be VEC3"));
  GltfBuilder counts;
  Json primitive = Primitive(counts.Zigzag(3));
  primitive["attributes"]["COLOR_0"] = counts.Floats("VEC3", {1, 1, 1});
  counts.Mesh({{"primitives", {primitive}}});
  EXPECT_EQ(LoadError(counts).place.element, "/meshes/0/primitives/0/attributes/COLOR_0");
}

TEST(GltfMeshTest, ReferencesThatNameNothing) {
  const auto place = [](auto change) {
    GltfBuilder b;
    b.Mesh({{"primitives", {Primitive(b.Zigzag(3))}}});
    change(b.json["meshes"][0]["primitives"][0]);
    return LoadError(b).place.element;
  };
  const std::string primitive = "/meshes/0/primitives/0";
  EXPECT_EQ(place([](Json& p) { p["attributes"]["POSITION"] = 1; }),
            primitive + "/attributes/POSITION");
  EXPECT_EQ(place([](Json& p) { p["indices"] = 9; }), primitive + "/indices");
  EXPECT_EQ(place([](Json& p) { p["material"] = 0; }), primitive + "/material");
  EXPECT_EQ(place([](Json& p) { p["mode"] = 7; }), primitive + "/mode");
  EXPECT_EQ(place([](Json& p) { p["targets"] = {{{"POSITION", 5}}}; }),
            primitive + "/targets/0/POSITION");
  EXPECT_EQ(place([](Json& p) { p.erase("attributes"); }), primitive);
  EXPECT_EQ(place([](Json& p) { p = 3; }), primitive);
}

}  // namespace
}  // namespace flexor::io
