// Any bytes as a PMX model.

#include "mmd_support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flexor;
  MemoryBudget budget(fuzz::kMemoryBytes);
  Diagnostics diagnostics;
  const auto bytes = std::as_bytes(std::span(data, size));
  auto model = io::mmd::ParsePmx(bytes, budget, diagnostics);
  if (!model.ok()) {
    fuzz::CheckError(model.error());
    return 0;
  }
  // Without a finding nothing was changed, so nothing may be lost either.
  if (diagnostics.entries().empty()) {
    const auto written = io::mmd::WritePmx(*model);
    if (!written.ok() ||
        !std::equal(written->begin(), written->end(), bytes.begin(), bytes.end())) {
      std::abort();
    }
  }
  fuzz::CheckModel(*std::move(model));
  return 0;
}
