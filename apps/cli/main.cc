#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "flexor/asset/character.h"

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/help.h"
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
  130, 143 stopped by a signal
Environment: NO_COLOR · FLEXOR_THREADS
More about a command: flexor COMMAND --help)";

std::string DidYouMean(const std::string& wanted, const std::vector<std::string>& names) {
  const std::vector<std::string> close = asset::CloseNames(wanted, names);
  if (close.empty()) return {};
  std::string text = "; did you mean ";
  for (std::size_t i = 0; i < close.size(); ++i) text += (i == 0 ? "" : " or ") + close[i];
  return text + "?";
}

// Unknown verbs and flags with a helping word; everything else in CLI11's own.
void ExplainParseError(Shell& shell, const CLI::App& root, const std::vector<Command>& commands,
                       const CLI::ParseError& error, int argc, char** argv) {
  std::vector<std::string> verbs;
  for (const Command& command : commands) verbs.push_back(command.app->get_name());
  if (argc > 1 && argv[1][0] != '-' &&
      std::find(verbs.begin(), verbs.end(), argv[1]) == verbs.end()) {
    const std::string wanted = argv[1];
    shell.Fail("there is no command \"" + Printable(wanted) + "\"" + DidYouMean(wanted, verbs));
    shell.Note("flexor --help lists the commands");
    return;
  }
  const CLI::App* app = &root;
  for (const Command& command : commands) {
    if (command.app->parsed()) app = command.app;
  }
  const std::string help = (app == &root ? "flexor" : "flexor " + app->get_name()) + " --help";
  std::vector<std::string> left = app->remaining();
  if (left.empty()) left = root.remaining();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !left.empty()) {
    const std::string wanted = left.front().substr(0, left.front().find('='));
    std::vector<std::string> flags;
    for (const CLI::Option* option : app->get_options()) {
      for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
    }
    if (wanted.starts_with('-') && wanted.size() > 1) {
      shell.Fail("there is no option \"" + Printable(wanted) + "\"" + DidYouMean(wanted, flags));
    } else {
      shell.Fail("\"" + Printable(left.front()) + "\" is one argument too many");
    }
  } else if (app == &root && argc <= 1) {
    shell.Fail("name a command");
  } else if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const std::string what = error.what();
    shell.Fail(what.substr(0, what.find(':')) + " needs a value");
  } else {
    shell.Fail(Printable(error.what()));
  }
  shell.Note(help + " lists what is there");
}

int RunCommand(const Command& command, Shell& shell) {
  const Result<int> code = command.run(shell);
  const Status flushed = shell.Flush();
  for (const Error* error :
       {code.ok() ? nullptr : &code.error(), flushed.ok() ? nullptr : &flushed.error()}) {
    if (error == nullptr) continue;
    shell.Fail(*error);
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
  root.set_version_flag("--version", std::string("flexor ") + FLEXOR_VERSION, "Print the version");
  root.footer(kFooter);
  UseHelpPages(root);
  const std::vector<Command> commands = {
      AddInfo(root),   AddCheck(root),  AddBake(root),    AddCompare(root),
      AddRender(root), AddSample(root), AddConvert(root),
#ifdef FLEXOR_CLI_BENCH
      AddBench(root),
#endif
  };
  try {
    root.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) {
      ExplainParseError(shell, root, commands, error, argc, argv);
      return kUsage;
    }
    // --help and --version: results, on stdout.
    root.exit(error);
    return shell.Flush().ok() ? kDone : kOutOfRoom;
  }
  for (const Command& command : commands) {
    if (!command.app->parsed()) continue;
    int code = RunCommand(command, shell);
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
