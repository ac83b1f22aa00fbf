/// @file asset/influences.h
/// Which joints move each vertex, and how much: runs of exact length, no limit on either.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace flexor::asset {

/// Influences of all vertices, one run per vertex. Vertex v owns the entries [offsets[v],
/// offsets[v+1]). Shapes  offsets (V+1) · joints, weights (I). All empty: the mesh has no skin
/// data.
struct Influences {
  std::vector<std::uint32_t> offsets{};
  std::vector<std::uint32_t>
      joints{};  ///< index into the joint list of the skin the mesh is used with
  std::vector<float>
      weights{};  ///< dimensionless; as the file has them, zero ones left out by readers

  std::size_t vertex_count() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  bool empty() const { return offsets.empty(); }
};

}  // namespace flexor::asset
