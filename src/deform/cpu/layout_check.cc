// Whether a layout that comes from a file may be run.
#include <bit>
#include <cmath>
#include <string>

#include "deform/cpu/layout_bytes.h"
#include "deform/method_table.h"

namespace flexor::deform {
namespace {

// Offsets of results are 16 bits wide and count floats of triples.
constexpr std::size_t kMostWindowVertices = 65536 / 3;

Error Broken(const std::string& what) {
  return {ErrorCode::kParse, "the saved layout does not fit its plan: " + what, {}};
}

Error BrokenBlock(std::size_t block, const std::string& what) {
  return Broken("block " + std::to_string(block) + " " + what);
}

/// Whether [begin, begin + count) lies within `size`.
bool Within(std::size_t begin, std::size_t count, std::size_t size) {
  return begin <= size && count <= size - begin;
}

class Checker {
 public:
  Checker(const CpuLayout& layout, const PlanData& plan) : layout_(layout), plan_(plan) {}

  Status Run() {
    FLEXOR_TRY(Arrays());
    FLEXOR_TRY(Order());
    FLEXOR_TRY(Windows());
    FLEXOR_TRY(Joints());
    return Morphs();
  }

 private:
  Status Arrays() const {
    const std::size_t vertices = plan_.vertex_count(), blocks = layout_.blocks.size();
    if (layout_.caller_from_plan.size() != vertices) {
      return Broken(std::to_string(layout_.caller_from_plan.size()) + " vertices are in order of " +
                    std::to_string(vertices));
    }
    if (layout_.has_normals == plan_.normals.empty()) return Broken("only one has normals");
    const std::size_t tangents = plan_.tangents.empty() ? 0 : blocks * 4 * kBlockLanes;
    if (layout_.tangents.size() != tangents) {
      return Broken("rows of tangents hold " + std::to_string(layout_.tangents.size()) +
                    " numbers, not " + std::to_string(tangents));
    }
    const std::size_t pivots = plan_.Needs(kNeedsMotions) ? blocks * kBlockLanes : 0;
    if (layout_.pivots.size() != pivots) {
      return Broken("there are " + std::to_string(layout_.pivots.size()) + " pivots, not " +
                    std::to_string(pivots));
    }
    if (!IsFinite(layout_.center) || !std::isfinite(layout_.max_weight_sum)) {
      return Broken("a number is not finite");
    }
    return {};
  }

  /// A permutation.
  Status Order() const {
    std::vector<bool> seen(plan_.vertex_count());
    for (const std::uint32_t vertex : layout_.caller_from_plan) {
      if (vertex >= seen.size()) {
        return Broken("vertex " + std::to_string(vertex) + " is beyond the " +
                      std::to_string(seen.size()) + " there are");
      }
      if (seen[vertex]) return Broken("vertex " + std::to_string(vertex) + " is there twice");
      seen[vertex] = true;
    }
    return {};
  }

  Status Windows() const {
    std::size_t vertex = 0, block = 0, first = 0;
    for (const CpuWindow& window : layout_.windows) {
      const std::size_t size = std::size_t{window.end_vertex} - window.first_vertex;
      if (window.first_vertex != vertex || window.end_vertex <= window.first_vertex ||
          size > kMostWindowVertices || size > layout_.window_vertices) {
        return Broken("the window of vertices [" + std::to_string(window.first_vertex) + ", " +
                      std::to_string(window.end_vertex) + ") follows vertex " +
                      std::to_string(vertex));
      }
      for (std::size_t m = 0; m < window.blocks.size(); ++m) {
        const std::size_t end = window.blocks[m];
        if (m == 0 ? end != block : end < block || end > layout_.blocks.size()) {
          return Broken("blocks of a window begin at " + std::to_string(end) + ", after block " +
                        std::to_string(block));
        }
        for (; block < end; ++block) FLEXOR_TRY(Block(block, m - 1, window, first));
      }
      vertex = window.end_vertex;
      if (first != vertex) {
        return Broken("blocks hold " + std::to_string(first) + " vertices where windows hold " +
                      std::to_string(vertex));
      }
    }
    if (vertex != plan_.vertex_count() || block != layout_.blocks.size()) {
      return Broken("windows end at vertex " + std::to_string(vertex) + " and block " +
                    std::to_string(block));
    }
    return {};
  }

