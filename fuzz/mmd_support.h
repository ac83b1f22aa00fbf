/// @file fuzz/mmd_support.h
/// What must hold for whatever a MikuMikuDance reader makes of any bytes.
#pragma once

#include <cstdlib>

#include "flexor/io/mmd/pmx.h"

#include "fuzz_support.h"

namespace flexor::fuzz {

/// An error has words and a place.
inline void CheckError(const Error& error) {
  if (error.message.empty() || error.code == ErrorCode::kInternal) std::abort();
  if (error.code != ErrorCode::kLimitExceeded && !error.place.byte_offset) std::abort();
}

/// A model that was read can be written, and reads back as the same without a word about repairs.
inline void CheckModel(io::mmd::PmxModel model) {
  const auto bytes = io::mmd::WritePmx(model);
  if (!bytes.ok()) std::abort();
  MemoryBudget budget(16 * kMemoryBytes);
  Diagnostics diagnostics;
  auto again = io::mmd::ParsePmx(*bytes, budget, diagnostics);
  if (!again.ok()) std::abort();
  // Models from PMD have widths and names that the file does not.
  again->widths = model.widths;
  again->pmd_names = model.pmd_names;
  if (!(*again == model)) std::abort();
}

}  // namespace flexor::fuzz
