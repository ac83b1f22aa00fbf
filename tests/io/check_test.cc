#include "flexor/io/check.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flexor/core/file.h"

#include "io/check_support.h"
#include "io/gltf/check_images.h"
#include "io/gltf/container.h"
#include "support/paths.h"

namespace flexor::io {
namespace {

namespace fs = std::filesystem;
using test::Check;
using test::Find;
using test::GltfFile;
using test::Json;
using test::Said;
using test::SkinnedFile;
using ::testing::Contains;
using ::testing::HasSubstr;

std::string ReadText(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(CheckRules, AreSortedUniqueAndExplained) {
  const auto rules = CheckRules();
  ASSERT_GT(rules.size(), 200u);
  for (std::size_t i = 0; i < rules.size(); ++i) {
    EXPECT_FALSE(rules[i].summary.empty()) << rules[i].code;
    EXPECT_EQ(rules[i].code.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"),
              std::string_view::npos);
    if (i == 0) continue;
    EXPECT_LT(rules[i - 1].code, rules[i].code);
  }
}

TEST(CheckRules, AreTheTableInTheDocumentation) {
  const std::string page = ReadText(fs::path(FLEXOR_SOURCE_DIR) / "docs" / "errors.md");
  ASSERT_FALSE(page.empty());
  const std::size_t start = page.find("## Diagnostics");
  ASSERT_NE(start, std::string::npos);
  const std::regex row(R"(\| `([A-Z0-9_]+)` \| (\w+) \| (K|) ?\| (.*) \|)");
  std::vector<std::array<std::string, 3>> documented;
  const std::string table = page.substr(start);
  for (std::sregex_iterator at(table.begin(), table.end(), row), end; at != end; ++at) {
    documented.push_back({(*at)[1], (*at)[2], (*at)[4]});
  }
  std::vector<std::array<std::string, 3>> expected;
  for (const CheckRule& rule : CheckRules()) {
    expected.push_back({std::string(rule.code), std::string(SeverityName(rule.severity)),
                        std::string(rule.summary)});
  }
  EXPECT_EQ(documented, expected);
}

TEST(CheckRules, HoldEveryErrorCodeOnThePageToo) {
  const std::string page = ReadText(fs::path(FLEXOR_SOURCE_DIR) / "docs" / "errors.md");
  const std::string table = page.substr(0, page.find("## Places"));
  for (int code = 0; code <= static_cast<int>(ErrorCode::kCancelled); ++code) {
    const std::string name(ErrorCodeName(static_cast<ErrorCode>(code)));
    EXPECT_NE(table.find("| `" + name + "` |"), std::string::npos) << name;
  }
}

TEST(CheckRules, HoldEveryCodeThatTheSourcesName) {
  // Words in capitals with underscores are codes of diagnostics, except these.
  const std::regex other(
      "(TEXCOORD|COLOR|JOINTS|WEIGHTS)_[0-9]?|UNSIGNED_(BYTE|SHORT|INT)|(FLEXOR|SLURM)_.*");
  std::set<std::string> known;
  for (const CheckRule& rule : CheckRules()) known.emplace(rule.code);
  for (int code = 0; code <= static_cast<int>(ErrorCode::kCancelled); ++code) {
    known.emplace(ErrorCodeName(static_cast<ErrorCode>(code)));
  }
  const std::regex literal("\"([A-Z][A-Z0-9]*(_[A-Z0-9]+)+_?)\"");
  std::size_t found = 0;
  for (const char* module : {"core", "asset", "io"}) {
    for (const auto& entry :
         fs::recursive_directory_iterator(fs::path(FLEXOR_SOURCE_DIR) / "src" / module)) {
      if (!entry.is_regular_file()) continue;
      const std::string text = ReadText(entry.path());
      for (std::sregex_iterator at(text.begin(), text.end(), literal), end; at != end; ++at) {
        const std::string code = (*at)[1];
        if (std::regex_match(code, other)) continue;
        EXPECT_TRUE(known.contains(code)) << code << " in " << entry.path();
        ++found;
      }
    }
  }
  EXPECT_GT(found, 300u);
}

TEST(Check, NamesTheFormat) {
  EXPECT_EQ(Check(SkinnedFile().Glb()).format, "GLB 2.0");
  EXPECT_EQ(Check(R"({"asset":{"version":"2.0"}})").format, "glTF 2.0");
  GltfFile vrm = SkinnedFile();
  vrm.json["extensionsUsed"] = {"VRMC_vrm"};
  vrm.json["extensions"]["VRMC_vrm"] = Json::object();
  EXPECT_EQ(Check(vrm.Glb()).format, "GLB 2.0, VRM 1.0");
  vrm.json["extensions"] = {{"VRM", Json::object()}};
  EXPECT_EQ(Check(vrm.Glb()).format, "GLB 2.0, VRM 0.x");
}

TEST(Check, UnknownBytesAreOneError) {
  for (const std::string_view bytes : {"", "BLENDER", "\x00\x01\x02", "   ", "[]"}) {
    const CheckReport report = Check(bytes);
    EXPECT_EQ(report.format, "");
    EXPECT_EQ(Said(report), (std::multiset<std::string>{"UNKNOWN_FORMAT "}));
    EXPECT_FALSE(report.diagnostics.entries()[0].remedy.empty());
  }
}

TEST(Check, BrokenTextIsAnErrorWithLineAndColumn) {
  const CheckReport report = Check("{\n \"asset\": }");
  ASSERT_NE(Find(report, "INVALID_JSON"), nullptr);
  EXPECT_THAT(Find(report, "INVALID_JSON")->message, HasSubstr("line 2, column 11"));
  EXPECT_NE(Find(report, "LOAD_REFUSED"), nullptr);
}

TEST(Check, RepeatedKeysAndByteOrderMarksAreReported) {
  const CheckReport report =
      Check("\xEF\xBB\xBF{\"asset\":{\"version\":\"2.0\",\"version\":\"2.0\"}}");
  EXPECT_THAT(Said(report), Contains("DUPLICATE_KEY /asset/version"));
  EXPECT_THAT(Said(report), Contains("INVALID_JSON "));
}

TEST(Check, OtherVersionsAreNotJudgedAsIfTheyWereTwo) {
  const auto said = [](const char* asset) {
    return Said(Check("{\"asset\":" + std::string(asset) + ",\"nodes\":{}}"));
  };
  EXPECT_THAT(said(R"({"version":"1.0"})"), Contains("UNKNOWN_ASSET_MAJOR_VERSION /asset/version"));
  EXPECT_THAT(said(R"({"version":"2.1"})"), Contains("UNKNOWN_ASSET_MINOR_VERSION /asset/version"));
  EXPECT_THAT(said(R"({"version":"2"})"), Contains("PATTERN_MISMATCH /asset/version"));
  EXPECT_THAT(said("{}"), Contains("UNDEFINED_PROPERTY /asset"));
  EXPECT_THAT(said(R"({"version":"1.0"})"), ::testing::Not(Contains("TYPE_MISMATCH /nodes")));
  EXPECT_THAT(said(R"({"version":"2.0","minVersion":"2.1"})"),
              Contains("ASSET_MIN_VERSION_GREATER_THAN_VERSION /asset/minVersion"));
  EXPECT_THAT(Said(Check("{}")), Contains("UNDEFINED_PROPERTY /"));
}

TEST(Check, FaultsOfTheContainerWeighWhatTheTableSays) {
  const std::string whole = SkinnedFile().Glb();
  std::set<std::string> seen;
  const auto look = [&](const std::string& bytes) {
    const CheckReport report = Check(bytes);
    for (const Diagnostic& finding : report.diagnostics.entries()) {
      if (!finding.code.starts_with("GLB_")) continue;
      seen.insert(finding.code);
      const auto rule = std::find_if(CheckRules().begin(), CheckRules().end(),
                                     [&](const CheckRule& r) { return r.code == finding.code; });
      ASSERT_NE(rule, CheckRules().end()) << finding.code;
      EXPECT_EQ(rule->severity, finding.severity) << finding.code;
      EXPECT_TRUE(finding.where.starts_with("byte ")) << finding.where;
    }
  };
  for (std::size_t at = 4; at < 24; ++at) {
    for (const char value : {'\0', '\1', '\3', '\14', '\77'}) {
      std::string broken = whole;
      broken[at] = value;
      look(broken);
    }
  }
  look(whole + "more");
  look(whole.substr(0, whole.size() - 4));
  look(whole.substr(0, 10));
  EXPECT_GE(seen.size(), 8u);
}

TEST(Check, JudgesTheDocumentOfAFileThatBreaksOff) {
  GltfFile file = SkinnedFile();
  file.json["nodes"][0]["rotation"] = {0, 0, 0, 2};
  const std::string glb = file.Glb();
  const CheckReport report = Check(std::string_view(glb).substr(0, glb.size() - 8));
  EXPECT_THAT(Said(report), Contains("VALUE_NOT_IN_RANGE /nodes/0/rotation/3"));
  EXPECT_NE(Find(report, "GLB_UNEXPECTED_END_OF_CHUNK_DATA"), nullptr);
}

TEST(Check, SaysWhatTheReaderRepairs) {
  GltfFile file = SkinnedFile();
  file.Set(4, 0, 0.25f);
  const CheckReport report = Check(file.Glb());
  ASSERT_NE(Find(report, "WEIGHTS_NOT_NORMALIZED"), nullptr);
  EXPECT_EQ(Find(report, "WEIGHTS_NOT_NORMALIZED")->severity, Severity::kWarning);
  EXPECT_NE(Find(report, "ACCESSOR_WEIGHTS_NON_NORMALIZED"), nullptr);
}

TEST(Check, SaysThatALoadIsRefusedAndWhere) {
  GltfFile file = SkinnedFile();
  file.json["skins"][0]["joints"] = {1, 77};
  const CheckReport report = Check(file.Glb());
  EXPECT_THAT(Said(report), Contains("UNRESOLVED_REFERENCE /skins/0/joints/1"));
  ASSERT_NE(Find(report, "LOAD_REFUSED"), nullptr);
  EXPECT_EQ(Find(report, "LOAD_REFUSED")->severity, Severity::kError);
  EXPECT_THAT(Find(report, "LOAD_REFUSED")->where, HasSubstr("/skins/0/joints"));
}

TEST(Check, FindsSkinsWithoutACommonRoot) {
  GltfFile file = SkinnedFile();
  constexpr const char* kCode = "SKIN_NO_COMMON_ROOT";
  EXPECT_EQ(Find(Check(file.Glb()), kCode), nullptr);
  // Three trees: the first two share nothing, and the third must not make up for it.
  file.json["nodes"][1].erase("children");
  file.json["nodes"].push_back({{"name", "third"}});
  file.json["skins"] = {{{"joints", {1, 2, 3}}}};
  EXPECT_NE(Find(Check(file.Glb()), kCode), nullptr);
  // A parent above all of them is a common root, and a valid skeleton; a joint is not.
  file.json["nodes"].push_back({{"children", {1, 2, 3}}});
  file.json["skins"][0]["skeleton"] = 4;
  EXPECT_EQ(Find(Check(file.Glb()), kCode), nullptr);
  EXPECT_EQ(Find(Check(file.Glb()), "SKIN_SKELETON_INVALID"), nullptr);
  file.json["skins"][0]["skeleton"] = 2;
  EXPECT_NE(Find(Check(file.Glb()), "SKIN_SKELETON_INVALID"), nullptr);
}

TEST(Check, FindsTransformsThatDoNotReachASkinnedMesh) {
  GltfFile file = SkinnedFile();
  file.json["nodes"].push_back({{"children", {0}}});
  file.json["scenes"][0]["nodes"] = {3, 1};
  EXPECT_THAT(Said(Check(file.Glb())), Contains("NODE_SKINNED_MESH_NON_ROOT /nodes/0"));
  EXPECT_EQ(Find(Check(file.Glb()), "NODE_SKINNED_MESH_PARENT_TRANSFORMS"), nullptr);
  file.json["nodes"].push_back({{"children", {3}}, {"scale", {2, 2, 2}}});
  file.json["scenes"][0]["nodes"] = {4, 1};
  EXPECT_THAT(Said(Check(file.Glb())), Contains("NODE_SKINNED_MESH_PARENT_TRANSFORMS /nodes/0"));
  file.json["nodes"][0]["translation"] = {1, 0, 0};
  EXPECT_THAT(Said(Check(file.Glb())), Contains("NODE_SKINNED_MESH_LOCAL_TRANSFORMS /nodes/0"));
}

TEST(Check, TellsShearFromScale) {
  const auto said = [](std::vector<double> matrix) {
    GltfFile file = SkinnedFile();
    file.json["nodes"][1]["matrix"] = std::move(matrix);
    return Find(Check(file.Glb()), "NODE_MATRIX_NON_TRS") != nullptr;
  };
  EXPECT_FALSE(said({2, 0, 0, 0, 0, -3, 0, 0, 0, 0, 0.5, 0, 7, 8, 9, 1}));
  EXPECT_FALSE(said({0, 1000, 0, 0, -1000, 0, 0, 0, 0, 0, 1000, 0, 0, 0, 0, 1}));
  EXPECT_TRUE(said({1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}));
  EXPECT_TRUE(said({1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}));
  EXPECT_TRUE(said({1, 0, 0, 0.5, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}));
}

TEST(CheckFile, ReadsNeighboursAndSaysWhatIsMissing) {
  const fs::path folder = fs::temp_directory_path() / "flexor_check_test ねこ";
  fs::remove_all(folder);
  fs::create_directories(folder);
  GltfFile file = SkinnedFile();
  file.json["buffers"] = {{{"byteLength", file.data.size()}, {"uri", "データ.bin"}}};
  const std::string path = (folder / "model.gltf").string();
  std::ofstream(path) << file.json.dump();
  const auto missing = CheckFile(path);
  ASSERT_TRUE(missing.ok());
  EXPECT_THAT(Said(*missing), Contains("IO_ERROR /buffers/0/uri"));
  std::ofstream(folder / "データ.bin", std::ios::binary) << file.data;
  const auto whole = CheckFile(path);
  ASSERT_TRUE(whole.ok());
  EXPECT_EQ(whole->diagnostics.Count(Severity::kError), 0u);

  EXPECT_EQ(CheckFile((folder / "absent.glb").string()).error().code, ErrorCode::kFileNotFound);
  EXPECT_EQ(CheckFile(folder.string()).error().code, ErrorCode::kFileUnreadable);
  LoadOptions small;
  small.limits.file_bytes = 10;
  const auto large = CheckFile(path, small);
  ASSERT_TRUE(large.ok());
  EXPECT_EQ(Said(*large), (std::multiset<std::string>{"LIMIT_EXCEEDED "}));
  fs::remove_all(folder);
}

std::string Big32(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

std::string PngChunk(const std::string& type, const std::string& data) {
  return Big32(static_cast<std::uint32_t>(data.size())) + type + data + "crc!";
}

gltf::ImageHeader Header(const std::string& bytes) {
  return gltf::ReadImageHeader(std::as_bytes(std::span(bytes)));
}

TEST(CheckImages, ReadsPngHeaders) {
  const std::string magic = "\x89PNG\r\n\x1a\n";
  const std::string size = Big32(640) + Big32(480) + std::string("\x08\x06\0\0\0", 5);
  const std::string good = magic + PngChunk("IHDR", size) + PngChunk("IDAT", "x");
  EXPECT_EQ(Header(good).verdict, gltf::ImageVerdict::kGood);
  EXPECT_EQ(Header(good).width, 640u);
  EXPECT_EQ(Header(good).height, 480u);
  EXPECT_FALSE(Header(good).has_unusual_features);
  const std::string odd = magic + PngChunk("IHDR", size) +
                          PngChunk("pHYs", Big32(1) + Big32(2) + "u") + PngChunk("IDAT", "");
  EXPECT_TRUE(Header(odd).has_unusual_features);
  EXPECT_EQ(Header(magic + PngChunk("IHDR", "short") + PngChunk("IDAT", "")).verdict,
            gltf::ImageVerdict::kBroken);
  EXPECT_EQ(Header(magic + PngChunk("IDAT", "")).verdict, gltf::ImageVerdict::kBroken);
  for (std::size_t cut = 14; cut < good.size() - 5; ++cut) {
    EXPECT_EQ(Header(good.substr(0, cut)).verdict, gltf::ImageVerdict::kTruncated) << cut;
  }
}

TEST(CheckImages, ReadsJpegAndWebpHeaders) {
  const std::string jpeg(
      "\xff\xd8\xff\xe0\x00\x04JJ\xff\xff\xc2\x00\x0b\x08\x01\x02\x03\x04\x03"
      "\x01\x02\x03",
      22);
  EXPECT_EQ(Header(jpeg).verdict, gltf::ImageVerdict::kGood);
  EXPECT_EQ(Header(jpeg).height, 0x102u);
  EXPECT_EQ(Header(jpeg).width, 0x304u);
  EXPECT_EQ(Header(jpeg.substr(0, 20)).verdict, gltf::ImageVerdict::kTruncated);
  std::string two_channels = jpeg;
  two_channels[18] = 2;
  EXPECT_EQ(Header(two_channels).verdict, gltf::ImageVerdict::kBroken);

  std::string webp = "RIFFxxxxWEBPVP8X" + std::string(14, '\0');
  webp[24] = 99;
  webp[27] = 49;
  EXPECT_EQ(Header(webp).width, 100u);
  EXPECT_EQ(Header(webp).height, 50u);
  EXPECT_FALSE(Header(webp).has_unusual_features);
  webp[20] = 2;
  EXPECT_TRUE(Header(webp).has_unusual_features);
  EXPECT_EQ(Header("RIFFxxxxWEBPVP8Xshort").verdict, gltf::ImageVerdict::kTruncated);
  EXPECT_EQ(Header("GIF89a and some more bytes").verdict, gltf::ImageVerdict::kUnknownFormat);
}

}  // namespace
}  // namespace flexor::io
