/// @file io/mmd/pmd.h
/// PMD models, the format before PMX, read as the PMX model that says the same.
/// docs/formats/pmd.md has the mapping.
#pragma once

#include <cstddef>
#include <span>

#include "flexor/core/export.h"
#include "flexor/io/mmd/pmx.h"

namespace flexor::io::mmd {

/// Reads a PMD file. Axes and units stay the file's. Everything the mapping adds is in
/// docs/formats/pmd.md: IK goals on layer 1, knee limits by name, follow bones as appends, a bone
/// for each further IK chain of one goal, body positions made absolute.
/// Errors  as ParsePmx
FLEXOR_API Result<PmxModel> ParsePmd(std::span<const std::byte> bytes, MemoryBudget& budget,
                                     Diagnostics& diagnostics);

}  // namespace flexor::io::mmd
