/// @file core/diagnostic.h
/// What a reader or a check has to say about a file without stopping. Codes: docs/errors.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "flexor/core/export.h"

namespace flexor {

/// How bad a finding is.
enum class Severity : std::uint8_t {
  kError,    ///< the file breaks its format's rules, or part of it was dropped
  kWarning,  ///< legal or repaired, but probably not what its author meant
  kInfo,     ///< worth knowing
};

/// "error", "warning" or "info".
FLEXOR_API std::string_view SeverityName(Severity severity);

/// One finding. Findings of one code at one place are counted, not repeated.
struct Diagnostic {
  std::string code{};  ///< UPPER_SNAKE, stable across versions; listed in docs/errors.md
  Severity severity = Severity::kWarning;
  std::string where{};    ///< JSON pointer, prim path or words; an example place when count > 1
  std::string message{};  ///< what, with the numbers, and the first example when count > 1
  std::string remedy{};   ///< what a person can do; may be empty
  std::uint64_t count = 1;
};

/// An ordered list of findings that merges repeats of (code, where) and bounds its own size, so
/// that a hostile file cannot fill memory with complaints.
class FLEXOR_API Diagnostics {
 public:
  /// Most entries kept; further ones are counted in the entry "TOO_MANY_DIAGNOSTICS".
  static constexpr std::size_t kMaxEntries = 2000;
  static constexpr std::string_view kOverflowCode = "TOO_MANY_DIAGNOSTICS";

  /// Adds a finding, or raises the count of an equal (code, where). The first message stays.
  void Add(Diagnostic diagnostic);

  const std::vector<Diagnostic>& entries() const { return entries_; }
  /// The number of findings of that severity, each counted once per entry.
  std::size_t Count(Severity severity) const;
  bool Contains(std::string_view code) const;

 private:
  std::vector<Diagnostic> entries_;
  std::unordered_map<std::string, std::size_t> index_;  // (code, where) -> entry
};

}  // namespace flexor
