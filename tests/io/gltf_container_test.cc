#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "flexor/core/file.h"

#include "io/gltf/container.h"
#include "support/corpus.h"

namespace flexor::io::gltf {
namespace {

constexpr std::uint32_t kJson = 0x4E4F534A;
constexpr std::uint32_t kBin = 0x004E4942;

void Append(std::vector<std::byte>& bytes, std::uint32_t value) {
  for (unsigned i = 0; i < 4; ++i) bytes.push_back(std::byte((value >> (8 * i)) & 0xffu));
}

void AppendChunk(std::vector<std::byte>& bytes, std::uint32_t type, std::string_view data) {
  Append(bytes, static_cast<std::uint32_t>(data.size()));
  Append(bytes, type);
  for (const char c : data) bytes.push_back(static_cast<std::byte>(c));
}

void SetU32(std::vector<std::byte>& bytes, std::size_t offset, std::uint32_t value) {
  for (unsigned i = 0; i < 4; ++i) bytes[offset + i] = std::byte((value >> (8 * i)) & 0xffu);
}

/// A header whose length is set by Finished().
std::vector<std::byte> Header(std::uint32_t version = 2) {
  std::vector<std::byte> bytes;
  Append(bytes, 0x46546C67);
  Append(bytes, version);
  Append(bytes, 0);
  return bytes;
}

std::vector<std::byte> Finished(std::vector<std::byte> bytes) {
  SetU32(bytes, 8, static_cast<std::uint32_t>(bytes.size()));
  return bytes;
}

std::vector<std::byte> SmallGlb() {
  auto bytes = Header();
  AppendChunk(bytes, kJson, "{\"a\":1} ");
  AppendChunk(bytes, kBin, "12345678");
  AppendChunk(bytes, kBin, "");
  return Finished(bytes);
}

struct Split {
  explicit Split(std::span<const std::byte> bytes)
      : result(SplitContainer(bytes, "file.glb", diagnostics)) {}
  Diagnostics diagnostics;
  Result<Container> result;
};

TEST(GltfContainer, TextWithoutMagicIsJson) {
  const std::string text = "{\"asset\":{}}";
  const Split split(std::as_bytes(std::span(text)));
  ASSERT_TRUE(split.result.ok());
  EXPECT_FALSE(split.result->is_glb);
  EXPECT_EQ(split.result->json_text(), text);
  EXPECT_EQ(split.result->json.offset, 0u);
  EXPECT_FALSE(split.result->bin.has_value());
  EXPECT_TRUE(split.diagnostics.entries().empty());
  EXPECT_TRUE(Split({}).result.ok());
}

TEST(GltfContainer, SplitsChunksAndSkipsTheRestAloud) {
  auto bytes = Header();
  AppendChunk(bytes, kJson, "{}  ");
  AppendChunk(bytes, kBin, "12345678");
  AppendChunk(bytes, 0x21212121, "abcd");
  AppendChunk(bytes, kBin, "9999");
  AppendChunk(bytes, kJson, "[]  ");
  bytes = Finished(bytes);
  const Split split(bytes);
  ASSERT_TRUE(split.result.ok()) << split.result.error().ToString();
  EXPECT_TRUE(split.result->is_glb);
  EXPECT_EQ(split.result->json_text(), "{}  ");
  EXPECT_EQ(split.result->json.offset, 20u);
  ASSERT_TRUE(split.result->bin.has_value());
  EXPECT_EQ(split.result->bin->bytes.size(), 8u);
  EXPECT_EQ(split.result->bin->offset, 32u);
  ASSERT_EQ(split.diagnostics.entries().size(), 3u);
  EXPECT_EQ(split.diagnostics.entries()[0].code, "GLB_UNKNOWN_CHUNK_TYPE");
  EXPECT_EQ(split.diagnostics.entries()[0].severity, Severity::kWarning);
  EXPECT_EQ(split.diagnostics.entries()[0].where, "byte 40");
  EXPECT_EQ(split.diagnostics.entries()[1].code, "GLB_DUPLICATE_CHUNK");
  EXPECT_EQ(split.diagnostics.entries()[2].code, "GLB_DUPLICATE_CHUNK");
  EXPECT_NE(split.diagnostics.entries()[1].where, split.diagnostics.entries()[2].where);
}

TEST(GltfContainer, EmptyAndLateBinChunks) {
  auto empty = Header();
  AppendChunk(empty, kJson, "{}  ");
  AppendChunk(empty, kBin, "");
  empty = Finished(empty);
  const Split split(empty);
  ASSERT_TRUE(split.result.ok());
  ASSERT_TRUE(split.result->bin.has_value());
  EXPECT_TRUE(split.result->bin->bytes.empty());
  ASSERT_EQ(split.diagnostics.entries().size(), 1u);
  EXPECT_EQ(split.diagnostics.entries()[0].code, "GLB_EMPTY_BIN_CHUNK");
  EXPECT_EQ(split.diagnostics.entries()[0].severity, Severity::kInfo);

  auto late = Header();
  AppendChunk(late, kJson, "{}  ");
  AppendChunk(late, 7, "abcd");
  AppendChunk(late, kBin, "1234");
  late = Finished(late);
  const Split late_split(late);
  ASSERT_TRUE(late_split.result.ok());
  EXPECT_TRUE(late_split.result->bin.has_value());
  EXPECT_TRUE(late_split.diagnostics.Contains("GLB_UNEXPECTED_BIN_CHUNK"));
}

TEST(GltfContainer, UnalignedChunksAreReadAndReported) {
  auto bytes = Header();
  AppendChunk(bytes, kJson, "{} ");
  AppendChunk(bytes, kBin, "12345");
  bytes = Finished(bytes);
  const Split split(bytes);
  ASSERT_TRUE(split.result.ok());
  EXPECT_EQ(split.result->json_text(), "{} ");
  EXPECT_EQ(split.result->bin->bytes.size(), 5u);
  ASSERT_EQ(split.diagnostics.entries().size(), 2u);
  EXPECT_EQ(split.diagnostics.entries()[0].code, "GLB_CHUNK_LENGTH_UNALIGNED");
}

void ExpectRefusal(const std::vector<std::byte>& bytes, ErrorCode code, std::string_view diagnostic,
                   std::initializer_list<std::string_view> in_message) {
  const Split split(bytes);
  ASSERT_FALSE(split.result.ok()) << diagnostic;
  EXPECT_EQ(split.result.error().code, code) << split.result.error().ToString();
  EXPECT_EQ(split.result.error().place.path, "file.glb");
  EXPECT_TRUE(split.result.error().place.byte_offset.has_value());
  EXPECT_TRUE(split.diagnostics.Contains(diagnostic)) << diagnostic;
  for (const auto part : in_message) {
    EXPECT_NE(split.result.error().message.find(part), std::string::npos)
        << part << " in: " << split.result.error().message;
  }
}

TEST(GltfContainer, RefusesOtherVersions) {
  for (const std::uint32_t version : {0u, 1u, 3u, 0xffffffffu}) {
    auto bytes = Header(version);
    AppendChunk(bytes, kJson, "{}  ");
    ExpectRefusal(Finished(bytes), ErrorCode::kUnsupportedFeature, "GLB_INVALID_VERSION",
                  {std::to_string(version)});
  }
}

TEST(GltfContainer, NamesBothNumbersOfEveryLengthThatLies) {
  auto longer = SmallGlb();
  SetU32(longer, 8, 1000);
  ExpectRefusal(longer, ErrorCode::kTruncated, "GLB_LENGTH_MISMATCH",
                {"1000", std::to_string(longer.size())});
  auto cut = SmallGlb();
  cut.resize(cut.size() - 9);
  ExpectRefusal(cut, ErrorCode::kTruncated, "GLB_UNEXPECTED_END_OF_CHUNK_DATA",
                {"8", "7", std::to_string(cut.size()), std::to_string(cut.size() + 9)});
  auto tiny = SmallGlb();
  SetU32(tiny, 8, 12);
  ExpectRefusal(tiny, ErrorCode::kParse, "GLB_LENGTH_TOO_SMALL", {"12"});
  auto no_json = SmallGlb();
  SetU32(no_json, 8, 19);
  ExpectRefusal(no_json, ErrorCode::kTruncated, "GLB_UNEXPECTED_END_OF_CHUNK_HEADER", {"8", "7"});
  auto chunk = SmallGlb();
  SetU32(chunk, 12, 0xfffffffc);
  ExpectRefusal(chunk, ErrorCode::kTruncated, "GLB_CHUNK_TOO_BIG",
                {"4294967292", std::to_string(chunk.size() - 20)});
  auto ragged = SmallGlb();
  ragged.resize(ragged.size() - 3);
  ExpectRefusal(Finished(ragged), ErrorCode::kTruncated, "GLB_UNEXPECTED_END_OF_CHUNK_HEADER",
                {"8", "5"});
}

TEST(GltfContainer, BytesAfterTheDeclaredEndAreIgnoredAloud) {
  auto bytes = SmallGlb();
  bytes.resize(bytes.size() + 5, std::byte{0xee});
  const Split split(bytes);
  ASSERT_TRUE(split.result.ok());
  ASSERT_TRUE(split.diagnostics.Contains("GLB_EXTRA_DATA"));
  EXPECT_NE(split.diagnostics.entries()[0].message.find(std::to_string(bytes.size())),
            std::string::npos);
}

TEST(GltfContainer, TheFirstChunkMustBeJsonWithContent) {
  auto wrong = Header();
  AppendChunk(wrong, kBin, "1234");
  AppendChunk(wrong, kJson, "{}  ");
  ExpectRefusal(Finished(wrong), ErrorCode::kParse, "GLB_UNEXPECTED_FIRST_CHUNK", {"0x004e4942"});
  auto empty = Header();
  AppendChunk(empty, kJson, "");
  ExpectRefusal(Finished(empty), ErrorCode::kParse, "GLB_EMPTY_CHUNK", {});
}

TEST(GltfContainer, EveryTruncationIsRefused) {
  const auto whole = SmallGlb();
  ASSERT_TRUE(Split(whole).result.ok());
  for (std::size_t size = 4; size < whole.size(); ++size) {
    const Split split{std::span(whole).first(size)};
    ASSERT_FALSE(split.result.ok()) << size;
    EXPECT_EQ(split.result.error().code, ErrorCode::kTruncated) << size;
  }
}

TEST(GltfContainer, HandsOutWhatCameBeforeTheBreak) {
  auto bytes = SmallGlb();
  bytes.resize(bytes.size() - 12);
  Diagnostics diagnostics;
  Container so_far;
  ASSERT_FALSE(SplitContainer(bytes, "file.glb", diagnostics, &so_far).ok());
  EXPECT_EQ(so_far.json_text(), "{\"a\":1} ");
  EXPECT_FALSE(so_far.bin.has_value());
}

TEST(GltfContainer, SplitsARealFile) {
  FLEXOR_REQUIRE_CORPUS();
  const auto bytes = ReadFile(
      test::CorpusPath("gltf/khronos-sample/CesiumMan/glTF-Binary/CesiumMan.glb"), 64u << 20);
  ASSERT_TRUE(bytes.ok()) << bytes.error().ToString();
  const Split split(*bytes);
  ASSERT_TRUE(split.result.ok());
  EXPECT_TRUE(split.diagnostics.entries().empty());
  EXPECT_EQ(split.result->json_text().front(), '{');
  ASSERT_TRUE(split.result->bin.has_value());
  EXPECT_EQ(split.result->bin->offset + split.result->bin->bytes.size(), bytes->size());
}

}  // namespace
}  // namespace flexor::io::gltf
