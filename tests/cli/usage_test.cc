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
      {{"bake", "--sample", "twist", "-o", "x.npz", "--method", "lbs:usd"}, "no variants"},
      {{"bake", "--sample", "twist", "-o", "x.npz", "--method", "dqs:usd", "--material-method",
        "0=dqs:origin"},
       "usd and origin"},
      {{"compare", "--sample", "twist", "--methods", "lbs,lbs"}, "twice"},
      {{"compare", "--sample", "twist", "--methods", ","}, "at least one"},
      {{"compare", "--sample", "twist", "-o", "x.txt"}, ".html"},
      {{"compare", "--sample", "figure", "--ring-at", "1"}, "--ring-axis"},
      {{"render", "--sample", "twist", "-o", "x.jpg"}, ".png"},
      {{"sample", "twist"}, "-o FILE.glb"},
      {{"sample", "twist", "-o", "x.gltf"}, ".glb"},
      {{"convert", "x.glb"}, "-o OUT.glb"},
      {{"info", "x.glb", "--memory-limit", "many"}, "500M"},
      {{"info", "--sample", "twist", "--memory-limit", "many"}, "500M"},
      {{"bake", "--sample", "twist", "--memory-limit", "-1", "-o", "x.npz"}, "500M"},
      {{"info", "--sample", "twist", "--memory-limit", "1e-9"}, "out of range"},
      {{"bake", "--sample", "twist", "-o", "x.npz", "--frames", "0:1:0.00000001"}, "the limit is"},
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

TEST(Usage, WhatStandsBeforeACommandIsLookedAtFirst) {
  EXPECT_THAT(Flexor({"--bogus"}).err, HasSubstr("no option \"--bogus\""));
  EXPECT_THAT(Flexor({"--verson"}).err, HasSubstr("did you mean --version?"));
  EXPECT_THAT(Flexor({"dance", "--help"}).err, HasSubstr("no command \"dance\""));
  EXPECT_THAT(Flexor({"", "--help"}).err, HasSubstr("no command \"\""));
  for (const std::vector<std::string>& line :
       std::vector<std::vector<std::string>>{{"--bogus"},
                                             {"--bogus", "--help"},
                                             {"dance", "--help"},
                                             {"", "--help"},
                                             {"-q", "info"}}) {
    const Outcome outcome = Flexor(line);
    EXPECT_EQ(outcome.exit_code, 2) << testing::PrintToString(line);
    EXPECT_THAT(outcome.out, IsEmpty());
  }
  EXPECT_EQ(Flexor({"-h"}).exit_code, 0);
}

// A command that needs nothing else, for each verb that takes a character.
std::vector<std::string> Minimal(const std::string& verb) {
  std::vector<std::string> words = {verb, "--sample", "twist"};
  if (verb == "bake") words.insert(words.end(), {"-o", "x.npz"});
  if (verb == "render") words.insert(words.end(), {"-o", "x.png", "--size", "8"});
  if (verb == "convert") words.insert(words.end(), {"-o", "x.glb"});
  return words;
}

void ExpectUsage(std::vector<std::string> words, const std::string& option,
                 const std::string& value, const std::string& hint) {
  const Folder folder;
  words.push_back(option + "=" + value);
  const Outcome outcome = Flexor(words, folder.path());
  const std::string line = testing::PrintToString(words);
  EXPECT_EQ(outcome.exit_code, 2) << line;
  EXPECT_THAT(outcome.err, HasSubstr(option)) << line;
  EXPECT_THAT(outcome.err, HasSubstr(hint)) << line;
  // One line that a person reads, not what some parser thought.
  EXPECT_LT(outcome.err.substr(0, outcome.err.find('\n')).size(), 160u) << line;
  EXPECT_THAT(outcome.out, IsEmpty()) << line;
  EXPECT_THAT(folder.Names(), IsEmpty()) << line;
}

