/// @file bake/notes.h
/// What a conversion has to say about what it left out.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "flexor/core/diagnostic.h"

namespace flexor::bake {

/// Adds a warning about the whole character.
inline void Note(Diagnostics& notes, const char* code, std::string message, std::uint64_t count) {
  notes.Add({.code = code,
             .severity = Severity::kWarning,
             .where = {},
             .message = std::move(message),
             .remedy = {},
             .count = count});
}

/// Frames times nodes that a conversion holds at once, some 1.5 GB: a clip may claim any length.
inline constexpr double kMostTransforms = 1 << 24;

}  // namespace flexor::bake
