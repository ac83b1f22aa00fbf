// Any bytes through the whole check, whatever format they claim: it always ends, within its budget,
// and says nothing that its tables do not know.

#include "flexor/io/check.h"

#include "fuzz_support.h"
#include "io/rules.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flexor;
  const io::CheckReport report = io::CheckMemory(std::as_bytes(std::span(data, size)), "fuzz",
                                                 fuzz::Neighbour, fuzz::Options());
  if (report.diagnostics.entries().size() > Diagnostics::kMaxEntries + 1) std::abort();
  for (const Diagnostic& finding : report.diagnostics.entries()) {
    const io::Rule* rule = io::FindRule(finding.code);
    if (rule == nullptr || finding.message.empty() || finding.count == 0) std::abort();
    if (finding.code != Diagnostics::kOverflowCode && rule->severity != finding.severity) {
      std::abort();
    }
  }
  // The last word of a report that is full may be missing.
  if (report.diagnostics.Contains(Diagnostics::kOverflowCode)) return 0;
  // What cannot be loaded is said to be, and nothing else is.
  const bool refused =
      report.diagnostics.Contains("LOAD_REFUSED") || report.diagnostics.Contains("UNKNOWN_FORMAT");
  const auto loaded = io::LoadCharacterFromMemory(std::as_bytes(std::span(data, size)), "fuzz",
                                                  fuzz::Neighbour, fuzz::Options());
  if (refused == loaded.ok()) std::abort();
  if (!loaded.ok() && loaded.error().code == ErrorCode::kInternal) std::abort();
  return 0;
}
