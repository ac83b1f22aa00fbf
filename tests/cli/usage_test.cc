// What every command promises: help, exit codes, and which stream says what.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/command.h"
#include "support/paths.h"

namespace flexor {
namespace {

using test::Flexor;
using test::Folder;
using test::Outcome;
using test::RunShell;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class EveryCommand : public testing::TestWithParam<const char*> {};

TEST_P(EveryCommand, HasAHelpPageWithAnExample) {
  const Outcome outcome = Flexor({GetParam(), "--help"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, IsEmpty());
  EXPECT_THAT(outcome.out, HasSubstr("Usage: flexor " + std::string(GetParam())));
  const std::size_t examples = outcome.out.find("Examples:");
  ASSERT_NE(examples, std::string::npos);
  EXPECT_NE(outcome.out.find("\n  flexor " + std::string(GetParam()), examples), std::string::npos);
  // Nobody has to scroll sideways; UTF-8 follow-up bytes do not count.
  std::size_t columns = 0;
  for (const char c : outcome.out) {
    if (c == '\n') columns = 0;
    if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) ++columns;
    ASSERT_LE(columns, 101u);
  }
}

TEST_P(EveryCommand, SuggestsAFlagForAMisspeltOne) {
  const Outcome outcome = Flexor({GetParam(), "--jsn"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, HasSubstr("\"--jsn\"; did you mean --json"));
}

INSTANTIATE_TEST_SUITE_P(Verbs, EveryCommand,
                         testing::Values("info", "check", "bake", "compare", "render", "sample",
                                         "convert"),
                         [](const auto& verb) { return std::string(verb.param); });

TEST(Usage, HelpAndVersionAreResults) {
  const Outcome help = Flexor({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.err, IsEmpty());
  EXPECT_THAT(help.out, HasSubstr("Exit codes: 0 done"));
  const Outcome version = Flexor({"--version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_THAT(version.out, testing::MatchesRegex("flexor [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST(Usage, MistakesExitWithTwoAndSayWhatToDo) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> mistakes = {
      {{}, "name a command"},
      {{"inof"}, "did you mean info?"},
      {{"info"}, "give a FILE or --sample"},
      {{"info", "a.glb", "--sample", "twist"}, "not both"},
      {{"info", "a.glb", "b.glb"}, "one argument too many"},
      {{"info", "--sample", "twits"}, "twist"},
      {{"check"}, "at least one FILE"},
      {{"bake", "--sample", "twist"}, "-o OUT"},
      {{"bake", "--sample", "twist", "-o", "x.abc"}, ".npz"},
      {{"bake", "--sample", "twist", "-o", "no/such/x.npz"}, "does not exist"},
      {{"bake", "--sample", "twist", "-o", "x.npz", "--clip", "twsit"}, "twist"},
      {{"bake", "--sample", "twist", "-o", "x.npz", "--rotate", "uper=0,1,0,9"}, "upper"},
      {{"bake", "--sample", "twist", "-o", "x.npz", "--rotate", "upper=0,1"}, "numbers"},
      {{"bake", "--sample", "twist", "-o", "x.npz", "--frames", "9:1"}, "negative"},
      {{"bake", "--sample", "twist", "-o", "x.npz", "--frames", "1:x"}, "no number"},
      {{"bake", "--sample", "twist", "-o", "x.npz", "--frame", "1", "--frames", "1"}, "excludes"},
      {{"bake", "--sample", "twist", "-o", "x.npz", "--threads"}, "needs a value"},
      {{"bake", "--sample", "twist", "-o", "x.npz", "--method", "sdq"}, "dqs"},
      {{"compare", "--sample", "twist", "--methods", "lbs,lbs"}, "twice"},
      {{"compare", "--sample", "twist", "--methods", ""}, "at least one"},
      {{"compare", "--sample", "twist", "-o", "x.txt"}, ".html"},
      {{"compare", "--sample", "figure", "--ring-at", "1"}, "--ring-axis"},
      {{"render", "--sample", "twist", "-o", "x.jpg"}, ".png"},
      {{"sample", "twist"}, "-o FILE.glb"},
      {{"sample", "twist", "-o", "x.gltf"}, ".glb"},
      {{"convert", "x.glb"}, "-o OUT.glb"},
      {{"info", "x.glb", "--memory-limit", "many"}, "500M"},
  };
  const Folder folder;
  for (const auto& [arguments, hint] : mistakes) {
    const Outcome outcome = Flexor(arguments, folder.path());
    const std::string line = testing::PrintToString(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << line;
    EXPECT_THAT(outcome.out, IsEmpty()) << line;
    EXPECT_THAT(outcome.err, HasSubstr("error:")) << line;
    EXPECT_THAT(outcome.err, HasSubstr(hint)) << line;
  }
  EXPECT_THAT(folder.Names(), IsEmpty());
}

TEST(Usage, EachKindOfFailureHasItsExitCode) {
  const Folder folder;
  EXPECT_EQ(Flexor({"info", folder / "missing.glb"}).exit_code, 3);
  EXPECT_EQ(Flexor({"info", folder.path()}).exit_code, 3);
  ASSERT_EQ(RunShell("printf 'not a model' > bad.glb", folder.path()).exit_code, 0);
  const Outcome bad = Flexor({"info", folder / "bad.glb"});
  EXPECT_EQ(bad.exit_code, 4);
  EXPECT_THAT(bad.err, HasSubstr("bad.glb"));
  EXPECT_EQ(Flexor({"compare", "--sample", "twist", "--tolerance-mm", "499"}).exit_code, 5);
  EXPECT_EQ(Flexor({"compare", "--sample", "twist", "--tolerance-mm", "501"}).exit_code, 0);
  const Outcome backend = Flexor({"compare", "--sample", "twist", "--simd", "ABACUS"});
  EXPECT_EQ(backend.exit_code, 6);
  EXPECT_EQ(RunShell("\"$FLEXOR\" sample --list > /dev/full").exit_code, 7);
  EXPECT_EQ(RunShell("\"$FLEXOR\" sample twist -o - > /dev/full").exit_code, 7);
}

TEST(Usage, ResultsGoToStdoutAndWordsToStderr) {
  const Folder folder;
  const Outcome one = Flexor({"bake", "--sample", "twist", "-o", "x.obj"}, folder.path());
  EXPECT_EQ(one.exit_code, 0);
  EXPECT_THAT(one.out, HasSubstr("wrote x.obj"));
  EXPECT_THAT(one.err, HasSubstr("choose another with --frame"));
  const Outcome quiet = Flexor({"bake", "--sample", "twist", "-o", "x.obj", "-q"}, folder.path());
  EXPECT_THAT(quiet.err, IsEmpty());
}

TEST(Usage, NoColourGoesIntoPipes) {
  for (const char* verb : {"info", "compare"}) {
    const Outcome outcome = Flexor({verb, "--sample", "twist"});
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_THAT(outcome.out, Not(HasSubstr("\x1b")));
    EXPECT_THAT(outcome.err, Not(HasSubstr("\x1b")));
  }
}

TEST(Usage, ColourIsForTerminalsAndNotWithNoColor) {
  if (RunShell("script --version").exit_code != 0) GTEST_SKIP() << "no script command here";
  const Outcome terminal = RunShell(
      "unset NO_COLOR; TERM=xterm script -qec '\"$FLEXOR\" info --sample twist' /dev/null");
  EXPECT_THAT(terminal.out, HasSubstr("\x1b[1m"));
  const Outcome plain =
      RunShell("NO_COLOR=1 TERM=xterm script -qec '\"$FLEXOR\" info --sample twist' /dev/null");
  EXPECT_THAT(plain.out, HasSubstr("twist"));
  EXPECT_THAT(plain.out, Not(HasSubstr("\x1b[1m")));
}

TEST(Usage, ProgressAsJsonIsOneObjectALine) {
  const Folder folder;
  const Outcome outcome =
      Flexor({"bake", "--sample", "twist", "-o", "x.npz", "--progress", "json"}, folder.path());
  ASSERT_EQ(outcome.exit_code, 0);
  std::istringstream lines(outcome.err);
  std::string line, last_event;
  std::uint64_t last_done = 0;
  while (std::getline(lines, line)) {
    const auto event = nlohmann::json::parse(line);
    last_event = event["event"];
    if (last_event != "progress") continue;
    EXPECT_EQ(event["stage"], "bake");
    EXPECT_EQ(event["total"], 61);
    EXPECT_GE(event["done"].get<std::uint64_t>(), last_done);
    last_done = event["done"];
  }
  EXPECT_EQ(last_done, 61u);
  EXPECT_EQ(last_event, "end");
  const Outcome failure =
      Flexor({"bake", "--sample", "twist", "-o", "x.npz", "--clip", "none", "--progress", "json"},
             folder.path());
  EXPECT_EQ(failure.exit_code, 2);
  EXPECT_EQ(nlohmann::json::parse(failure.err.substr(0, failure.err.find('\n')))["code"],
            "INVALID_ARGUMENT");
}

TEST(Usage, ProgressIsSilentWithoutATerminal) {
  const Folder folder;
  EXPECT_THAT(Flexor({"bake", "--sample", "twist", "-o", "x.npz"}, folder.path()).err, IsEmpty());
}

}  // namespace
}  // namespace flexor
