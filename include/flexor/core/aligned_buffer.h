/// @file core/aligned_buffer.h
/// A growable array whose storage starts on a cache line, for arrays that kernels stream through.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace flexor {

/// The size that storage is aligned to, bytes.
inline constexpr std::size_t kCacheLineBytes = 64;

/// Standard allocator that aligns to kCacheLineBytes.
template <class T>
struct AlignedAllocator {
  using value_type = T;
  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}  // NOLINT(google-explicit-constructor)

  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), std::align_val_t{kCacheLineBytes}));
  }
  void deallocate(T* pointer, std::size_t) {
    ::operator delete(pointer, std::align_val_t{kCacheLineBytes});
  }
  template <class U>
  bool operator==(const AlignedAllocator<U>&) const {
    return true;
  }
};

/// std::vector on 64-byte boundaries.
template <class T>
using AlignedBuffer = std::vector<T, AlignedAllocator<T>>;

}  // namespace flexor