  /// `first` vertices lie before the block.
  Status Block(std::size_t index, std::size_t method, const CpuWindow& window,
               std::size_t& first) const {
    const CpuBlock& block = layout_.blocks[index];
    const LayoutRule& rule = RowOf(static_cast<asset::SkinningMethod>(method)).layout;
    if (block.first != first || block.count == 0 || block.count > kBlockLanes ||
        !Within(first, block.count, window.end_vertex)) {
      return BrokenBlock(index, "holds " + std::to_string(block.count) + " vertices from " +
                                    std::to_string(block.first) + " on, after vertex " +
                                    std::to_string(first));
    }
    if ((block.exact >> block.count) != 0) return BrokenBlock(index, "has lanes beyond its last");
    if ((block.kind == BlockKind::kOne && (!rule.follows_one || block.k != 1)) ||
        (block.kind == BlockKind::kAny && (!rule.joints_each || block.k > kMostAny)) ||
        block.k == 0 || block.k > plan_.joint_count + 1) {
      return BrokenBlock(index, "is of a kind that its method has not");
    }
    if (!Within(block.data, RowsOf(block, rule), layout_.data.size() / kBlockLanes)) {
      return BrokenBlock(index, "reaches beyond the rows");
    }
    FLEXOR_TRY(Entries(index, block, rule));
    for (std::size_t lane = 0; lane < block.count; ++lane) {
      const std::uint32_t vertex = layout_.caller_from_plan[first + lane];
      if (vertex < window.first_vertex || vertex >= window.end_vertex ||
          IndexOf(plan_.methods.At(vertex)) != method) {
        return BrokenBlock(
            index, "holds vertex " + std::to_string(vertex) + " of another window or method");
      }
    }
    FLEXOR_TRY(Destinations(index, block, window));
    first += block.count;
    return {};
  }

  std::size_t RowsOf(const CpuBlock& block, const LayoutRule& rule) const {
    return layout_.geometry_rows() + (rule.weights ? WeightRows(block, layout_.raw_weights) : 0) +
           (rule.payload_rows != nullptr ? rule.payload_rows(block) : 0);
  }

  /// What a block names: joints, or pairs of them.
  Status Entries(std::size_t index, const CpuBlock& block, const LayoutRule& rule) const {
    const bool pairs = rule.names == BlockNames::kPayload;
    const std::size_t count = block.joint_entries();
    // The joint after the last stands for vertices without weight.
    const std::size_t end = pairs ? plan_.payloads.spherical.pairs.size() : plan_.joint_count + 1;
    if ((pairs && block.k != 1) || !Within(block.joints, count, layout_.joints.size())) {
      return BrokenBlock(index, "reaches beyond the lists of joints");
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (layout_.joints[block.joints + i] < end) continue;
      return BrokenBlock(index, "names " + std::string(pairs ? "pair " : "joint ") +
                                    std::to_string(layout_.joints[block.joints + i]) + " of " +
                                    std::to_string(end));
    }
    return {};
  }

  Status Destinations(std::size_t index, const CpuBlock& block, const CpuWindow& window) const {
    const std::size_t step = block.store == BlockStore::kRun     ? kBlockLanes
                             : block.store == BlockStore::kQuads ? 4
                                                                 : 1;
    if (!Within(block.dst, kBlockLanes / step, layout_.dst.size()) ||
        (step > 1 && block.count < kBlockLanes)) {
      return BrokenBlock(index, "reaches beyond the offsets of results");
    }
    for (std::size_t lane = 0; lane < kBlockLanes; ++lane) {
      const std::size_t at = block.first + std::min<std::size_t>(lane, block.count - 1u);
      const std::size_t output =
          layout_.order == OutputOrder::kPrepared ? at : layout_.caller_from_plan[at];
      const std::size_t stored =
          layout_.dst[block.dst + lane / step] + lane % step * std::size_t{3};
      if (stored == (output - window.first_vertex) * 3) continue;
      return BrokenBlock(index, "puts vertex " + std::to_string(output) + " elsewhere");
    }
    return {};
  }

  Status Joints() const {
    for (const std::uint32_t pivot : layout_.pivots) {
      if (pivot > plan_.joint_count) return Broken("pivot " + std::to_string(pivot));
    }
    for (const PivotPair& pair : layout_.pairs) {
      if (pair.pivot < plan_.joint_count && pair.joint < plan_.joint_count) continue;
      return Broken("joints " + std::to_string(pair.pivot) + " and " + std::to_string(pair.joint) +
                    " meet among " + std::to_string(plan_.joint_count));
    }
    return {};
  }

