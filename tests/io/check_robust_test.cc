// The check on bytes that nobody meant well with: it must end, soon, with something to say.
#include <ctime>
#include <filesystem>

#include <gtest/gtest.h>

#include "flexor/core/file.h"

#include "io/check_support.h"
#include "support/corpus.h"

namespace flexor::io {
namespace {

namespace fs = std::filesystem;
using test::Check;
using test::GltfFile;
using test::Json;
using test::SkinnedFile;

/// A sequence that looks random and is the same everywhere.
class Shuffle {
 public:
  explicit Shuffle(std::uint64_t seed) : state_(seed) {}
  std::size_t Below(std::size_t bound) {
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<std::size_t>(state_ >> 33) % bound;
  }

 private:
  std::uint64_t state_;
};

std::size_t Errors(const CheckReport& report) { return report.diagnostics.Count(Severity::kError); }

TEST(CheckRobust, EveryTruncationOfAGlbIsAnError) {
  const std::string whole = SkinnedFile().Glb();
  ASSERT_EQ(Errors(Check(whole)), 0u);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_GT(Errors(Check(std::string_view(whole).substr(0, size))), 0u) << size;
  }
}

TEST(CheckRobust, TruncatedCorpusFilesAreErrors) {
  FLEXOR_REQUIRE_CORPUS();
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(test::CorpusPath("gltf"))) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".gltf" && extension != ".glb" && extension != ".vrm") continue;
    const auto bytes = ReadFile(entry.path().string(), 64u << 20);
    ASSERT_TRUE(bytes.ok());
    const std::string_view whole(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    // The last character of a text may be white space.
    const std::size_t end = whole.find_last_not_of(" \r\n\t");
    Shuffle shuffle(bytes->size());
    for (int i = 0; i < 8 && end > 0; ++i) {
      const std::size_t size = i == 0 ? end : shuffle.Below(end);
      EXPECT_GT(Errors(Check(whole.substr(0, size))), 0u) << entry.path() << " cut at " << size;
    }
    ++files;
  }
  EXPECT_GT(files, 200u);
}

TEST(CheckRobust, FlippedBytesNeverStopIt) {
  const std::string whole = SkinnedFile().Glb();
  Shuffle shuffle(7);
  for (int round = 0; round < 3000; ++round) {
    std::string broken = whole;
    const std::size_t flips = 1 + shuffle.Below(4);
    for (std::size_t i = 0; i < flips; ++i) {
      broken[shuffle.Below(broken.size())] = static_cast<char>(shuffle.Below(256));
    }
    const CheckReport report = Check(broken);
    EXPECT_LE(report.diagnostics.entries().size(), Diagnostics::kMaxEntries + 1);
  }
}

TEST(CheckRobust, ValuesOfEveryWrongTypeEverywhere) {
  const Json whole = SkinnedFile().json;
  std::vector<Json::json_pointer> places;
  const Json flat = whole.flatten();
  for (const auto& [pointer, value] : flat.items()) {
    for (Json::json_pointer place(pointer); !place.empty(); place = place.parent_pointer()) {
      if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
    }
  }
  ASSERT_GT(places.size(), 100u);
  const Json values[] = {nullptr,
                         true,
                         -1,
                         0,
                         1e18,
                         1.5,
                         "text",
                         Json::array(),
                         Json::object(),
                         Json::array({-1, "x", nullptr, 1e300}),
                         Json::object({{"extensions", 3}, {"extras", 1}})};
  GltfFile file = SkinnedFile();
  for (const auto& place : places) {
    for (const Json& value : values) {
      file.json = whole;
      file.json[place] = value;
      Check(file.Glb());
    }
  }
}

