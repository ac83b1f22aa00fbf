#include "deform/cpu/morph_layout.h"

#include <algorithm>
#include <span>

#include "flexor/core/huge_pages.h"

#include "deform/cpu/layout.h"

namespace flexor::deform {
namespace {

// Rows for a whole block cost 16 places each; below this many used ones, single vertices are
// cheaper to read and to add.
constexpr std::size_t kLanesWorthARow = 4;

struct Entry {
  std::uint32_t place;  ///< block * 16 + lane
  std::uint32_t index;  ///< into the morph's arrays
};

bool IsZero(const std::vector<Vec3f>& offsets, std::size_t index) {
  return offsets.empty() || offsets[index] == Vec3f{};
}

/// What a morph really moves, by place; a dense morph may be zero almost everywhere.
std::vector<Entry> EntriesOf(const asset::Morph& morph,
                             const std::vector<std::uint32_t>& place_of_vertex,
                             const CpuLayout& layout) {
  const std::size_t count = morph.vertices.empty() ? place_of_vertex.size() : morph.vertices.size();
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < count; ++i) {
    if (IsZero(morph.positions, i) && IsZero(morph.normals, i) && IsZero(morph.tangents, i)) {
      continue;
    }
    const std::uint32_t vertex =
        morph.vertices.empty() ? static_cast<std::uint32_t>(i) : morph.vertices[i];
    const std::uint32_t place = place_of_vertex[vertex];
    entries.push_back({place, static_cast<std::uint32_t>(i)});
    // The padding repeats the last vertex of its block, and must stay its equal.
    const CpuBlock& block = layout.blocks[place / kBlockLanes];
    if (place % kBlockLanes + 1 != block.count) continue;
    for (std::uint32_t pad = block.count; pad < kBlockLanes; ++pad) {
      entries.push_back({place - place % static_cast<std::uint32_t>(kBlockLanes) + pad,
                         static_cast<std::uint32_t>(i)});
    }
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.place < b.place; });
  return entries;
}

std::vector<std::uint32_t> PlacesOf(const CpuLayout& layout) {
  std::vector<std::uint32_t> place_of_vertex(layout.caller_from_plan.size());
  for (std::size_t b = 0; b < layout.blocks.size(); ++b) {
    const CpuBlock& block = layout.blocks[b];
    for (std::size_t lane = 0; lane < block.count; ++lane) {
      place_of_vertex[layout.caller_from_plan[block.first + lane]] =
          static_cast<std::uint32_t>(b * kBlockLanes + lane);
    }
  }
  return place_of_vertex;
}

/// The attributes of a morph that the layout knows what to do with.
std::vector<const std::vector<Vec3f>*> AttributesOf(const asset::Morph& morph,
                                                    const MorphRows& rows) {
  std::vector<const std::vector<Vec3f>*> out;
  if (rows.positions) out.push_back(&morph.positions);
  if (rows.normals) out.push_back(&morph.normals);
  if (rows.tangents) out.push_back(&morph.tangents);
  return out;
}

void AddRows(const std::vector<const std::vector<Vec3f>*>& attributes,
             std::span<const Entry> entries, AlignedBuffer<float>& out) {
  for (const std::vector<Vec3f>* const attribute : attributes) {
    const std::size_t begin = out.size();
    out.resize(begin + 3 * kBlockLanes, 0.0f);
    for (const Entry& entry : entries) {
      const Vec3f offset = (*attribute)[entry.index];
      for (std::size_t c = 0; c < 3; ++c) {
        out[begin + c * kBlockLanes + entry.place % kBlockLanes] = offset[c];
      }
    }
  }
}

void AddSingles(const std::vector<const std::vector<Vec3f>*>& attributes,
                std::span<const Entry> entries, MorphRows& out) {
  for (const Entry& entry : entries) {
    out.lanes.push_back(entry.place);
    for (const std::vector<Vec3f>* const attribute : attributes) {
      const Vec3f offset = (*attribute)[entry.index];
      for (std::size_t c = 0; c < 3; ++c) out.singles.push_back(offset[c]);
    }
  }
}

MorphRows HeadOf(const asset::Morph& morph, const CpuLayout& layout) {
  MorphRows out;
  out.positions = !morph.positions.empty();
  out.normals = !morph.normals.empty() && layout.has_normals;
  out.tangents = !morph.tangents.empty() && !layout.tangents.empty();
  return out;
}

