/// @file cli/exit_code.h
/// The exit codes of the command: stable, never reused, listed in docs/errors.md.
#pragma once

#include "flexor/core/error.h"

namespace flexor::cli {

enum ExitCode : int {
  kDone = 0,
  kInternalFault = 1,
  kUsage = 2,
  kInputMissing = 3,  ///< missing or unreadable
  kInputInvalid = 4,
  kOutsideTolerance = 5,
  kBackendMissing = 6,
  kOutOfRoom = 7,  ///< memory or disk
  kSignalBase = 128,
};

/// The one place that maps errors to exit codes. kCancelled becomes 130 or 143, after the signal
/// that was received.
int ExitCodeOf(const Error& error);

}  // namespace flexor::cli
