// The same question asked in another way has the same answer.
#include <algorithm>
#include <cmath>
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "flexor/math/vec.h"

#include "support/command.h"
#include "support/corpus.h"

namespace flexor {
namespace {

using nlohmann::json;
using test::Flexor;
using test::Folder;
using test::Outcome;
using test::ReadText;

void Bake(const Folder& folder, const std::string& output, std::vector<std::string> more) {
  std::vector<std::string> words = {"bake", "-q", "-o", output};
  words.insert(words.end(), more.begin(), more.end());
  const Outcome outcome = Flexor(words, folder.path());
  ASSERT_EQ(outcome.exit_code, 0) << testing::PrintToString(words) << outcome.err;
}

/// All points of all frames of a .pc2.
std::vector<Vec3f> PointsOf(const Folder& folder, const std::string& name) {
  const std::string bytes = ReadText(folder / name);
  EXPECT_GT(bytes.size(), 32u) << name;
  std::vector<Vec3f> points(bytes.size() < 32 ? 0 : (bytes.size() - 32) / sizeof(Vec3f));
  if (!points.empty()) {
    std::memcpy(static_cast<void*>(points.data()), bytes.data() + 32,
                points.size() * sizeof(Vec3f));
  }
  return points;
}

double LargestGap(const std::vector<Vec3f>& a, const std::vector<Vec3f>& b, Vec3d moved = {}) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const double gap = Length(Cast<double>(b[i]) - moved - Cast<double>(a[i]));
    largest = std::isfinite(gap) ? std::max(largest, gap) : INFINITY;
  }
  return largest;
}

// Positions and normals, bit for bit, as a .ply holds both.
TEST(Agreement, AFrameIsTheSameAloneInARangeAndBackwards) {
  for (const char* method : {"lbs", "dqs"}) {
    const Folder folder;
    const std::vector<std::string> rest = {"--sample", "figure", "--merge", "--method", method};
    const auto bake = [&](const std::string& output, std::vector<std::string> frames) {
      frames.insert(frames.end(), rest.begin(), rest.end());
      Bake(folder, output, frames);
    };
    bake("up.{frame}.ply", {"--frames", "10:14:2"});
    bake("down.{frame}.ply", {"--frames", "14:10:-2", "--threads", "2"});
    bake("fine.{frame}.ply", {"--frames", "10:14", "--sub-frames", "4"});
    bake("alone.{frame}.ply", {"--frame", "12"});
    bake("time.{frame}.ply", {"--time", "0.4"});
    const std::string up = ReadText(folder / "up.0012.ply");
    ASSERT_GT(up.size(), 100000u);
    for (const char* other : {"down", "fine", "alone", "time"}) {
      EXPECT_TRUE(up == ReadText(folder / (std::string(other) + ".0012.ply"))) << other << method;
    }
    EXPECT_TRUE(ReadText(folder / "up.0010.ply") == ReadText(folder / "down.0010.ply"));
    EXPECT_FALSE(up == ReadText(folder / "up.0010.ply"));
  }
}

TEST(Agreement, EveryBackendAndTargetGivesTheSameWithinAMicrometre) {
  const json backends = json::parse(Flexor({"info", "--backends", "--json"}).out);
  ASSERT_FALSE(backends["simd_targets"].empty());
  for (const char* method : {"lbs", "dqs"}) {
    const Folder folder;
    const std::vector<std::string> rest = {"--sample", "figure",   "--frames", "0:40:20",
                                           "--merge",  "--method", method};
    const auto bake = [&](const std::string& output, std::vector<std::string> more) {
      more.insert(more.end(), rest.begin(), rest.end());
      Bake(folder, output, more);
      return PointsOf(folder, output);
    };
    const std::vector<Vec3f> wanted = bake("reference.pc2", {"--backend", "reference"});
    ASSERT_GT(wanted.size(), 10000u);
    for (const json& target : backends["simd_targets"]) {
      const std::string name = target;
      EXPECT_LT(LargestGap(wanted, bake(name + ".pc2", {"--simd", name})), 1.5e-6)
          << name << method;
    }
  }
}

