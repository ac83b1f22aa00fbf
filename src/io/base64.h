/// @file io/base64.h
/// Base64 (RFC 4648) out of text that strangers wrote.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "flexor/core/memory_budget.h"
#include "flexor/core/result.h"

namespace flexor::io {

enum class Base64Mode : std::uint8_t {
  kStrict,   ///< the standard alphabet, padded to fours, nothing else, unused bits zero
  kLenient,  ///< also white space, the URL alphabet (- and _), missing padding, unused bits set
};

struct Base64Bytes {
  std::vector<std::byte> bytes;
  std::string irregularity;  ///< what kLenient forgave, in words; empty when kStrict would do
};

/// Decodes a whole text. The bytes are charged to `budget` before they are held and stay charged.
/// Errors  kParse naming the character and its position in `text` · kLimitExceeded
Result<Base64Bytes> DecodeBase64(std::string_view text, Base64Mode mode, MemoryBudget& budget);

}  // namespace flexor::io
