/// @file io/gltf/meshopt.h
/// The one door to the meshoptimizer codecs.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "flexor/core/memory_budget.h"
#include "flexor/core/result.h"

#include "io/gltf/raw.h"

namespace flexor::io::gltf {

/// Whether this build can decode meshopt compression.
bool HasMeshopt();

/// Decodes one compressed view: `count` elements of `byte_stride` bytes, its filter undone. The
/// bytes are charged to `budget` and stay charged.
/// Reads     vertex codec version 0, index codecs 0 and 1, the octahedral, quaternion and
///           exponential filters
/// Errors    kUnsupportedFeature naming the extension (a build without the codec, another version,
///           mode or filter) · kShapeMismatch (count and stride that the mode cannot have) ·
///           kParse (broken data) · kLimitExceeded
Result<std::vector<std::byte>> DecodeMeshopt(const RawMeshopt& view,
                                             std::span<const std::byte> source,
                                             MemoryBudget& budget);

}  // namespace flexor::io::gltf