TEST(CheckRobust, CountsThatLieStayWithinTheBudget) {
  LoadOptions options;
  options.limits.memory_bytes = 64u << 20;
  for (const double count : {1e9, 4294967296.0, 9e15, 1e18}) {
    GltfFile file = SkinnedFile();
    for (Json& accessor : file.json["accessors"]) {
      accessor["count"] = count;
      accessor.erase("bufferView");
      accessor["sparse"] = {{"count", 1},
                            {"indices", {{"bufferView", 5}, {"componentType", 5123}}},
                            {"values", {{"bufferView", 0}}}};
    }
    const CheckReport report = Check(file.Glb(), options);
    EXPECT_TRUE(report.diagnostics.Contains("CHECK_INCOMPLETE")) << count;
    EXPECT_GT(Errors(report), 0u);
  }
}

TEST(CheckRobust, LargeDocumentsStayWithinTheBudget) {
  LoadOptions options;
  options.limits.memory_bytes = 4u << 20;
  std::string text = R"({"asset":{"version":"2.0"},"nodes":[{})";
  for (int i = 0; i < 200000; ++i) text += ",{}";
  const CheckReport report = Check(text + "]}", options);
  EXPECT_TRUE(report.diagnostics.Contains("LIMIT_EXCEEDED"));
  EXPECT_GT(Errors(report), 0u);
}

class CheckTime : public ::testing::Test {
 protected:
  /// Checks and returns the report; fails when that takes more time of the processor than any
  /// honest file of this size would, however busy the machine is.
  static CheckReport Timed(const std::string& bytes) {
    const std::clock_t start = std::clock();
    CheckReport report = Check(bytes);
    EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 60);
    return report;
  }
  static CheckReport Timed(const Json& json) { return Timed(json.dump()); }
  static Json Chain(std::size_t length) {
    Json nodes = Json::array();
    for (std::size_t i = 0; i < length; ++i) {
      nodes.push_back(Json::object());
      if (i + 1 < length) nodes[i]["children"] = {i + 1};
    }
    return {{"asset", {{"version", "2.0"}}}, {"nodes", nodes}};
  }
};

TEST_F(CheckTime, ADeepChainOfNodes) {
  const CheckReport report = Timed(Chain(50000));
  EXPECT_FALSE(report.diagnostics.Contains("NODE_LOOP"));
}

TEST_F(CheckTime, OneLongLoop) {
  Json json = Chain(50000);
  json["nodes"].back()["children"] = {0};
  const CheckReport report = Timed(json);
  EXPECT_TRUE(report.diagnostics.Contains("NODE_LOOP"));
  EXPECT_TRUE(report.diagnostics.Contains("TOO_MANY_DIAGNOSTICS"));
}

TEST_F(CheckTime, ManySkinsAtTheEndOfALongChain) {
  Json json = Chain(20000);
  Json skins = Json::array();
  for (int i = 0; i < 20000; ++i) skins.push_back({{"joints", {19999}}});
  json["skins"] = skins;
  EXPECT_TRUE(Timed(json).diagnostics.Contains("CHECK_INCOMPLETE"));
}

TEST_F(CheckTime, ManyScenesThatListManyNodes) {
  Json json = Chain(2000);
  json["meshes"] = SkinnedFile().json["meshes"];
  json["skins"] = {{{"joints", {0}}}};
  Json all = Json::array();
  for (std::size_t i = 0; i < 2000; ++i) {
    json["nodes"][i]["mesh"] = 0;
    json["nodes"][i]["skin"] = 0;
    all.push_back(i);
  }
  Json scenes = Json::array();
  for (int i = 0; i < 300; ++i) scenes.push_back({{"nodes", all}});
  json["scenes"] = scenes;
  EXPECT_TRUE(Timed(json).diagnostics.Contains("TOO_MANY_DIAGNOSTICS"));
}

TEST_F(CheckTime, OneAccessorUsedByVeryManyPrimitives) {
  GltfFile file = SkinnedFile();
  const Json primitive = file.json["meshes"][0]["primitives"][0];
  for (int i = 0; i < 20000; ++i) file.json["meshes"][0]["primitives"].push_back(primitive);
  EXPECT_EQ(Errors(Timed(file.Glb())), 0u);
}

}  // namespace
}  // namespace flexor::io
