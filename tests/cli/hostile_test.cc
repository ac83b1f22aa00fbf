// Files that a stranger made by hand: each is refused with a code and a place, or deforms as its
// numbers say.
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/command.h"
#include "support/gltf_builder.h"
#include "support/paths.h"

namespace flexor {
namespace {

using test::Flexor;
using test::Folder;
using test::GltfBuilder;
using test::Json;
using test::Outcome;
using test::ReadText;
using test::RunAndSignal;
using test::RunShell;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::size_t kPoints = 12;
constexpr float kLink = 0.125f;  // from joint to joint, along +Y

/// What Rig() makes.
struct RigChoice {
  std::size_t joints = 3, sets = 1, keys = 2;
  int mode = 4;  // TRIANGLES
  std::function<float(std::size_t v, std::size_t k)> weight{};
  std::function<std::size_t(std::size_t v, std::size_t k)> joint{};
};

float WeightOf(const RigChoice& choice, std::size_t v, std::size_t k) {
  return choice.weight ? choice.weight(v, k) : 1.0f / static_cast<float>(4 * choice.sets);
}
std::size_t JointOf(const RigChoice& choice, std::size_t v, std::size_t k) {
  return choice.joint ? choice.joint(v, k) : (v * 7 + k) % choice.joints;
}

/// A zigzag of 12 points on a chain of joints, whose first joint turns by half a turn about +Z
/// from the first to the last key, one second later.
GltfBuilder Rig(const RigChoice& choice) {
  GltfBuilder b;
  Json attributes = {{"POSITION", b.Zigzag(kPoints)}};
  for (std::size_t set = 0; set < choice.sets; ++set) {
    std::vector<std::uint16_t> joints;
    std::vector<float> weights;
    for (std::size_t v = 0; v < kPoints; ++v) {
      for (std::size_t k = 4 * set; k < 4 * set + 4; ++k) {
        joints.push_back(static_cast<std::uint16_t>(JointOf(choice, v, k)));
        weights.push_back(WeightOf(choice, v, k));
      }
    }
    attributes["JOINTS_" + std::to_string(set)] = b.Accessor("VEC4", joints);
    attributes["WEIGHTS_" + std::to_string(set)] = b.Floats("VEC4", weights);
  }
  b.Mesh({{"primitives", {{{"attributes", attributes}, {"mode", choice.mode}}}}});
  std::vector<float> inverse;
  Json listed = Json::array();
  for (std::size_t j = 0; j < choice.joints; ++j) {
    Json node = {{"name", "joint" + std::to_string(j)}};
    if (j > 0) node["translation"] = {0, kLink, 0};
    if (j + 1 < choice.joints) node["children"] = {j + 1};
    b.Node(node);
    listed.push_back(j);
    const float down = -kLink * static_cast<float>(j);
    inverse.insert(inverse.end(), {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, down, 0, 1});
  }
  b.Skin({{"joints", listed}, {"inverseBindMatrices", b.Floats("MAT4", inverse)}});
  b.Node({{"name", "body"}, {"mesh", 0}, {"skin", 0}});
  std::vector<float> times, turns;
  for (std::size_t i = 0; i < choice.keys; ++i) {
    const double part =
        choice.keys == 1 ? 1 : static_cast<double>(i) / static_cast<double>(choice.keys - 1);
    times.push_back(choice.keys == 1 ? 0 : static_cast<float>(part));
    const double half = part * std::acos(-1.0) / 2;
    turns.insert(turns.end(),
                 {0, 0, static_cast<float>(std::sin(half)), static_cast<float>(std::cos(half))});
  }
  b.json["animations"] = {
      {{"name", "turn"},
       {"samplers", {{{"input", b.Floats("SCALAR", times)}, {"output", b.Floats("VEC4", turns)}}}},
       {"channels", {{{"sampler", 0}, {"target", {{"node", 0}, {"path", "rotation"}}}}}}}};
  b.json["scenes"] = {{{"nodes", {0, choice.joints}}}};
  b.json["scene"] = 0;
  return b;
}

void Write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// Frame `frame` of a .pc2 of `points` points.
std::vector<Vec3f> PointsOf(const std::string& pc2, std::size_t points, std::size_t frame = 0) {
  std::vector<Vec3f> out(points);
  const std::size_t offset = 32 + frame * points * 12;
  EXPECT_GE(pc2.size(), offset + points * 12);
  if (pc2.size() >= offset + points * 12) {
    std::memcpy(static_cast<void*>(out.data()), pc2.data() + offset, points * 12);
  }
  return out;
}

Outcome Bake(const Folder& folder, const std::string& text, std::vector<std::string> more = {}) {
  Write(folder / "in.gltf", text);
  std::vector<std::string> words = {"bake", "in.gltf", "-o", "out.pc2"};
  words.insert(words.end(), more.begin(), more.end());
  return Flexor(words, folder.path());
}

TEST(Hostile, WhatIsBrokenIsRefusedWithItsPlace) {
  struct Case {
    std::string place;
    std::function<std::string()> text;
    int exit_code = 4;
  };
  const auto edited = [](const std::function<void(GltfBuilder&)>& edit) {
    GltfBuilder b = Rig({});
    edit(b);
    return b.Gltf();
  };
  const auto named = [](const std::string& uri) { return Rig({}).Gltf(uri); };
  const float nan = std::nanf("");
  const std::vector<Case> cases = {
      {"/nodes/0", [&] { return edited([](auto& b) { b.json["nodes"][2]["children"] = {0}; }); }},
      {"/nodes/1", [&] { return edited([](auto& b) { b.json["nodes"][1]["children"] = {1}; }); }},
      {"/skins/0/joints",
       [&] { return edited([](auto& b) { b.json["skins"][0]["joints"] = Json::array(); }); }},
      {"/skins/0", [&] { return edited([](auto& b) { b.json["skins"][0]["joints"][1] = 99; }); }},
      {"WEIGHTS_0",
       [&] { return Rig({.weight = [&](auto v, auto) { return v == 3 ? nan : 0.25f; }}).Gltf(); }},
      {"/meshes/0/primitives/0",
       [&] { return Rig({.joint = [](auto v, auto k) { return v == 3 ? 200 : k % 3; }}).Gltf(); }},
      {"/buffers/0/uri", [&] { return named("../secret.bin"); }},
      {"/buffers/0/uri", [&] { return named("%2e%2e/secret.bin"); }},
      {"/buffers/0/uri", [&] { return named("..%2Fsecret.bin"); }},
      {"/buffers/0/uri", [&] { return named("a/../../secret.bin"); }},
      {"/buffers/0/uri", [&] { return named("..%5csecret.bin"); }},
      {"/buffers/0/uri", [&] { return named("/etc/hostname"); }},
      {"/buffers/0/uri", [&] { return named("file:///etc/hostname"); }},
      {"/buffers/0/uri", [&] { return named("link.bin"); }, 3},
      {"/buffers/0/uri", [&] { return named("pipe.bin"); }, 3},
      {"/buffers/0/uri", [&] { return named("missing.bin"); }, 3},
      {"/buffers/0/uri", [&] { return named("sub"); }, 3},
  };
  const Folder folder;
  ASSERT_EQ(RunShell("mkdir sub in; mkfifo in/pipe.bin; ln -s ../secret.bin in/link.bin; "
                     "mkdir in/sub; head -c 100000 /dev/zero > secret.bin",
                     folder.path())
                .exit_code,
            0);
  for (const Case& one : cases) {
    Write(folder / "in/in.gltf", one.text());
    const Outcome outcome = Flexor({"bake", "in/in.gltf", "-o", "out.npz"}, folder.path());
    EXPECT_EQ(outcome.exit_code, one.exit_code) << one.text() << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("in/in.gltf: ")) << one.text();
    EXPECT_THAT(outcome.err, HasSubstr(one.place)) << one.text();
    EXPECT_THAT(folder.Names(), ElementsAre("in", "secret.bin", "sub"));
  }
}

TEST(Hostile, FilesWithoutAMeshAreNoMistakeOfTheCaller) {
  const Folder folder;
  GltfBuilder b;
  b.Node({{"name", "alone"}});
  b.json["scenes"] = {{{"nodes", {0}}}};
  b.json["scene"] = 0;
  Write(folder / "in.gltf", b.Gltf());
  for (const std::vector<std::string>& line :
       std::vector<std::vector<std::string>>{{"bake", "in.gltf", "-o", "out.npz"},
                                             {"bake", "in.gltf", "-o", "out.glb"},
                                             {"bake", "in.gltf", "-o", "out.obj", "--merge"},
                                             {"compare", "in.gltf", "--json"},
                                             {"compare", "in.gltf", "-o", "out.html"},
                                             {"render", "in.gltf", "-o", "out.png"}}) {
    const Outcome outcome = Flexor(line, folder.path());
    if (line[0] == "render" && outcome.exit_code == 6) continue;  // a build without pictures
    EXPECT_EQ(outcome.exit_code, 4) << testing::PrintToString(line) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("no mesh"));
    EXPECT_THAT(outcome.out, IsEmpty());
  }
  EXPECT_THAT(folder.Names(), ElementsAre("in.gltf"));
  EXPECT_EQ(Flexor({"info", "in.gltf"}, folder.path()).exit_code, 0);
  EXPECT_EQ(Flexor({"check", "in.gltf"}, folder.path()).exit_code, 0);
}

