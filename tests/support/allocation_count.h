/// @file tests/support/allocation_count.h
/// How often the program has asked for memory: to show that something never does.
#pragma once

#include <cstddef>

namespace flexor::test {

/// Calls of operator new since the program began, in every thread. Only differences mean anything.
std::size_t AllocationCount();

}  // namespace flexor::test
