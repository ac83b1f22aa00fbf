/// @file io/mmd/utf16.h
/// UTF-16LE, one of the two encodings of PMX texts, to and from well-formed UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace flexor::io::mmd {

/// UTF-8 from UTF-16LE. Half surrogates and an odd last byte become U+FFFD and are counted in
/// `out_bad`.
std::string Utf8FromUtf16(std::span<const std::byte> bytes, std::size_t& out_bad);

/// Appends well-formed UTF-8 as UTF-16LE.
void AppendUtf16(std::vector<std::byte>& out, std::string_view utf8);

}  // namespace flexor::io::mmd
