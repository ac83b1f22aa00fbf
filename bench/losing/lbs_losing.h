/// @file bench/losing/lbs_losing.h
/// Ways to blend linearly that were measured and lost, kept so that the reasons can be checked
/// again on other machines: `flexor bench --all`.
#pragma once

#include <cstddef>
#include <span>

#include "bench/peers.h"

namespace flexor::bench {

using LosingKernel = void (*)(const PeerMesh& mesh, const PeerPalette& palette, std::size_t begin,
                              std::size_t end, float* positions, float* normals);
struct LosingCandidate {
  const char* name;
  const char* why;
  LosingKernel run;
};

/// At the best SIMD target of this machine; all read the caller's arrays and write the caller's
/// order.
std::span<const LosingCandidate> LbsLosingCandidates();

}  // namespace flexor::bench
