/// @file cli/help.h
/// Help pages that read as pages: usage, groups of flags, examples; nothing wider than 100 columns.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace flexor::cli {

/// Makes the app, and every subcommand added later, print its help this way.
void UseHelpPages(CLI::App& root);

}  // namespace flexor::cli
