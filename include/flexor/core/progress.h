/// @file core/progress.h
/// How long work tells its caller how far it is, and how the caller stops it.
#pragma once

#include <cstdint>
#include <string_view>

#include "flexor/core/function_ref.h"

namespace flexor {

/// A sign of life. `done` never falls within one stage.
struct Progress {
  std::string_view stage{};  ///< what is being done, e.g. "bake"
  std::uint64_t done = 0;    ///< units finished
  std::uint64_t total = 0;   ///< units in all; 0 when unknown
};

/// Returns true to go on, false to stop: the work then ends with kCancelled and leaves nothing half
/// done.
using ProgressFn = FunctionRef<bool(const Progress&)>;

}  // namespace flexor
