#include "flexor/core/digest.h"

namespace flexor {

std::uint64_t Digest(std::span<const std::byte> bytes, std::uint64_t seed) {
  std::uint64_t hash = seed;
  for (const std::byte b : bytes) {
    hash ^= static_cast<std::uint64_t>(b);
    hash *= 0x100000001b3ull;
  }
  return hash;
}

}  // namespace flexor
