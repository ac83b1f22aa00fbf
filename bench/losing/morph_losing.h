/// @file bench/losing/morph_losing.h
/// A way to add morphs that was measured and lost, kept so that the reasons can be checked again on
/// other machines: `flexor bench --all`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "flexor/core/aligned_buffer.h"

#include "bench/peers.h"

namespace flexor::bench {

/// Block by block, every morph asked by a cursor whether it touches the block; sums of the morphs
/// that do stay in registers, and a morphed copy of the whole mesh is written for skinning to read.
/// Lost as part of a frame (docs/methods/cpu_backend.md); timed alone, as here, it is quick on
/// meshes that fit the caches.
class BlockCursorMorphs {
 public:
  explicit BlockCursorMorphs(const PeerMesh& mesh);
  /// A morph is cut into blocks of 16 vertices when it is added.
  void Add(const PeerMorph& morph, std::size_t vertices);
  static std::size_t blocks(std::size_t vertices) { return (vertices + 15) / 16; }
  /// Morphed positions and unit normals of blocks [begin, end), as rows of 16, at the best SIMD
  /// target of this machine. Ranges of several threads must not overlap.
  void Run(std::size_t begin, std::size_t end);

  struct Rows {
    std::vector<std::uint32_t> blocks;
    AlignedBuffer<float> rows;  ///< six a block
    float weight = 0;
  };

 private:
  std::vector<Rows> morphs_;
  AlignedBuffer<float> rest_, morphed_;  ///< six rows a block
};

}  // namespace flexor::bench
