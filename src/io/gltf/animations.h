/// @file io/gltf/animations.h
/// Animations, raw to asset.
#pragma once

#include <cstdint>
#include <vector>

#include "flexor/asset/character.h"
#include "flexor/core/diagnostic.h"
#include "flexor/core/memory_budget.h"
#include "flexor/core/result.h"

#include "io/gltf/accessor.h"
#include "io/gltf/raw.h"

namespace flexor::io::gltf {

/// The frame rate that the keys of a clip lie on, or 30.
///
/// The rate among 24, 25, 30, 48, 50, 60 and 120 frames per second at which more than half of the
/// neighbouring keys are one frame apart (within 0.11 %, so that 29.97 counts as 30). When there is
/// none: 30, or else the lowest of them, such that every key is within a hundredth of a frame of a
/// whole frame. When there is none: 30.
double FrameRateOf(const asset::Clip& clip);

/// Converts animation `index`. `instance_of_node` gives the mesh instance of each node or kNone.
/// Channels that move nothing that exists are left out with a diagnostic. Of two channels with one
/// target the first is kept.
/// Errors  kInvalidValue (format, times that fall or are negative, NaN) · kShapeMismatch (keys and
///         values, both numbers)
Result<asset::Clip> ConvertAnimation(const RawDocument& document, std::uint32_t index,
                                     const asset::Character& character,
                                     const std::vector<std::int32_t>& instance_of_node,
                                     AccessorReader& accessors, MemoryBudget& budget,
                                     Diagnostics& diagnostics);

}  // namespace flexor::io::gltf
