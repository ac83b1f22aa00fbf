/// @file deform/morph_accumulate.h
/// Stage 1: morph targets move the rest shape before it is skinned. Background:
/// docs/methods/morph_accumulate.md. Terms: docs/glossary.md.
#pragma once

#include <span>

#include "flexor/asset/mesh.h"
#include "flexor/core/export.h"
#include "flexor/core/result.h"
#include "flexor/deform/frame.h"

namespace flexor::deform {

/// Adds any number of morphs to a rest shape. One call for a mesh at hand; to deform many frames,
/// build a DeformPlan once and run a Backend, which does this before it skins.
///
///     out.positions[v] = positions[v] + sum_m morph_weights[m] * position offset[m,v]
///     out.normals[v]   = unit(normals[v] + sum_m morph_weights[m] * normal offset[m,v])
///     out.tangents[v]  = (unit(tangents[v].xyz + sum_m morph_weights[m] * tangent offset[m,v]),
///                         tangents[v].w)
///
/// Offsets are differences, as glTF stores them, never targets. A morph without an array of
/// offsets leaves that attribute alone; a sparse morph leaves every vertex it does not list alone.
///
/// Shapes    morph_weights (M), one per morph of `mesh`, or empty for none · every output has V
///           entries, or is empty where it is not wanted
/// Spaces    in and out: mesh space; positions in metres
/// Empty     M = 0 or V = 0 gives the rest shape; a mesh without normals or tangents gives none
/// Aliasing  no output may overlap an input or another output
/// Errors    those of BuildDeformPlan and Backend::Run. Outputs untouched on error
/// Accuracy  every backend against src/deform/reference/morph_accumulate.cc: positions within
///           1e-6 of the largest |coordinate| plus the sum of |weight * offset|; unit vectors
///           within 1e-6 of the same measure over the length of the sum
/// Threads   safe to call at once with different outputs
/// Cost      O(V + entries of the morphs whose weight is not 0)
/// Limits    a sum of length 0 has no direction: the rest vector stands in
///           (MorphAccumulateTest.CancelledNormalFallsBackToRest); rotations morphed by differences
///           shorten on the way, as linear paths do
/// Source    [glTF 2.0] section 3.7.2.2; departs from it only by unit length, which it leaves open
/// See       docs/architecture.md, tests/deform/morph_accumulate_test.cc
FLEXOR_API Status MorphAccumulate(const asset::Mesh& mesh, std::span<const float> morph_weights,
                                  const OutputViews& out);

}  // namespace flexor::deform