/// Calls body(block, entries, whether they are worth rows) for each block that has any.
template <class Body>
void ForEachBlock(std::span<const Entry> entries, const Body& body) {
  for (std::size_t i = 0; i < entries.size();) {
    std::size_t end = i + 1;
    const std::size_t block = entries[i].place / kBlockLanes;
    while (end < entries.size() && entries[end].place / kBlockLanes == block) ++end;
    body(block, entries.subspan(i, end - i), end - i >= kLanesWorthARow);
    i = end;
  }
}

/// Cuts windows into stretches of about equal length.
void FindStretches(const CpuLayout& layout, MorphLayout& out) {
  for (const CpuWindow& window : layout.windows) {
    out.of_window.push_back(static_cast<std::uint32_t>(out.stretches.size()));
    const std::uint32_t begin = window.blocks.front(), blocks = window.blocks.back() - begin;
    const auto most = static_cast<std::uint32_t>(kStretchBlocks);
    const std::uint32_t count = (blocks + most - 1) / most;
    for (std::uint32_t i = 0; i < count; ++i) {
      out.stretches.push_back({begin + blocks * i / count, begin + blocks * (i + 1) / count});
    }
  }
  out.of_window.push_back(static_cast<std::uint32_t>(out.stretches.size()));
}

/// Adds one morph and where its entries start in each stretch.
void AddMorph(const asset::Morph& morph, std::span<const Entry> entries, const CpuLayout& layout,
              MorphLayout& out) {
  MorphRows head = HeadOf(morph, layout);
  head.rows = out.rows.size();
  const auto attributes = AttributesOf(morph, head);
  const std::size_t starts = out.starts.size();
  out.starts.resize(starts + out.stretches.size() + 1);
  std::size_t stretch = 0;
  std::uint32_t blocks = 0;
  const auto begin_stretch = [&] {
    out.starts[starts + stretch] = {blocks, 0, static_cast<std::uint32_t>(head.lanes.size())};
  };
  begin_stretch();
  ForEachBlock(entries, [&](std::size_t block, std::span<const Entry> here, bool worth_rows) {
    while (block >= out.stretches[stretch].end) {
      ++stretch;
      begin_stretch();
    }
    if (worth_rows) {
      AddRows(attributes, here, out.rows);
      out.starts[starts + stretch].mask |= 1u << (block - out.stretches[stretch].begin);
      ++blocks;
    } else {
      AddSingles(attributes, here, head);
    }
  });
  while (stretch < out.stretches.size()) {
    ++stretch;
    begin_stretch();
  }
  head.lanes.shrink_to_fit();
  head.singles.shrink_to_fit();
  out.morphs.push_back(std::move(head));
}

}  // namespace

MorphLayout BuildMorphLayout(const std::vector<asset::Morph>& morphs, const CpuLayout& layout) {
  MorphLayout out;
  if (morphs.empty()) return out;
  FindStretches(layout, out);
  const std::vector<std::uint32_t> place_of_vertex = PlacesOf(layout);
  std::vector<std::vector<Entry>> entries;
  std::size_t numbers = 0;
  for (const asset::Morph& morph : morphs) {
    entries.push_back(EntriesOf(morph, place_of_vertex, layout));
    const std::size_t block = HeadOf(morph, layout).numbers() * kBlockLanes;
    ForEachBlock(entries.back(), [&](std::size_t, std::span<const Entry>, bool worth_rows) {
      if (worth_rows) numbers += block;
    });
  }
  ReserveOnHugePages(out.rows, numbers);
  for (std::size_t m = 0; m < morphs.size(); ++m) {
    AddMorph(morphs[m], entries[m], layout, out);
    entries[m] = {};
  }
  return out;
}

std::size_t BytesOf(const MorphLayout& morphs) {
  std::size_t bytes = morphs.starts.capacity() * sizeof(MorphStart) +
                      morphs.stretches.capacity() * sizeof(MorphStretch) +
                      morphs.of_window.capacity() * sizeof(std::uint32_t) +
                      morphs.rows.capacity() * sizeof(float);
  for (const MorphRows& rows : morphs.morphs) {
    bytes += sizeof(MorphRows) + rows.singles.capacity() * sizeof(float) +
             rows.lanes.capacity() * sizeof(std::uint32_t);
  }
  return bytes;
}

}  // namespace flexor::deform
