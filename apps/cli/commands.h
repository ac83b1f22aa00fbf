/// @file cli/commands.h
/// The verbs. Each adds its flags to a subcommand and returns what runs when it was chosen.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

#include "flexor/core/result.h"

#include "cli/shell.h"

namespace flexor::cli {

/// Runs a verb after its flags were parsed: an exit code, or the error that decides it.
using Action = std::function<Result<int>(Shell&)>;

struct Command {
  CLI::App* app;
  Action run;
};

Command AddInfo(CLI::App& root);
Command AddCheck(CLI::App& root);
Command AddBake(CLI::App& root);
Command AddCompare(CLI::App& root);
Command AddRender(CLI::App& root);
Command AddSample(CLI::App& root);
Command AddConvert(CLI::App& root);
Command AddPose(CLI::App& root);
Command AddBench(CLI::App& root);

}  // namespace flexor::cli
