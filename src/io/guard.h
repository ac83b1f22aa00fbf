/// @file io/guard.h
/// Where exceptions end: running out of memory becomes an error like any other.
#pragma once

#include <new>
#include <stdexcept>
#include <string>

#include "flexor/core/result.h"

namespace flexor::io {

/// What run() gives, a Result; an error of it without a file gets `path`.
template <class Run>
auto Guarded(const std::string& path, Run&& run) -> decltype(run()) {
  const auto guarded = [&]() -> decltype(run()) {
    try {
      return run();
    } catch (const std::bad_alloc&) {
      return Error{ErrorCode::kOutOfMemory, "memory ran out while the file was read", {}};
    } catch (const std::length_error&) {
      return Error{ErrorCode::kOutOfMemory, "memory ran out while the file was read", {}};
    }
  };
  auto result = guarded();
  if (result.ok()) return result;
  Error error = std::move(result).error();
  if (error.place.path.empty()) error.place.path = path;
  return error;
}

}  // namespace flexor::io
