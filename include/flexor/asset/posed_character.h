/// @file asset/posed_character.h
/// A character in one pose: what posing hands to deformation, pictures and learned features. Plain
/// data; pose::Poser fills it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flexor/asset/character.h"
#include "flexor/core/export.h"
#include "flexor/math/mat.h"
#include "flexor/math/transform.h"

namespace flexor::asset {

/// Everything about one character that changes from frame to frame before its vertices are
/// deformed. All of it is solved: append, IK and rigid bodies are in the local transforms too.
/// Shapes  locals, uses_matrix, model_from_node (nodes) · palettes (skins)(J) ·
/// morph_weights (instances)(M)
struct PosedCharacter {
  double seconds = 0;               ///< the time in the clip that the pose is of; 0 without a clip
  std::vector<Transform> locals{};  ///< parent_from_node; composed along the hierarchy they give
                                    ///< model_from_node, except below a node of uses_matrix
  std::vector<bool> uses_matrix{};  ///< true where the node stands at its Node::rest_matrix, of
                                    ///< which the local is the nearest transform
  std::vector<Mat34d> model_from_node{};
  std::vector<std::vector<Mat34d>> palettes{};  ///< model_from_joint * joint_from_mesh
  std::vector<std::vector<float>> morph_weights{};
};

/// The skinning matrices of one instance: the palette of its skin, shared by all its instances.
/// Without a skin one matrix, that of its node, or the identity without a node.
/// Lifetime  valid as long as `posed` is unchanged
/// Needs     a pose of that character, and instance < Character::instances.size()
FLEXOR_API std::span<const Mat34d> PaletteOf(const Character& character,
                                             const PosedCharacter& posed, std::uint32_t instance);

}  // namespace flexor::asset
