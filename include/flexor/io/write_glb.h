/// @file io/write_glb.h
/// Characters out as binary glTF 2.0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "flexor/asset/character.h"
#include "flexor/core/diagnostic.h"
#include "flexor/core/export.h"
#include "flexor/core/result.h"

namespace flexor::io {

/// Encodes a whole character: hierarchy, meshes with all influence sets, morphs, skins, clips,
/// materials, images. The bytes pass the Khronos validator with zero errors, whatever the character
/// holds. Nodes, meshes with vertices, skins, joints, materials and points keep their order;
/// weights are written normalised over all sets; what the format cannot say is said another way or
/// left out, each with a diagnostic in `notes` when given: docs/formats/glb.md. Deterministic:
/// equal characters, equal bytes. The character must have passed Finalize. Errors  kLimitExceeded
/// (over 4 GiB, over 65536 joints in a skin) · kOutOfMemory
FLEXOR_API Result<std::vector<std::byte>> EncodeGlb(const asset::Character& character,
                                                    Diagnostics* notes = nullptr);

/// One mesh instance as it stands in one frame, in model space.
/// Shapes  positions (V) · normals (V) or empty · tangents (V) or empty
struct PosedInstance {
  std::uint32_t instance = 0;  ///< index into Character::instances
  std::span<const Vec3f> positions{};
  std::span<const Vec3f> normals{};
  std::span<const Vec4f> tangents{};
};

/// Encodes the given instances as static meshes (no skin, no clip), with the character's materials
/// and texture coordinates, in the character's point order: a node for each, in model space.
/// Errors  kIndexOutOfRange · kShapeMismatch naming the instance and both counts · kInvalidValue
/// (not finite) · kLimitExceeded (over 4 GiB) · kOutOfMemory
FLEXOR_API Result<std::vector<std::byte>> EncodePosedGlb(const asset::Character& character,
                                                         std::span<const PosedInstance> posed,
                                                         Diagnostics* notes = nullptr);

}  // namespace flexor::io
