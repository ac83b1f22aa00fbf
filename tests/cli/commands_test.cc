// What each command gives, as a program that calls it reads it.
#include <array>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "flexor/bake/compare_pictures.h"

#include "support/command.h"
#include "support/corpus.h"
#include "support/gltf_builder.h"

namespace flexor {
namespace {

using nlohmann::json;
using test::Flexor;
using test::Folder;
using test::Outcome;
using test::ReadText;
using test::RunShell;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

json JsonOf(const Outcome& outcome) {
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  json value = json::parse(outcome.out, nullptr, false);
  EXPECT_FALSE(value.is_discarded()) << outcome.out;
  return value;
}

TEST(Compare, GivesThePublishedNumbersOfTheTwist) {
  for (const char* backend : {"cpu", "reference"}) {
    const json all =
        JsonOf(Flexor({"compare", "--sample", "twist", "--json", "--backend", backend}));
    EXPECT_EQ(all["character"], "twist");
    EXPECT_EQ(all["clip"], "twist");
    EXPECT_EQ(all["edges"], 288);
    const json& last = all["frames"].back();
    EXPECT_EQ(last["frame"], 60);
    for (const json* where : {&all, &last}) {
      const json& lbs = (*where)["methods"]["lbs"];
      const json& dqs = (*where)["methods"]["dqs"];
      EXPECT_NEAR(lbs["ring_radius_ratio_min"].get<double>(), 0.0, 5e-4);
      EXPECT_NEAR(dqs["ring_radius_ratio_min"].get<double>(), 1.0, 5e-4);
      EXPECT_NEAR(lbs["edge_ratio_mean"].get<double>(), 0.950, 5e-4);
      EXPECT_NEAR(dqs["edge_ratio_mean"].get<double>(), 1.051, 5e-4);
    }
    // In floats, a ring of radius 0.5 keeps its distances to a unit in the last place or two.
    const json& ring = last["methods"]["dqs"];
    EXPECT_GE(ring["ring_pair_ratio_min"].get<double>(), 0.9999998);
    EXPECT_LE(ring["ring_pair_ratio_max"].get<double>(), 1.0000002);
    EXPECT_EQ(all["backend"], backend);
    const json& rest = all["frames"][0];
    EXPECT_EQ(rest["frame"], 0);
    EXPECT_EQ(rest["methods"]["lbs"]["edge_ratio_min"], 1.0);
    EXPECT_EQ(rest["methods"]["dqs"]["edge_ratio_max"], 1.0);
    EXPECT_EQ(rest["pairs"][0]["max_mm"], 0.0);
  }
}

TEST(Compare, MeasuresInDoubleUnlessToldOtherwise) {
  const json all = JsonOf(Flexor({"compare", "--sample", "twist", "--json"}));
  EXPECT_EQ(all["backend"], "reference");
  std::vector<const json*> wheres = {&all};
  for (const json& frame : all["frames"]) wheres.push_back(&frame);
  ASSERT_EQ(wheres.size(), 26u);
  for (const json* where : wheres) {
    // A ring that turns rigidly keeps its distances in every frame, to the digits of a double.
    const json& ring = (*where)["methods"]["dqs"];
    EXPECT_NEAR(ring["ring_pair_ratio_min"].get<double>(), 1, 1e-12);
    EXPECT_NEAR(ring["ring_pair_ratio_max"].get<double>(), 1, 1e-12);
    EXPECT_NEAR(ring["ring_radius_ratio_min"].get<double>(), 1, 1e-12);
  }
  EXPECT_NEAR(all["frames"].back()["pairs"][0]["max_mm"].get<double>(), 500, 1e-9);
}

TEST(Compare, WritesAPageWithPicturesAndASheet) {
  if (!bake::CanDraw()) GTEST_SKIP() << "this build draws no pictures";
  const Folder folder;
  const std::vector<std::string> small = {"--frames", "0:60:30", "--pictures", "2",
                                          "--size",   "64x64",   "-o"};
  std::vector<std::string> arguments = {"compare", "--sample", "twist"};
  arguments.insert(arguments.end(), small.begin(), small.end());
  for (const char* output : {"page.html", "sheet.png", "all.json", "out"}) {
    arguments.push_back(output);
    const Outcome outcome = Flexor(arguments, folder.path());
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    arguments.pop_back();
  }
  EXPECT_THAT(ReadText(folder / "page.html"), HasSubstr("data:image/png;base64,"));
  EXPECT_EQ(ReadText(folder / "sheet.png").substr(1, 3), "PNG");
  EXPECT_EQ(json::parse(ReadText(folder / "all.json"))["frames"].size(), 3u);
  for (const char* name : {"0000.lbs.png", "0060.dqs.png", "0060.lbs_-_dqs.png", "sheet.png"}) {
    EXPECT_EQ(ReadText(folder / ("out/" + std::string(name))).substr(1, 3), "PNG") << name;
  }
}

TEST(Info, SaysWhatTheTwistIs) {
  const json info = JsonOf(Flexor({"info", "--sample", "twist", "--json"}));
  EXPECT_EQ(info["vertices"], 60);
  EXPECT_EQ(info["joints"], 2);
  EXPECT_EQ(info["meshes"][0]["influences"], json({0, 48, 12}));
  EXPECT_EQ(info["clips"][0]["name"], "twist");
  EXPECT_EQ(info["clips"][0]["frames"], 61);
  const Outcome text = Flexor({"info", "--sample", "twist", "--plan"});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_THAT(text.out, HasSubstr("1: 48 · 2: 12"));
  EXPECT_THAT(text.out, HasSubstr("joints per block"));
}

TEST(Info, ListsFormatsAndWhatReallyRuns) {
  const json formats = JsonOf(Flexor({"info", "--formats", "--json"}));
  EXPECT_GE(formats.size(), 8u);
  const json backends = JsonOf(Flexor({"info", "--backends", "--json"}));
  EXPECT_EQ(backends["backends"][0]["name"], "reference");
  EXPECT_EQ(backends["backends"][1]["simd_target"], backends["simd_targets"][0]);
  // Every target listed really runs, and says so.
  const Folder folder;
  for (const json& target : backends["simd_targets"]) {
    const json report = JsonOf(Flexor(
        {"bake", "--sample", "twist", "--simd", target, "--threads", "1", "--json", "-o", "x.npz"},
        folder.path()));
    EXPECT_EQ(report["simd_target"], target);
    EXPECT_EQ(report["threads"], 1);
  }
}

TEST(Bake, ThreadsDoNotChangeABit) {
  const Folder folder;
  for (const char* threads : {"1", "2", "7"}) {
    const Outcome outcome = Flexor({"bake", "--sample", "figure", "--frames", "0:20:10",
                                    "--threads", threads, "-o", std::string(threads) + ".pc2"},
                                   folder.path());
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  EXPECT_EQ(ReadText(folder / "1.pc2"), ReadText(folder / "2.pc2"));
  EXPECT_EQ(ReadText(folder / "1.pc2"), ReadText(folder / "7.pc2"));
}

TEST(Bake, TimesStepsAndSubFramesAreExact) {
  const Folder folder;
  const auto frames = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"bake", "--sample", "twist", "--json", "-o", "x.npz"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return JsonOf(Flexor(arguments, folder.path()))["frames"].get<int>();
  };
  EXPECT_EQ(frames({}), 61);
  EXPECT_EQ(frames({"--frames", "10:20:0.5"}), 21);
  EXPECT_EQ(frames({"--frames", "10:20", "--sub-frames", "2"}), 21);
  EXPECT_EQ(frames({"--step", "10"}), 7);
  EXPECT_EQ(frames({"--frames", "20:10:-5"}), 3);
  EXPECT_EQ(frames({"--time", "0.5"}), 1);
  EXPECT_EQ(frames({"--fps", "60"}), 121);
  EXPECT_EQ(frames({"--rest"}), 1);
  EXPECT_EQ(frames({"--frames", "-5:-1"}), 5);
}

TEST(Bake, AFrameAndItsTimeAreTheSame) {
  const Folder folder;
  ASSERT_EQ(Flexor({"bake", "--sample", "twist", "--frame", "15", "-o", "f.ply"}, folder.path())
                .exit_code,
            0);
  ASSERT_EQ(Flexor({"bake", "--sample", "twist", "--time", "0.5", "-o", "t.ply"}, folder.path())
                .exit_code,
            0);
  EXPECT_EQ(ReadText(folder / "f.ply"), ReadText(folder / "t.ply"));
}

TEST(Check, ReportsInTheAgreedShape) {
  const Folder folder;
  ASSERT_EQ(Flexor({"sample", "twist", "-o", "good.glb"}, folder.path()).exit_code, 0);
  ASSERT_EQ(RunShell("head -c 300 good.glb > cut.glb", folder.path()).exit_code, 0);
  const Outcome good = Flexor({"check", "good.glb", "--json"}, folder.path());
  const json report = JsonOf(good);
  EXPECT_EQ(report["file"], "good.glb");
  EXPECT_EQ(report["errors"], 0);
  EXPECT_TRUE(report["diagnostics"].is_array());
  EXPECT_THAT(report["format"].get<std::string>(), HasSubstr("GLB"));

  const Outcome both = Flexor({"check", "good.glb", "cut.glb", "--json"}, folder.path());
  EXPECT_EQ(both.exit_code, 4);
  const json reports = json::parse(both.out);
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[0]["errors"], 0);
  EXPECT_GE(reports[1]["errors"].get<int>(), 1);
  const json& finding = reports[1]["diagnostics"][0];
  for (const char* key : {"code", "severity", "where", "message", "count"}) {
    EXPECT_TRUE(finding.contains(key)) << key;
  }
  // A missing file is said, and the others are checked all the same.
  const Outcome missing = Flexor({"check", "none.glb", "good.glb"}, folder.path());
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_THAT(missing.out, HasSubstr("good.glb: ok"));
  EXPECT_THAT(missing.err, HasSubstr("none.glb"));
}

TEST(Check, ListsItsRules) {
  const json rules = JsonOf(Flexor({"check", "--list-rules", "--json"}));
  EXPECT_GE(rules.size(), 20u);
  for (const json& rule : rules) {
    EXPECT_FALSE(rule["code"].get<std::string>().empty());
    EXPECT_FALSE(rule["summary"].get<std::string>().empty());
  }
}

TEST(Sample, EverySampleIsWrittenCheckedAndLoads) {
  const Folder folder;
  const json list = JsonOf(Flexor({"sample", "--list", "--json"}));
  ASSERT_EQ(list.size(), 5u);
  for (const json& sample : list) {
    const std::string name = sample["name"];
    ASSERT_EQ(Flexor({"sample", name, "-o", name + ".glb"}, folder.path()).exit_code, 0);
    const Outcome check = Flexor({"check", name + ".glb"}, folder.path());
    EXPECT_EQ(check.exit_code, 0) << check.out;
    EXPECT_EQ(Flexor({"info", name + ".glb"}, folder.path()).exit_code, 0);
  }
}

TEST(Sample, AsPmxItDancesItsVmd) {
  const Folder folder;
  const json written = JsonOf(Flexor({"sample", "sdef", "-o", "肘.pmx", "--json"}, folder.path()));
  ASSERT_GE(written["files"].size(), 2u);
  const std::string motion = written["files"][1];
  const json info = JsonOf(Flexor({"info", "肘.pmx", "--motion", motion, "--json"}, folder.path()));
  EXPECT_GT(info["meshes"][0]["sdef_vertices"].get<int>(), 100);
  EXPECT_EQ(info["clips"].size(), 1u);
  // On and off differ, and nothing else was asked for.
  const json compared = JsonOf(Flexor(
      {"compare", "肘.pmx", "--motion", motion, "--methods", "lbs,sdef", "--json"}, folder.path()));
  EXPECT_GT(compared["pairs"][0]["max_mm"].get<double>(), 1);
  const json pose = JsonOf(
      Flexor({"pose", "肘.pmx", "--motion", motion, "--frame", "10", "--stages"}, folder.path()));
  EXPECT_TRUE(pose["frames"][0]["nodes"][0]["stages"].contains("ik"));
  EXPECT_EQ(
      Flexor({"convert", "肘.pmx", "--motion", motion, "-o", "back.glb"}, folder.path()).exit_code,
      0);
  EXPECT_EQ(Flexor({"check", "back.glb", "--strict"}, folder.path()).exit_code, 0);
}

TEST(Convert, TexturesOfAPmxOverwriteNoOthers) {
  FLEXOR_REQUIRE_CORPUS();
  const Folder folder;
  const std::string other = folder.path() + "/texture0.png";
  std::ofstream(other) << "another model's picture";
  const std::string source =
      test::CorpusPath("gltf/khronos-sample/CesiumMan/glTF-Binary/CesiumMan.glb");
  const json report = JsonOf(Flexor({"convert", source, "-o", "man.pmx", "--json"}, folder.path()));
  ASSERT_GE(report["files"].size(), 2u);
  for (const json& file : report["files"]) {
    EXPECT_EQ(file.get<std::string>().substr(0, 3), "man") << file;
  }
  std::ifstream kept(other);
  std::string text;
  std::getline(kept, text);
  EXPECT_EQ(text, "another model's picture");
  EXPECT_EQ(Flexor({"info", "man.pmx", "--strict"}, folder.path()).exit_code, 0)
      << "the model finds its textures";
}

TEST(Motion, GoesWithMmdModelsOnly) {
  const Folder folder;
  ASSERT_EQ(Flexor({"sample", "sdef", "-o", "a.pmx"}, folder.path()).exit_code, 0);
  EXPECT_EQ(Flexor({"info", "--sample", "elbow", "--motion", "x.vmd"}, folder.path()).exit_code, 2);
  ASSERT_EQ(Flexor({"sample", "elbow", "-o", "a.glb"}, folder.path()).exit_code, 0);
  const Outcome outcome = Flexor({"info", "a.glb", "--motion", "a-0.vmd"}, folder.path());
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_FALSE(outcome.err.empty());
  EXPECT_EQ(Flexor({"info", "a.pmx", "--motion", "missing.vmd"}, folder.path()).exit_code, 3);
}

TEST(Convert, SaysWhatItDropped) {
  FLEXOR_REQUIRE_CORPUS();
  const Folder folder;
  const std::string source = test::CorpusPath("gltf/khronos-sample/Fox/glTF-Binary/Fox.glb");
  const json report = JsonOf(Flexor({"convert", source, "-o", "fox.glb", "--json"}, folder.path()));
  EXPECT_EQ(report["file"], "fox.glb");
  EXPECT_THAT(report["dropped"], IsEmpty());
  // What was written moves as the original does.
  const json before = JsonOf(Flexor({"compare", source, "--json"}));
  const json after = JsonOf(Flexor({"compare", "fox.glb", "--json"}, folder.path()));
  EXPECT_NEAR(before["pairs"][0]["max_mm"].get<double>(), after["pairs"][0]["max_mm"].get<double>(),
              0.05);
}

TEST(Convert, KeepsTitleAuthorAndLicenceOfAVrmAndDoesNotSayThatTheyAreLost) {
  const Folder folder;
  test::GltfBuilder vrm;
  vrm.Mesh({{"primitives", {{{"attributes", {{"POSITION", vrm.Zigzag(3)}}}}}}});
  vrm.Node({{"mesh", 0}});
  vrm.json["extensionsUsed"] = {"VRMC_vrm"};
  vrm.json["extensions"]["VRMC_vrm"] = {{"specVersion", "1.0"},
                                        {"meta",
                                         {{"name", "Somebody"},
                                          {"authors", {"Nobody"}},
                                          {"licenseUrl", "https://vrm.dev/licenses/1.0/"}}}};
  std::ofstream(folder / "in.vrm", std::ios::binary) << vrm.Glb();
  const json report =
      JsonOf(Flexor({"convert", "in.vrm", "-o", "out.glb", "--json"}, folder.path()));
  EXPECT_EQ(report["dropped"], json::array({"extension VRMC_vrm"}));
  const std::string info = Flexor({"info", "out.glb"}, folder.path()).out;
  EXPECT_THAT(info, HasSubstr("Somebody"));
  EXPECT_THAT(info, HasSubstr("Nobody"));
  EXPECT_THAT(info, HasSubstr("https://vrm.dev/licenses/1.0/"));
}

TEST(Render, DrawsOneFrameASequenceAndASheet) {
  if (!bake::CanDraw()) GTEST_SKIP() << "this build draws no pictures";
  const Folder folder;
  const auto draw = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"render", "--sample",  "twist", "--size",
                                          "48x32",  "--samples", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = Flexor(arguments, folder.path());
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  };
  draw({"-o", "one.png"});
  draw({"-o", "seq.{frame}.png", "--frames", "0:60:30"});
  draw({"-o", "sheet.png", "--sheet"});
  draw({"-o", "weights.png", "--mode", "weights", "--joint", "upper"});
  draw(
      {"-o", "heat.png", "--mode", "heat", "--method", "lbs", "--against", "dqs", "--frame", "60"});
  draw({"-o", "skeleton.png", "--mode", "skeleton"});
  draw({"-o", "wire.png", "--mode", "wire", "--transparent"});
  EXPECT_THAT(folder.Names(),
              ElementsAre("heat.png", "one.png", "seq.0000.png", "seq.0030.png", "seq.0060.png",
                          "sheet.png", "skeleton.png", "weights.png", "wire.png"));
  for (const std::string& name : folder.Names()) {
    EXPECT_EQ(ReadText(folder / name).substr(1, 3), "PNG") << name;
  }
  EXPECT_NE(ReadText(folder / "seq.0000.png"), ReadText(folder / "seq.0060.png"));
  EXPECT_EQ(Flexor({"render", "--sample", "twist", "-o", "-", "--size", "8"}).out.substr(1, 3),
            "PNG");
}

