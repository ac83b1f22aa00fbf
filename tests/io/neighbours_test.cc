#include "io/neighbours.h"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flexor/core/file.h"

#include "io/uri.h"
#include "support/command.h"

namespace flexor::io {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

void Put(const std::string& path, const std::string& text) {
  fs::create_directories(fs::path(path).parent_path());
  ASSERT_TRUE(WriteFile(path, std::as_bytes(std::span(text))).ok()) << path;
}

/// What a model in `folder` finds under a texture name as its file spells it.
Result<std::string> Texture(const std::string& folder, const std::string& name,
                            bool allow_outside = false) {
  FLEXOR_ASSIGN(const std::string resolved, ResolveName(name, allow_outside));
  const ResourceFn fetch = NeighboursOf(folder + "/model.pmx", allow_outside, NameCase::kAny);
  FLEXOR_ASSIGN(const auto bytes, fetch(resolved, 1000));
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

TEST(Neighbours, TexturesAreFoundWhateverTheirCaseAndSlashes) {
  const test::Folder folder;
  Put(folder / "Tex/顔.PNG", "face");
  Put(folder / "tex2/Body_ÄЖΣＡ.bmp", "body");
  Put(folder / "a%20b.png", "percent");
  for (const char* name : {"Tex/顔.PNG", "tex\\顔.png", "TEX/./顔.Png", ".\\tex\\x\\..\\顔.png"}) {
    const auto found = Texture(folder.path(), name);
    ASSERT_TRUE(found.ok()) << name << ": " << found.error().ToString();
    EXPECT_EQ(*found, "face");
  }
  EXPECT_EQ(*Texture(folder.path(), "TEX2\\bODY_äжσａ.BMP"), "body");
  EXPECT_EQ(*Texture(folder.path(), "a%20b.png"), "percent") << "names are not percent-encoded";
  const auto missing = Texture(folder.path(), "tex/none.png");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kFileNotFound);
}

TEST(Neighbours, TheExactNameGoesFirstThenTheFirstInOrder) {
  const test::Folder folder;
  Put(folder / "a.png", "small");
  Put(folder / "A.png", "large");
  Put(folder / "B.PNG", "1");
  Put(folder / "B.png", "2");
  EXPECT_EQ(*Texture(folder.path(), "a.png"), "small");
  EXPECT_EQ(*Texture(folder.path(), "A.png"), "large");
  EXPECT_EQ(*Texture(folder.path(), "b.pNg"), "1");
}

TEST(Neighbours, OtherFormatsKeepToTheExactName) {
  const test::Folder folder;
  Put(folder / "A.bin", "x");
  const ResourceFn exact = NeighboursOf(folder / "scene.gltf", false);
  EXPECT_TRUE(exact("A.bin", 10).ok());
  EXPECT_FALSE(exact("a.bin", 10).ok());
}

TEST(Neighbours, NothingOutsideTheFolderUnlessAllowed) {
  const test::Folder folder;
  Put(folder / "secret.png", "secret");
  Put(folder / "model/own.png", "own");
  const std::string home = folder / "model";
  const std::string absolute = folder / "secret.png";
  for (const std::string& name :
       {std::string("..\\secret.png"), std::string("../SECRET.png"),
        std::string("x/../../secret.png"), absolute, std::string("C:\\secret.png"),
        std::string("\\\\server\\secret.png"), std::string("http://x/secret.png"),
        std::string("own\n.png"), std::string("own\0.png", 8), std::string("\xff.png"),
        std::string()}) {
    EXPECT_FALSE(Texture(home, name).ok()) << name;
  }
  EXPECT_EQ(*Texture(home, "..\\SECRET.png", true), "secret");
  EXPECT_EQ(*Texture(home, absolute, true), "secret");
  // A link that leads out is no way out, however it is spelt.
  fs::create_symlink(folder / "secret.png", folder / "model/Link.png");
  EXPECT_FALSE(Texture(home, "link.PNG").ok());
  EXPECT_EQ(*Texture(home, "link.PNG", true), "secret");
}

TEST(Neighbours, FoldsCapitalsAndLeavesTheRest) {
  EXPECT_EQ(FoldCase("AZaz09_-ÀÖ×Ø顔ЁЯя"), "azaz09_-àö×ø顔ёяя");
  EXPECT_EQ(FoldCase("A\xff"), "a\xff");
}

}  // namespace
}  // namespace flexor::io
