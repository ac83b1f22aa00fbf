// Materials, textures and where pictures come from.

#include <map>
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

const std::string kPng = "\x89PNG\r\n\x1a\n and so on";
const std::string kJpeg = "\xff\xd8\xff and so on";

Loaded LoadOk(const GltfBuilder& b, const std::map<std::string, std::string>& files = {},
              const LoadOptions& options = {}) {
  const ResourceFn resources = [&](const std::string& name,
                                   std::uint64_t) -> Result<std::vector<std::byte>> {
    const auto found = files.find(name);
    if (found == files.end()) return Error{ErrorCode::kFileNotFound, "no such file", {}};
    const auto bytes = test::Bytes(found->second);
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  };
  auto loaded = LoadCharacterFromMemory(test::Bytes(b.Glb()), "x.glb", resources, options);
  EXPECT_TRUE(loaded.ok()) << loaded.error().ToString();
  return loaded.ok() ? std::move(*loaded) : Loaded();
}

GltfBuilder Textured(const Json& image) {
  GltfBuilder b;
  b.json["images"] = Json::array({image});
  b.json["textures"] = Json::array({{{"source", 0}}});
  b.json["materials"] =
      Json::array({{{"pbrMetallicRoughness", {{"baseColorTexture", {{"index", 0}}}}}}});
  return b;
}

