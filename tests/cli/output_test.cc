// Outputs appear whole or not at all, and never over what was read.
#include <csignal>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/command.h"
#include "support/paths.h"

namespace flexor {
namespace {

using test::Flexor;
using test::Folder;
using test::Outcome;
using test::ReadText;
using test::RunAndSignal;
using test::RunShell;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Enough frames that a signal always comes in the middle.
const std::vector<std::string> kLongBake = {"bake",       "--sample",   "figure", "--frames",
                                            "0:60:0.001", "--progress", "json",   "-o"};

std::vector<std::string> LongBake(const std::string& output) {
  std::vector<std::string> arguments = kLongBake;
  arguments.push_back(output);
  return arguments;
}

TEST(Output, CtrlCEndsWith130AndLeavesNothing) {
  for (const char* name : {"x.npz", "x.mdd"}) {
    const Folder folder;
    std::ofstream(folder / name) << "old";
    const Outcome outcome = RunAndSignal(LongBake(name), "\"done\":", SIGINT, folder.path());
    EXPECT_EQ(outcome.exit_code, 130) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("CANCELLED"));
    EXPECT_THAT(outcome.out, IsEmpty());
    EXPECT_THAT(folder.Names(), ElementsAre(name));
    EXPECT_EQ(ReadText(folder / name), "old");
  }
}

TEST(Output, TerminationEndsWith143AndLeavesNothing) {
  const Folder folder;
  const Outcome outcome =
      RunAndSignal(LongBake("x.{frame}.glb"), "\"done\":", SIGTERM, folder.path());
  EXPECT_EQ(outcome.exit_code, 143) << outcome.err;
  EXPECT_THAT(folder.Names(), IsEmpty());
}

TEST(Output, AKillLeavesTheOldFileWhole) {
  const Folder folder;
  std::ofstream(folder / "x.npz") << "old";
  const Outcome outcome = RunAndSignal(LongBake("x.npz"), "\"done\":", SIGKILL, folder.path());
  EXPECT_EQ(outcome.exit_code, 137);
  EXPECT_EQ(ReadText(folder / "x.npz"), "old");
}

TEST(Output, TheInputIsNeverOverwritten) {
  const Folder folder;
  ASSERT_EQ(Flexor({"sample", "twist", "-o", "a.glb"}, folder.path()).exit_code, 0);
  ASSERT_EQ(RunShell("ln -s a.glb link.glb; mkdir sub", folder.path()).exit_code, 0);
  const std::string before = ReadText(folder / "a.glb");
  for (const char* output : {"a.glb", "./a.glb", "sub/../a.glb", "link.glb"}) {
    const Outcome converted = Flexor({"convert", "a.glb", "-o", output}, folder.path());
    EXPECT_EQ(converted.exit_code, 2) << output;
    EXPECT_THAT(converted.err, HasSubstr("is the input"));
    EXPECT_EQ(Flexor({"bake", "a.glb", "--frame", "0", "-o", output}, folder.path()).exit_code, 2);
  }
  EXPECT_EQ(ReadText(folder / "a.glb"), before);
}

TEST(Output, NamesInAnyScriptWork) {
  const Folder folder;
  const std::string name = "キャラクター Прогулка.glb";
  ASSERT_EQ(Flexor({"sample", "twist", "-o", name}, folder.path()).exit_code, 0);
  const Outcome info = Flexor({"info", name}, folder.path());
  EXPECT_EQ(info.exit_code, 0);
  EXPECT_THAT(info.out, HasSubstr(name));
  ASSERT_EQ(Flexor({"bake", name, "-o", "出力.npz"}, folder.path()).exit_code, 0);
  EXPECT_THAT(folder.Names(), ElementsAre(name, "出力.npz"));
}

TEST(Output, StandardOutputTakesOneFile) {
  const Folder folder;
  const Outcome glb = Flexor({"sample", "twist", "-o", "-"});
  EXPECT_EQ(glb.exit_code, 0);
  EXPECT_EQ(glb.out.substr(0, 4), "glTF");
  ASSERT_EQ(Flexor({"sample", "twist", "-o", "a.glb"}, folder.path()).exit_code, 0);
  EXPECT_EQ(ReadText(folder / "a.glb"), glb.out);
  const Outcome info = Flexor({"info", "-", "--json"}, {}, glb.out);
  EXPECT_EQ(info.exit_code, 0) << info.err;
  EXPECT_THAT(info.out, HasSubstr("\"vertices\": 60"));
  EXPECT_EQ(Flexor({"convert", "-", "-o", "-"}, {}, glb.out).out.substr(0, 4), "glTF");
}

TEST(Output, AFolderIsNoFile) {
  const Folder folder;
  ASSERT_EQ(RunShell("mkdir x.npz", folder.path()).exit_code, 0);
  const Outcome outcome = Flexor({"bake", "--sample", "twist", "-o", "x.npz"}, folder.path());
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("is a folder"));
}

TEST(Output, CompareMakesItsFolder) {
  const Folder folder;
  const Outcome outcome = Flexor(
      {"compare", "--sample", "twist", "--frames", "0:60:30", "--pictures", "0", "-o", "new/out"},
      folder.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(ReadText(folder / "new/out/index.html"), HasSubstr("<!doctype html>"));
  EXPECT_THAT(ReadText(folder / "new/out/compare.json"), HasSubstr("\"methods\""));
}

}  // namespace
}  // namespace flexor
