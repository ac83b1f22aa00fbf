/// @file deform/cpu/morph_layout.h
/// Morph offsets in the order of the CPU layout. Private to the deform room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "flexor/asset/mesh.h"
#include "flexor/core/aligned_buffer.h"

namespace flexor::deform {

struct CpuLayout;

/// One morph as rows of 16 offsets for every block it touches: what a morph does not list is 0. A
/// morph that touches few vertices of many blocks is kept as single vertices instead.
struct MorphRows {
  bool positions = false, normals = false, tangents = false;
  std::vector<std::uint32_t> blocks;  ///< ascending; empty when kept as single vertices
  std::vector<std::uint32_t> lanes;   ///< block * 16 + lane, ascending; else empty
  /// Rows (blocks) or numbers (lanes): x y z of every attribute that is there, in that order.
  AlignedBuffer<float> offsets;

  std::size_t numbers() const {
    return 3 * (std::size_t{positions} + std::size_t{normals} + std::size_t{tangents});
  }
};

struct MorphLayout {
  std::vector<MorphRows> morphs;  ///< (M)
  /// (M * (windows + 1)) where each window's entries start in a morph's blocks or lanes.
  std::vector<std::uint32_t> starts;
};

/// `layout` complete but for its morphs.
MorphLayout BuildMorphLayout(const std::vector<asset::Morph>& morphs, const CpuLayout& layout);

std::size_t BytesOf(const MorphLayout& morphs);

}  // namespace flexor::deform
