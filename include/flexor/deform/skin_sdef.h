/// @file deform/skin_sdef.h
/// Spherical deformation (SDEF of PMX): a vertex of two joints turns about its own centre by the
/// blended rotation and lands on a blended point. Background: docs/methods/skin_sdef.md. Terms:
/// docs/glossary.md.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "flexor/core/export.h"
#include "flexor/core/result.h"
#include "flexor/deform/frame.h"
#include "flexor/math/mat.h"
#include "flexor/math/vec.h"

namespace flexor::deform {

/// Which vertices bend about a centre (asset/sdef.h) where the method is what the file asks for.
/// Where a method is chosen, that says it.
enum class SdefMode : std::uint8_t {
  kOn,      ///< those of the file (default)
  kOff,     ///< none: they are blended like the others
  kAuthor,  ///< those of the file, and vertices of a joint and its ancestor about a centre that
            ///< derive_sdef.h derives from the bind pose
};

/// "on", "off", "author".
FLEXOR_API std::string_view SdefModeName(SdefMode mode);
FLEXOR_API Result<SdefMode> ParseSdefMode(std::string_view name);

/// How the two rotations of a spherical vertex are blended.
enum class SdefRotation : std::uint8_t {
  kSlerp,  ///< at even speed along the shorter arc (default)
  kNlerp,  ///< along the chord, as mmd_tools does: the same at weights 0, 1/2 and 1
};

/// "slerp", "nlerp".
FLEXOR_API std::string_view SdefRotationName(SdefRotation rotation);
FLEXOR_API Result<SdefRotation> ParseSdefRotation(std::string_view name);

/// What a plan chooses for spherical vertices.
struct SdefSettings {
  SdefMode mode = SdefMode::kOn;
  SdefRotation rotation = SdefRotation::kSlerp;
};

/// Arrays of one mesh whose every vertex is spherical, and the palette it is posed by. Views only.
/// Shapes   positions, joints, weights, centers, r0, r1 (V) · normals (V) or empty · tangents (V)
///          or empty · palette (J)
/// Spaces   positions, normals, tangents, centers, r0, r1: mesh space at bind · palette:
///          model_from_mesh
/// Units    metres; weights dimensionless
struct SdefInputs {
  std::span<const Vec3f> positions{};
  std::span<const Vec3f> normals{};   ///< unit
  std::span<const Vec4f> tangents{};  ///< xyz unit, w = handedness +1 or -1
  std::span<const std::array<std::uint32_t, 2>> joints{};
  std::span<const float> weights{};  ///< of joints[v][0]; joints[v][1] has 1 - weight
  std::span<const Vec3f> centers{};
  std::span<const Vec3f> r0{}, r1{};  ///< as a file has them, before the correction
  std::span<const Mat34d> palette{};
};

/// Moves each vertex of a mesh spherically. One call for arrays at hand; to deform many frames, and
/// meshes that mix this with other methods, build a DeformPlan once and run a Backend.
///
/// With C the centre, w0 the weight, w1 = 1 - w0, and M0, M1 the joints' skinning matrices:
///
///     Rw  = w0 r0 + w1 r1
///     R0' = C + r0 - Rw,   R1' = C + r1 - Rw          so that w0 R0' + w1 R1' = C; once, at plan
///     Pt  = C + w0 (M0 C - C) + w1 (M1 C - C)         the translation half
///     Pr  = w0 M0 R0' + w1 M1 R1'                     the rotation half
///     q   = slerp(q0, q1, w1)                         along the shorter arc
///     out.positions[v] = q (p - C) + (Pt + Pr) / 2
///     out.normals[v]   = q n,   out.tangents[v] = (q t.xyz, t.w)
///
/// qi is the rotation of Mi by Gram-Schmidt (math/palette_split.h): its columns at unit length
/// where they are perpendicular, the identity where they are no basis. Weights are used as they
/// are, whatever the weight policy says: w0 outside [0, 1] extrapolates. Rotations half a turn
/// apart (a dot above -1e-6) go the way of the stored signs, as in skin_dqs.h.
///
/// Shapes    as in SdefInputs; every output has V entries, or is empty where it is not wanted
/// Spaces    out: model space
/// Empty     V = 0 is a no-op · normals or tangents empty: their output must be empty too
/// Aliasing  no output may overlap an input or another output
/// Errors    those of BuildDeformPlan and Backend::Run; kShapeMismatch when joints, weights,
///           centers, r0 or r1 do not have V entries (both sizes). Outputs untouched on error
/// Accuracy  every backend against src/deform/reference/skin_sdef.cc, with c_i = (C + Ri') / 2:
///           positions within 1e-6 of (|w0| + |w1|) times the vertex's spherical reach, which is 1
///           + the larger |Mi| times the largest of |c0|, |c1|, |C|, plus the larger |ti -
///           output_origin|, plus |p - C|; normals and tangents within 1e-6. An identity palette
///           gives the rest shape back to the bit
/// Threads   safe to call at once with different outputs
/// Cost      O(V + P) with P the pairs of joints that occur; a plan is built on every call
/// Limits    scale and shear of a joint move the centre but not the vertex about it, and a mirror
///           image turns nothing inside out: unlike linear blending, one joint with scale does not
///           scale (SkinSdefTest.ScaleMovesTheCentreOnly). Outward of a bend a vertex keeps its
///           distance from its centre; inward it crosses the crease sooner than linear blending
///           does (docs/methods/skin_sdef.md)
/// Source    [UMT] for the formula; departs from it in matrices that are not rotations (above), and
///           in using slerp down to where it and the normalised blend agree to rounding
/// See       skin_lbs.h, derive_sdef.h, asset/sdef.h, tests/deform/skin_sdef_test.cc
FLEXOR_API Result<FrameReport> SkinSdef(const SdefInputs& in, const OutputViews& out,
                                        SdefRotation rotation = SdefRotation::kSlerp);

}  // namespace flexor::deform
