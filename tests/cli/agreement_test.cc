// The same question asked in another way has the same answer.
#include <algorithm>
#include <cmath>
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "flexor/bake/to_pmx.h"
#include "flexor/bake/to_vmd.h"
#include "flexor/core/file.h"
#include "flexor/io/mmd/vmd.h"
#include "flexor/math/mat.h"

#include "pose/swinging.h"
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

/// A chain on rigid bodies with one vertex on each bone, as chain.pmx and chain.vmd in the folder.
asset::Character WriteChain(const Folder& folder) {
  asset::Character chain = pose::Swinging();
  asset::Mesh mesh;
  asset::Skin skin;
  mesh.influences.offsets = {0};
  for (std::uint32_t b = 0; b < 4; ++b) {
    const Vec3d at{0.1 * b, 1.2, 0};
    mesh.positions.push_back(Cast<float>(at + Vec3d{0, 0.03, 0}));
    mesh.influences.joints.push_back(b);
    mesh.influences.weights.push_back(1);
    mesh.influences.offsets.push_back(b + 1);
    skin.joints.push_back(b);
    skin.joint_from_mesh.push_back({{}, -at});
  }
  mesh.triangles = {0, 1, 2, 1, 2, 3};
  chain.meshes = {mesh};
  chain.skins = {skin};
  chain.instances.resize(1);
  chain.instances[0].skin = 0;
  EXPECT_TRUE(asset::Finalize(chain).ok());
  constexpr double kUnit = 0.08;
  Diagnostics notes;
  const auto made = bake::ToPmx(chain, kUnit, notes);
  EXPECT_TRUE(made.ok());
  bake::MotionSettings keys_alone;
  keys_alone.pose.simulation.use = pose::SimulationUse::kOff;
  const auto motion = bake::ToVmd(chain, 0, kUnit, keys_alone, notes);
  EXPECT_TRUE(motion.ok());
  EXPECT_TRUE(WriteFile(folder / "chain.pmx", *io::mmd::WritePmx(made->model, {}, &notes)).ok());
  EXPECT_TRUE(WriteFile(folder / "chain.vmd", *io::mmd::WriteVmd(*motion)).ok());
  return chain;
}

// `pose` says where the joints are that `bake` hangs vertices on, rigid bodies included.
TEST(Agreement, PoseHasTheJointsWhereBakeHasThem) {
  const Folder folder;
  const asset::Character chain = WriteChain(folder);
  for (const char* physics : {"auto", "off"}) {
    const std::vector<std::string> model = {"chain.pmx", "--motion",  "chain.vmd", "--frames",
                                            "0:40:10",   "--physics", physics};
    std::vector<std::string> words = {"pose"};
    words.insert(words.end(), model.begin(), model.end());
    const Outcome outcome = Flexor(words, folder.path());
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const json posed = json::parse(outcome.out);
    Bake(folder, "chain.pc2", model);
    const std::vector<Vec3f> points = PointsOf(folder, "chain.pc2");
    ASSERT_EQ(points.size(), 5u * 4);
    double hangs = 0;
    for (std::size_t f = 0; f < 5; ++f) {
      for (std::size_t b = 0; b < 4; ++b) {
        const json& rows = posed["frames"][f]["nodes"][b]["model_from_node"];
        Vec3d wanted;
        const Vec3d local{0, 0.03, 0};
        for (std::size_t r = 0; r < 3; ++r) {
          wanted[r] = rows[r][0].get<double>() * local.x + rows[r][1].get<double>() * local.y +
                      rows[r][2].get<double>() * local.z + rows[r][3].get<double>();
        }
        EXPECT_LT(Length(wanted - Cast<double>(points[f * 4 + b])), 1e-6) << f << " " << b;
      }
      hangs = std::max(hangs, 1.2 - double{points[f * 4 + 3].y});
    }
    const bool moved = std::string(physics) == "auto" && pose::HasMmdPhysics();
    EXPECT_EQ(hangs > 0.1, moved) << physics;
  }
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
