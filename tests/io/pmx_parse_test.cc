#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flexor/io/mmd/pmx.h"

#include "support/mmd_builder.h"

namespace flexor::io::mmd {
namespace {

using test::FullModel;
using test::FullPmx;
using test::MmdBytes;
using test::PmxStorage;
using ::testing::HasSubstr;

constexpr std::uint64_t kBudget = 64ull << 20;

/// Every width on its own and all of them together, both encodings, both versions, 0 to 4 vectors.
std::vector<PmxStorage> Storages() {
  std::vector<PmxStorage> all;
  for (const PmxVersion version : {PmxVersion::k20, PmxVersion::k21}) {
    for (const PmxEncoding encoding : {PmxEncoding::kUtf16, PmxEncoding::kUtf8}) {
      for (std::uint8_t uvs = 0; uvs <= 4; ++uvs) all.push_back({version, encoding, {}, uvs});
    }
    for (const std::uint8_t width : {std::uint8_t{2}, std::uint8_t{4}}) {
      all.push_back({version, PmxEncoding::kUtf16, {width, width, width, width, width, width}, 1});
      all.push_back({version, PmxEncoding::kUtf16, {width, 1, 1, 1, 1, 1}, 1});
      all.push_back({version, PmxEncoding::kUtf16, {1, width, 1, 1, 1, 1}, 1});
      all.push_back({version, PmxEncoding::kUtf16, {1, 1, width, 1, 1, 1}, 1});
      all.push_back({version, PmxEncoding::kUtf16, {1, 1, 1, width, 1, 1}, 1});
      all.push_back({version, PmxEncoding::kUtf16, {1, 1, 1, 1, width, 1}, 1});
      all.push_back({version, PmxEncoding::kUtf16, {1, 1, 1, 1, 1, width}, 1});
    }
    all.push_back({version, PmxEncoding::kUtf8, {4, 2, 1, 2, 4, 1}, 3});
  }
  return all;
}

std::string Words(const PmxStorage& s) {
  std::string text = s.version == PmxVersion::k20 ? "2.0" : "2.1";
  text += s.encoding == PmxEncoding::kUtf16 ? " UTF-16" : " UTF-8";
  for (const std::uint8_t width : {s.widths.vertex, s.widths.texture, s.widths.material,
                                   s.widths.bone, s.widths.morph, s.widths.body, s.uvs}) {
    text += ' ' + std::to_string(width);
  }
  return text;
}

TEST(PmxParse, ReadsEveryFieldInEveryStorage) {
  for (const PmxStorage& storage : Storages()) {
    SCOPED_TRACE(Words(storage));
    const MmdBytes file = FullPmx(storage);
    MemoryBudget budget(kBudget);
    Diagnostics diagnostics;
    const auto model = ParsePmx(file.span(), budget, diagnostics);
    ASSERT_TRUE(model.ok()) << model.error().ToString();
    const PmxModel expected = FullModel(storage);
    EXPECT_EQ(model->vertices, expected.vertices);
    EXPECT_EQ(model->additional_uvs, expected.additional_uvs);
    EXPECT_EQ(model->indices, expected.indices);
    EXPECT_EQ(model->textures, expected.textures);
    EXPECT_EQ(model->materials, expected.materials);
    EXPECT_EQ(model->bones, expected.bones);
    EXPECT_EQ(model->morphs, expected.morphs);
    EXPECT_EQ(model->frames, expected.frames);
    EXPECT_EQ(model->bodies, expected.bodies);
    EXPECT_EQ(model->joints, expected.joints);
    EXPECT_EQ(model->soft_bodies, expected.soft_bodies);
    EXPECT_EQ(*model, expected);
    if (storage.version == PmxVersion::k21) {
      EXPECT_TRUE(diagnostics.entries().empty()) << diagnostics.entries()[0].message;
    }
  }
}

TEST(PmxParse, WritesTheSameBytesInEveryStorage) {
  for (const PmxStorage& storage : Storages()) {
    SCOPED_TRACE(Words(storage));
    const MmdBytes file = FullPmx(storage);
    const auto written = WritePmx(FullModel(storage));
    ASSERT_TRUE(written.ok()) << written.error().ToString();
    ASSERT_EQ(written->size(), file.bytes.size());
    EXPECT_TRUE(*written == file.bytes);
  }
}

TEST(PmxParse, CountsWhatIsNewerThanItsVersion) {
  const MmdBytes file = FullPmx({PmxVersion::k20, PmxEncoding::kUtf16, {}, 0});
  MemoryBudget budget(kBudget);
  Diagnostics diagnostics;
  ASSERT_TRUE(ParsePmx(file.span(), budget, diagnostics).ok());
  ASSERT_EQ(diagnostics.entries().size(), 1u);
  const Diagnostic& said = diagnostics.entries()[0];
  EXPECT_EQ(said.code, "MMD_FEATURE_OF_21");
  // A QDEF vertex, a material with the flags, a flip and an impulse morph, five joints.
  EXPECT_EQ(said.count, 1u + 1u + 2u + 5u);
  EXPECT_THAT(said.message, HasSubstr("vertex 4"));
}

TEST(PmxParse, VertexIndicesAreUnsignedAndOthersSigned) {
  // 200 vertices: a vertex index above 127 in one byte.
  PmxModel model;
  model.widths.vertex = 1;
  model.vertices.resize(256);
  model.indices = {0, 200, 255};
  model.materials.resize(1);
  model.materials[0].index_count = 3;
  const auto bytes = WritePmx(model);
  ASSERT_TRUE(bytes.ok()) << bytes.error().ToString();
  MemoryBudget budget(kBudget);
  Diagnostics diagnostics;
  const auto read = ParsePmx(*bytes, budget, diagnostics);
  ASSERT_TRUE(read.ok()) << read.error().ToString();
  EXPECT_EQ(read->indices, (std::vector<std::uint32_t>{0, 200, 255}));
  EXPECT_EQ(read->vertices[0].bones[0], kNoIndex);
  EXPECT_EQ(*read, [&] {
    PmxModel same = model;
    for (PmxVertex& vertex : same.vertices) vertex.weights[0] = 1;
    return same;
  }());
}

TEST(PmxParse, KeepsHeaderBytesThatItDoesNotKnow) {
  MmdBytes file = FullPmx();
  file.Patch("globals", 10, 1);
  const std::size_t after = file.at["globals"] + 9;
  file.bytes.insert(file.bytes.begin() + static_cast<std::ptrdiff_t>(after),
                    {std::byte{5}, std::byte{6}});
  MemoryBudget budget(kBudget);
  Diagnostics diagnostics;
  const auto model = ParsePmx(file.span(), budget, diagnostics);
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  EXPECT_EQ(model->extra_globals, (std::vector<std::uint8_t>{5, 6}));
  EXPECT_TRUE(diagnostics.Contains("MMD_EXTRA_GLOBALS"));
  const auto written = WritePmx(*model);
  ASSERT_TRUE(written.ok());
  EXPECT_TRUE(*written == file.bytes);
}

TEST(PmxParse, RepairsTextsThatAreNoUtf16) {
  // A half surrogate in the name, and an odd byte at the end of another.
  MmdBytes file = FullPmx();
  file.Patch("name", 0xd800, 2, 4);
  MemoryBudget budget(kBudget);
  Diagnostics diagnostics;
  const auto model = ParsePmx(file.span(), budget, diagnostics);
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  EXPECT_EQ(model->name, "\xef\xbf\xbd部");
  EXPECT_TRUE(diagnostics.Contains("MMD_TEXT_REPAIRED"));
  // What is written now reads as the same and without complaint.
  const auto written = WritePmx(*model);
  ASSERT_TRUE(written.ok());
  Diagnostics none;
  const auto again = ParsePmx(*written, budget, none);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*again, *model);
  EXPECT_TRUE(none.entries().empty());
}

TEST(PmxParse, ReadsTextsBeyondTheBasicPlane) {
  PmxModel model;
  model.name = "😀 a\xf0\xa0\xae\xb7";
  for (const PmxEncoding encoding : {PmxEncoding::kUtf16, PmxEncoding::kUtf8}) {
    model.encoding = encoding;
    const auto bytes = WritePmx(model);
    ASSERT_TRUE(bytes.ok());
    MemoryBudget budget(kBudget);
    Diagnostics diagnostics;
    const auto read = ParsePmx(*bytes, budget, diagnostics);
    ASSERT_TRUE(read.ok()) << read.error().ToString();
    EXPECT_EQ(read->name, model.name);
    EXPECT_TRUE(diagnostics.entries().empty());
  }
}

TEST(PmxParse, RawWeightsKeepTheirBits) {
  MmdBytes file = FullPmx();
  file.Patch("vertex 1 weight", 0x3f7fffff, 4);  // the float below 1
  MemoryBudget budget(kBudget);
  Diagnostics diagnostics;
  const auto model = ParsePmx(file.span(), budget, diagnostics);
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(std::bit_cast<std::uint32_t>(model->vertices[1].weights[0]), 0x3f7fffffu);
  EXPECT_EQ(model->vertices[1].weights[1], 1 - model->vertices[1].weights[0]);
  // Sums and signs are nobody's business here.
  file.PatchFloat("vertex 1 weight", -3);
  const auto odd = ParsePmx(file.span(), budget, diagnostics);
  ASSERT_TRUE(odd.ok());
  EXPECT_EQ(odd->vertices[1].weights, (std::array<float, 4>{-3, 4, 0, 0}));
}

TEST(PmxParse, AnSdefVertexAtItsOwnCentreStaysSdef) {
  MmdBytes file = FullPmx();
  file.PatchFloat("vertex 3 sdef", 3, 0);
  file.PatchFloat("vertex 3 sdef", 1, 4);
  file.PatchFloat("vertex 3 sdef", 2, 8);
  MemoryBudget budget(kBudget);
  Diagnostics diagnostics;
  const auto model = ParsePmx(file.span(), budget, diagnostics);
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(model->vertices[3].type, PmxWeightType::kSdef);
  EXPECT_EQ(model->vertices[3].c, model->vertices[3].position);
}

}  // namespace
}  // namespace flexor::io::mmd