TEST(Hostile, NestingIsCalledByItsName) {
  const Folder folder;
  std::string arrays(5000, '['), objects;
  for (int i = 0; i < 5000; ++i) objects += "{\"a\":";
  Write(folder / "arrays.gltf", arrays);
  Write(folder / "objects.gltf", objects);
  const Outcome array = Flexor({"info", "arrays.gltf"}, folder.path());
  EXPECT_EQ(array.exit_code, 4);
  EXPECT_THAT(array.err, HasSubstr("outermost value is an array"));
  EXPECT_THAT(array.err, Not(HasSubstr("neither")));
  const Outcome object = Flexor({"info", "objects.gltf"}, folder.path());
  EXPECT_EQ(object.exit_code, 4);
  EXPECT_THAT(object.err, HasSubstr("limit of 64 levels"));
}

// Everything that a mesh may be made of deforms alike on every backend: half a turn about the
// origin puts (x, y, z) at (-x, -y, z), whatever the weights, as the whole chain turns.
TEST(Hostile, OddButValidRigsDeformAsTheirNumbersSay) {
  const std::vector<std::pair<const char*, RigChoice>> rigs = {
      {"plain", {}},
      {"twelve influences", {.joints = 24, .sets = 3}},
      {"320 joints",
       {.joints = 320, .joint = [](auto v, auto k) { return (v * 27 + k * 5) % 320; }}},
      {"points", {.mode = 0}},
      {"lines", {.mode = 1}},
      {"a joint out of range with weight 0",
       {.weight = [](auto,
                     auto k) { return k == 3 ? 0.0f : 0.5f - 0.125f * static_cast<float>(k); },
        .joint = [](auto v, auto k) { return k == 3 ? 500 : (v + k) % 3; }}},
  };
  for (const auto& [name, rig] : rigs) {
    const Folder folder;
    const std::string text = Rig(rig).Gltf();
    for (const char* method : {"lbs", "dqs"}) {
      for (const char* backend : {"reference", "cpu"}) {
        const Outcome outcome = Bake(
            folder, text,
            {"--time", "1", "--method", method, "--backend", backend, "--weights", "normalize"});
        ASSERT_EQ(outcome.exit_code, 0) << name << outcome.err;
        const std::vector<Vec3f> points = PointsOf(ReadText(folder / "out.pc2"), kPoints);
        for (std::size_t v = 0; v < kPoints; ++v) {
          const auto x = static_cast<float>((v + 1) / 2);
          const auto y = static_cast<float>(v % 2 == 0 ? v / 2 : 0);
          EXPECT_NEAR(points[v].x, -x, 1e-5) << name << method << backend;
          EXPECT_NEAR(points[v].y, -y, 1e-5) << name << method << backend;
          EXPECT_NEAR(points[v].z, 0, 1e-5) << name << method << backend;
        }
      }
    }
    for (const char* line : {"\"$FLEXOR\" info in.gltf", "\"$FLEXOR\" compare in.gltf --json"}) {
      EXPECT_EQ(RunShell(line, folder.path()).exit_code, 0) << name;
    }
  }
}

