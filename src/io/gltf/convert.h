/// @file io/gltf/convert.h
/// A raw glTF document into a character in house conventions.
#pragma once

#include "flexor/asset/character.h"
#include "flexor/core/diagnostic.h"
#include "flexor/core/memory_budget.h"
#include "flexor/core/result.h"

#include "io/gltf/buffers.h"
#include "io/gltf/raw.h"

namespace flexor::io::gltf {

/// Converts everything and finalises it. glTF is right-handed, +Y up, in metres, radians and
/// seconds, as flexor is, so numbers are kept as they are; nodes, meshes, skins, clips and
/// materials keep their indices. VRM 0.x characters get one more node (vrm.h).
/// Errors  those of the parts, with JSON pointers · those of asset::Finalize
Result<asset::Character> Convert(const RawDocument& document, BufferStore& store, bool load_images,
                                 MemoryBudget& budget, Diagnostics& diagnostics);

}  // namespace flexor::io::gltf
