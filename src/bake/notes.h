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

}  // namespace flexor::bake