TEST(Render, SaysWhatIsMissing) {
  if (!bake::CanDraw()) GTEST_SKIP() << "this build draws no pictures";
  const Folder folder;
  const auto message = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"render", "--sample", "twist", "-o", "x.png"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = Flexor(arguments, folder.path());
    EXPECT_EQ(outcome.exit_code, 2);
    return outcome.err;
  };
  EXPECT_THAT(message({"--mode", "weights"}), HasSubstr("--joint"));
  EXPECT_THAT(message({"--mode", "heat"}), HasSubstr("--against"));
  EXPECT_THAT(message({"--mode", "weights", "--joint", "uper"}), HasSubstr("upper"));
  EXPECT_THAT(message({"--mode", "weights", "--joint", "tube"}),
              HasSubstr("no mesh is skinned to"));
  EXPECT_THAT(message({"--frames", "0:3"}), HasSubstr("{frame}"));
  EXPECT_THAT(message({"--size", "0x5"}), HasSubstr("640x480"));
  EXPECT_THAT(folder.Names(), IsEmpty());
}

TEST(MainJob, RunsOnRealCharacters) {
  FLEXOR_REQUIRE_CORPUS();
  const Folder folder;
  for (const char* name : {"CesiumMan", "Fox", "RiggedFigure", "RiggedSimple"}) {
    const std::string file = test::CorpusPath("gltf/khronos-sample/" + std::string(name) +
                                              "/glTF-Binary/" + name + ".glb");
    const json numbers = JsonOf(Flexor({"compare", file, "--json"}));
    EXPECT_GT(numbers["pairs"][0]["max_mm"].get<double>(), 0) << name;
    EXPECT_GT(numbers["frames"].size(), 3u) << name;
    const json baked =
        JsonOf(Flexor({"bake", file, "--json", "-o", std::string(name) + ".npz"}, folder.path()));
    EXPECT_GT(baked["frames"].get<int>(), 3) << name;
  }
}

