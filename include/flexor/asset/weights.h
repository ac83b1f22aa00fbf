/// @file asset/weights.h
/// One place that decides what odd weights mean; every backend, writer and check shares it.
#pragma once

#include <cstdint>
#include <string_view>

#include "flexor/asset/influences.h"
#include "flexor/core/diagnostic.h"
#include "flexor/core/export.h"

namespace flexor::asset {

/// What happens to a vertex whose weights sum to zero.
enum class ZeroWeightPolicy : std::uint8_t {
  kPassThrough,  ///< stays at its rest position (mesh space taken as model space); the default
  kCollapse,     ///< goes to the origin, as OpenUSD does
  kFirstJoint,   ///< weight 1 on the first joint listed, or on joint 0 when none is, as many glTF
                 ///< viewers do
};

/// How weights are used. The default repairs; `raw` keeps every number but still drops exact zeros.
struct WeightPolicy {
  bool normalize = true;             ///< divide by the sum over all influences of the vertex
  bool clamp_negative = true;        ///< negative weights become 0 first
  std::uint32_t max_influences = 0;  ///< 0 = no limit; else keep the strongest, then normalise
  ZeroWeightPolicy zero = ZeroWeightPolicy::kPassThrough;

  static WeightPolicy Raw() { return {false, false, 0, ZeroWeightPolicy::kPassThrough}; }
};

/// What repair did, in numbers.
struct WeightReport {
  std::uint64_t normalized =
      0;                       ///< vertices whose sum was off by more than 2e-7 per non-zero weight
  std::uint64_t clamped = 0;   ///< negative weights set to 0
  std::uint64_t merged = 0;    ///< influences merged into an earlier one of the same joint
  std::uint64_t zero_sum = 0;  ///< vertices without weight
  std::uint64_t limited = 0;   ///< vertices cut to max_influences
  float largest_dropped = 0;   ///< strongest influence dropped by max_influences
  std::uint32_t max_influences = 0;  ///< most influences of one vertex, after repair
  std::uint32_t first_bad_vertex =
      0;  ///< an example for messages: the first vertex that needed any repair
};

/// Applies a policy: equal joints merged, zeros dropped, clamped, limited, normalised; in double,
/// narrowed once. Within a vertex the order of the file is kept. Vertices without weight end with
/// an empty run (kPassThrough, kCollapse) or one influence (kFirstJoint).
FLEXOR_API Influences RepairWeights(const Influences& raw, const WeightPolicy& policy,
                                    WeightReport* report);

/// Adds one diagnostic per kind of repair, with counts: WEIGHTS_NOT_NORMALIZED, WEIGHTS_NEGATIVE,
/// WEIGHTS_DUPLICATE_JOINT, WEIGHTS_ZERO_SUM, INFLUENCES_LIMITED.
FLEXOR_API void ReportWeights(const WeightReport& report, std::string_view where, Diagnostics& out);

}  // namespace flexor::asset