TEST(Hostile, AClipOfOneKeyHasOneFrame) {
  const Folder folder;
  const Outcome outcome = Bake(folder, Rig({.keys = 1}).Gltf());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("1 frame,"));
  EXPECT_NEAR(PointsOf(ReadText(folder / "out.pc2"), kPoints)[1].x, -1, 1e-6);
  EXPECT_EQ(Flexor({"compare", "in.gltf", "--json"}, folder.path()).exit_code, 0);
}

TEST(Hostile, NumbersBeyondAFloatAreSaid) {
  const Folder folder;
  GltfBuilder b = Rig({});
  b.json["nodes"][0]["scale"] = {1e30, 1, 1};
  b.json["nodes"][1]["scale"] = {1e30, 1, 1};
  const Outcome lost = Bake(folder, b.Gltf(), {"--rest"});
  EXPECT_EQ(lost.exit_code, 4);
  EXPECT_THAT(lost.err, HasSubstr("beyond the range of a float"));
  EXPECT_THAT(lost.err, HasSubstr("mesh 'body'"));
  EXPECT_THAT(folder.Names(), ElementsAre("in.gltf"));
  // Moved there and back: nothing is lost, as palettes are made in double.
  b = Rig({});
  b.json["nodes"][0]["scale"] = {1e-30, 1, 1};
  b.json["nodes"][1]["scale"] = {1e30, 1, 1};
  EXPECT_EQ(Bake(folder, b.Gltf(), {"--rest"}).exit_code, 0);
  // A joint beyond that moves nothing is a warning and a number in the report.
  b = Rig({.joint = [](auto, auto k) { return k % 2; }});
  b.json["nodes"][2]["translation"] = {1e300, 0, 0};
  for (const char* backend : {"cpu", "reference"}) {
    const Outcome kept = Bake(folder, b.Gltf(), {"--rest", "--json", "--backend", backend});
    EXPECT_EQ(kept.exit_code, 0) << kept.err;
    EXPECT_THAT(kept.err, HasSubstr("1 joint is moved beyond"));
    EXPECT_EQ(Json::parse(kept.out)["joints_beyond_float"], 1);
  }
}

