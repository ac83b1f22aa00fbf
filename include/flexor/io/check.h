/// @file io/check.h
/// What is wrong with a file: one list of coded diagnostics, whatever the format. Codes:
/// docs/errors.md.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "flexor/core/diagnostic.h"
#include "flexor/core/export.h"
#include "flexor/core/result.h"
#include "flexor/io/load.h"

namespace flexor::io {

/// One rule of the check: what its code means.
struct CheckRule {
  std::string_view code{};
  Severity severity{};
  std::string_view summary{};
};

/// Every code that a check or a reader can emit, sorted by code.
FLEXOR_API std::span<const CheckRule> CheckRules();

/// All findings about one file.
struct CheckReport {
  std::string format{};  ///< "glTF 2.0", "GLB 2.0", …; empty when the bytes are no known format
  Diagnostics diagnostics{};  ///< an unreadable file is an entry here, not an error of the call
};

/// Checks a file. For glTF the codes and pointers are those of the Khronos validator where both
/// have one, plus flexor's own about skins and weights. Errors  kFileNotFound, kFileUnreadable only
FLEXOR_API Result<CheckReport> CheckFile(const std::string& path, const LoadOptions& options = {});

/// The same from memory; never fails: what is wrong is in the report.
FLEXOR_API CheckReport CheckMemory(std::span<const std::byte> bytes, const std::string& path,
                                   const ResourceFn& resources, const LoadOptions& options = {});

}  // namespace flexor::io
