/// @file io/rules.h
/// The tables of every diagnostic that reading, writing or checking a file can emit, and the one
/// way to emit one: a code always weighs the same and comes with the same remedy.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "flexor/core/diagnostic.h"

namespace flexor::io {

/// Who defined a code.
enum class RuleOrigin : std::uint8_t {
  kKhronos,  ///< the Khronos glTF validator; same code, same places, same class of severity
  kFlexor,
};

struct Rule {
  std::string_view code;
  Severity severity;
  RuleOrigin origin;
  std::string_view summary;
  std::string_view remedy = {};  ///< what a person can do; empty where the summary says it
};

namespace gltf {
std::span<const Rule> Rules();  ///< glTF, and what all formats share; sorted by code
}
namespace mmd {
std::span<const Rule> Rules();  ///< MikuMikuDance; sorted by code
}

/// The rule of a code, or nullptr.
const Rule* FindRule(std::string_view code);

/// Adds a finding with the severity and remedy of its code, which must be in a table.
void Report(Diagnostics& diagnostics, std::string_view code, std::string_view where,
            std::string message, std::uint64_t count = 1);

/// Counts findings of one code and keeps the words of the first, so that a file with a million
/// faults costs no million sentences.
class Tally {
 public:
  /// `say` makes the words; called for the first finding only.
  template <class Say>
  void Add(Say&& say) {
    if (count_++ == 0) first_ = say();
  }
  std::uint64_t count() const { return count_; }
  const std::string& first() const { return first_; }
  void ReportTo(Diagnostics& diagnostics, std::string_view code, std::string_view where) {
    if (count_ != 0) Report(diagnostics, code, where, std::move(first_), count_);
    count_ = 0;
  }

 private:
  std::uint64_t count_ = 0;
  std::string first_;
};

}  // namespace flexor::io