TEST(Info, ABareNameHasNeighboursToo) {
  const Folder folder;
  std::ofstream(folder / "x.gltf") << R"({"asset": {"version": "2.0"}, "images": [{"uri":
    "pictures/a.png"}], "textures": [{"source": 0}], "materials": [{"pbrMetallicRoughness":
    {"baseColorTexture": {"index": 0}}}], "buffers": [{"uri": "data/x.bin", "byteLength": 36}],
    "bufferViews": [{"buffer": 0, "byteLength": 36}], "accessors": [{"bufferView": 0, "type": "VEC3",
    "componentType": 5126, "count": 3, "min": [0, 0, 0], "max": [0, 0, 0]}], "meshes":
    [{"primitives": [{"attributes": {"POSITION": 0}, "material": 0}]}], "nodes": [{"mesh": 0}]})";
  const Outcome without = Flexor({"info", "x.gltf"}, folder.path());
  EXPECT_NE(without.exit_code, 0);
  EXPECT_THAT(without.err, HasSubstr("no such file"));
  ASSERT_EQ(RunShell("mkdir data && head -c 36 /dev/zero > data/x.bin", folder.path()).exit_code,
            0);
  const Outcome with = Flexor({"render", "x.gltf", "-o", "x.png"}, folder.path());
  EXPECT_EQ(with.exit_code, 0) << with.err;
  EXPECT_THAT(with.err, HasSubstr("no such file"));  // the picture
  EXPECT_THAT(with.err, testing::Not(HasSubstr("leads out")));
}

