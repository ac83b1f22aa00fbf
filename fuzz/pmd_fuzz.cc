// Any bytes as a PMD model.

#include "flexor/io/mmd/pmd.h"

#include "mmd_support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flexor;
  MemoryBudget budget(fuzz::kMemoryBytes);
  Diagnostics diagnostics;
  auto model = io::mmd::ParsePmd(std::as_bytes(std::span(data, size)), budget, diagnostics);
  if (!model.ok()) {
    fuzz::CheckError(model.error());
    return 0;
  }
  if (model->pmd_names.bones.size() != model->bones.size()) std::abort();
  if (model->pmd_names.morphs.size() != model->morphs.size()) std::abort();
  fuzz::CheckModel(*std::move(model));
  return 0;
}
