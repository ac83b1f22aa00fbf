/// @file asset/skin.h
/// The joints that deform a mesh, and their transforms when it was bound.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flexor/math/mat.h"

namespace flexor::asset {

/// A skin binding. Skins are equal only if joints and matrices are.
/// Shapes  joints, joint_from_mesh (J)
struct Skin {
  std::string name{};
  std::vector<std::uint32_t>
      joints{};  ///< index into Character::nodes; file order, which influences refer to
  std::vector<Mat34d>
      joint_from_mesh{};  ///< inverse bind matrices, mesh space to joint space at bind
};

}  // namespace flexor::asset
