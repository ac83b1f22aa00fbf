#include "deform/cpu/morph_layout.h"

#include <algorithm>

#include "deform/cpu/layout.h"

namespace flexor::deform {
namespace {

// Rows for whole blocks cost 16 places each; below this many used ones in a touched block, single
// vertices are cheaper to read and to add.
constexpr std::size_t kLanesWorthARow = 3;

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

MorphRows RowsOf(const asset::Morph& morph, const std::vector<Entry>& entries,
                 const CpuLayout& layout) {
  MorphRows rows;
  rows.positions = !morph.positions.empty();
  rows.normals = !morph.normals.empty() && layout.has_normals;
  rows.tangents = !morph.tangents.empty() && !layout.tangents.empty();
  std::size_t blocks = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i == 0 || entries[i].place / kBlockLanes != entries[i - 1].place / kBlockLanes) ++blocks;
  }
  const bool whole_blocks = entries.size() >= kLanesWorthARow * blocks;
  const std::size_t numbers = rows.numbers();
  rows.offsets.assign(whole_blocks ? blocks * numbers * kBlockLanes : entries.size() * numbers, 0);
  const auto attributes = AttributesOf(morph, rows);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::uint32_t block = entries[i].place / static_cast<std::uint32_t>(kBlockLanes);
    const std::size_t lane = entries[i].place % kBlockLanes;
    if (!whole_blocks) {
      rows.lanes.push_back(entries[i].place);
    } else if (rows.blocks.empty() || rows.blocks.back() != block) {
      rows.blocks.push_back(block);
    }
    for (std::size_t a = 0; a < attributes.size(); ++a) {
      const Vec3f offset = (*attributes[a])[entries[i].index];
      for (std::size_t c = 0; c < 3; ++c) {
        const std::size_t number = a * 3 + c;
        const std::size_t at =
            whole_blocks ? ((rows.blocks.size() - 1) * numbers + number) * kBlockLanes + lane
                         : i * numbers + number;
        rows.offsets[at] = offset[c];
      }
    }
  }
  return rows;
}

}  // namespace

MorphLayout BuildMorphLayout(const std::vector<asset::Morph>& morphs, const CpuLayout& layout) {
  MorphLayout out;
  if (morphs.empty()) return out;
  const std::vector<std::uint32_t> place_of_vertex = PlacesOf(layout);
  for (const asset::Morph& morph : morphs) {
    out.morphs.push_back(RowsOf(morph, EntriesOf(morph, place_of_vertex, layout), layout));
    const MorphRows& rows = out.morphs.back();
    const bool by_lane = rows.blocks.empty();
    const std::vector<std::uint32_t>& entries = by_lane ? rows.lanes : rows.blocks;
    const std::uint32_t scale = by_lane ? static_cast<std::uint32_t>(kBlockLanes) : 1;
    for (const CpuWindow& window : layout.windows) {
      const auto at =
          std::lower_bound(entries.begin(), entries.end(), window.blocks.front() * scale);
      out.starts.push_back(static_cast<std::uint32_t>(at - entries.begin()));
    }
    out.starts.push_back(static_cast<std::uint32_t>(entries.size()));
  }
  return out;
}

std::size_t BytesOf(const MorphLayout& morphs) {
  std::size_t bytes = morphs.starts.capacity() * sizeof(std::uint32_t);
  for (const MorphRows& rows : morphs.morphs) {
    bytes += sizeof(MorphRows) + rows.offsets.capacity() * sizeof(float) +
             (rows.blocks.capacity() + rows.lanes.capacity()) * sizeof(std::uint32_t);
  }
  return bytes;
}

}  // namespace flexor::deform