TEST(Usage, NumbersThatMeanNothingAreRefusedByEveryOption) {
  const std::vector<std::string> never = {"nan", "inf", "-inf", "1e999", "one", "1x", " 1"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), never.begin(), never.end());
    return more;
  };
  const std::vector<std::pair<const char*, std::vector<std::string>>> frames = {
      {"--frame", with({"1e13"})},
      {"--time", with({"1e300"})},
      {"--step", with({"0", "-0"})},
      {"--sub-frames", with({"0", "-1", "1.5", "1001"})},
      {"--fps", with({"0", "-30", "1e300", "1e-300"})},
      {"--frames", with({"0:1:0", "5:5:0", "nan:1", "0:inf", "0:1e300"})},
      {"--threads", with({"-1", "1.5", "4097"})},
      {"--max-influences", with({"-1", "1.5", "99999999999"})}};
  std::vector<std::pair<const char*, std::vector<std::string>>> verbs[3] = {frames, frames, frames};
  verbs[0].push_back({"--offset", never});
  verbs[1].push_back({"--tolerance-mm", with({"-1"})});
  verbs[1].push_back({"--pictures", with({"-1", "65"})});
  verbs[1].push_back({"--ring-axis", with({"0,0,0", "nan,0,1", "0,1", "0,1,0,0"})});
  verbs[2].push_back({"--scale-mm", with({"0", "-1"})});
  verbs[2].push_back({"--columns", with({"0", "-1"})});
  verbs[2].push_back({"--samples", with({"0", "9"})});
  for (const int v : {1, 2}) {
    verbs[v].push_back({"--yaw", never});
    verbs[v].push_back({"--pitch", never});
  }
  const char* names[3] = {"bake", "compare", "render"};
  for (int v = 0; v < 3; ++v) {
    for (const auto& [option, values] : verbs[v]) {
      for (const std::string& value : values) {
        const bool range = std::string(option) == "--frames" || std::string(option) == "--time" ||
                           std::string(option) == "--frame";
        if (!range) {
          ExpectUsage(Minimal(names[v]), option, value, "");
          continue;
        }
        // Their limits are found later and named by the frame.
        const Folder folder;
        std::vector<std::string> words = Minimal(names[v]);
        words.push_back(std::string(option) + "=" + value);
        EXPECT_EQ(Flexor(words, folder.path()).exit_code, 2) << option << "=" << value;
      }
    }
  }
  for (const char* option : {"--ring-at", "--ring-within"}) {
    std::vector<std::string> words = Minimal("compare");
    words.insert(words.end(), {"--ring-axis", "0,1,0"});
    for (const std::string& value : never) ExpectUsage(words, option, value, "");
  }
}

TEST(Usage, AnEmptyValueIsNoValue) {
  for (const char* verb : {"info", "bake", "compare", "render", "convert"}) {
    std::vector<std::string> options = {"--memory-limit"};
    if (std::string(verb) == "bake" || std::string(verb) == "compare" ||
        std::string(verb) == "render") {
      options.insert(options.end(), {"--frames", "--clip", "--simd", "--rotate"});
    }
    for (const std::string& option : options) {
      std::vector<std::string> words = Minimal(verb);
      words.insert(words.end(), {option, ""});
      const Folder folder;
      const Outcome outcome = Flexor(words, folder.path());
      EXPECT_EQ(outcome.exit_code, 2) << testing::PrintToString(words);
      EXPECT_THAT(outcome.err, HasSubstr(option + " needs a value"));
    }
  }
  EXPECT_EQ(Flexor({"info", ""}).exit_code, 2);
}

TEST(Usage, AnOptionTwiceIsCalledThat) {
  const std::vector<std::pair<const char*, const char*>> options = {
      {"--threads", "1"}, {"--method", "lbs"}, {"--frames", "1"}, {"--fps", "30"}};
  for (const auto& [option, value] : options) {
    const Outcome outcome =
        Flexor({"bake", "--sample", "twist", "-o", "x.npz", option, value, option, value});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, HasSubstr(std::string(option) + " is given more than once"));
  }
  EXPECT_THAT(Flexor({"bake", "--sample", "twist", "-o", "a.npz", "-o", "b.npz"}).err,
              HasSubstr("--output is given more than once"));
  for (const char* flag : {"--json=yes", "--json=maybe", "--json=5"}) {
    EXPECT_THAT(Flexor({"info", "--sample", "twist", flag}).err,
                HasSubstr("--json takes no value"));
  }
}

TEST(Usage, ASingleTimeHasNoSteps) {
  for (const char* at : {"--frame", "--time"}) {
    for (const char* option : {"--step", "--sub-frames"}) {
      const Outcome outcome =
          Flexor({"bake", "--sample", "twist", "-o", "x.npz", at, "1", option, "2"});
      EXPECT_EQ(outcome.exit_code, 2);
      EXPECT_THAT(outcome.err, HasSubstr("excludes"));
    }
  }
}

