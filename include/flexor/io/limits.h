/// @file io/limits.h
/// How much a file from a stranger may ask for.
#pragma once

#include <cstdint>

namespace flexor::io {

/// Limits of one load. Nothing in a file is believed beyond these or beyond the bytes that remain.
struct LoadLimits {
  std::uint64_t memory_bytes = 4ull
                               << 30;  ///< everything the load holds at once, file bytes included
  std::uint64_t file_bytes = 2ull << 30;  ///< any one file
  std::uint32_t json_depth = 64;          ///< nesting of objects and arrays
};

}  // namespace flexor::io
