/// @file deform/skin_dqs.h
/// Dual quaternion skinning: joint motions are averaged as rigid motions, so a twisted limb keeps
/// its girth. Background: docs/methods/skin_dqs.md. Terms: docs/glossary.md.
#pragma once

#include <cstdint>
#include <string_view>

#include "flexor/core/export.h"
#include "flexor/core/result.h"
#include "flexor/deform/frame.h"
#include "flexor/deform/skin_inputs.h"

namespace flexor::deform {

/// Where the scale and shear of a joint act in dual-quaternion blending.
enum class DqsResidual : std::uint8_t {
  kVertex,  ///< blended about the vertex: moving the character moves the result (default)
  kOrigin,  ///< blended about the mesh origin, factored by Gram-Schmidt
  kUsd,     ///< blended about the mesh origin by the polar form; joints that cannot be factored are
            ///< left out, as OpenUSD does
};

/// "vertex", "origin", "usd".
FLEXOR_API std::string_view DqsResidualName(DqsResidual residual);
FLEXOR_API Result<DqsResidual> ParseDqsResidual(std::string_view name);

/// What a plan chooses for its vertices that blend dual quaternions.
struct DqsSettings {
  DqsResidual residual = DqsResidual::kVertex;
};

/// Moves each vertex of a mesh by blended dual quaternions. One call for arrays at hand; to deform
/// many frames, build a DeformPlan once and run a Backend.
///
/// Each skinning matrix M is split into a rotation R (quaternion q) and the rest. The pivot of a
/// vertex is its largest weight (the smallest joint among equals); s_k = -1 where
/// dot(q_k, q_pivot) < -1e-6, else 1, and every -1 counts as a flip. A vertex without a weight
/// above zero on a joint that has a quaternion stays where the mesh has it.
///
///     real = sum_k s_k w_k q_k              dual(t) = sum_k s_k w_k 1/2 (0, t_k) q_k
///     R_b  = rotation(real)                 T(t)    = 2 vector(dual(t) conj(real)) / |real|^2
///
///     kVertex   x = R_b p + T(t)            t_k = M_k p - R_k p
///     kOrigin   x = R_b S_b p + T(t)        t_k = translation of M_k, S_b = sum_k w_k R_k^-1 M_k
///     kUsd      as kOrigin with another split
///
/// kVertex and kOrigin split by Gram-Schmidt; a joint whose residual is the identity within 1e-4
/// is taken as rigid. kVertex then takes its translation so that the centre of the mesh goes
/// exactly where M puts it. kUsd splits by the polar form (a reflection is a negative scale),
/// takes a joint as rigid within 1e-6, and blends a joint that cannot be factored with no
/// quaternion (it cannot be the pivot then) and the identity as residual. For rigid joints the
/// three are one.
///
/// Normals and tangents follow J = dx/dp with the weights held, by the rules of skin_lbs.h with
/// J for B: J = R_b + T(residuals) for kVertex, R_b S_b otherwise.
/// A vertex of share b between linear and dual quaternion (Mesh::dqs_weights) gets
/// (1 - b) x_lbs + b x_dqs, and J likewise.
///
/// Shapes    as in SkinInputs; every output has V entries, or is empty where it is not wanted
/// Spaces    out: model space
/// Empty     V = 0 is a no-op · normals or tangents empty: their output must be empty too
/// Aliasing  no output may overlap an input or another output
/// Errors    those of BuildDeformPlan and Backend::Run; kShapeMismatch when joints or weights do
///           not have V * influences_per_vertex entries (both sizes). Outputs untouched on error
/// Accuracy  every backend against src/deform/reference/skin_dqs.cc: positions within 1e-6 of the
///           vertex's reach (skin_lbs.h) over |real|^2, the conditioning of the blend, with weights
///           that sum to 1; for kVertex, and of joints that kUsd leaves out, the reach takes an |M|
///           below 1 as 1, because p itself is part of the sum. Unit vectors as in skin_lbs.h, over
///           |real|^2 too
/// Threads   safe to call at once with different outputs
/// Cost      O(I); a plan is built on every call
/// Limits    bulges on bends where linear blending pinches (SkinDqsTest.BendBulges). One influence
///           gives what linear blending gives to 1e-6, unless the joint is taken as rigid without
///           being so exactly: then to 1e-4 of the mesh's size. With uneven scale, kVertex and
///           kOrigin depend on how mesh space is turned, because Gram-Schmidt does; they do not
///           depend on how the character is turned. kOrigin and kUsd depend on where mesh space
///           has its origin (SkinDqsTest.MovingMeshSpace). Quaternions half a turn apart are
///           equally near either way: the direction is that of the stored signs. A blend that
///           cancels (weights below zero) follows the pivot alone
/// Source    [Kavan 2008] for the blend, [Field] for split, pivot and counters, [UsdSkel] for kUsd.
///           Departs from [Field] in kVertex, in the tie-break of the pivot and in the 1e-6 about
///           a dot of zero; from [UsdSkel] in the same two, in a pivot that always has a
///           quaternion, and in normals (OpenUSD blends inverse transposes, flexor takes the
///           inverse transpose of the blend)
/// See       skin_lbs.h, tests/deform/skin_dqs_test.cc
FLEXOR_API Result<FrameReport> SkinDqs(const SkinInputs& in, const OutputViews& out,
                                       DqsResidual residual = DqsResidual::kVertex);

}  // namespace flexor::deform
