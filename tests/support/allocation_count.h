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

}  // namespace flexor::test