  Status Morphs() const {
    const MorphLayout& morphs = layout_.morphs;
    const std::size_t count = plan_.morphs.size(), stretches = morphs.stretches.size();
    const std::size_t windows = count == 0 ? 0 : layout_.windows.size() + 1;
    if (morphs.morphs.size() != count || morphs.of_window.size() != windows ||
        morphs.starts.size() != count * (stretches + 1) * (count == 0 ? 0 : 1) ||
        (count == 0 && stretches != 0)) {
      return Broken("it is made for " + std::to_string(morphs.morphs.size()) + " morphs, not " +
                    std::to_string(count));
    }
    if (count == 0) return {};
    FLEXOR_TRY(Stretches());
    for (std::size_t m = 0; m < count; ++m) FLEXOR_TRY(MorphOf(m));
    return {};
  }

  Status Stretches() const {
    const MorphLayout& morphs = layout_.morphs;
    std::size_t stretch = 0;
    for (std::size_t w = 0; w < layout_.windows.size(); ++w) {
      std::size_t block = layout_.windows[w].blocks.front();
      if (morphs.of_window[w] != stretch) return Broken("a window's stretches of blocks");
      for (; stretch < morphs.stretches.size() && stretch < morphs.of_window[w + 1]; ++stretch) {
        const auto& [begin, end] = morphs.stretches[stretch];
        if (begin != block || end <= begin || end - begin > kStretchBlocks) {
          return Broken("stretch " + std::to_string(stretch) + " of blocks");
        }
        block = end;
      }
      if (block != layout_.windows[w].blocks.back())
        return Broken("a window's stretches of blocks");
    }
    if (stretch != morphs.stretches.size() || morphs.of_window.back() != stretch) {
      return Broken("stretches of blocks beyond the last window");
    }
    return {};
  }

  Status MorphOf(std::size_t index) const {
    const MorphLayout& morphs = layout_.morphs;
    const MorphRows& rows = morphs.morphs[index];
    const asset::Morph& morph = plan_.morphs[index];
    const std::string name = "morph " + std::to_string(index);
    if (rows.positions == morph.positions.empty() ||
        rows.normals != (!morph.normals.empty() && layout_.has_normals) ||
        rows.tangents != (!morph.tangents.empty() && !layout_.tangents.empty())) {
      return Broken(name + " has other attributes");
    }
    if (rows.singles.size() != rows.lanes.size() * rows.numbers()) {
      return Broken(name + " has " + std::to_string(rows.singles.size()) + " numbers for " +
                    std::to_string(rows.lanes.size()) + " vertices");
    }
    const std::size_t stretches = morphs.stretches.size();
    const MorphStart* const starts = morphs.starts.data() + index * (stretches + 1);
    std::size_t blocks = 0, lane = 0;
    for (std::size_t s = 0; s < stretches; ++s) {
      const MorphStretch& stretch = morphs.stretches[s];
      const std::size_t end = starts[s + 1].lane;
      if (starts[s].first != blocks || starts[s].lane != lane || end < lane ||
          end > rows.lanes.size() || (starts[s].mask >> (stretch.end - stretch.begin)) != 0) {
        return Broken(name + " in stretch " + std::to_string(s));
      }
      blocks += static_cast<std::size_t>(std::popcount(starts[s].mask));
      for (; lane < end; ++lane) {
        const std::size_t block = rows.lanes[lane] / kBlockLanes;
        if (block >= stretch.begin && block < stretch.end) continue;
        return Broken(name + " moves a vertex outside stretch " + std::to_string(s));
      }
    }
    if (lane != rows.lanes.size() || starts[stretches].lane != lane) {
      return Broken(name + " moves vertices beyond the last stretch");
    }
    if (rows.rows % kBlockLanes != 0 ||
        !Within(rows.rows, blocks * rows.numbers() * kBlockLanes, morphs.rows.size())) {
      return Broken(name + " has rows from number " + std::to_string(rows.rows) + " on of " +
                    std::to_string(morphs.rows.size()));
    }
    return {};
  }

  const CpuLayout& layout_;
  const PlanData& plan_;
};

}  // namespace

Status CheckCpuLayout(const CpuLayout& layout, const PlanData& plan) {
  return Checker(layout, plan).Run();
}

}  // namespace flexor::deform
