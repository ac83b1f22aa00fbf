#include "flexor/core/huge_pages.h"

#include <cstdint>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace flexor {

void PreferHugePages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  // The size on x86, and on ARM with pages of 4 KiB; elsewhere the system takes what fits.
  constexpr std::uintptr_t kHugePage = std::uintptr_t{1} << 21;
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t skipped = (kHugePage - address % kHugePage) % kHugePage;
  if (bytes < skipped + kHugePage) return;
  const std::uintptr_t whole = (bytes - skipped) / kHugePage * kHugePage;
  madvise(static_cast<char*>(memory) + skipped, whole, MADV_HUGEPAGE);
#endif
}

}  // namespace flexor
