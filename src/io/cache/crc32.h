/// @file io/cache/crc32.h
/// The checksum of zip archives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace flexor::io {

/// CRC-32 (polynomial 0xEDB88320, reflected, inverted before and after), about a byte per cycle
/// and better. `crc` is the value so far: 0 at the start.
std::uint32_t Crc32(std::span<const std::byte> bytes, std::uint32_t crc = 0);

}  // namespace flexor::io
