#include "flexor/core/diagnostic.h"

#include <algorithm>

namespace flexor {

std::string_view SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kInfo:
      return "info";
  }
  return "info";
}

void Diagnostics::Add(Diagnostic diagnostic) {
  const auto key = [](const Diagnostic& d) { return d.code + '\0' + d.where; };
  if (const auto found = index_.find(key(diagnostic)); found != index_.end()) {
    entries_[found->second].count += diagnostic.count;
    return;
  }
  if (entries_.size() >= kMaxEntries) {
    if (entries_.back().code != kOverflowCode) {
      entries_.push_back({.code = std::string(kOverflowCode),
                          .severity = diagnostic.severity,
                          .where = {},
                          .message = "more than " + std::to_string(kMaxEntries) +
                                     " different findings; the rest are only counted",
                          .remedy = "fix the first ones and check again",
                          .count = 0});
    }
    Diagnostic& rest = entries_.back();
    rest.count += diagnostic.count;
    rest.severity = std::min(rest.severity, diagnostic.severity);
    return;
  }
  index_.emplace(key(diagnostic), entries_.size());
  entries_.push_back(std::move(diagnostic));
}

std::size_t Diagnostics::Count(Severity severity) const {
  return static_cast<std::size_t>(
      std::count_if(entries_.begin(), entries_.end(),
                    [&](const Diagnostic& d) { return d.severity == severity; }));
}

bool Diagnostics::Contains(std::string_view code) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const Diagnostic& d) { return d.code == code; });
}

}  // namespace flexor
