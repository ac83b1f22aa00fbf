/// @file deform/cpu/layout.h
/// How the CPU backend lays the vertices of a plan out in memory: blocks of 16 vertices that share
/// few joints, as structures of arrays. Background and figures: docs/methods/cpu_backend.md.
/// Private to the deform module.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "flexor/asset/skinning_method.h"
#include "flexor/core/aligned_buffer.h"
#include "flexor/core/progress.h"
#include "flexor/core/result.h"
#include "flexor/deform/prepared_plan.h"

#include "deform/cpu/morph_layout.h"

namespace flexor::deform {

/// Vertices of a block: one cache line of floats for each number of a vertex.
inline constexpr std::size_t kBlockLanes = 16;

/// How a block names its joints and weights. One row is 16 floats, one for each vertex.
enum class BlockKind : std::uint8_t {
  kOne,     ///< one joint at weight 1 for all: no rows
  kShared,  ///< one ascending list of joints; rows of weights for the joints after the first, whose
            ///< weight is what is left to 1
  kAny,     ///< every vertex has joints of its own, ascending: a row of weights for each influence,
            ///< and as many rows of joints in `joints`
};

/// Most influences of a vertex in a kAny block.
inline constexpr std::size_t kMostAny = 16;

/// How a block's results reach the output.
enum class BlockStore : std::uint8_t {
  kRun,      ///< 16 outputs in a row: one offset
  kQuads,    ///< four rows of four: four offsets
  kScatter,  ///< 16 offsets
};

struct CpuBlock {
  std::uint32_t data = 0;    ///< of its rows, in units of 16 floats
  std::uint32_t joints = 0;  ///< of its list, in `joints`
  std::uint32_t dst = 0;     ///< of its offsets, in `dst`
  std::uint32_t first = 0;   ///< plan order index of its first vertex
  std::uint32_t k = 0;       ///< joints of the list (kOne, kShared) or influences a vertex (kAny)
  std::uint16_t exact = 0;   ///< lanes that only the double path can do (bit 0 = first)
  std::uint8_t count = 0;    ///< vertices; the lanes after them repeat the last one
  BlockKind kind = BlockKind::kShared;
  BlockStore store = BlockStore::kScatter;

  /// How many entries of `joints` are its own.
  std::size_t joint_entries() const {
    return kind == BlockKind::kAny ? std::size_t{k} * kBlockLanes : k;
  }
};

struct BlockRange {
  std::uint32_t begin = 0, end = 0;

  bool empty() const { return begin == end; }
};

/// A run of vertices in the caller's order whose blocks are done in one go, so that scattered
/// results stay in the nearest cache. Windows are what threads share out.
struct CpuWindow {
  std::uint32_t first_vertex = 0;
  std::uint32_t end_vertex = 0;
  /// In the order of the methods: the blocks of the one numbered m are [blocks[m], blocks[m+1]).
  std::array<std::uint32_t, asset::kSkinningMethods + 1> blocks{};

  BlockRange BlocksOf(std::size_t method) const { return {blocks[method], blocks[method + 1]}; }
};

/// How often two joints meet in a vertex where the first one leads: what dual quaternions need to
/// agree on signs once a frame, and to count flips without looking at vertices.
struct PivotPair {
  std::uint32_t pivot = 0;
  std::uint32_t joint = 0;
  std::uint64_t count = 0;
};

struct CpuLayout {
  OutputOrder order = OutputOrder::kCaller;
  std::vector<std::uint32_t> caller_from_plan;  ///< (V) a permutation
  std::vector<CpuBlock> blocks;
  std::vector<CpuWindow> windows;
  std::uint32_t window_vertices = 0;

  bool has_normals = false;
  /// Weights that are not shares of 1: a row for the first joint too, and a last row of
  /// (sum of weights - 1).
  bool raw_weights = false;
  double max_weight_sum = 1;  ///< largest sum of |weight| of a vertex
  /// Where positions are counted from: the zero vector, or the centre of a mesh that stands far
  /// from its own origin.
  Vec3d center;

  /// Rows of every block: x y z, nx ny nz with normals, then weights and payload as the rule of its
  /// method (layout_rule.h), kind and flags say.
  AlignedBuffer<float> data;
  /// Rows tx ty tz w of every block, or empty without tangents.
  AlignedBuffer<float> tangents;
  std::vector<std::uint32_t> joints;  ///< joint_count names the joint of vertices without weight
  std::vector<std::uint16_t> dst;     ///< in floats of triples, from the window's first
  std::vector<std::uint32_t> pivots;  ///< (16 a block) leading joint; empty without quaternions
  std::vector<PivotPair> pairs;       ///< in order of first appearance
  MorphLayout morphs;
  std::vector<std::uint32_t> alone_joints;  ///< that some kOne block follows, ascending
  std::size_t max_influences = 0;           ///< of one vertex
  PreparedFacts facts;

  std::size_t geometry_rows() const { return has_normals ? 6 : 3; }
};

/// Rows of weights of a block whose method has any.
std::size_t WeightRows(const CpuBlock& block, bool raw_weights);

std::size_t BytesOf(const CpuLayout& layout);

/// Lays a plan out, window by window. `progress` counts vertices; none where it stops the work.
/// Errors  kCancelled
Result<CpuLayout> BuildCpuLayout(const PlanData& plan, OutputOrder order, ProgressFn progress = {});

}  // namespace flexor::deform
