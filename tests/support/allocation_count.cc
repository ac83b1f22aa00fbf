#include "support/allocation_count.h"

#include <atomic>
#include <cstdlib>
#include <new>

#include <malloc.h>

namespace {

std::atomic<std::size_t> allocations{0}, live{0}, peak{0};

// The calls that fail, counted by `allocations`.
constexpr std::size_t kNever = ~std::size_t{0};
std::atomic<std::size_t> first_failing{kNever}, end_failing{kNever};
std::atomic<bool> has_failed{false};

[[maybe_unused]] bool Fails() {
  const std::size_t now = allocations;
  if (now < first_failing || now >= end_failing) return false;
  ++allocations;
  has_failed = true;
  return true;
}

[[maybe_unused]] void* Count(void* memory) {
  ++allocations;
  if (memory == nullptr) return nullptr;
  const std::size_t size = malloc_usable_size(memory);
  const std::size_t now = live.fetch_add(size) + size;
  std::size_t most = peak;
  while (now > most && !peak.compare_exchange_weak(most, now)) {
  }
  return memory;
}

[[maybe_unused]] void* Plain(std::size_t size) {
  return Fails() ? nullptr : Count(std::malloc(size == 0 ? 1 : size));
}

[[maybe_unused]] void* Aligned(std::size_t size, std::align_val_t alignment) {
  if (Fails()) return nullptr;
  const auto to = static_cast<std::size_t>(alignment);
  return Count(std::aligned_alloc(to, (size + to - 1) / to * to));
}

[[maybe_unused]] void* OrThrow(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

[[maybe_unused]] void Free(void* memory) {
  if (memory != nullptr) live -= malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

// ThreadSanitizer brings its own, which cannot be replaced: there the counts stay 0.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FLEXOR_KEEP_OPERATOR_NEW
#endif
#endif

#ifndef FLEXOR_KEEP_OPERATOR_NEW
// Programs that use these counts get them in place of the standard library's; those of arrays call
// these. All forms together: std::stable_sort asks without throwing and gives back plainly.
void* operator new(std::size_t size) { return OrThrow(Plain(size)); }
void* operator new(std::size_t size, std::align_val_t to) { return OrThrow(Aligned(size, to)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return Plain(size); }
void* operator new(std::size_t size, std::align_val_t to, const std::nothrow_t&) noexcept {
  return Aligned(size, to);
}
void operator delete(void* memory) noexcept { Free(memory); }
void operator delete(void* memory, std::size_t) noexcept { Free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { Free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { Free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { Free(memory); }
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  Free(memory);
}
#endif

namespace flexor::test {

std::size_t AllocationCount() { return allocations; }
std::size_t LiveBytes() { return live; }
std::size_t PeakBytes() { return peak; }
void ResetPeakBytes() { peak = live.load(); }

FailingAllocations::FailingAllocations(std::size_t index, Which which) {
  has_failed = false;
  const std::size_t first = allocations + index;
  end_failing = which == Which::kOne ? first + 1 : kNever;
  first_failing = first;
}

FailingAllocations::~FailingAllocations() {
  first_failing = kNever;
  end_failing = kNever;
}

bool FailingAllocations::failed() const { return has_failed; }

bool CanFailAllocations() {
#ifdef FLEXOR_KEEP_OPERATOR_NEW
  return false;
#else
  return true;
#endif
}

}  // namespace flexor::test
