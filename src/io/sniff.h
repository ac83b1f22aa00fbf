/// @file io/sniff.h
/// What a file is, by its first bytes.
#pragma once

#include <cstddef>
#include <span>

#include "flexor/core/result.h"

namespace flexor::io {

/// Succeeds when the bytes are binary glTF or look like JSON text.
/// Errors  kUnknownFormat naming what they look like instead, where that is known
Status ExpectGltf(std::span<const std::byte> bytes);

}  // namespace flexor::io
