#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "flexor/asset/character.h"
#include "flexor/core/version.h"

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/help.h"
#include "cli/option_of.h"
#include "cli/shell.h"
#include "cli/signals.h"

namespace flexor::cli {
namespace {

constexpr const char* kFooter =
    R"(Examples:
  flexor info character.glb
  flexor compare character.glb --methods lbs,dqs -o page.html
  flexor bake character.glb --frames 0:60 -o cache.npz
  flexor render --sample figure --frame 12 -o figure.png

Exit codes: 0 done · 1 fault of flexor · 2 usage · 3 input missing or unreadable ·
  4 input invalid · 5 outside tolerance · 6 backend missing · 7 out of memory or disk ·
  130, 143, 129 stopped by a signal · 141 the reader of the output went away
Environment: NO_COLOR · FLEXOR_THREADS
More about a command: flexor COMMAND --help)";

std::string DidYouMean(const std::string& wanted, const std::vector<std::string>& names) {
  const std::vector<std::string> close = asset::CloseNames(wanted, names);
  if (close.empty()) return {};
  std::string text = "; did you mean ";
  for (std::size_t i = 0; i < close.size(); ++i) text += (i == 0 ? "" : " or ") + close[i];
  return text + "?";
}

std::vector<std::string> FlagsOf(const CLI::App& app) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  return flags;
}

bool Holds(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// What stands first decides everything, so it is looked at before the parser: a --help behind an
// unknown command would otherwise make it a known one.
bool FirstWordIsKnown(Shell& shell, const CLI::App& root, const std::vector<Command>& commands,
                      const std::vector<std::string>& words) {
  std::vector<std::string> verbs;
  for (const Command& command : commands) verbs.push_back(command.app->get_name());
  if (words.empty()) {
    shell.Fail("name a command");
  } else if (words[0].starts_with("-")) {
    const std::string flag = words[0].substr(0, words[0].find('='));
    const std::vector<std::string> flags = FlagsOf(root);
    if (flag == "-h" || Holds(flags, flag)) return true;
    shell.Fail("there is no option \"" + Printable(flag) + "\" before a command" +
               DidYouMean(flag, flags));
  } else {
    if (Holds(verbs, words[0])) return true;
    shell.Fail("there is no command \"" + Printable(words[0]) + "\"" + DidYouMean(words[0], verbs));
  }
  shell.Note("flexor --help lists the commands");
  return false;
}

// What an option with the wrong number of values got: too many, none, or one that it cannot take.
std::string ExplainMismatch(const std::string& what) {
  const std::string name = what.substr(0, what.find_first_of(": "));
  if (what.find("received") != what.npos) return name + " is given more than once";
  return name + " needs a value";
}

// Unknown flags with a helping word; everything else in CLI11's own.
void ExplainParseError(Shell& shell, const CLI::App& root, const std::vector<Command>& commands,
                       const CLI::ParseError& error) {
  const CLI::App* app = &root;
  for (const Command& command : commands) {
    if (command.app->parsed()) app = command.app;
  }
  const std::string help = (app == &root ? "flexor" : "flexor " + app->get_name()) + " --help";
  std::vector<std::string> left = app->remaining();
  if (left.empty()) left = root.remaining();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !left.empty()) {
    const std::string wanted = left.front().substr(0, left.front().find('='));
    if (wanted.starts_with('-') && wanted.size() > 1) {
      shell.Fail("there is no option \"" + Printable(wanted) + "\"" +
                 DidYouMean(wanted, FlagsOf(*app)));
    } else {
      shell.Fail("\"" + Printable(left.front()) + "\" is one argument too many");
    }
  } else if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    shell.Fail(Printable(ExplainMismatch(error.what())));
  } else {
    shell.Fail(Printable(error.what()));
  }
  shell.Note(help + " lists what is there");
}

// --json=maybe: the parser takes some words for truth and chokes on the others.
bool FlagsTakeNoValue(Shell& shell, const std::vector<Command>& commands,
                      const std::vector<std::string>& words) {
  for (const Command& command : commands) {
    if (words[0] != command.app->get_name()) continue;
    for (const std::string& word : words) {
      const std::size_t equals = word.find('=');
      if (!word.starts_with("--") || equals == word.npos) continue;
      const std::string name = word.substr(0, equals);
      const CLI::Option* option = command.app->get_option_no_throw(name);
      if (option == nullptr || option->get_items_expected_max() > 0) continue;
      shell.Fail(name + " takes no value");
      return false;
    }
  }
  return true;
}

// An empty value would look as if the option had not been given.
const CLI::Option* EmptyOption(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_type_size() == 0) continue;
    if (Holds(option->results(), "")) return option;
  }
  return nullptr;
}

// --progress json also holds for what is said before it could be parsed.
void ApplyProgressEarly(const std::vector<std::string>& words, Shell& shell) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool apart = words[i] == "--progress" && i + 1 < words.size() && words[i + 1] == "json";
    if (apart || words[i] == "--progress=json") shell.progress = ProgressMode::kJson;
  }
}

int RunCommand(const Command& command, Shell& shell) {
  const Result<int> code = command.run(shell);
  const Status flushed = shell.Flush();
  if (shell.reader_gone()) return kSignalBase + SIGPIPE;
  for (const Error* error :
       {code.ok() ? nullptr : &code.error(), flushed.ok() ? nullptr : &flushed.error()}) {
    if (error == nullptr) continue;
    shell.Fail(WithOption(*error));
    return ExitCodeOf(*error);
  }
  return *code;
}

int Main(int argc, char** argv) {
  CatchStopSignals();
  Shell shell;
  CLI::App root{"flexor poses and deforms rigged characters, and can prove that it is right",
                "flexor"};
  root.require_subcommand(1);
  root.set_help_flag("-h,--help", "Print this help");
  root.set_version_flag("--version", std::string(WriterName()), "Print the version");
  root.footer(kFooter);
  UseHelpPages(root);
  const std::vector<Command> commands = {
      AddInfo(root),   AddCheck(root),  AddBake(root),    AddCompare(root),
      AddRender(root), AddSample(root), AddConvert(root), AddPose(root),
#ifdef FLEXOR_CLI_BENCH
      AddBench(root),
#endif
  };
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  ApplyProgressEarly(words, shell);
  const auto usage = [&] {
    shell.End(kUsage);
    return kUsage;
  };
  if (!FirstWordIsKnown(shell, root, commands, words)) return usage();
  if (!FlagsTakeNoValue(shell, commands, words)) return usage();
  try {
    root.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) {
      ExplainParseError(shell, root, commands, error);
      return usage();
    }
    // --help and --version: results, on stdout.
    root.exit(error);
    return shell.Flush().ok() ? kDone : kOutOfRoom;
  }
  for (const Command& command : commands) {
    if (!command.app->parsed()) continue;
    if (const CLI::Option* empty = EmptyOption(*command.app)) {
      shell.Fail(empty->get_name() + " needs a value, and \"\" is none");
      return usage();
    }
    const int code = RunCommand(command, shell);
    shell.End(code);
    return code;
  }
  return kUsage;
}

}  // namespace
}  // namespace flexor::cli

int main(int argc, char** argv) {
  // The library throws nothing of its own; memory can still run out under the standard library.
  try {
    return flexor::cli::Main(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("error: memory ran out [OUT_OF_MEMORY]\n", stderr);
    return flexor::cli::kOutOfRoom;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s [INTERNAL]\n", error.what());
    return flexor::cli::kInternalFault;
  }
}
