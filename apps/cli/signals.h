/// @file cli/signals.h
/// Ctrl-C, SIGTERM and SIGHUP ask the work to stop at the next frame; a second one ends the process
/// at once. While nothing is begun that would have to be removed, the first one does.
#pragma once

#include "flexor/core/result.h"

namespace flexor::cli {

/// Installs the handlers, where the parent does not ignore the signals: of SIGINT, SIGTERM and
/// SIGHUP. A reader that goes away and a limit on file sizes become errors of writing from then on,
/// so that they leave nothing behind.
void CatchStopSignals();

/// Back to a process that ends at once: for reading, which may wait for ever, and for commands that
/// write no file.
void ReleaseStopSignals();

/// The signal that asked to stop, or 0.
int StopSignal();

/// Errors  kCancelled once a signal asked to stop
Status CheckNotStopped();

}  // namespace flexor::cli