TEST(Hostile, NamesDoNotLeaveTheirFolderOrDriveTheTerminal) {
  const Folder folder;
  GltfBuilder b = Rig({});
  b.json["nodes"][3]["name"] = "../../evil/\x1b[31m";
  b.json["animations"][0]["name"] = "a\x1b[31mred";
  Write(folder / "in.gltf", b.Gltf());
  for (const char* verb : {"info", "check", "compare"}) {
    const Outcome outcome = Flexor({verb, "in.gltf"}, folder.path());
    EXPECT_THAT(outcome.exit_code, testing::AnyOf(0, 4)) << outcome.err;
    EXPECT_THAT(outcome.out + outcome.err, Not(HasSubstr("\x1b"))) << verb;
  }
  ASSERT_EQ(Flexor({"bake", "in.gltf", "-o", "x.{mesh}.pc2"}, folder.path()).exit_code, 0);
  EXPECT_THAT(folder.Names(), ElementsAre("in.gltf", "x._._.._evil__[31m.pc2"));
}

TEST(Hostile, AReaderThatWaitsEndsAtTheFirstSignal) {
  const Folder folder;
  const Outcome outcome = RunShell(
      "mkfifo in; \"$FLEXOR\" bake in -o out.npz & job=$!; sleep 0.3; kill -TERM $job; wait $job; "
      "echo $?",
      folder.path());
  EXPECT_EQ(outcome.out, "143\n");
  EXPECT_THAT(folder.Names(), ElementsAre("in"));
}

