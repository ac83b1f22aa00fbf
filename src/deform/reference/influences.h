/// @file deform/reference/influences.h
/// The influences of a vertex as every reference that blends by weight takes them. Private to
/// deform.
#pragma once

#include <cstddef>
#include <span>

#include "deform/reference/reference.h"

namespace flexor::deform {

/// The influences of a vertex as they are blended; none for a vertex without weight.
inline std::span<const WeightedJoint> WeightsOf(const ReferenceVertex& v) {
  const asset::Influences& influences = v.plan.influences;
  const std::size_t begin = influences.offsets[v.vertex];
  const std::size_t count = influences.offsets[v.vertex + 1] - begin;
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    v.scratch[i] = {influences.joints[begin + i],
                    static_cast<double>(influences.weights[begin + i])};
    sum += v.scratch[i].weight;
  }
  // Float weights sum to 1 only within rounding; a kilometre away that rounding would be seen.
  if (v.plan.settings.weights.normalize) {
    for (std::size_t i = 0; i < count; ++i) v.scratch[i].weight /= sum;
  }
  return v.scratch.first(count);
}

/// What becomes of a vertex without weight.
inline VertexMotion MoveWithoutWeight(const ReferenceVertex& v) {
  if (v.plan.settings.weights.zero == asset::ZeroWeightPolicy::kCollapse) {
    return {{0, 0, 0}, {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, {}, 0};
  }
  return {v.p, {}, {}, 0};
}

}  // namespace flexor::deform
