// The way in: what a file is, by content; files beside it; nothing outside the folder.

#include "flexor/io/load.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/gltf_builder.h"

namespace flexor::io {
namespace {

namespace fs = std::filesystem;
using test::GltfBuilder;
using test::Json;
using ::testing::HasSubstr;

Result<Loaded> LoadText(const std::string& text) {
  return LoadCharacterFromMemory(test::Bytes(text), "x", {}, {});
}

TEST(LoadTest, NamesWhatOtherFilesLookLike) {
  const std::pair<std::string, const char*> files[] = {
      {"Vocaloid Pose Data file\n", "VPD pose"},
      {"Vocaloid Motion Data 0002", "VMD motion"},
      {"PXR-USDC\x00\x08", "usdc"},
      {"#usda 1.0\n", "usda"},
      {"PK\x03\x04 and more", "zip"},
      {"Kaydara FBX Binary  ", "FBX"},
      {"; FBX 7.3.0 project file", "FBX"},
      {"# Blender\nmtllib a.mtl\no Cube\n", "OBJ"},
      {"v 0 0 0\n", "OBJ"},
      {"ply\nformat ascii 1.0\n", "PLY"},
      {"<?xml version=\"1.0\"?>", "XML"},
  };
  for (const auto& [text, name] : files) {
    const auto loaded = LoadText(text);
    ASSERT_FALSE(loaded.ok()) << text;
    EXPECT_EQ(loaded.error().code, ErrorCode::kUnknownFormat);
    EXPECT_THAT(loaded.error().message, HasSubstr(name));
    EXPECT_EQ(loaded.error().place.path, "x");
  }
  EXPECT_EQ(LoadText("").error().code, ErrorCode::kUnknownFormat);
  EXPECT_EQ(LoadText("hello").error().code, ErrorCode::kUnknownFormat);
  EXPECT_EQ(LoadText("   \n").error().code, ErrorCode::kUnknownFormat);
}

TEST(LoadTest, TextWithByteOrderMarkAndWhiteSpace) {
  const GltfBuilder b;
  EXPECT_TRUE(LoadText("\xef\xbb\xbf" + b.Gltf()).ok());
  EXPECT_TRUE(LoadText("\n \t" + b.Gltf() + "\n").ok());
  EXPECT_EQ(LoadText(b.Gltf())->character.source.format, "glTF 2.0");
}

TEST(LoadTest, RepeatedKeysAreReported) {
  const auto loaded = LoadText(R"({"asset":{"version":"2.0","version":"2.0"}})");
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(test::FindDiagnostic(loaded->diagnostics, "DUPLICATE_KEY").where, "/asset/version");
}

class LoadFilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ =
        fs::temp_directory_path() /
        ("flexor_load_test_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
         ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(root_);
    fs::create_directories(root_ / "in" / "sub");
    builder_.Mesh({{"primitives", {{{"attributes", {{"POSITION", builder_.Zigzag(3)}}}}}}});
    builder_.Node({{"mesh", 0}});
  }
  void TearDown() override { fs::remove_all(root_); }

  void Write(const fs::path& path, std::string_view text) {
    std::ofstream(root_ / path, std::ios::binary) << text;
  }
  void WriteBin(const fs::path& path) {
    Write(path, {reinterpret_cast<const char*>(builder_.bin.data()), builder_.bin.size()});
  }
  Result<Loaded> LoadWith(const std::string& uri, const LoadOptions& options = {}) {
    Write("in/ねこ.gltf", builder_.Gltf(uri));
    const std::u8string path = (root_ / "in" / u8"ねこ.gltf").u8string();
    return LoadCharacter(std::string(path.begin(), path.end()), options);
  }

