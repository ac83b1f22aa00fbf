/// @file core/digest.h
/// A 64-bit fingerprint of bytes, to pin results in tests and to name inputs in reports. Not
/// cryptographic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "flexor/core/export.h"

namespace flexor {

/// FNV-1a over the bytes in order; `seed` chains several arrays. The same on every machine of one
/// byte order.
FLEXOR_API std::uint64_t Digest(std::span<const std::byte> bytes,
                                std::uint64_t seed = 0xcbf29ce484222325ull);

/// The digest of the object bytes of an array of trivially copyable elements.
template <class T>
std::uint64_t DigestOf(std::span<const T> values, std::uint64_t seed = 0xcbf29ce484222325ull) {
  return Digest(std::as_bytes(values), seed);
}

}  // namespace flexor