TEST(Hostile, OutputsThatCannotBeWritten) {
  const Folder folder;
  for (const char* command :
       {"info --sample figure", "compare --sample twist --json", "check --list-rules",
        "sample twist -o -", "bake --sample twist -o x.npz --json"}) {
    const Outcome outcome =
        RunShell("\"$FLEXOR\" " + std::string(command) + " > /dev/full", folder.path());
    EXPECT_EQ(outcome.exit_code, 7) << command;
    EXPECT_THAT(outcome.err, HasSubstr("FILE_UNWRITABLE")) << command;
  }
  // A full device under the output itself.
  ASSERT_EQ(RunShell("ln -s /dev/full full.pc2; ln -s /dev/full full.glb", folder.path()).exit_code,
            0);
  EXPECT_EQ(Flexor({"bake", "--sample", "twist", "-o", "full.pc2"}, folder.path()).exit_code, 7);
  EXPECT_EQ(Flexor({"convert", "--sample", "twist", "-o", "full.glb"}, folder.path()).exit_code, 7);
  // A limit on the size of files is a full disk as well.
  const Outcome limited =
      RunShell("rm full.*; ulimit -f 8; \"$FLEXOR\" bake --sample figure --frames 0:9 -o big.npz",
               folder.path());
  EXPECT_EQ(limited.exit_code, 7) << limited.err;
  EXPECT_THAT(limited.err, HasSubstr("big.npz"));
  EXPECT_THAT(folder.Names(), ElementsAre("x.npz"));
}

TEST(Hostile, AReaderThatGoesAwayIsNoMistake) {
  const Folder folder;
  const Outcome piped = RunShell(
      "(\"$FLEXOR\" compare --sample twist --frames 0:60:0.1 --json; echo $? >&2) | head -1",
      folder.path());
  EXPECT_EQ(piped.out, "{\n");
  EXPECT_EQ(piped.err, "141\n");
  // Nor does a reader of the progress end the work, or leave half of it behind.
  const Outcome deaf = RunShell(
      "(\"$FLEXOR\" bake --sample twist --frames 0:60:0.01 --progress json -o x.npz 2>&1 >&3; "
      "echo $? >&3) 3>&1 | head -1 >/dev/null",
      folder.path());
  EXPECT_THAT(folder.Names(), ElementsAre("x.npz")) << deaf.out;
}

TEST(Hostile, AnInputIsNotOverwrittenThroughAWordInBraces) {
  const Folder folder;
  GltfBuilder b = Rig({});
  b.json["nodes"][3]["name"] = "in";
  Write(folder / "in.glb", b.Glb());
  for (const char* output : {"{mesh}.glb", "./{mesh}.glb"}) {
    const Outcome outcome = Flexor({"bake", "in.glb", "--frame", "0", "-o", output}, folder.path());
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, HasSubstr("is the input"));
  }
  ASSERT_EQ(
      RunShell("cp in.glb 0000.obj; cp in.glb 0000.png; cp in.glb in.pc2", folder.path()).exit_code,
      0);
  EXPECT_EQ(
      Flexor({"bake", "0000.obj", "--frames", "0:2", "-o", "{frame}.obj"}, folder.path()).exit_code,
      2);
  EXPECT_EQ(Flexor({"bake", "in.pc2", "-o", "{mesh}.pc2"}, folder.path()).exit_code, 2);
  const Outcome drawn = Flexor(
      {"render", "0000.png", "--frames", "0:2", "--size", "8", "-o", "{frame}.png"}, folder.path());
  EXPECT_THAT(drawn.exit_code, testing::AnyOf(2, 6));
  EXPECT_THAT(folder.Names(), ElementsAre("0000.obj", "0000.png", "in.glb", "in.pc2"));
  for (const std::string& name : folder.Names()) EXPECT_EQ(ReadText(folder / name), b.Glb());
}

TEST(Hostile, AFolderThatMayNotBeWrittenIsSaid) {
  const Folder folder;
  ASSERT_EQ(RunShell("mkdir locked; chmod 555 locked", folder.path()).exit_code, 0);
  if (RunShell("touch locked/x", folder.path()).exit_code == 0) {
    GTEST_SKIP() << "this user may write everywhere";
  }
  for (const char* output : {"locked/x.npz", "locked/x.{frame}.obj", "locked/x.glb"}) {
    const Outcome outcome =
        Flexor({"bake", "--sample", "twist", "--frame", "0", "-o", output}, folder.path());
    EXPECT_EQ(outcome.exit_code, 7) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("locked/x")) << output;
  }
}

}  // namespace
}  // namespace flexor
