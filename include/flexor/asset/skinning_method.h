/// @file asset/skinning_method.h
/// The ways a vertex can be skinned: what files and users ask for, and what a plan gives each
/// vertex.
#pragma once

#include <cstddef>
#include <cstdint>

namespace flexor::asset {

/// One for each row of the method table (docs/architecture.md, "One method, one row"). Numbers are
/// stable: plans that are kept on disk hold them.
enum class SkinningMethod : std::uint8_t {
  kLinear = 0,          ///< linear blending: deform/skin_lbs.h
  kDualQuaternion = 1,  ///< deform/skin_dqs.h
  kMixed = 2,           ///< by Mesh::dqs_weights between the two above: deform/skin_dqs.h
  kSpherical = 3,       ///< about the centres of Mesh::sdef: deform/skin_sdef.h
};
inline constexpr std::size_t kSkinningMethods = 4;

}  // namespace flexor::asset
