/// @file io/neighbours.h
/// The files beside the one that is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "flexor/io/load.h"

namespace flexor::io {

/// Whether a name must be spelt as the file system has it. Models made on Windows are not.
enum class NameCase : std::uint8_t {
  kExact,
  kAny,  ///< the exact name if it is there, else the first in byte order that differs in case only
};

/// Fetches files from the folder of `path`. Links are followed only as far as they stay in that
/// folder, unless `allow_outside`.
/// Errors  (of the function) kFileNotFound · kFileUnreadable · kLimitExceeded
ResourceFn NeighboursOf(const std::string& path, bool allow_outside,
                        NameCase name_case = NameCase::kExact);

/// NeighboursOf with the habits of the format that `bytes` are in.
ResourceFn NeighboursFor(std::span<const std::byte> bytes, const std::string& path,
                         const LoadOptions& options);

/// Small letters for capitals: Latin (Latin-1 and full width included), Greek and Cyrillic. Bytes
/// that are no UTF-8 stay.
std::string FoldCase(std::string_view utf8);

/// The last part of a path, without what follows its last dot.
std::string StemOf(const std::string& path);

}  // namespace flexor::io
