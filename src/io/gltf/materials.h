/// @file io/gltf/materials.h
/// Materials and their pictures, raw to asset.
#pragma once

#include "flexor/asset/character.h"
#include "flexor/core/diagnostic.h"
#include "flexor/core/memory_budget.h"
#include "flexor/core/result.h"

#include "io/gltf/buffers.h"
#include "io/gltf/raw.h"

namespace flexor::io::gltf {

/// Converts all materials; `character.images` gets the pictures that base colours use, each once.
/// A picture that cannot be found or is of a kind that cannot be drawn is a diagnostic, not an
/// error: the character still moves. `load_images` false leaves the pictures without bytes.
/// Errors  kLimitExceeded
Status ConvertMaterials(const RawDocument& document, BufferStore& store, bool load_images,
                        MemoryBudget& budget, Diagnostics& diagnostics,
                        asset::Character& character);

}  // namespace flexor::io::gltf
