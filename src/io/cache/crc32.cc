#include "io/cache/crc32.h"

#include <array>

namespace flexor::io {
namespace {

constexpr std::size_t kSlices = 8;
using Tables = std::array<std::array<std::uint32_t, 256>, kSlices>;

// tables[0] advances the register by one byte, tables[k] by a byte followed by k zero bytes: eight
// look-ups then advance it by eight bytes at once.
constexpr Tables MakeTables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) * 0xEDB88320u);
    tables[0][byte] = value;
  }
  for (std::size_t slice = 1; slice < kSlices; ++slice) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[slice - 1][byte];
      tables[slice][byte] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}

constexpr Tables kTables = MakeTables();

}  // namespace

std::uint32_t Crc32(std::span<const std::byte> bytes, std::uint32_t crc) {
  std::uint32_t value = ~crc;
  std::size_t i = 0;
  for (; i + kSlices <= bytes.size(); i += kSlices) {
    std::uint32_t next = 0;
    for (std::size_t k = 0; k < kSlices; ++k) {
      std::uint32_t byte = static_cast<std::uint32_t>(bytes[i + k]);
      if (k < 4) byte ^= (value >> (8 * k)) & 0xff;
      next ^= kTables[kSlices - 1 - k][byte];
    }
    value = next;
  }
  for (; i < bytes.size(); ++i) {
    value = (value >> 8) ^ kTables[0][(value ^ static_cast<std::uint32_t>(bytes[i])) & 0xff];
  }
  return ~value;
}

}  // namespace flexor::io