TEST(Usage, WordsInBracesThatMeanNothingAreRefused) {
  const Folder folder;
  for (const char* verb : {"bake", "render", "convert", "sample", "compare"}) {
    const std::string word = verb;
    std::vector<std::string> words = Minimal(word);
    if (word == "sample") words = {"sample", "twist"};
    const std::string extension = word == "render" ? ".png" : word == "bake" ? ".obj" : ".glb";
    while (words.size() > 3) words.pop_back();
    words.insert(words.end(), {"-o", "x.{foo}" + (word == "compare" ? ".html" : extension)});
    const Outcome outcome = Flexor(words, folder.path());
    EXPECT_EQ(outcome.exit_code, 2) << verb;
    EXPECT_THAT(outcome.err, HasSubstr("{foo} means nothing")) << verb;
    const std::string known = word == "bake"     ? "{frame} and {mesh}"
                              : word == "render" ? "{frame}"
                                                 : "no words";
    EXPECT_THAT(outcome.err, HasSubstr(known)) << verb;
  }
  EXPECT_THAT(folder.Names(), IsEmpty());
}

TEST(Usage, StandardOutputHoldsTheFileOrTheReport) {
  for (const std::vector<std::string>& line : std::vector<std::vector<std::string>>{
           {"convert", "--sample", "twist", "-o", "-", "--json"},
           {"render", "--sample", "twist", "--size", "8", "-o", "-", "--json"},
           {"sample", "twist", "-o", "-", "--json"}}) {
    const Outcome outcome = Flexor(line);
    EXPECT_EQ(outcome.exit_code, 2) << line[0];
    EXPECT_THAT(outcome.out, IsEmpty()) << line[0];
    EXPECT_THAT(outcome.err, HasSubstr("--json")) << line[0];
  }
  // Where a verb writes no file to standard output it says so instead of making one called "-".
  const Folder folder;
  for (const char* verb : {"bake", "compare"}) {
    const Outcome outcome = Flexor({verb, "--sample", "twist", "-o", "-"}, folder.path());
    EXPECT_EQ(outcome.exit_code, 2) << verb;
    EXPECT_THAT(outcome.err, HasSubstr("name")) << verb;
  }
  EXPECT_THAT(folder.Names(), IsEmpty());
  EXPECT_EQ(Flexor({"info", "--formats", "--backends", "--json"}).exit_code, 2);
}

TEST(Usage, EveryJsonReportIsOneDocument) {
  const Folder folder;
  for (const std::vector<std::string>& line :
       std::vector<std::vector<std::string>>{{"sample", "twist", "-o", "a.glb", "--json"},
                                             {"convert", "a.glb", "-o", "b.glb", "--json"},
                                             {"info", "a.glb", "--json"},
                                             {"check", "a.glb", "--json"},
                                             {"bake", "a.glb", "-o", "a.npz", "--json"},
                                             {"compare", "a.glb", "--frames", "0:1", "--json"}}) {
    const Outcome outcome = Flexor(line, folder.path());
    EXPECT_EQ(outcome.exit_code, 0) << line[0] << outcome.err;
    EXPECT_TRUE(nlohmann::json::accept(outcome.out)) << line[0];
  }
}

TEST(Usage, MistakesAreEventsWithProgressJson) {
  for (const std::vector<std::string>& line : std::vector<std::vector<std::string>>{
           {"bake", "--progress", "json", "--frames"},
           {"bake", "--nosuch", "--progress=json"},
           {"bkae", "--progress", "json"},
           {"render", "--sample", "twist", "-o", "x.png", "--clip", "", "--progress", "json"}}) {
    const Outcome outcome = Flexor(line);
    EXPECT_EQ(outcome.exit_code, 2);
    std::istringstream lines(outcome.err);
    std::string text, last;
    while (std::getline(lines, text)) {
      const auto event = nlohmann::json::parse(text, nullptr, false);
      ASSERT_FALSE(event.is_discarded()) << text;
      last = event["event"];
    }
    EXPECT_EQ(last, "end");
  }
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
  if (RunShell("script -qec true /dev/null </dev/null").exit_code != 0) {
    GTEST_SKIP() << "no script command or no pseudo-terminal here (is /dev/pts mounted?)";
  }
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