TEST(Agreement, AKilometreAwayTheShapeIsTheSame) {
  for (const char* method : {"lbs", "dqs"}) {
    const Folder folder;
    const std::vector<std::string> rest = {"--sample", "elbow",    "--frame",
                                           "60",       "--method", method};
    std::vector<std::string> here = rest, there = rest;
    there.insert(there.end(), {"--translate", "upper_arm=1000,0,-1000"});
    Bake(folder, "here.pc2", here);
    Bake(folder, "there.pc2", there);
    // Floats a kilometre away are 61 micrometres apart, and nothing is lost but that.
    EXPECT_LT(
        LargestGap(PointsOf(folder, "here.pc2"), PointsOf(folder, "there.pc2"), {1000, 0, -1000}),
        6.2e-5)
        << method;
  }
  const auto numbers = [](std::vector<std::string> more) {
    std::vector<std::string> words = {"compare", "--sample", "elbow", "--frame", "60", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = Flexor(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return json::parse(outcome.out);
  };
  const json here = numbers({}), there = numbers({"--translate", "upper_arm=1000,0,-1000"});
  EXPECT_NEAR(here["pairs"][0]["max_mm"].get<double>(), there["pairs"][0]["max_mm"].get<double>(),
              1e-6);
  EXPECT_NEAR(here["methods"]["dqs"]["edge_ratio_max"].get<double>(),
              there["methods"]["dqs"]["edge_ratio_max"].get<double>(), 1e-9);
}

TEST(Agreement, AConvertedCharacterBakesAsTheOriginal) {
  FLEXOR_REQUIRE_CORPUS();
  const Folder folder;
  for (const char* name : {"CesiumMan", "Fox", "RiggedFigure", "RiggedSimple", "BoxAnimated",
                           "AnimatedMorphCube", "InterpolationTest"}) {
    const std::string source = test::CorpusPath("gltf/khronos-sample/" + std::string(name) +
                                                "/glTF-Binary/" + name + ".glb");
    ASSERT_EQ(Flexor({"convert", "-q", source, "-o", "copy.glb"}, folder.path()).exit_code, 0);
    Bake(folder, "a.pc2", {source, "--merge"});
    Bake(folder, "b.pc2", {"copy.glb", "--merge"});
    const std::vector<Vec3f> a = PointsOf(folder, "a.pc2");
    float size = 0;
    for (const Vec3f& p : a) size = std::max({size, std::abs(p.x), std::abs(p.y), std::abs(p.z)});
    EXPECT_LE(LargestGap(a, PointsOf(folder, "b.pc2")), 1e-6 * static_cast<double>(size)) << name;
  }
}

TEST(Agreement, ListsOfMethodsMayBeOdd) {
  const auto compare = [](const std::string& methods) {
    return Flexor(
        {"compare", "--sample", "twist", "--frame", "60", "--json", "--methods", methods});
  };
  const json one = json::parse(compare("dqs").out);
  EXPECT_TRUE(one["pairs"].empty());
  EXPECT_EQ(one["methods"].size(), 1u);
  const json five = json::parse(compare("lbs,dqs,file,dqs:usd,dqs:origin").out);
  EXPECT_EQ(five["pairs"].size(), 10u);
  // What the file asks for here is linear blending, so it is that, to the last bit.
  EXPECT_EQ(five["methods"]["file"], five["methods"]["lbs"]);
  EXPECT_EQ(json::parse(compare(",dqs,,lbs,").out)["pairs"][0]["a"], "dqs");
  for (const char* bad : {"lbs,lbs", ",", "LBS", "lbs dqs", "dqs:", "lbs:usd", "nan", "dqs,dqs:"}) {
    EXPECT_EQ(compare(bad).exit_code, 2) << bad;
  }
}

}  // namespace
}  // namespace flexor
