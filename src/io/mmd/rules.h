/// @file io/mmd/rules.h
/// The table of every diagnostic that reading or writing MikuMikuDance files can emit.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "flexor/core/diagnostic.h"

namespace flexor::io::mmd {

struct Rule {
  std::string_view code;
  Severity severity;
  std::string_view summary;
  std::string_view remedy = {};  ///< what a person can do; empty where the summary says it
};

/// All rules, sorted by code.
std::span<const Rule> Rules();

/// Adds a finding with the severity and remedy of its code, which must be in the table.
void Report(Diagnostics& diagnostics, std::string_view code, std::string_view where,
            std::string message, std::uint64_t count = 1);

/// Counts findings of one code in one section and keeps the words of the first, so that a file with
/// a million faults costs no million sentences.
class Tally {
 public:
  /// `say` makes the words; called for the first finding only.
  template <class Say>
  void Add(Say&& say) {
    if (count_++ == 0) first_ = say();
  }
  std::uint64_t count() const { return count_; }
  void ReportTo(Diagnostics& diagnostics, std::string_view code, std::string_view where) {
    if (count_ != 0) Report(diagnostics, code, where, std::move(first_), count_);
    count_ = 0;
  }

 private:
  std::uint64_t count_ = 0;
  std::string first_;
};

}  // namespace flexor::io::mmd
