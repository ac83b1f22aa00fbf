/// @file pose/palette.h
/// From a pose to what deforms vertices: the skinning palette, in double.
#pragma once

#include <vector>

#include "flexor/asset/character.h"
#include "flexor/core/export.h"

namespace flexor::pose {

/// The skinning matrices of a skin: model_from_mesh[j] = model_from_joint[j] * joint_from_mesh[j].
/// Deformation narrows them, nobody else should.
using Palette = std::vector<Mat34d>;

/// Shapes  model_from_node (nodes) · out is resized to (J)
FLEXOR_API void ComputePalette(const asset::Skin& skin, const std::vector<Mat34d>& model_from_node,
                               Palette& out);

/// The same for one instance; without a skin one matrix, that of its node, or the identity. Of many
/// instances see asset::PaletteOf, which shares the palettes of skins.
/// Shapes  model_from_node (nodes) · out is resized to (J) of the skin, or 1
FLEXOR_API void ComputePalette(const asset::Character& character,
                               const asset::MeshInstance& instance,
                               const std::vector<Mat34d>& model_from_node, Palette& out);

/// The number of joints of that instance's palette.
FLEXOR_API std::size_t PaletteSize(const asset::Character& character,
                                   const asset::MeshInstance& instance);

}  // namespace flexor::pose
