/// @file core/utf8.h
/// UTF-8, sequence by sequence. Texts out of files are bytes that should be UTF-8 and need not be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "flexor/core/export.h"

namespace flexor {

/// What stands for a byte that is no part of well-formed UTF-8: U+FFFD.
inline constexpr std::uint32_t kReplacementCharacter = 0xfffd;

/// The length of the well-formed sequence at the start of `text` (not empty), 0 when there is none:
/// stray and missing continuation bytes, overlong forms, surrogates, values past U+10FFFF.
FLEXOR_API std::size_t Utf8SequenceLength(std::string_view text);

/// The code point of the sequence at the start of `text`, which is well formed and `length` bytes
/// long.
FLEXOR_API std::uint32_t DecodeUtf8(std::string_view text, std::size_t length);

/// Takes one code point off the front of `text` (not empty); a bad byte gives
/// kReplacementCharacter.
FLEXOR_API std::uint32_t TakeUtf8(std::string_view& text);

/// Appends one code point, at most U+10FFFF.
FLEXOR_API void AppendUtf8(std::string& text, std::uint32_t code);

/// Whether the bytes are well-formed UTF-8.
FLEXOR_API bool IsUtf8(std::string_view text);

/// The same text with every bad byte replaced by kReplacementCharacter; `out_bad`, when given,
/// counts them on.
FLEXOR_API std::string RepairedUtf8(std::string_view text, std::size_t* out_bad = nullptr);

/// The longest start of `text` of at most `most` bytes that cuts no sequence of well-formed UTF-8.
FLEXOR_API std::string_view Utf8Prefix(std::string_view text, std::size_t most);

}  // namespace flexor
