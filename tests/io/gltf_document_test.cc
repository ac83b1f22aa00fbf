// One reading of the document for the reader and the check: strict, and around what is broken.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/check_support.h"
#include "io/gltf/check_findings.h"
#include "io/gltf/check_schema.h"
#include "io/gltf/document.h"

namespace flexor::io::gltf {
namespace {

using test::Json;
using test::SkinnedFile;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A text parsed and judged.
class Judged {
 public:
  explicit Judged(const Json& json) : budget_(1 << 24), findings_(diagnostics_) {
    auto parsed = json::Parse(json.dump(), {}, budget_);
    if (parsed.ok()) text_ = std::move(*parsed);
    SchemaCheck schema(findings_, false);
    EXPECT_TRUE(schema.Document(text_.root));
    auto read = ReadJudgedDocument(text_.root, schema.invalid(), budget_);
    EXPECT_TRUE(read.ok());
    if (read.ok()) document = std::move(*read);
    strict = ReadDocument(text_, budget_, strict_diagnostics);
  }

  RawDocument document;
  Result<RawDocument> strict{Error{}};
  Diagnostics strict_diagnostics;

 private:
  MemoryBudget budget_;
  Diagnostics diagnostics_;
  Findings findings_;
  json::Document text_;
};

Json Whole() {
  test::GltfFile file = SkinnedFile();
  file.json["buffers"] = {{{"byteLength", file.data.size()}}};
  return file.json;
}

TEST(GltfDocument, BothReadingsOfAGoodFileAreTheSame) {
  const Judged file(Whole());
  ASSERT_TRUE(file.strict.ok()) << file.strict.error().ToString();
  const RawDocument &a = *file.strict, &b = file.document;
  ASSERT_EQ(a.accessors.size(), b.accessors.size());
  for (std::size_t i = 0; i < a.accessors.size(); ++i) {
    EXPECT_EQ(a.accessors[i].view, b.accessors[i].view);
    EXPECT_EQ(a.accessors[i].count, b.accessors[i].count);
    EXPECT_EQ(a.accessors[i].component, b.accessors[i].component);
    EXPECT_EQ(a.accessors[i].type, b.accessors[i].type);
    EXPECT_EQ(a.accessors[i].has_bounds, b.accessors[i].has_bounds);
  }
  ASSERT_EQ(a.views.size(), b.views.size());
  for (std::size_t i = 0; i < a.views.size(); ++i) {
    EXPECT_EQ(a.views[i].buffer, b.views[i].buffer);
    EXPECT_EQ(a.views[i].byte_offset, b.views[i].byte_offset);
    EXPECT_EQ(a.views[i].byte_length, b.views[i].byte_length);
  }
  ASSERT_EQ(a.meshes.size(), 1u);
  EXPECT_EQ(a.meshes[0].primitives[0].attributes, b.meshes[0].primitives[0].attributes);
  EXPECT_EQ(a.meshes[0].primitives[0].indices, b.meshes[0].primitives[0].indices);
  ASSERT_EQ(a.nodes.size(), b.nodes.size());
  EXPECT_EQ(a.nodes[0].skin, b.nodes[0].skin);
  EXPECT_EQ(a.nodes[2].translation, b.nodes[2].translation);
  EXPECT_EQ(a.skins[0].joints, b.skins[0].joints);
  EXPECT_EQ(a.animations[0].channels[0].path, b.animations[0].channels[0].path);
  EXPECT_EQ(a.scenes[0].nodes, b.scenes[0].nodes);
  EXPECT_EQ(a.scene, b.scene);
}

TEST(GltfDocument, WhatIsBrokenIsMarkedForTheCheckAndEndsTheReader) {
  Json json = Whole();
  json["accessors"][0]["count"] = "many";
  json["accessors"][1]["bufferView"] = -3;
  json["accessors"][2]["bufferView"] = 9e15;
  json["bufferViews"][0]["byteOffset"] = 1.5;
  json["bufferViews"][1]["byteStride"] = 3;
  json["bufferViews"][2].erase("buffer");
  json["skins"][0]["joints"] = {1, "two", 77};
  json["nodes"][1] = 5;
  json["nodes"][2]["translation"] = {0, 1};
  json["animations"][0]["samplers"][0]["interpolation"] = 7;
  json["meshes"][0]["primitives"][0]["mode"] = 12;
  const Judged file(json);
  const RawDocument& document = file.document;
  EXPECT_EQ(document.accessors[0].count, kNoNumber);
  EXPECT_EQ(document.accessors[1].view, kNone);
  EXPECT_EQ(document.accessors[2].view, static_cast<std::int32_t>(kFarIndex));
  EXPECT_EQ(document.views[0].byte_offset, kNoNumber);
  EXPECT_EQ(document.views[1].byte_stride, 0u);
  EXPECT_EQ(document.views[2].buffer, kNoIndex);
  EXPECT_THAT(document.skins[0].joints, ElementsAre(1u, kNoIndex, 77u));
  ASSERT_EQ(document.nodes.size(), 3u);
  EXPECT_EQ(document.nodes[1].mesh, kNone);
  EXPECT_EQ(document.nodes[2].translation, (std::array<double, 3>{0, 0, 0}));
  EXPECT_EQ(document.animations[0].samplers[0].interpolation, RawInterpolation::kUnknown);
  EXPECT_EQ(document.meshes[0].primitives[0].mode, PrimitiveMode::kUnknown);

  // The reader names the first of them, in the order in which it reads.
  ASSERT_FALSE(file.strict.ok());
  EXPECT_EQ(file.strict.error().place.element, "/bufferViews/0/byteOffset");
  EXPECT_EQ(file.strict.error().code, ErrorCode::kInvalidValue);
}

TEST(GltfDocument, ListsThatAreNoListsAreEmpty) {
  Json json = Whole();
  json["meshes"] = {{"primitives", 3}};
  json["animations"][0]["channels"] = Json::array();
  json["scenes"][0]["nodes"] = {{"0", 1}};
  const Judged file(json);
  EXPECT_THAT(file.document.meshes, IsEmpty());
  EXPECT_THAT(file.document.animations[0].channels, IsEmpty());
  EXPECT_THAT(file.document.scenes[0].nodes, IsEmpty());
  ASSERT_FALSE(file.strict.ok());
  EXPECT_EQ(file.strict.error().place.element, "/meshes");
}

TEST(GltfDocument, ABudgetEndsBothReadings) {
  const std::string text = Whole().dump();
  MemoryBudget parsing(1 << 24);
  const auto parsed = json::Parse(text, {}, parsing);
  ASSERT_TRUE(parsed.ok());
  MemoryBudget small(64);
  Diagnostics diagnostics;
  EXPECT_EQ(ReadDocument(*parsed, small, diagnostics).error().code, ErrorCode::kLimitExceeded);
  MemoryBudget as_small(64);
  EXPECT_EQ(ReadJudgedDocument(parsed->root, {}, as_small).error().code, ErrorCode::kLimitExceeded);
}

}  // namespace
}  // namespace flexor::io::gltf