TEST(Convert, AModelWrittenAgainSaysWhatStaysBehind) {
  const Folder folder;
  ASSERT_EQ(Flexor({"sample", "sdef", "-o", folder / "a.pmx"}).exit_code, 0);
  const Outcome plain = Flexor({"convert", folder / "a.pmx", "-o", folder / "b.pmx"});
  EXPECT_EQ(plain.exit_code, 0);
  EXPECT_THAT(plain.err, testing::Not(HasSubstr("motions")));
  const Outcome moved =
      Flexor({"convert", folder / "a.pmx", "--motion", folder / "a-0.vmd", "-o", folder / "b.pmx"});
  EXPECT_EQ(moved.exit_code, 0) << moved.err;
  EXPECT_THAT(moved.err, HasSubstr("motions are files of their own"));
  EXPECT_EQ(ReadText(folder / "a.pmx"), ReadText(folder / "b.pmx"));
}

TEST(Pose, IsOneDocumentWhateverItsFrames) {
  const json all = JsonOf(Flexor({"pose", "--sample", "elbow", "--frames", "0:4"}));
  ASSERT_EQ(all["frames"].size(), 5u);
  for (int f = 0; f < 5; ++f) {
    const json one = JsonOf(Flexor({"pose", "--sample", "elbow", "--frame", std::to_string(f)}));
    EXPECT_EQ(one["frames"], json::array({all["frames"][static_cast<std::size_t>(f)]}));
    EXPECT_EQ(one["clip"], all["clip"]);
  }
  const Outcome large =
      Flexor({"pose", "--sample", "figure", "--frames", "0:40", "--memory-limit", "100K"});
  EXPECT_EQ(large.exit_code, 4);
  EXPECT_THAT(large.err, HasSubstr("--memory-limit"));
  EXPECT_THAT(large.out, IsEmpty());
  // Rigid bodies play their part here as in bake; a character without any is posed all the same.
  EXPECT_EQ(Flexor({"pose", "--sample", "elbow", "--frame", "0", "--physics", "on"}).exit_code, 0);
}

