/// @file io/usd/convert.h
/// A composed USD stage into a character in house conventions.
#pragma once

#include "flexor/asset/character.h"
#include "flexor/core/diagnostic.h"
#include "flexor/core/memory_budget.h"
#include "flexor/core/result.h"
#include "flexor/io/load.h"

#include "io/usd/stage.h"

namespace flexor::io::usd {

/// Converts what has a place in a character and finalises it; what has none is a diagnostic. Prims
/// with shapes and skeletons, and all prims above them, become nodes, and so do joints; a first
/// node turns the stage's up axis to +Y and its unit to metres, so that everything below keeps the
/// numbers of the file. Each SkelAnimation becomes a clip.
/// Errors  kLimitExceeded (budget) · kUnsupportedFeature (splines) · those of asset::Finalize
Result<asset::Character> Convert(Stage& stage, const LoadOptions& options, MemoryBudget& budget,
                                 Diagnostics& diagnostics);

}  // namespace flexor::io::usd
