/// @file core/guard.h
/// Where exceptions end: what the standard library throws when memory runs out becomes an Error.
#pragma once

#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

#include "flexor/core/error.h"

namespace flexor {

/// kOutOfMemory, with what was being done as far as there is memory to say it.
inline Error OutOfMemory(std::string_view doing) noexcept {
#ifdef __cpp_exceptions
  try {
    return {ErrorCode::kOutOfMemory, "memory ran out while " + std::string(doing), {}};
  } catch (const std::bad_alloc&) {
    return {ErrorCode::kOutOfMemory, "memory ran out", {}};  // short enough to need none
  }
#else
  return {ErrorCode::kOutOfMemory, "memory ran out while " + std::string(doing), {}};
#endif
}

/// Returns body(), or OutOfMemory(doing) when an allocation fails in it. In a build without
/// exceptions (WebAssembly) the standard library ends the program instead.
template <class Body>
auto GuardAllocations([[maybe_unused]] std::string_view doing, const Body& body)
    -> decltype(body()) {
#ifdef __cpp_exceptions
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return OutOfMemory(doing);
  } catch (const std::length_error&) {
    return OutOfMemory(doing);
  }
#else
  return body();
#endif
}

}  // namespace flexor
