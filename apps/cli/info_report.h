/// @file cli/info_report.h
/// What `flexor info` says about a character, for people and for programs.
#pragma once

#include <string>

#include "flexor/bake/summary.h"
#include "flexor/io/load.h"

#include "cli/shell.h"

namespace flexor::cli {

std::string InfoText(const Shell& shell, const std::string& name, const io::Loaded& loaded,
                     const bake::CharacterSummary& summary, bool with_plan);

std::string InfoJson(const io::Loaded& loaded, const bake::CharacterSummary& summary);

}  // namespace flexor::cli
