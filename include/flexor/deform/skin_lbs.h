/// @file deform/skin_lbs.h
/// Linear blend skinning: each vertex moves by the weighted mean of its joints' skinning matrices.
/// Background: docs/methods/skin_lbs.md. Terms: docs/glossary.md.
#pragma once

#include "flexor/core/export.h"
#include "flexor/core/result.h"
#include "flexor/deform/frame.h"
#include "flexor/deform/skin_inputs.h"

namespace flexor::deform {

/// Directions below this part of what the matrix could give count as none. With |B| the root of the
/// sum of squares of a 3x3 B, C its cofactor matrix, and n, t unit vectors:
///   a normal is singular      when |C n| <= kSingularNormal * |B|^2
///   a tangent is singular     when |B t| <= kSingularNormal * |B|
///   B mirrors the surface     when det B < -kSingularNormal * |B|^3
/// Every backend and both skinning methods use these three tests.
inline constexpr double kSingularNormal = 1e-6;

/// Moves each vertex of a mesh by linear blending. One call for arrays at hand; to deform many
/// frames, build a DeformPlan once and run a Backend.
///
///     B = sum_k weight[v,k] * palette[joint[v,k]]               (3x4, the blended matrix)
///     out.positions[v] = B * positions[v]
///     out.normals[v]   = unit(s * cofactor(B) * normals[v])     s = -1 where B mirrors, else 1
///     out.tangents[v]  = (unit(B * tangents[v].xyz), s * tangents[v].w)
///
/// The normal is the inverse transpose of B up to length, so it stays perpendicular to the surface
/// under any scale and shear, and stays outside under a mirror image. A mirror image turns the
/// winding of triangles inside out as seen from outside; flexor does not renumber them. The sign
/// in w keeps bitangent = w * cross(normal, tangent) on the image of the rest bitangent. Tangents
/// are not made perpendicular to normals.
///
/// Shapes    as in SkinInputs; every output has V entries, or is empty where it is not wanted
/// Spaces    out: model space
/// Empty     V = 0 is a no-op · normals or tangents empty: their output must be empty too
/// Aliasing  no output may overlap an input or another output
/// Errors    those of BuildDeformPlan and Backend::Run; kShapeMismatch when joints or weights do
///           not have V * influences_per_vertex entries (both sizes). Outputs untouched on error
/// Accuracy  every backend against src/deform/reference/skin_lbs.cc. With m the largest |M| over
///           the vertex's joints: positions within 1e-6 of the vertex's reach, the largest over
///           its joints of |M| |p| + |translation - output_origin|; normals within
///           1e-6 * m^2 / |C n| and tangents within 1e-6 * m / |B t|, the conditioning of their
///           directions (tests/deform/differential_test.cc)
/// Threads   safe to call at once with different outputs
/// Cost      O(I); a plan is built on every call
/// Limits    collapses under twist: half a turn at weights 0.5/0.5 takes the ring to radius 0
///           (SkinLbsTest.TwistCollapsesTheRing); volume is lost on bends. A normal that B leaves
///           no direction comes back as the rest normal turned by the rotation of the strongest
///           influence, or as it was when there is none, and is counted in
///           FrameReport::singular_normal_matrices. A rest normal of length 0 stays 0
/// Source    [Magnenat-Thalmann 1988], [glTF 2.0] section 3.7.3; departs from neither
/// See       skin_dqs.h, tests/deform/skin_lbs_test.cc
FLEXOR_API Result<FrameReport> SkinLbs(const SkinInputs& in, const OutputViews& out);

}  // namespace flexor::deform
