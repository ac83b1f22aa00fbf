// Real files, and what the Khronos validator says about them.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "flexor/core/file.h"

#include "io/check_support.h"
#include "io/rules.h"
#include "support/corpus.h"

namespace flexor::io {
namespace {

namespace fs = std::filesystem;
using test::Json;

std::vector<fs::path> GltfFiles(const std::string& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(test::CorpusPath(folder))) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".gltf" || extension == ".glb" || extension == ".vrm" ||
        extension == ".vrma") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// (code, place, severity) with hints as infos.
using Finding = std::tuple<std::string, std::string, int>;

std::set<Finding> ByKhronos(const fs::path& file) {
  std::ifstream stream(file.string() + ".report.json");
  const Json report = Json::parse(stream);
  std::set<Finding> findings;
  for (const Json& message : report["issues"]["messages"]) {
    findings.emplace(message["code"], message.value("pointer", ""),
                     std::min(message["severity"].get<int>(), 2));
  }
  return findings;
}

std::set<Finding> ByFlexor(const CheckReport& report) {
  std::set<Finding> findings;
  for (const Diagnostic& diagnostic : report.diagnostics.entries()) {
    const Rule* rule = FindRule(diagnostic.code);
    if (rule == nullptr || rule->origin != RuleOrigin::kKhronos) continue;
    findings.emplace(diagnostic.code, diagnostic.where, static_cast<int>(diagnostic.severity));
  }
  return findings;
}

TEST(CheckCorpus, AgreesWithTheKhronosValidatorOnItsOwnFiles) {
  FLEXOR_REQUIRE_CORPUS();
  std::size_t files = 0, agreed = 0;
  std::set<std::pair<std::string, Finding>> missing, extra;
  for (const fs::path& file : GltfFiles("gltf/validator")) {
    ASSERT_TRUE(fs::exists(file.string() + ".report.json")) << file;
    const auto report = CheckFile(file.string());
    ASSERT_TRUE(report.ok());
    const std::set<Finding> khronos = ByKhronos(file);
    const std::set<Finding> flexor = ByFlexor(*report);
    const std::string name = (file.parent_path().filename() / file.filename()).string();
    for (const Finding& finding : khronos) {
      if (flexor.contains(finding)) {
        ++agreed;
      } else {
        missing.emplace(name, finding);
      }
    }
    for (const Finding& finding : flexor) {
      if (!khronos.contains(finding)) extra.emplace(name, finding);
    }
    ++files;
  }
  EXPECT_EQ(files, 101u);
  EXPECT_GE(agreed, 300u);
  // The one departure: the validator's pointer still hangs below the channel before.
  const std::string file = "animation/empty_objects.gltf";
  EXPECT_EQ(missing, (std::set<std::pair<std::string, Finding>>{
                         {file, {"UNUSED_OBJECT", "/animations/2/channels/0/samplers/0", 2}}}));
  EXPECT_EQ(extra, (std::set<std::pair<std::string, Finding>>{
                       {file, {"UNUSED_OBJECT", "/animations/2/samplers/0", 2}}}));
}

TEST(CheckCorpus, EveryCodeAndItsSeverityIsListed) {
  FLEXOR_REQUIRE_CORPUS();
  std::map<std::string, Severity> listed;
  for (const CheckRule& rule : CheckRules()) listed[std::string(rule.code)] = rule.severity;
  std::set<std::string> seen;
  for (const fs::path& file : GltfFiles("gltf")) {
    const auto report = CheckFile(file.string());
    ASSERT_TRUE(report.ok()) << file;
    for (const Diagnostic& diagnostic : report->diagnostics.entries()) {
      const auto rule = listed.find(diagnostic.code);
      ASSERT_NE(rule, listed.end()) << diagnostic.code << " in " << file;
      EXPECT_EQ(rule->second, diagnostic.severity) << diagnostic.code << " in " << file;
      EXPECT_FALSE(diagnostic.message.empty()) << diagnostic.code;
      EXPECT_GE(diagnostic.count, 1u);
      seen.insert(diagnostic.code);
    }
    const auto loaded = LoadCharacter(file.string());
    if (!loaded.ok()) {
      EXPECT_TRUE(report->diagnostics.Contains("LOAD_REFUSED") ||
                  report->diagnostics.Contains("UNKNOWN_FORMAT"))
          << file;
      continue;
    }
    EXPECT_FALSE(report->diagnostics.Contains("LOAD_REFUSED")) << file;
    for (const Diagnostic& diagnostic : loaded->diagnostics.entries()) {
      EXPECT_TRUE(listed.contains(diagnostic.code)) << diagnostic.code << " in " << file;
      // What the reader alone can say comes through the check as well.
      const Rule* rule = FindRule(diagnostic.code);
      if (rule->origin == RuleOrigin::kFlexor && diagnostic.code != "IMAGE_NOT_FOUND") {
        EXPECT_TRUE(report->diagnostics.Contains(diagnostic.code))
            << diagnostic.code << " in " << file;
      }
    }
  }
  EXPECT_GE(seen.size(), 60u);
}

TEST(CheckCorpus, WholeCharactersHaveNoErrors) {
  FLEXOR_REQUIRE_CORPUS();
  for (const char* name :
       {"khronos-sample/CesiumMan/glTF-Binary/CesiumMan.glb", "khronos-sample/Fox/glTF/Fox.gltf",
        "khronos-sample/RiggedFigure/glTF-Embedded/RiggedFigure.gltf",
        "khronos-sample/SimpleSkin/glTF/SimpleSkin.gltf"}) {
    const auto report = CheckFile(test::CorpusPath(std::string("gltf/") + name));
    ASSERT_TRUE(report.ok()) << name;
    EXPECT_EQ(report->diagnostics.Count(Severity::kError), 0u) << name;
  }
}

}  // namespace
}  // namespace flexor::io
