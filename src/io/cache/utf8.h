/// @file io/cache/utf8.h
/// Well-formed UTF-8, sequence by sequence.
#pragma once

#include <cstddef>
#include <string_view>

namespace flexor::io {

/// The length of the well-formed sequence at the start of `text` (not empty), 0 when there is none:
/// stray and missing continuation bytes, overlong forms, surrogates, values past U+10FFFF.
std::size_t Utf8SequenceLength(std::string_view text);

}  // namespace flexor::io