std::string Text(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(GltfMaterialTest, BaseColourAlphaAndSides) {
  GltfBuilder b;
  b.json["materials"] = {
      {{"name", "glass"},
       {"pbrMetallicRoughness", {{"baseColorFactor", {0.25, 0.5, 0.75, 0.5}}}},
       {"alphaMode", "BLEND"},
       {"doubleSided", true}},
      {{"alphaMode", "MASK"},
       {"alphaCutoff", 0.25},
       {"extensions", {{"KHR_materials_unlit", Json::object()}}}},
      {{"extensions",
        {{"KHR_materials_pbrSpecularGlossiness", {{"diffuseFactor", {1, 0, 0, 1}}}}}}},
      Json::object()};
  const auto materials = LoadOk(b).character.materials;
  ASSERT_EQ(materials.size(), 4u);
  EXPECT_EQ(materials[0].name, "glass");
  EXPECT_EQ(materials[0].base_color, (Vec4f{0.25f, 0.5f, 0.75f, 0.5f}));
  EXPECT_EQ(materials[0].alpha_mode, asset::AlphaMode::kBlend);
  EXPECT_TRUE(materials[0].double_sided);
  EXPECT_EQ(materials[1].alpha_mode, asset::AlphaMode::kMask);
  EXPECT_EQ(materials[1].alpha_cutoff, 0.25f);
  EXPECT_EQ(materials[2].base_color, (Vec4f{1, 0, 0, 1}));
  EXPECT_EQ(materials[3].base_color, (Vec4f{1, 1, 1, 1}));
  EXPECT_EQ(materials[3].base_image, asset::kNone);
}

TEST(GltfMaterialTest, TextureTransform) {
  GltfBuilder b = Textured({{"uri", "a.png"}});
  b.json["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"]["extensions"] = {
      {"KHR_texture_transform", {{"offset", {0.5, 0.25}}, {"scale", {2, 3}}, {"rotation", 1.5}}}};
  const asset::Material material = LoadOk(b, {{"a.png", kPng}}).character.materials[0];
  EXPECT_EQ(material.uv_offset, (Vec2f{0.5f, 0.25f}));
  EXPECT_EQ(material.uv_scale, (Vec2f{2, 3}));
  EXPECT_EQ(material.uv_rotation, 1.5f);
}

TEST(GltfMaterialTest, PicturesFromEverywhere) {
  const std::string data = "data:image/jpeg;base64," + GltfBuilder::Base64(test::Bytes(kPng));
  for (const Json& image : {Json({{"uri", "tex/a%20b.png"}}), Json({{"uri", data}}),
                            Json({{"bufferView", 0}, {"mimeType", "image/png"}})}) {
    GltfBuilder b = Textured(image);
    b.View(std::vector<char>(kPng.begin(), kPng.end()));
    const asset::Character c = LoadOk(b, {{"tex/a b.png", kPng}}).character;
    ASSERT_EQ(c.images.size(), 1u);
    EXPECT_EQ(c.materials[0].base_image, 0);
    EXPECT_EQ(Text(c.images[0].bytes), kPng);
    EXPECT_EQ(c.images[0].media_type, "image/png");  // by content, whatever the file says
  }
}

TEST(GltfMaterialTest, OnlyPicturesOfBaseColoursAreKeptAndEachOnce) {
  GltfBuilder b;
  b.json["images"] = {{{"uri", "normal.png"}}, {{"uri", "skin.png"}, {"name", "skin"}}};
  b.json["textures"] = {{{"source", 0}}, {{"source", 1}}, {{"source", 1}}};
  const auto base = [](int texture) {
    return Json({{"pbrMetallicRoughness", {{"baseColorTexture", {{"index", texture}}}}},
                 {"normalTexture", {{"index", 0}}}});
  };
  b.json["materials"] = {base(1), base(2)};
  const asset::Character c = LoadOk(b, {{"skin.png", kJpeg}}).character;
  ASSERT_EQ(c.images.size(), 1u);
  EXPECT_EQ(c.images[0].name, "skin");
  EXPECT_EQ(c.images[0].media_type, "image/jpeg");
  EXPECT_EQ(c.materials[0].base_image, 0);
  EXPECT_EQ(c.materials[1].base_image, 0);
}

TEST(GltfMaterialTest, AMissingPictureDoesNotStopTheCharacter) {
  for (const char* uri :
       {"gone.png", "../secret.png", "http://x/y.png", "data:image/png;base64,!!"}) {
    const Loaded loaded = LoadOk(Textured({{"uri", uri}}));
    ASSERT_EQ(loaded.character.images.size(), 1u) << uri;
    EXPECT_TRUE(loaded.character.images[0].bytes.empty());
    const Diagnostic found = FindDiagnostic(loaded.diagnostics, "IMAGE_NOT_FOUND");
    EXPECT_EQ(found.where, "/images/0/uri") << uri;
    EXPECT_EQ(found.severity, Severity::kWarning);
  }
  EXPECT_EQ(FindDiagnostic(LoadOk(Textured(Json::object())).diagnostics, "IMAGE_NOT_FOUND").where,
            "/images/0");
}

TEST(GltfMaterialTest, PicturesThatCannotBeDrawn) {
  GltfBuilder b = Textured({{"uri", "a.webp"}});
  const std::string webp = std::string("RIFF\x10\0\0\0WEBPVP8 ", 16);
  EXPECT_TRUE(LoadOk(b, {{"a.webp", webp}}).diagnostics.Contains("IMAGE_FORMAT_UNSUPPORTED"));
  b.json["textures"] = {{{"extensions", {{"KHR_texture_basisu", {{"source", 0}}}}}}};
  const Loaded basis = LoadOk(b, {{"a.webp", webp}});
  EXPECT_EQ(basis.character.materials[0].base_image, asset::kNone);
  EXPECT_THAT(FindDiagnostic(basis.diagnostics, "IMAGE_FORMAT_UNSUPPORTED").message,
              HasSubstr("KHR_texture_basisu"));
  // A plain source beside the extension is used.
  b.json["images"] = {{{"uri", "a.ktx2"}}, {{"uri", "a.png"}}};
  b.json["textures"] = {{{"source", 1}, {"extensions", {{"KHR_texture_basisu", {{"source", 0}}}}}}};
  const Loaded both = LoadOk(b, {{"a.png", kPng}});
  EXPECT_EQ(Text(both.character.images[0].bytes), kPng);
  EXPECT_FALSE(both.diagnostics.Contains("IMAGE_FORMAT_UNSUPPORTED"));
}

TEST(GltfMaterialTest, PicturesAreLeftAloneOnRequest) {
  LoadOptions options;
  options.load_images = false;
  const Loaded loaded = LoadOk(Textured({{"uri", "gone.png"}}), {}, options);
  ASSERT_EQ(loaded.character.images.size(), 1u);
  EXPECT_TRUE(loaded.character.images[0].bytes.empty());
  EXPECT_FALSE(loaded.diagnostics.Contains("IMAGE_NOT_FOUND"));
}

TEST(GltfMaterialTest, ReferencesThatNameNothing) {
  const auto place = [](auto change) {
    GltfBuilder b = Textured({{"uri", "a.png"}});
    change(b.json);
    const auto loaded = b.Load();
    return loaded.ok() ? std::string("loaded") : loaded.error().place.element;
  };
  EXPECT_EQ(place([](Json& j) {
              j["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"]["index"] = 1;
            }),
            "/materials/0/pbrMetallicRoughness/baseColorTexture/index");
  EXPECT_EQ(place([](Json& j) { j["textures"][0]["source"] = 1; }), "/textures/0/source");
  EXPECT_EQ(place([](Json& j) { j["images"][0]["bufferView"] = 0; }), "/images/0/bufferView");
}

}  // namespace
}  // namespace flexor::io
