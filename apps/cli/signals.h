/// @file cli/signals.h
/// Ctrl-C and SIGTERM ask the work to stop at the next frame; a second one ends the process at
/// once.
#pragma once

namespace flexor::cli {

/// Installs the handlers. Call once, first.
void CatchStopSignals();

/// The signal that asked to stop, or 0.
int StopSignal();

}  // namespace flexor::cli
