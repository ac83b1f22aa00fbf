/// @file io/usd/crate_work.h
/// What decoding one value may cost.
#pragma once

#include <cstdint>

#include "flexor/core/memory_budget.h"
#include "flexor/core/result.h"

#include "io/usd/crate.h"

namespace flexor::io::usd {

/// Values may lie inside values, and a hostile one inside itself.
struct Crate::Work {
  static constexpr int kMaxDepth = 64;
  static constexpr std::uint64_t kMaxEntries = 1u << 20;

  MemoryBudget& budget;
  int depth = 0;
  std::uint64_t entries = 0;

  Status Charge(std::uint64_t count, std::uint64_t bytes, std::string_view what) {
    return budget.Charge(count, bytes, what);
  }
  /// One more value inside a value.
  Status AddEntry(std::uint64_t offset) {
    if (depth < kMaxDepth && ++entries <= kMaxEntries) return {};
    return CrateError(
        ErrorCode::kLimitExceeded, offset,
        depth < kMaxDepth
            ? "a value holds more than " + std::to_string(kMaxEntries) + " others"
            : "values lie more than " + std::to_string(kMaxDepth) + " deep in values");
  }
};

}  // namespace flexor::io::usd
