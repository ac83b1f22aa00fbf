/// @file io/usd/binding.h
/// How prims are bound to a skeleton: properties that are inherited below a SkelRoot.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "flexor/asset/influences.h"
#include "flexor/core/diagnostic.h"
#include "flexor/core/memory_budget.h"

#include "io/usd/stage.h"

namespace flexor::io::usd {

/// What a prim has of the binding schema, itself or from above.
struct Binding {
  const StagePrim* skeleton = nullptr;  ///< null: not bound
  Property joint_indices, joint_weights, geom_bind_transform, skinning_method, joints;

  bool HasInfluences() const { return !joint_indices.empty() && !joint_weights.empty(); }
};

/// The binding of a prim. Outside of a SkelRoot, below a prim that cannot be drawn, or when its
/// skeleton is no Skeleton, it is not bound; a diagnostic says so.
Binding BindingOf(Stage& stage, const StagePrim& prim, Diagnostics& diagnostics);

/// Influences of a prim with that many points, one run each; those of a constant primvar are
/// repeated. Weights of 0 are left out, all others kept as they are. Nothing when the two primvars
/// do not fit each other or the points, or an index names none of `joint_count` joints: then the
/// prim is not deformed, as in OpenUSD, with a diagnostic.
Result<std::optional<asset::Influences>> ReadInfluences(const Stage& stage, const Binding& binding,
                                                        std::size_t points, std::size_t joint_count,
                                                        const Path& where, MemoryBudget& budget,
                                                        Diagnostics& diagnostics);

}  // namespace flexor::io::usd
