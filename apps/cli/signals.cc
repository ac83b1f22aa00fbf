#include "cli/signals.h"

#include <csignal>
#include <initializer_list>

namespace flexor::cli {
namespace {

volatile std::sig_atomic_t stop_signal = 0;

void RememberSignal(int signal) { stop_signal = signal; }

}  // namespace

void CatchStopSignals() {
  struct sigaction action = {};
  action.sa_handler = RememberSignal;
  sigemptyset(&action.sa_mask);
  // Once only: the next signal finds the default action, for work that does not look.
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    // A parent that ignores a signal (nohup, a background job) means it.
    struct sigaction old = {};
    sigaction(signal, nullptr, &old);
    if (old.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
}

void ReleaseStopSignals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now = {};
    sigaction(signal, nullptr, &now);
    if (now.sa_handler == RememberSignal) std::signal(signal, SIG_DFL);
  }
}

int StopSignal() { return stop_signal; }

Status CheckNotStopped() {
  if (stop_signal == 0) return {};
  return Error{ErrorCode::kCancelled, "stopped; nothing was written", {}};
}

}  // namespace flexor::cli
