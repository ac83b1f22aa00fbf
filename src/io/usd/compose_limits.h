/// @file io/usd/compose_limits.h
/// How far composition follows a file: beyond any real scene, well before trouble.
#pragma once

#include <cstdint>

namespace flexor::io::usd {

/// Each is a count; what would go beyond it stops the load with kLimitExceeded.
struct ComposeLimits {
  std::uint32_t layers = 1024;       ///< files opened
  std::uint32_t stack_layers = 256;  ///< sublayers of one stack, at any depth
  std::uint32_t sublayer_depth = 32;
  std::uint32_t arc_depth = 64;         ///< arcs behind arcs
  std::uint32_t nodes_per_prim = 1024;  ///< places that one prim has opinions from
  std::uint32_t variant_sets = 64;      ///< of one prim in one layer stack
  std::uint32_t prims = 1'000'000;      ///< of the stage
  std::uint64_t nodes = 4'000'000;      ///< made in all: bounds the time that composition takes
};

}  // namespace flexor::io::usd
