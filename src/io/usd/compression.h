/// @file io/usd/compression.h
/// How binary USD packs bytes and whole numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "flexor/core/memory_budget.h"
#include "flexor/core/result.h"

namespace flexor::io::usd {

/// Whether this build can unpack (FLEXOR_WITH_LZ4).
bool HasLz4();

/// The most bytes that `packed` bytes can hold: a little more than 255 to one.
std::uint64_t MostUnpackedBytes(std::uint64_t packed);

/// Unpacks an LZ4 frame as crates hold it into `out`; gives the number of bytes written.
/// Errors  kParse when it is none, or holds more than fits · kUnsupportedFeature without LZ4
Result<std::size_t> Unpack(std::span<const std::byte> packed, std::span<std::byte> out);

/// Unpacks `out.size()` whole numbers of 32 or 64 bits: deltas behind codes of two bits, packed by
/// LZ4. The memory for the step between is charged and given back.
/// Errors  those of Unpack · kParse when the numbers need other bytes than are there
Status UnpackIntegers(std::span<const std::byte> packed, std::span<std::uint32_t> out,
                      MemoryBudget& budget);
Status UnpackIntegers(std::span<const std::byte> packed, std::span<std::uint64_t> out,
                      MemoryBudget& budget);

/// How many whole numbers such bytes can hold at most.
std::uint64_t MostUnpackedIntegers(std::uint64_t packed);

}  // namespace flexor::io::usd
