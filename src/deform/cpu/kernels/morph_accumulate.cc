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

HWY_INLINE void AddBlocks(const MorphJob& job, const ActiveMorph& morph, std::size_t window) {
  const D d;
  const MorphRows& rows = *morph.rows;
  const Targets targets = TargetsOf(job, rows);
  const V weight = Broadcast(morph.weight);
  for (std::size_t i = morph.starts[window]; i < morph.starts[window + 1]; ++i) {
    float* const to = Open(job, rows.blocks[i], targets.touch);
    const float* from = rows.offsets.data() + i * rows.numbers() * kBlockLanes;
    for (std::size_t a = 0; a < targets.count; ++a) {
      float* const sums = to + targets.row[a] * kBlockLanes;
      for (std::size_t l = 0; l < 3 * kBlockLanes; l += kLanes) {
        hn::Store(hn::MulAdd(weight, hn::Load(d, from + l), hn::Load(d, sums + l)), d, sums + l);
      }
      from += 3 * kBlockLanes;
    }
  }
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
  std::memset(job.touched + begin, 0, end - begin);
  for (std::size_t i = 0; i < job.active_count; ++i) {
    const ActiveMorph& morph = job.active[i];
    if (morph.rows->lanes.empty()) {
      AddBlocks(job, morph, window);
    } else {
      AddLanes(job, morph, window);
    }
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
