/// @file io/sniff.h
/// What a file is, by its first bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "flexor/core/result.h"

namespace flexor::io {

/// The formats that have a reader.
enum class FileKind : std::uint8_t {
  kGltf,  ///< binary glTF, or text that looks like JSON
  kPmx,
  kPmd,
  kVmd,  ///< a motion: no character by itself
  kVpd,  ///< a pose: likewise
};

/// What the bytes are.
/// Errors  kUnknownFormat naming what they look like instead, where that is known
Result<FileKind> Sniff(std::span<const std::byte> bytes);

/// The same, for something that is a character by itself: a motion or pose is an error that says
/// how to use it.
Result<FileKind> SniffCharacter(std::span<const std::byte> bytes);

}  // namespace flexor::io
