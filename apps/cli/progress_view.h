/// @file cli/progress_view.h
/// Progress on stderr: a bar for people, one JSON line per event for programs.
#pragma once

#include <chrono>
#include <string>

#include "flexor/core/progress.h"

#include "cli/shell.h"

namespace flexor::cli {

/// Shows what it is told and asks the work to stop once a stop signal came. Clears its bar when
/// destroyed.
class ProgressView {
 public:
  explicit ProgressView(const Shell& shell);
  ~ProgressView();
  ProgressView(const ProgressView&) = delete;
  ProgressView& operator=(const ProgressView&) = delete;

  /// False when the work should stop. Fits ProgressFn.
  bool operator()(const Progress& progress);

  /// Takes the bar away so that a result can have its line; the next progress draws it again.
  void Clear();

 private:
  using Clock = std::chrono::steady_clock;
  void ShowBar(const Progress& progress, double seconds);
  void ShowJson(const Progress& progress, double seconds);

  bool bar_ = false, json_ = false;
  bool drawn_ = false;
  std::string stage_;
  Clock::time_point start_, last_;
};

/// "45 s", "3 min 05 s", "2 h 10 min".
std::string DurationText(double seconds);

}  // namespace flexor::cli
