/// @file cli/output.h
/// Where results go: checked before any work begins, written whole or not at all.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "flexor/core/result.h"

#include "cli/shell.h"

namespace flexor::cli {

/// Refuses an output whose folder does not exist, that is a folder, that is one of the inputs
/// under any name, or whose name holds a word in braces other than those known ("{frame}"). "-" is
/// standard output, which holds either the output or a report: with `json` it is refused.
/// Errors  kInvalidArgument
Status CheckOutput(const std::string& path, std::initializer_list<std::string> inputs,
                   std::initializer_list<std::string_view> known = {}, bool json = false);

/// Writes bytes to a file, or to standard output for "-".
/// Errors  kFileUnwritable · kInvalidArgument for binary bytes on a terminal
Status WriteOutput(Shell& shell, const std::string& path, std::span<const std::byte> bytes);
Status WriteOutput(Shell& shell, const std::string& path, std::string_view text);

/// The extension in lower case without its dot.
std::string ExtensionOf(const std::string& path);

/// "12.3 MB".
std::string SizeText(std::uint64_t bytes);

/// The size of a file that was just written; 0 when it cannot be had.
std::uint64_t FileBytes(const std::string& path);

}  // namespace flexor::cli
