/// @file pose/palette.h
/// From a pose to what deforms vertices: the skinning palette, in double.
#pragma once

#include <vector>

#include "flexor/asset/character.h"
#include "flexor/core/export.h"

namespace flexor::pose {

/// The skinning matrices of one mesh instance: model_from_mesh[j] = model_from_joint[j] *
/// joint_from_mesh[j]. An instance without a skin has one matrix, that of its node. Deformation
/// narrows them, nobody else should.
using Palette = std::vector<Mat34d>;

/// Shapes  model_from_node (nodes), from ComputeWorld · out is resized to (J) of the skin, or 1
FLEXOR_API void ComputePalette(const asset::Character& character,
                               const asset::MeshInstance& instance,
                               const std::vector<Mat34d>& model_from_node, Palette& out);

/// The number of joints of that instance's palette.
FLEXOR_API std::size_t PaletteSize(const asset::Character& character,
                                   const asset::MeshInstance& instance);

}  // namespace flexor::pose
