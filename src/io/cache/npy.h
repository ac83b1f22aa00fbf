/// @file io/cache/npy.h
/// The array format of NumPy, version 1.0: a header that says type and shape, then the raw values.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace flexor::io {

/// The header of a C-order array; its length is a multiple of 64, so that the values of an archive
/// taken apart are aligned. `type` is NumPy's, e.g. "<f4". An empty shape is a single value.
std::string NpyHeader(std::string_view type, std::span<const std::uint64_t> shape);

/// UTF-8 as the code points of NumPy's text type "<U…"; each broken byte becomes U+FFFD.
std::u32string CodePoints(std::string_view utf8);

}  // namespace flexor::io
