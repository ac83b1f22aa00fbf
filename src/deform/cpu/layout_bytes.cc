#include "deform/cpu/layout_bytes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace flexor::deform {
namespace {

constexpr std::size_t kBlockBytes = 5 * 4 + 2 + 3;

void WriteBlock(const CpuBlock& block, ByteWriter& out) {
  for (const std::uint32_t number : {block.data, block.joints, block.dst, block.first, block.k}) {
    out.Number(number);
  }
  out.Number(block.exact);
  out.Number(block.count);
  out.Number(block.kind);
  out.Number(block.store);
}

CpuBlock ReadBlock(ByteReader& in) {
  CpuBlock block;
  for (std::uint32_t* const number :
       {&block.data, &block.joints, &block.dst, &block.first, &block.k}) {
    *number = in.Number<std::uint32_t>();
  }
  block.exact = in.Number<std::uint16_t>();
  block.count = in.Number<std::uint8_t>();
  block.kind = in.Enumerator(BlockKind::kAny);
  block.store = in.Enumerator(BlockStore::kScatter);
  return block;
}

void WriteMorphs(const MorphLayout& morphs, ByteWriter& out) {
  out.Number(std::uint64_t{morphs.morphs.size()});
  for (const MorphRows& rows : morphs.morphs) {
    for (const bool flag : {rows.positions, rows.normals, rows.tangents}) {
      out.Number(static_cast<std::uint8_t>(flag));
    }
    out.Number(std::uint64_t{rows.rows});
    out.Elements(rows.lanes);
    out.Elements(rows.singles);
  }
  out.Elements(morphs.rows);
  out.Elements(morphs.stretches);
  out.Elements(morphs.of_window);
  out.Elements(morphs.starts);
}

void ReadMorphs(ByteReader& in, MorphLayout& morphs) {
  constexpr std::size_t kLeastBytes = 3 + 8 + 8 + 8;
  morphs.morphs.resize(in.Count(kLeastBytes));
  for (MorphRows& rows : morphs.morphs) {
    for (bool* const flag : {&rows.positions, &rows.normals, &rows.tangents}) *flag = in.Flag();
    rows.rows = static_cast<std::size_t>(in.Number<std::uint64_t>());
    in.Elements(rows.lanes);
    in.Elements(rows.singles);
  }
  in.Elements(morphs.rows);
  in.Elements(morphs.stretches);
  in.Elements(morphs.of_window);
  in.Elements(morphs.starts);
}

/// What follows from the rest, and is not saved.
void FillDerived(CpuLayout& layout, const PlanData& plan) {
  layout.alone_joints.clear();
  for (const CpuBlock& block : layout.blocks) {
    if (block.kind == BlockKind::kOne) layout.alone_joints.push_back(layout.joints[block.joints]);
  }
  std::sort(layout.alone_joints.begin(), layout.alone_joints.end());
  layout.alone_joints.erase(std::unique(layout.alone_joints.begin(), layout.alone_joints.end()),
                            layout.alone_joints.end());
  layout.max_influences = 0;
  for (std::size_t v = 0; v < plan.vertex_count(); ++v) {
    layout.max_influences = std::max<std::size_t>(
        layout.max_influences, plan.influences.offsets[v + 1] - plan.influences.offsets[v]);
  }
  layout.facts.blocks = layout.blocks.size();
  layout.facts.bytes = BytesOf(layout);
}

}  // namespace

void WriteCpuLayout(const CpuLayout& layout, ByteWriter& out) {
  out.Number(layout.order);
  out.Elements(layout.caller_from_plan);
  out.Number(std::uint64_t{layout.blocks.size()});
  for (const CpuBlock& block : layout.blocks) WriteBlock(block, out);
  out.Elements(layout.windows);
  out.Number(layout.window_vertices);
  out.Number(static_cast<std::uint8_t>(layout.has_normals));
  out.Number(static_cast<std::uint8_t>(layout.raw_weights));
  out.Number(layout.max_weight_sum);
  for (std::size_t c = 0; c < 3; ++c) out.Number(layout.center[c]);
  out.Elements(layout.data);
  out.Elements(layout.tangents);
  out.Elements(layout.joints);
  out.Elements(layout.dst);
  out.Elements(layout.pivots);
  out.Elements(layout.pairs);
  WriteMorphs(layout.morphs, out);
  out.Number(layout.facts.mean_joints_per_block);
  out.Number(std::uint64_t{layout.facts.worst_joints_per_block});
}

Result<CpuLayout> ReadCpuLayout(ByteReader& in, const PlanData& plan) {
  CpuLayout layout;
  layout.order = in.Enumerator(OutputOrder::kPrepared);
  in.Elements(layout.caller_from_plan);
  layout.blocks.resize(in.Count(kBlockBytes));
  for (CpuBlock& block : layout.blocks) block = ReadBlock(in);
  in.Elements(layout.windows);
  layout.window_vertices = in.Number<std::uint32_t>();
  layout.has_normals = in.Flag();
  layout.raw_weights = in.Flag();
  layout.max_weight_sum = in.Number<double>();
  for (std::size_t c = 0; c < 3; ++c) layout.center[c] = in.Number<double>();
  in.Elements(layout.data);
  in.Elements(layout.tangents);
  in.Elements(layout.joints);
  in.Elements(layout.dst);
  in.Elements(layout.pivots);
  in.Elements(layout.pairs);
  ReadMorphs(in, layout.morphs);
  layout.facts.mean_joints_per_block = in.Number<double>();
  layout.facts.worst_joints_per_block = static_cast<std::size_t>(in.Number<std::uint64_t>());
  if (!in.ok()) {
    return Error{ErrorCode::kParse, "the saved layout ends early or holds an unknown value", {}};
  }
  FLEXOR_TRY(CheckCpuLayout(layout, plan));
  FillDerived(layout, plan);
  return layout;
}

}  // namespace flexor::deform