  fs::path root_;
  GltfBuilder builder_;
};

TEST_F(LoadFilesTest, NeighboursByEveryKindOfName) {
  WriteBin("in/plain.bin");
  WriteBin("in/a b%.bin");
  WriteBin("in/sub/deep.bin");
  WriteBin(fs::path("in") / u8"もの.bin");
  for (const char* uri :
       {"plain.bin", "./plain.bin", "sub/../plain.bin", "a%20b%25.bin", "a b%.bin", "sub/deep.bin",
        "sub\\deep.bin", "もの.bin", "%E3%82%82%E3%81%AE.bin"}) {
    const auto loaded = LoadWith(uri);
    ASSERT_TRUE(loaded.ok()) << uri << ": " << loaded.error().ToString();
    EXPECT_EQ(loaded->character.meshes[0].positions[1], (Vec3f{1, 0, 0}));
    EXPECT_EQ(loaded->character.name, "ねこ");
  }
}

TEST_F(LoadFilesTest, NothingOutsideTheFolder) {
  WriteBin("outside.bin");
  fs::create_symlink(root_ / "outside.bin", root_ / "in" / "link.bin");
  fs::create_directory_symlink(root_, root_ / "in" / "up");
  const std::string absolute = (root_ / "outside.bin").string();
  LoadOptions allowed;
  allowed.allow_outside = true;
  for (const std::string& uri :
       {std::string("../outside.bin"), std::string("..\\outside.bin"),
        std::string("%2e%2e/outside.bin"), std::string("sub/../../outside.bin"),
        std::string("link.bin"), std::string("up/outside.bin"), absolute}) {
    const auto loaded = LoadWith(uri);
    ASSERT_FALSE(loaded.ok()) << uri;
    EXPECT_EQ(loaded.error().place.element, "/buffers/0/uri");
    EXPECT_THAT(loaded.error().message, HasSubstr("leads out of the folder"));
    EXPECT_TRUE(LoadWith(uri, allowed).ok()) << uri;
  }
}

TEST_F(LoadFilesTest, FilesThatAreMissingOrShort) {
  const auto missing = LoadWith("gone.bin");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kFileNotFound);
  EXPECT_EQ(missing.error().place.element, "/buffers/0/uri");
  EXPECT_THAT(missing.error().message, HasSubstr("gone.bin"));
  EXPECT_EQ(LoadWith("sub").error().code, ErrorCode::kFileUnreadable);

  Write("in/short.bin", "1234");
  const auto shorter = LoadWith("short.bin");
  ASSERT_FALSE(shorter.ok());
  EXPECT_EQ(shorter.error().code, ErrorCode::kTruncated);
  EXPECT_EQ(shorter.error().place.element, "/buffers/0");
  EXPECT_THAT(shorter.error().message, HasSubstr("declares 36 bytes, but only 4"));

  LoadOptions small;
  small.limits.file_bytes = 600;
  Write("in/large.bin", std::string(700, 'x'));
  EXPECT_EQ(LoadWith("large.bin", small).error().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(LoadCharacter((root_ / "absent.glb").string()).error().code, ErrorCode::kFileNotFound);
  EXPECT_EQ(LoadCharacter((root_ / "in").string()).error().code, ErrorCode::kFileUnreadable);
}

TEST_F(LoadFilesTest, FromMemoryThereAreNoNeighbours) {
  const std::string text = builder_.Gltf("plain.bin");
  const auto loaded = LoadCharacterFromMemory(test::Bytes(text), "x.gltf", {}, {});
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().code, ErrorCode::kFileNotFound);
  EXPECT_THAT(loaded.error().ToString(), HasSubstr("x.gltf: /buffers/0/uri"));
}

TEST(LoadTest, IrregularBase64IsReadAndReported) {
  GltfBuilder b;
  b.Mesh({{"primitives", {{{"attributes", {{"POSITION", b.Zigzag(1)}}}, {"mode", 0}}}}});
  std::string text = b.Gltf();
  const std::size_t comma = text.find("base64,") + 7;
  text.insert(comma + 8, "\\n ");
  const auto loaded = LoadText(text);
  ASSERT_TRUE(loaded.ok()) << loaded.error().ToString();
  EXPECT_EQ(test::FindDiagnostic(loaded->diagnostics, "BASE64_IRREGULAR").where, "/buffers/0/uri");
  text.insert(comma + 8, "*");
  EXPECT_EQ(LoadText(text).error().place.element, "/buffers/0/uri");
}

TEST(LoadTest, BuffersWithoutBytes) {
  GltfBuilder b;
  b.Mesh({{"primitives", {{{"attributes", {{"POSITION", b.Zigzag(1)}}}, {"mode", 0}}}}});
  Json json = b.json;
  json["buffers"] = {{{"byteLength", 12}}};
  const auto loaded = LoadText(json.dump());
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().place.element, "/buffers/0");
  EXPECT_THAT(loaded.error().message, HasSubstr("no uri"));
}

}  // namespace
}  // namespace flexor::io
