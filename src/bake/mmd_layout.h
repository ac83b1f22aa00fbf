/// @file bake/mmd_layout.h
/// What a character's PMX model and its VMD motions must agree on: the names of bones and sliders,
/// and the pose in which the model is stored.
#pragma once

#include <string>
#include <vector>

#include "flexor/asset/character.h"
#include "flexor/math/mat.h"

namespace flexor::bake {

/// Names as PMX and VMD have them: no two with equal bytes in a motion.
struct MmdNames {
  std::vector<std::string> bones;                ///< of each node
  std::vector<std::vector<std::string>> morphs;  ///< of each morph of each instance's mesh
  std::size_t made = 0;                          ///< names that are not those of the character
};

/// A motion finds bones and sliders by the first 15 bytes of their names in CP932. A name keeps as
/// it is if it has such bytes and no earlier one has them; of the others a short one is made:
/// what fits of it with a number, or "bone 7", "morph 7". Morphs of one name on several meshes are
/// several sliders, as each has a weight of its own. A rig of MMD keeps the names of its sliders.
MmdNames NamesForMmd(const asset::Character& character);

/// Where each node stands in the model: a bone of PMX has no rotation at rest, so a vertex that
/// follows several bones is only moved rightly from the pose in which it was bound. Joints stand as
/// their skin was bound, at the place where its uppermost joint is at rest; below, and where that
/// is the rest pose, nodes stand as at rest.
/// Shapes  model_from_node, and what is returned (nodes)
std::vector<Mat34d> StoredPose(const asset::Character& character,
                               const std::vector<Mat34d>& model_from_node);

}  // namespace flexor::bake