TEST(Bake, TakesAMethodForOneMaterial) {
  const Folder folder;
  const std::string elbow = folder / "elbow.glb";
  ASSERT_EQ(Flexor({"sample", "elbow", "-o", elbow}).exit_code, 0);
  const auto bake = [&](std::vector<std::string> options) {
    const std::string out = folder / "out.pc2";
    std::vector<std::string> arguments{"bake", elbow, "--frames", "20:30", "-o", out};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome outcome = Flexor(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return ReadText(out);
  };
  const std::string name = JsonOf(Flexor({"info", elbow, "--json"}))["material_names"][0];
  const std::string dual = bake({"--method", "dqs"});
  EXPECT_NE(bake({}), dual);
  EXPECT_EQ(bake({"--material-method", name + "=dqs"}), dual);
  EXPECT_EQ(bake({"--material-method", "0=lbs", "--material-method", "0=dqs"}), dual);
  // A variant in a name is the setting, and goes before it.
  const std::string usd = bake({"--method", "dqs:usd"});
  EXPECT_EQ(bake({"--method", "dqs", "--dqs-residual", "usd"}), usd);
  EXPECT_EQ(bake({"--material-method", "0=dqs:usd", "--dqs-residual", "origin"}), usd);
}

TEST(Bake, TakesOverridesAgainAndAgain) {
  const Folder folder;
  const auto bake = [&](std::vector<std::string> options) {
    const std::string out = folder / "out.pc2";
    std::vector<std::string> arguments{"bake", "--sample", "figure", "--frame", "0", "-o", out};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome outcome = Flexor(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return ReadText(out);
  };
  for (const auto& [flag, one, two] :
       std::vector<std::array<std::string, 3>>{{"--rotate", "10=1,0,0,20", "20=0,1,0,20"},
                                               {"--translate", "10=0,0.1,0", "20=0.1,0,0"},
                                               {"--scale", "10=2,2,2", "20=1.5,1,1"},
                                               {"--morph", "0=1", "1=1"}}) {
    const std::string both = bake({flag, one, flag, two});
    EXPECT_NE(both, bake({flag, one})) << flag;
    EXPECT_NE(both, bake({flag, two})) << flag;
  }
}

TEST(Bake, RefusesAMaterialMethodThatMeansNothing) {
  const Folder folder;
  for (const auto& [text, word] :
       std::vector<std::pair<std::string, std::string>>{{"dqs", "MATERIAL=METHOD"},
                                                        {"=dqs", "MATERIAL=METHOD"},
                                                        {"0=soft", "sdef"},
                                                        {"0=dqs:soft", "vertex, origin, usd"},
                                                        {"99=dqs", "counted from 0"},
                                                        {"no such=dqs", "no material is named"}}) {
    const Outcome outcome =
        Flexor({"bake", "--sample", "elbow", "--material-method", text, "-o", folder / "x.pc2"});
    EXPECT_EQ(outcome.exit_code, 2) << text;
    EXPECT_THAT(outcome.err, HasSubstr(word)) << text;
  }
}

}  // namespace
}  // namespace flexor
