/// @file io/json/parse.h
/// JSON text from a stranger into a document in memory, within a depth and a memory budget.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "flexor/core/memory_budget.h"
#include "flexor/core/result.h"

namespace flexor::io::json {

using Value = nlohmann::json;

struct ParseSettings {
  std::uint32_t max_depth = 64;   ///< nesting of objects and arrays; LoadLimits::json_depth
  std::string path;               ///< the file, for the places of errors
  std::uint64_t base_offset = 0;  ///< where the text starts in the file (a GLB chunk), in bytes
};

/// A parsed text.
struct Document {
  static constexpr std::size_t kMaxDuplicateKeys = 32;
  static constexpr std::size_t kMaxInfinities = 16;

  Value root;
  std::vector<std::string> duplicate_keys;  ///< JSON pointers of the first kMaxDuplicateKeys
  std::uint64_t duplicate_key_count = 0;    ///< all of them; the last value of a key is kept
  bool byte_order_mark = false;             ///< the text began with one; it was skipped
  std::vector<std::string> infinities;      ///< JSON pointers of numbers beyond a double (1e999)
};

/// Parses one whole UTF-8 text. Every value is charged to `budget` before it is held.
/// Errors  kParse (line, column and the reason in the message; byte of the file and the JSON
///         pointer reached in the place) · kLimitExceeded (depth, budget) · kOutOfMemory
/// Limits  comments and trailing commas are refused, as JSON has none; the first kMaxInfinities
///         numbers beyond a double become infinite (so that a check can name their places), more
///         are an error
Result<Document> Parse(std::string_view text, const ParseSettings& settings, MemoryBudget& budget);

/// `token` as one part of a JSON pointer: ~ and / escaped.
std::string EscapePointerToken(std::string_view token);

/// `pointer` / `token`, the token escaped.
std::string JoinPointer(std::string_view pointer, std::string_view token);
std::string JoinPointer(std::string_view pointer, std::uint64_t index);

}  // namespace flexor::io::json
