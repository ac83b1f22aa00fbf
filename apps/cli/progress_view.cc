#include "cli/progress_view.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "cli/signals.h"

namespace flexor::cli {
namespace {

constexpr auto kLeastGap = std::chrono::milliseconds(100);
constexpr int kBarWidth = 28;

void WriteErr(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

// Seconds that are left, or a negative number while nobody can know.
double TimeLeft(const Progress& progress, double seconds) {
  if (progress.done == 0 || progress.total == 0) return -1;
  return seconds * static_cast<double>(progress.total - std::min(progress.done, progress.total)) /
         static_cast<double>(progress.done);
}

}  // namespace

ProgressView::ProgressView(const Shell& shell) {
  json_ = shell.progress == ProgressMode::kJson;
  bar_ = shell.progress == ProgressMode::kBar ||
         (shell.progress == ProgressMode::kAuto && shell.err_is_terminal() && !shell.quiet);
}

ProgressView::~ProgressView() { Clear(); }

void ProgressView::Clear() {
  if (drawn_) WriteErr("\r\x1b[K");
  drawn_ = false;
  last_ = {};
}

bool ProgressView::operator()(const Progress& progress) {
  if (bar_ || json_) {
    const Clock::time_point now = Clock::now();
    const bool new_stage = stage_ != progress.stage;
    if (new_stage) {
      stage_ = progress.stage;
      start_ = now;
    }
    const bool last = progress.total != 0 && progress.done >= progress.total;
    if (new_stage || last || now - last_ >= kLeastGap) {
      last_ = now;
      const double seconds = std::chrono::duration<double>(now - start_).count();
      if (json_) {
        ShowJson(progress, seconds);
      } else {
        ShowBar(progress, seconds);
      }
    }
  }
  return StopSignal() == 0;
}

void ProgressView::ShowBar(const Progress& progress, double seconds) {
  std::string line = "\r" + std::string(progress.stage) + " ";
  if (progress.total > 0) {
    const double part =
        std::min(1.0, static_cast<double>(progress.done) / static_cast<double>(progress.total));
    const int full = static_cast<int>(part * kBarWidth);
    line += "[" + std::string(static_cast<std::size_t>(full), '#') +
            std::string(static_cast<std::size_t>(kBarWidth - full), ' ') + "] " +
            std::to_string(progress.done) + "/" + std::to_string(progress.total);
    const double left = TimeLeft(progress, seconds);
    if (left >= 0.5) line += "  " + DurationText(left) + " left";
  } else {
    line += std::to_string(progress.done);
  }
  WriteErr(line + "\x1b[K");
  drawn_ = true;
}

void ProgressView::ShowJson(const Progress& progress, double seconds) {
  nlohmann::ordered_json event;
  event["event"] = "progress";
  event["stage"] = progress.stage;
  event["done"] = progress.done;
  event["total"] = progress.total;
  event["seconds"] = seconds;
  const double left = TimeLeft(progress, seconds);
  event["seconds_left"] = left >= 0 ? nlohmann::ordered_json(left) : nullptr;
  WriteErr(event.dump() + "\n");
}

std::string DurationText(double seconds) {
  const auto whole = static_cast<long long>(std::llround(std::max(0.0, seconds)));
  char text[48];
  if (whole < 60) {
    std::snprintf(text, sizeof(text), "%lld s", whole);
  } else if (whole < 3600) {
    std::snprintf(text, sizeof(text), "%lld min %02lld s", whole / 60, whole % 60);
  } else {
    std::snprintf(text, sizeof(text), "%lld h %02lld min", whole / 3600, whole / 60 % 60);
  }
  return text;
}

}  // namespace flexor::cli
