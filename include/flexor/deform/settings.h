/// @file deform/settings.h
/// How a mesh is to be deformed: decided once, when the plan is built.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "flexor/asset/node.h"
#include "flexor/asset/skinning_method.h"
#include "flexor/asset/weights.h"
#include "flexor/core/export.h"
#include "flexor/deform/skin_dqs.h"
#include "flexor/deform/skin_sdef.h"

namespace flexor::deform {

/// How normals follow linear blending.
enum class NormalMode : std::uint8_t {
  kCofactor,  ///< cofactor of the blended 3x3: right under scale, finite when singular
  kNone,      ///< no normals are computed even when the mesh has them
};

/// A method for the vertices of one material, whatever DeformSettings::method says of the others.
struct MaterialMethod {
  std::int32_t material = asset::kNone;  ///< index into Character::materials; kNone: faces without
  std::optional<asset::SkinningMethod> method{};  ///< as in DeformSettings
};

/// All choices of a plan. The defaults are what a file asks for, repaired.
struct DeformSettings {
  /// Of every vertex; none (the default): what the file asks for, per vertex where it says so.
  /// kMixed and kSpherical reach the vertices that have what they need, Mesh::dqs_weights and a
  /// centre, the file's or a derived one; the others are blended linearly. Names: method_name.h.
  std::optional<asset::SkinningMethod> method{};
  /// A vertex that faces of several of these share takes the last of them.
  std::vector<MaterialMethod> material_methods{};
  DqsSettings dqs{};
  SdefSettings sdef{};
  NormalMode normals = NormalMode::kCofactor;
  asset::WeightPolicy weights{};
};

/// Whether what the plan of some mesh holds depends on the bind pose of the skin that deforms it,
/// not on the mesh alone: spherical vertices about centres that derive_sdef.h derives.
FLEXOR_API bool DependsOnBindPose(const DeformSettings& settings);

}  // namespace flexor::deform
