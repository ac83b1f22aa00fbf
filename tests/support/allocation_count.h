/// @file tests/support/allocation_count.h
/// How often the program has asked for memory, and how much it holds: to show that something never
/// allocates, or never more than it may.
#pragma once

#include <cstddef>

namespace flexor::test {

/// Calls of operator new since the program began, in every thread. Only differences mean anything.
std::size_t AllocationCount();

/// Bytes that came from operator new and were not given back.
std::size_t LiveBytes();

/// The most that LiveBytes() has been since ResetPeakBytes().
std::size_t PeakBytes();
void ResetPeakBytes();

/// While it lives, one call of operator new fails, or that and all after it, counted from 0 when it
/// is made; in every thread.
class FailingAllocations {
 public:
  enum class Which : unsigned char { kOne, kAllFrom };
  FailingAllocations(std::size_t index, Which which);
  ~FailingAllocations();
  FailingAllocations(const FailingAllocations&) = delete;
  FailingAllocations& operator=(const FailingAllocations&) = delete;
  /// Whether a call has failed yet.
  bool failed() const;
};

/// Whether allocations can be counted and made to fail at all: not under ThreadSanitizer.
bool CanFailAllocations();

}  // namespace flexor::test
