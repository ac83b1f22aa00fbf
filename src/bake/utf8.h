/// @file bake/utf8.h
/// Names out of files are bytes that should be UTF-8; pages and names of files need them to be.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace flexor::bake {

/// The text with every byte that is no part of valid UTF-8 replaced by U+FFFD.
std::string CleanUtf8(std::string_view text);

}  // namespace flexor::bake
