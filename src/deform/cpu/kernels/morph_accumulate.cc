// Morph targets, include/flexor/deform/morph_accumulate.h: sums offsets over the rest shape, for
// the blocks that active morphs touch and for no others.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "deform/cpu/kernels/disabled_targets.h"
#include "deform/cpu/kernels/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "deform/cpu/kernels/morph_accumulate.cc"
#include <hwy/foreach_target.h>

#include "deform/cpu/kernels/block-inl.h"

HWY_BEFORE_NAMESPACE();
namespace flexor::deform::HWY_NAMESPACE {

inline constexpr std::size_t kBlocksAhead = 6;

enum Touch : std::uint8_t { kTouched = 1, kNormalsMoved = 2, kTangentsMoved = 4 };

/// The morphed rows of a block, holding the rest shape when this is the first touch.
HWY_INLINE float* Open(const MorphJob& job, std::size_t block, std::uint8_t touch) {
  float* const rows = job.morphed + block * job.morphed_rows * kBlockLanes;
  const CpuLayout& layout = *job.layout;
  if (job.touched[block] == 0) {
    const float* const data =
        layout.data.data() + std::size_t{layout.blocks[block].data} * kBlockLanes;
    const std::size_t geometry = layout.geometry_rows() * kBlockLanes;
    std::memcpy(rows, data, geometry * sizeof(float));
    if (!layout.tangents.empty()) {
      std::memcpy(rows + geometry, layout.tangents.data() + block * 4 * kBlockLanes,
                  4 * kBlockLanes * sizeof(float));
    }
  }
  job.touched[block] = static_cast<std::uint8_t>(job.touched[block] | touch);
  return rows;
}

/// Which rows of a block an attribute of a morph adds to.
struct Targets {
  std::size_t row[3];
  std::size_t count = 0;
  std::uint8_t touch = kTouched;
};
HWY_INLINE Targets TargetsOf(const MorphJob& job, const MorphRows& rows) {
  Targets out{};
  out.touch = kTouched;
  if (rows.positions) out.row[out.count++] = 0;
  if (rows.normals) {
    out.row[out.count++] = 3;
    out.touch |= kNormalsMoved;
  }
  if (rows.tangents) {
    out.row[out.count++] = job.layout->geometry_rows();
    out.touch |= kTangentsMoved;
  }
  return out;
}

/// One morph's rows for the block at hand.
struct Hit {
  const float* from;
  float weight;
  bool positions, normals, tangents;
};
// Morphs summed at once; more take turns.
inline constexpr std::size_t kMostHits = 64;

HWY_INLINE void AddRows(const float*& from, V weight, V3& sum) {
  sum.x = hn::MulAdd(weight, hn::Load(D(), from), sum.x);
  sum.y = hn::MulAdd(weight, hn::Load(D(), from + kBlockLanes), sum.y);
  sum.z = hn::MulAdd(weight, hn::Load(D(), from + 2 * kBlockLanes), sum.z);
  from += 3 * kBlockLanes;
}

HWY_INLINE void StoreRows(const V3& v, float* to) {
  hn::Store(v.x, D(), to);
  hn::Store(v.y, D(), to + kBlockLanes);
  hn::Store(v.z, D(), to + 2 * kBlockLanes);
}

/// The morphs from `next` on that have rows for a block, as many as fit; moves their cursors on.
HWY_INLINE std::size_t Collect(const MorphJob& job, std::size_t window, std::size_t block,
                               std::size_t& next, Hit* hits, std::uint8_t& touch) {
  std::size_t count = 0;
  for (; next < job.active_count && count < kMostHits; ++next) {
    const ActiveMorph& morph = job.active[next];
    const MorphRows& rows = *morph.rows;
    const std::uint32_t at = morph.cursors[window];
    if (at >= morph.starts[window + 1] || !rows.lanes.empty() || rows.blocks[at] != block) continue;
    ++morph.cursors[window];
    const std::size_t numbers = rows.numbers() * kBlockLanes;
    const float* const from = rows.offsets.data() + at * numbers;
    // Several streams of short pieces: more than the machine's own prefetchers follow.
    const float* const ahead = from + kBlocksAhead * numbers;
    for (std::size_t n = 0; n < numbers; n += kBlockLanes) __builtin_prefetch(ahead + n, 0, 3);
    hits[count++] = {from, morph.weight, rows.positions, rows.normals, rows.tangents};
    touch = static_cast<std::uint8_t>(touch | kTouched | (rows.normals ? kNormalsMoved : 0) |
                                      (rows.tangents ? kTangentsMoved : 0));
  }
  return count;
}

/// Rest shape plus every morph that has rows for the block: the sums stay in registers, offsets are
/// read once.
HWY_INLINE void SumBlock(const MorphJob& job, std::size_t window, std::size_t block) {
  const CpuLayout& layout = *job.layout;
  const std::size_t geometry = layout.geometry_rows() * kBlockLanes;
  float* const rows = job.morphed + block * job.morphed_rows * kBlockLanes;
  const float* base = layout.data.data() + std::size_t{layout.blocks[block].data} * kBlockLanes;
  const float* base_tangents = layout.tangents.data() + block * 4 * kBlockLanes;
  const bool normals = layout.has_normals, tangents = !layout.tangents.empty();
  Hit hits[kMostHits];
  std::uint8_t touch = 0;
  for (std::size_t next = 0; next < job.active_count;) {
    const std::size_t count = Collect(job, window, block, next, hits, touch);
    if (count == 0) continue;
    for (std::size_t lane = 0; lane < kBlockLanes; lane += kLanes) {
      V3 position = Rows(base + lane);
      V3 normal = normals ? Rows(base + 3 * kBlockLanes + lane) : position;
      V3 tangent = tangents ? Rows(base_tangents + lane) : position;
      for (std::size_t i = 0; i < count; ++i) {
        const V weight = Broadcast(hits[i].weight);
        const float* from = hits[i].from + lane;
        if (hits[i].positions) AddRows(from, weight, position);
        if (hits[i].normals) AddRows(from, weight, normal);
        if (hits[i].tangents) AddRows(from, weight, tangent);
      }
      StoreRows(position, rows + lane);
      if (normals) StoreRows(normal, rows + 3 * kBlockLanes + lane);
      if (tangents) {
        StoreRows(tangent, rows + geometry + lane);
        hn::Store(Row(base_tangents + lane, 3), D(), rows + geometry + 3 * kBlockLanes + lane);
      }
    }
    base = rows;
    base_tangents = rows + geometry;
  }
  job.touched[block] = touch;
}

HWY_INLINE void AddLanes(const MorphJob& job, const ActiveMorph& morph, std::size_t window) {
  const MorphRows& rows = *morph.rows;
  const Targets targets = TargetsOf(job, rows);
  for (std::size_t i = morph.starts[window]; i < morph.starts[window + 1]; ++i) {
    const std::size_t lane = rows.lanes[i] % kBlockLanes;
    float* const to = Open(job, rows.lanes[i] / kBlockLanes, targets.touch) + lane;
    const float* from = rows.offsets.data() + i * rows.numbers();
    for (std::size_t a = 0; a < targets.count; ++a) {
      for (std::size_t c = 0; c < 3; ++c) {
        to[(targets.row[a] + c) * kBlockLanes] += morph.weight * from[a * 3 + c];
      }
    }
  }
}

/// Unit length, or the rest vector where the sum has none.
HWY_INLINE void Normalize(const float* rest, float* rows) {
  const D d;
  for (std::size_t lane = 0; lane < kBlockLanes; lane += kLanes) {
    const V3 sum = Rows(rows + lane), before = Rows(rest + lane);
    // By the largest number first, so that squares stay within a float's range.
    const V largest = hn::Max(hn::Abs(sum.x), hn::Max(hn::Abs(sum.y), hn::Abs(sum.z)));
    const M has_length = hn::Gt(largest, Broadcast(1e-37f));
    const V3 near_one = Scaled(sum, hn::Div(Broadcast(1.0f), largest));
    const V3 unit = Unit(near_one, LengthSquared(near_one));
    hn::Store(hn::IfThenElse(has_length, unit.x, before.x), d, rows + lane);
    hn::Store(hn::IfThenElse(has_length, unit.y, before.y), d, rows + kBlockLanes + lane);
    hn::Store(hn::IfThenElse(has_length, unit.z, before.z), d, rows + 2 * kBlockLanes + lane);
  }
}

void MorphAccumulateWindow(const MorphJob& job, std::size_t window) {
  const CpuLayout& layout = *job.layout;
  const CpuWindow& range = layout.windows[window];
  const std::size_t begin = range.blocks.front(), end = range.blocks.back();
  for (std::size_t i = 0; i < job.active_count; ++i) {
    job.active[i].cursors[window] = job.active[i].starts[window];
  }
  for (std::size_t b = begin; b < end; ++b) SumBlock(job, window, b);
  for (std::size_t i = 0; i < job.active_count; ++i) {
    if (!job.active[i].rows->lanes.empty()) AddLanes(job, job.active[i], window);
  }
  for (std::size_t b = begin; b < end; ++b) {
    if ((job.touched[b] & (kNormalsMoved | kTangentsMoved)) == 0) continue;
    float* const rows = job.morphed + b * job.morphed_rows * kBlockLanes;
    if (job.touched[b] & kNormalsMoved) {
      const std::size_t data = std::size_t{layout.blocks[b].data} * kBlockLanes;
      Normalize(layout.data.data() + data + 3 * kBlockLanes, rows + 3 * kBlockLanes);
    }
    if (job.touched[b] & kTangentsMoved) {
      Normalize(layout.tangents.data() + b * 4 * kBlockLanes,
                rows + layout.geometry_rows() * kBlockLanes);
    }
  }
}

}  // namespace flexor::deform::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "deform/cpu/kernels/choose-inl.h"

namespace flexor::deform {

MorphKernel MorphAccumulateKernel(std::int64_t target) {
#define FLEXOR_CASE(bit, space) \
  if (target == (bit)) return &space::MorphAccumulateWindow;
  FLEXOR_EACH_TARGET(FLEXOR_CASE)
#undef FLEXOR_CASE
  return nullptr;
}

}  // namespace flexor::deform
#endif
