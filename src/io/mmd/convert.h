/// @file io/mmd/convert.h
/// A PMX or PMD model into a character in house conventions.
#pragma once

#include <string>

#include "flexor/asset/character.h"
#include "flexor/core/diagnostic.h"
#include "flexor/core/memory_budget.h"
#include "flexor/core/result.h"
#include "flexor/io/load.h"
#include "flexor/io/mmd/pmx.h"

#include "io/mmd/space.h"

namespace flexor::io::mmd {

/// Converts everything that has a place in a character and finalises it; what has none is a
/// diagnostic with a count. Bones become nodes 0..J-1 in file order, all vertices one mesh in file
/// order, all materials its subsets; `resources` fetches textures (may be empty).
/// Errors  kLimitExceeded (budget) · those of asset::Finalize
Result<asset::Character> Convert(const PmxModel& model, const ResourceFn& resources,
                                 const LoadOptions& options, MemoryBudget& budget,
                                 Diagnostics& diagnostics);

// Its parts, each filling its share of `character`.

/// Nodes, skin, rig bones and IK. `space` scales by metres per unit.
void ConvertBones(const PmxModel& model, const Space& space, asset::Character& character,
                  Diagnostics& diagnostics);

/// The one mesh: vertices, triangles, subsets, influences, spherical and dual quaternion vertices.
void ConvertMesh(const PmxModel& model, const Space& space, asset::Character& character,
                 Diagnostics& diagnostics);

/// Morphs of the mesh and of the rig; after ConvertBones and ConvertMesh.
void ConvertMorphs(const PmxModel& model, const Space& space, asset::Character& character,
                   Diagnostics& diagnostics);

/// Rigid bodies and joints; after ConvertBones.
void ConvertPhysics(const PmxModel& model, const Space& space, asset::Character& character,
                    Diagnostics& diagnostics);

/// Materials and the textures they use.
Status ConvertMaterials(const PmxModel& model, const ResourceFn& resources,
                        const LoadOptions& options, MemoryBudget& budget,
                        asset::Character& character, Diagnostics& diagnostics);

}  // namespace flexor::io::mmd
