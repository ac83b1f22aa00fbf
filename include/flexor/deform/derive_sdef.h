/// @file deform/derive_sdef.h
/// Spherical vertices for rigs whose files know none: centres from the bind pose. Background:
/// docs/methods/skin_sdef.md.
#pragma once

#include <span>

#include "flexor/asset/mesh.h"
#include "flexor/asset/node.h"
#include "flexor/asset/skin.h"
#include "flexor/asset/weights.h"
#include "flexor/core/export.h"

namespace flexor::deform {

/// The vertices that SdefMode::kAuthor adds. A vertex is taken when, after repair by `policy`, it
/// has exactly two joints with weights above zero, one is an ancestor of the other in the
/// hierarchy, and the descendant's bind matrix can be inverted; vertices that `mesh.sdef` already
/// has are left out. Then
///
///     C = r0 = r1 = the descendant's origin at bind, in mesh space
///     joint 0 is the one that comes first in the vertex's influences; weight: its share of the two
///
/// so that both joints move C alike for as long as the descendant only turns: the vertex goes round
/// it at the distance it has at rest, and the bind pose gives back the rest shape to the bit.
///
/// Shapes  `skin` is the one that the influences of `mesh` refer to; skin.joints index `nodes`; all
///         finalised
FLEXOR_API asset::SdefVertices DeriveSdef(const asset::Mesh& mesh, const asset::Skin& skin,
                                          std::span<const asset::Node> nodes,
                                          const asset::WeightPolicy& policy = {});

/// The file's vertices and the derived ones of a mesh as one list, ascending. No vertex may be in
/// both.
FLEXOR_API asset::SdefVertices MergeSdef(const asset::SdefVertices& a,
                                         const asset::SdefVertices& b);

}  // namespace flexor::deform
