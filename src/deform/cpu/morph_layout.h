/// @file deform/cpu/morph_layout.h
/// Morph offsets in the order of the CPU layout. Private to the deform module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "flexor/asset/mesh.h"
#include "flexor/core/aligned_buffer.h"

namespace flexor::deform {

struct CpuLayout;

/// Most blocks of a stretch. Few, so that its morphed shape is still in the first cache when it is
/// skinned, after all the offsets that went by; a bit for each fits a word.
inline constexpr std::size_t kStretchBlocks = 8;

/// One morph. Blocks of which it moves several vertices are rows of 16 offsets, 0 for those that it
/// leaves alone; of other blocks it keeps single vertices.
struct MorphRows {
  bool positions = false, normals = false, tangents = false;
  /// Where its rows start in MorphLayout::rows. Block by block: x y z of every attribute that is
  /// there, in that order.
  std::size_t rows = 0;
  std::vector<std::uint32_t> lanes;  ///< single vertices as block * 16 + lane, ascending
  std::vector<float> singles;        ///< for each: the same numbers in a row

  std::size_t numbers() const {
    return 3 * (std::size_t{positions} + std::size_t{normals} + std::size_t{tangents});
  }
};

/// What a morph has for a stretch: rows for the blocks whose bits are set, the first of them being
/// the morph's block number `first`; and single vertices from `lane` on, to the next stretch's.
struct MorphStart {
  std::uint32_t first = 0;
  std::uint32_t mask = 0;
  std::uint32_t lane = 0;
};

/// Consecutive blocks of one window, morphed and then skinned in one go.
struct MorphStretch {
  std::uint32_t begin = 0, end = 0;
};

struct MorphLayout {
  std::vector<MorphRows> morphs;  ///< (M)
  AlignedBuffer<float> rows;      ///< of all morphs
  std::vector<MorphStretch> stretches;
  std::vector<std::uint32_t> of_window;  ///< (windows + 1) its first stretch
  std::vector<MorphStart> starts;        ///< (M * (stretches + 1))
};

/// `layout` complete but for its morphs.
MorphLayout BuildMorphLayout(const std::vector<asset::Morph>& morphs, const CpuLayout& layout);

std::size_t BytesOf(const MorphLayout& morphs);

}  // namespace flexor::deform
