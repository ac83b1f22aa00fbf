/// @file core/huge_pages.h
/// Large tables that are read again and again, on large pages: where addresses are translated in
/// software, as in virtual machines, streams of megabytes run up to twice as fast.
#pragma once

#include <cstddef>

#include "flexor/core/export.h"

namespace flexor {

/// Asks the operating system to back memory with large pages when it is first written, as far as it
/// holds whole ones. A hint: does nothing where there are none, and nothing depends on it.
FLEXOR_API void PreferHugePages(void* memory, std::size_t bytes);

/// Reserves room for `count` entries of a std::vector that is empty, on large pages.
template <class Vector>
void ReserveOnHugePages(Vector& out, std::size_t count) {
  out.reserve(count);
  PreferHugePages(out.data(), out.capacity() * sizeof(typename Vector::value_type));
}

}  // namespace flexor
