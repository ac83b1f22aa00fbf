/// @file pose/mmd_morphs.h
/// Spreads the weights of MMD morphs over the members of groups.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flexor/asset/mmd_rig.h"
#include "flexor/pose/mmd_solver.h"

namespace flexor::pose {

/// The order in which weights flow, worked out once for a rig whose groups have no cycles.
class MmdMorphs {
 public:
  explicit MmdMorphs(const asset::MmdRig& rig);

  /// Shapes  keyed (morphs) · the result (morphs), valid until the next call
  std::span<const double> Spread(std::span<const float> keyed, MmdDialect dialect);

  std::span<const double> weights() const { return weights_; }

 private:
  const asset::MmdRig* rig_;
  std::vector<std::uint32_t> groups_;  // groups and flips, each before all that it leads to
  std::vector<double> weights_;
};

}  // namespace flexor::pose
