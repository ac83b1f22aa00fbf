/// @file tests/support/out_of_memory.h
/// Functions with each of their allocations failing once.
#pragma once

#include <functional>

#include <gtest/gtest.h>

#include "flexor/core/parallel.h"
#include "flexor/core/result.h"

#include "support/allocation_count.h"

namespace flexor::test {

/// Runs `body` with each of its allocations failing, until it makes fewer.
inline void ExpectErrors(const char* what, const std::function<Status()>& body) {
  for (const auto which : {FailingAllocations::Which::kOne, FailingAllocations::Which::kAllFrom}) {
    std::size_t errors = 0, index = 0;
    for (bool failed = true; failed; ++index) {
      ASSERT_LT(index, 100000u) << what << " never ends";
      {
        Status result;
        const FailingAllocations failing(index, which);
        try {
          result = body();
        } catch (...) {
          ADD_FAILURE() << what << " threw at allocation " << index;
          return;
        }
        failed = failing.failed();
        if (!result.ok()) {
          EXPECT_TRUE(failed);
          EXPECT_EQ(result.error().code, ErrorCode::kOutOfMemory) << what << " at " << index;
          ++errors;
        }
      }
    }
    EXPECT_GT(errors, 0u) << what;
    // Only sorts ask for memory that they can do without.
    EXPECT_GE(errors * 2, index - 1) << what;
  }
}

template <class T>
Status StatusOf(const Result<T>& result) {
  return result.ok() ? Status() : Status(result.error());
}

/// Where it can be done: what oneTBB sets up once in a process it cannot set up without memory
/// (backend.h), so that this comes first.
inline bool ReadyToFail() {
  static_cast<void>(DefaultThreadCount());
  return CanFailAllocations();
}

}  // namespace flexor::test
