/// @file deform/settings.h
/// How a mesh is to be deformed: decided once, when the plan is built.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "flexor/asset/node.h"
#include "flexor/asset/weights.h"
#include "flexor/core/result.h"

namespace flexor::deform {

/// How vertices are skinned.
enum class Method : std::uint8_t {
  kFile,  ///< what the file asks for, per vertex where it says so; the default
  kLbs,   ///< linear blending for every vertex
  kDqs,   ///< dual quaternions for every vertex
  kSdef,  ///< spherical for every vertex that has a centre, the file's or one derived as
          ///< SdefMode::kAuthor says; linear blending for the rest
};

/// "file", "lbs", "dqs", "sdef". Errors of the parse: kInvalidArgument listing the names.
std::string_view MethodName(Method method);
Result<Method> ParseMethod(std::string_view name);

/// Where the scale and shear of a joint act in dual-quaternion blending.
enum class DqsResidual : std::uint8_t {
  kVertex,  ///< blended about the vertex: moving the character moves the result (default)
  kOrigin,  ///< blended about the mesh origin, factored by Gram-Schmidt
  kUsd,     ///< blended about the mesh origin by the polar form; joints that cannot be factored are
            ///< left out, as OpenUSD does
};

/// "vertex", "origin", "usd".
std::string_view DqsResidualName(DqsResidual residual);
Result<DqsResidual> ParseDqsResidual(std::string_view name);

/// Which vertices bend about a centre (asset/sdef.h) under Method::kFile. The other methods say it
/// themselves.
enum class SdefMode : std::uint8_t {
  kOn,      ///< those of the file (default)
  kOff,     ///< none: they are blended like the others
  kAuthor,  ///< those of the file, and vertices of a joint and its ancestor about a centre that
            ///< derive_sdef.h derives from the bind pose
};

/// "on", "off", "author".
std::string_view SdefModeName(SdefMode mode);
Result<SdefMode> ParseSdefMode(std::string_view name);

/// How the two rotations of a spherical vertex are blended.
enum class SdefRotation : std::uint8_t {
  kSlerp,  ///< at even speed along the shorter arc (default)
  kNlerp,  ///< along the chord, as mmd_tools does: the same at weights 0, 1/2 and 1
};

/// "slerp", "nlerp".
std::string_view SdefRotationName(SdefRotation rotation);
Result<SdefRotation> ParseSdefRotation(std::string_view name);

/// How normals follow linear blending.
enum class NormalMode : std::uint8_t {
  kCofactor,  ///< cofactor of the blended 3x3: right under scale, finite when singular
  kNone,      ///< no normals are computed even when the mesh has them
};

/// A method for the vertices of one material, whatever DeformSettings::method says of the others.
struct MaterialMethod {
  std::int32_t material = asset::kNone;  ///< index into Character::materials; kNone: faces without
  Method method = Method::kFile;
};

/// All choices of a plan. The defaults are what a file asks for, repaired.
struct DeformSettings {
  Method method = Method::kFile;
  /// A vertex that faces of several of these share takes the last of them.
  std::vector<MaterialMethod> material_methods;
  DqsResidual dqs_residual = DqsResidual::kVertex;
  SdefMode sdef = SdefMode::kOn;
  SdefRotation sdef_rotation = SdefRotation::kSlerp;
  NormalMode normals = NormalMode::kCofactor;
  asset::WeightPolicy weights;
};

/// Whether some vertices may bend about centres that derive_sdef.h derives, so that a plan depends
/// on the bind pose of a skin.
bool DerivesSdef(const DeformSettings& settings);

}  // namespace flexor::deform
