/// @file bake/output_name.h
/// Words in braces in the name of an output, which stand for a frame or a mesh.
#pragma once

#include <initializer_list>
#include <string_view>

#include "flexor/core/export.h"
#include "flexor/core/result.h"

namespace flexor::bake {

/// Refuses a word in braces in the file name that is none of `known` ("{frame}"), and a known one
/// in the folder, which is never made. Other words in braces in the folder are its name.
/// Errors  kInvalidArgument naming the word and what is known
FLEXOR_API Status CheckPlaceholders(std::string_view path,
                                    std::initializer_list<std::string_view> known);

}  // namespace flexor::bake
