/// @file core/memory_budget.h
/// One allowance of memory for one load, shared by every part of a reader.
#pragma once

#include <cstdint>
#include <string_view>

#include "flexor/core/export.h"
#include "flexor/core/result.h"

namespace flexor {

/// Counts the bytes that a reader means to hold against a limit. Charge before you allocate; a
/// count in a file is thereby never trusted. Not thread safe: one load, one thread.
class FLEXOR_API MemoryBudget {
 public:
  explicit MemoryBudget(std::uint64_t limit_bytes) : limit_(limit_bytes) {}

  /// Takes `count` elements of `element_bytes` each; overflow-safe.
  /// Errors  kLimitExceeded naming `what`, the bytes wanted and the bytes left; nothing is taken
  /// then.
  Status Charge(std::uint64_t count, std::uint64_t element_bytes, std::string_view what);

  /// Gives back what a temporary took.
  void Release(std::uint64_t bytes) { used_ = bytes > used_ ? 0 : used_ - bytes; }

  std::uint64_t limit() const { return limit_; }
  std::uint64_t used() const { return used_; }

 private:
  std::uint64_t limit_;
  std::uint64_t used_ = 0;
};

}  // namespace flexor
