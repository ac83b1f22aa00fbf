// The library speaks of its own settings; the command alone speaks of its options.
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/command.h"
#include "support/gltf_builder.h"
#include "support/paths.h"

namespace flexor {
namespace {

namespace fs = std::filesystem;
using test::Flexor;
using test::Folder;
using testing::HasSubstr;
using testing::IsEmpty;

/// Every option of every command, as the help pages list them.
std::set<std::string> Options() {
  std::set<std::string> options;
  const std::regex name("--[a-z][a-z-]*[a-z]");
  for (const char* verb :
       {"info", "check", "bake", "compare", "render", "sample", "convert", "pose"}) {
    const std::string help = Flexor({verb, "--help"}).out;
    for (std::sregex_iterator at(help.begin(), help.end(), name), end; at != end; ++at) {
      options.insert(at->str());
    }
  }
  return options;
}

/// What stands between quotes on a line.
std::string Quoted(const std::string& line) {
  std::string text;
  bool inside = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
    } else if (line[i] == '"') {
      inside = !inside;
      text += ' ';
    } else if (inside) {
      text += line[i];
    } else if (line.compare(i, 2, "//") == 0) {
      break;
    }
  }
  return text;
}

TEST(OptionNames, NoTextOfTheLibraryHasOne) {
  const std::set<std::string> options = Options();
  ASSERT_GT(options.size(), 30u);
  ASSERT_TRUE(options.contains("--merge"));
  const std::regex name("--[a-z][a-z-]*[a-z]");
  std::size_t files = 0;
  std::vector<std::string> found;
  for (const char* folder : {"src", "include"}) {
    for (const auto& entry :
         fs::recursive_directory_iterator(fs::path(FLEXOR_SOURCE_DIR) / folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".cc" && extension != ".h") continue;
      ++files;
      std::ifstream stream(entry.path());
      for (std::string line; std::getline(stream, line);) {
        const std::string text = Quoted(line);
        for (std::sregex_iterator at(text.begin(), text.end(), name), end; at != end; ++at) {
          if (options.contains(at->str())) found.push_back(entry.path().string() + ": " + line);
        }
      }
    }
  }
  EXPECT_GT(files, 300u);
  EXPECT_THAT(found, IsEmpty());
}

TEST(OptionNames, TheCommandNamesTheOptionBehindASetting) {
  const Folder folder;
  test::GltfBuilder pair;
  const std::size_t corners = pair.Zigzag(3);
  for (int mesh = 0; mesh < 2; ++mesh) {
    pair.Mesh({{"primitives", {{{"attributes", {{"POSITION", corners}}}}}}});
    pair.Node({{"mesh", mesh}});
  }
  std::ofstream(folder / "pair.glb", std::ios::binary) << pair.Glb();
  const test::Outcome merge =
      Flexor({"bake", "pair.glb", "--frame", "0", "-o", "x.ply"}, folder.path());
  EXPECT_EQ(merge.exit_code, 2);
  EXPECT_THAT(merge.err, HasSubstr("merged into one (--merge)"));
  EXPECT_THAT(merge.err, testing::Not(HasSubstr("BakeSettings")));

  const test::Outcome glb =
      Flexor({"bake", "pair.glb", "--frame", "0", "--merge", "-o", "x.glb"}, folder.path());
  EXPECT_EQ(glb.exit_code, 2);
  EXPECT_THAT(glb.err, HasSubstr("do not merge them (--merge)"));

  test::GltfBuilder hidden;
  const std::size_t position = hidden.Zigzag(3);
  hidden.Mesh({{"primitives", {{{"attributes", {{"POSITION", position}}}}}}});
  hidden.Node({{"mesh", 0}});
  hidden.Node({{"name", "shown"}});
  hidden.json["scenes"] = {{{"nodes", {1}}}};
  std::ofstream(folder / "hidden.glb", std::ios::binary) << hidden.Glb();
  const test::Outcome all =
      Flexor({"bake", "hidden.glb", "--frame", "0", "-o", "x.ply"}, folder.path());
  EXPECT_NE(all.exit_code, 0);
  EXPECT_THAT(all.err, HasSubstr("(flexor bake --all-meshes)"));
}

}  // namespace
}  // namespace flexor
