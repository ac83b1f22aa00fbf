/// @file io/write_glb.h
/// Characters out as binary glTF 2.0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "flexor/asset/character.h"
#include "flexor/core/result.h"

namespace flexor::io {

/// Encodes a whole character: hierarchy, meshes with all influence sets, morphs, skins, clips,
/// materials, images. The bytes pass the Khronos validator with zero errors. Weights are written
/// normalised over all sets; vertices without weight get the zero-weight rule of
/// docs/formats/gltf.md. Deterministic: equal characters, equal bytes. Errors  kLimitExceeded (over
/// 4 GiB, over 65535 joints in a skin)
Result<std::vector<std::byte>> EncodeGlb(const asset::Character& character);

/// One mesh instance as it stands at one moment, in model space.
/// Shapes  positions (V) · normals (V) or empty · tangents (V) or empty
struct PosedInstance {
  std::uint32_t instance = 0;  ///< index into Character::instances
  std::span<const Vec3f> positions;
  std::span<const Vec3f> normals;
  std::span<const Vec4f> tangents;
};

/// Encodes the given instances as static meshes (no skin, no clip), with the character's materials
/// and texture coordinates, in the character's point order.
Result<std::vector<std::byte>> EncodePosedGlb(const asset::Character& character,
                                              std::span<const PosedInstance> posed);

}  // namespace flexor::io
