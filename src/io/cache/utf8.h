/// @file io/cache/utf8.h
/// Well-formed UTF-8, sequence by sequence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace flexor::io {

/// The length of the well-formed sequence at the start of `text` (not empty), 0 when there is none:
/// stray and missing continuation bytes, overlong forms, surrogates, values past U+10FFFF.
std::size_t Utf8SequenceLength(std::string_view text);

/// The code point of the sequence at the start of `text`, which is well formed and `length` bytes
/// long.
std::uint32_t DecodeUtf8(std::string_view text, std::size_t length);

/// Appends one code point, at most U+10FFFF.
void AppendUtf8(std::string& text, std::uint32_t code);

}  // namespace flexor::io
