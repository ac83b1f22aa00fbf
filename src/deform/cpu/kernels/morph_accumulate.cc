// Morph targets, include/flexor/deform/morph_accumulate.h: sums offsets over the rest shape of a
// few blocks at a time, which are skinned while they are in the first cache; blocks that no active
// morph touches are left as planned.
#include <cstddef>
#include <cstdint>

#include "deform/cpu/kernels/disabled_targets.h"
#include "deform/cpu/kernels/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "deform/cpu/kernels/morph_accumulate.cc"
#include <hwy/foreach_target.h>

#include "deform/cpu/kernels/block-inl.h"

HWY_BEFORE_NAMESPACE();
namespace flexor::deform::HWY_NAMESPACE {

// Morphs summed in one pass: more streams than the machine's prefetchers follow well lose what
// fewer passes win.
inline constexpr std::size_t kAtOnce = 8;
// How far ahead of the block at hand a morph's rows are asked for, in large meshes; in small ones
// the machine does as well by itself.
inline constexpr std::size_t kBlocksAhead = 6;

/// One morph's part of a stretch, for what the frame wants of it.
struct Part {
  const float* rows;   ///< of the next block that has any
  std::uint32_t mask;  ///< blocks that have
  float weight;
  std::size_t stride;  ///< floats of a block
  bool positions, normals, tangents;
  std::size_t normal_rows, tangent_rows;  ///< where they begin in a block's rows, in floats
};

HWY_INLINE void AddTo(const float* from, V weight, V3& sum) {
  sum.x = hn::MulAdd(weight, Row(from, 0), sum.x);
  sum.y = hn::MulAdd(weight, Row(from, 1), sum.y);
  sum.z = hn::MulAdd(weight, Row(from, 2), sum.z);
}

HWY_INLINE void StoreRows(const V3& v, float* to) {
  hn::Store(v.x, D(), to);
  hn::Store(v.y, D(), to + kBlockLanes);
  hn::Store(v.z, D(), to + 2 * kBlockLanes);
}

HWY_INLINE void CopyRows(const float* from, float* to, std::size_t rows) {
  for (std::size_t i = 0; i < rows * kBlockLanes; i += kLanes) {
    hn::Store(hn::Load(D(), from + i), D(), to + i);
  }
}

/// A lane of a single vertex, rounded as rows are.
HWY_INLINE void AddSingle(const float* from, float weight, float* to) {
  const hn::CappedTag<float, 1> d;
  for (std::size_t c = 0; c < 3; ++c) {
    float* const sum = to + c * kBlockLanes;
    hn::StoreU(hn::MulAdd(hn::Set(d, weight), hn::LoadU(d, from + c), hn::LoadU(d, sum)), d, sum);
  }
}

// Squared lengths between which unit length needs no care.
inline constexpr float kLeastSquare = 1e-20f, kMostSquare = 1e20f;

/// Unit length, or the rest vector where a sum has none.
HWY_INLINE V3 Normalized(const V3& sum, const float* rest) {
  const D d;
  const V square = LengthSquared(sum);
  const M plain =
      hn::And(hn::Gt(square, Broadcast(kLeastSquare)), hn::Lt(square, Broadcast(kMostSquare)));
  const V3 unit = Unit(sum, square);
  if (HWY_LIKELY(hn::AllTrue(d, plain))) return unit;
  // By the largest number first, so that squares stay within a float's range.
  const V largest = hn::Max(hn::Abs(sum.x), hn::Max(hn::Abs(sum.y), hn::Abs(sum.z)));
  const M has_length = hn::Gt(largest, Broadcast(1e-37f));
  const V3 near_one = Scaled(sum, hn::Div(Broadcast(1.0f), largest));
  const V3 careful = Unit(near_one, LengthSquared(near_one));
  const V3 before = Rows(rest);
  const auto choose = [&](V fast, V slow, V none) HWY_ATTR {
    return hn::IfThenElse(plain, fast, hn::IfThenElse(has_length, slow, none));
  };
  return {choose(unit.x, careful.x, before.x), choose(unit.y, careful.y, before.y),
          choose(unit.z, careful.z, before.z)};
}

/// The blocks of a stretch while they are morphed. Every vertex adds its morphs up in the order of
/// the mesh, however its block keeps them, so that equal vertices stay equal to the bit.
class Stretch {
 public:
  HWY_INLINE Stretch(const MorphJob& job, std::size_t index, float* morphed)
      : job_(job),
        layout_(*job.layout),
        index_(index),
        begin_(layout_.morphs.stretches[index].begin),
        geometry_(layout_.geometry_rows() * kBlockLanes),
        morphed_(morphed) {}

  HWY_INLINE std::uint32_t Run() {
    Part parts[kAtOnce];
    std::size_t waiting = 0;
    for (std::size_t i = 0; i < job_.active_count; ++i) {
      const ActiveMorph& morph = job_.active[i];
      const MorphStart& from = morph.starts[index_];
      const std::uint32_t end_lane = morph.starts[index_ + 1].lane;
      if (from.mask == 0 && from.lane == end_lane) continue;
      const Part part = PartOf(morph, from);
      if (!part.positions && !part.normals && !part.tangents) continue;
      if (from.mask != 0) {
        if (waiting == kAtOnce) SumRows<false>(parts, waiting);
        parts[waiting++] = part;
      }
      if (from.lane == end_lane) continue;
      SumRows<false>(parts, waiting);
      AddLanes(part, *morph.rows, from.lane, end_lane);
    }
    SumRows<true>(parts, waiting);
    RestoreLength();
    return touched_;
  }

 private:
  HWY_INLINE Part PartOf(const ActiveMorph& morph, const MorphStart& from) const {
    const MorphRows& rows = *morph.rows;
    const std::size_t stride = rows.numbers() * kBlockLanes;
    const std::size_t normals = rows.positions ? 3 : 0;
    const std::size_t tangents = normals + (rows.normals ? 3 : 0);
    return {layout_.morphs.rows.data() + rows.rows + from.first * stride,
            from.mask,
            morph.weight,
            stride,
            rows.positions,
            rows.normals && job_.normals,
            rows.tangents && job_.tangents,
            normals * kBlockLanes,
            tangents * kBlockLanes};
  }

  HWY_INLINE const float* RestOf(std::size_t b) const {
    return layout_.data.data() + std::size_t{layout_.blocks[begin_ + b].data} * kBlockLanes;
  }
  HWY_INLINE const float* RestTangentsOf(std::size_t b) const {
    return layout_.tangents.data() + (begin_ + b) * 4 * kBlockLanes;
  }
  HWY_INLINE float* MorphedOf(std::size_t b) const {
    return morphed_ + b * job_.morphed_rows * kBlockLanes;
  }

  HWY_INLINE void Touch(const Part& part, std::uint32_t blocks) {
    touched_ |= blocks;
    if (part.normals) normals_ |= blocks;
    if (part.tangents) tangents_ |= blocks;
  }

  /// Adds the rows of some morphs: sums stay in registers, offsets are read in a row. The last call
  /// for a stretch gives its blocks unit lengths while it has them. Forgets the parts.
  template <bool kLast>
  HWY_INLINE void SumRows(Part* parts, std::size_t& count) {
    const std::uint32_t opened = touched_;
    std::uint32_t here = 0;
    for (std::size_t i = 0; i < count; ++i) {
      here |= parts[i].mask;
      Touch(parts[i], parts[i].mask);
    }
    for (std::uint32_t left = here; left != 0; left &= left - 1) {
      const auto b = static_cast<std::size_t>(__builtin_ctz(left));
      SumBlock<kLast>(parts, count, b, (opened >> b & 1u) != 0);
    }
    if (kLast) {
      normals_ &= ~here;
      tangents_ &= ~here;
    }
    count = 0;
  }

  template <bool kLast>
  HWY_INLINE void SumBlock(Part* parts, std::size_t count, std::size_t b, bool opened) const {
    const std::uint32_t bit = 1u << b;
    float* const to = MorphedOf(b);
    const float* const rest = RestOf(b);
    const float* const base = opened ? to : rest;
    const float* const rest_tangents = job_.tangents ? RestTangentsOf(b) : nullptr;
    const float* const base_tangents = opened ? to + geometry_ : rest_tangents;
    for (std::size_t lane = 0; lane < kBlockLanes; lane += kLanes) {
      V3 position = Rows(base + lane);
      V3 normal = position, tangent = position;
      if (job_.normals) normal = Rows(base + 3 * kBlockLanes + lane);
      if (job_.tangents) tangent = Rows(base_tangents + lane);
      for (std::size_t i = 0; i < count; ++i) {
        Part& part = parts[i];
        if ((part.mask & bit) == 0) continue;
        const V weight = Broadcast(part.weight);
        const float* const from = part.rows + lane;
        if (part.positions) AddTo(from, weight, position);
        if (part.normals) AddTo(from + part.normal_rows, weight, normal);
        if (part.tangents) AddTo(from + part.tangent_rows, weight, tangent);
        if (lane + kLanes != kBlockLanes) continue;
        if (job_.prefetch) {
          const float* const ahead = part.rows + kBlocksAhead * part.stride;
          for (std::size_t n = 0; n < part.stride; n += kBlockLanes) {
            __builtin_prefetch(ahead + n, 0, 3);
          }
        }
        part.rows += part.stride;
      }
      StoreRows(position, to + lane);
      if (job_.normals) {
        if (kLast && (normals_ & bit) != 0) {
          normal = Normalized(normal, rest + 3 * kBlockLanes + lane);
        }
        StoreRows(normal, to + 3 * kBlockLanes + lane);
      }
      if (job_.tangents) {
        const V handedness = Row(base_tangents + lane, 3);
        if (kLast && (tangents_ & bit) != 0) tangent = Normalized(tangent, rest_tangents + lane);
        StoreRows(tangent, to + geometry_ + lane);
        hn::Store(handedness, D(), to + geometry_ + 3 * kBlockLanes + lane);
      }
    }
  }

  HWY_INLINE void AddLanes(const Part& part, const MorphRows& rows, std::size_t begin,
                           std::size_t end) {
    const std::size_t numbers = rows.numbers();
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t lane = rows.lanes[i] % kBlockLanes;
      const std::size_t b = rows.lanes[i] / kBlockLanes - begin_;
      const std::uint32_t bit = 1u << b;
      float* const to = MorphedOf(b);
      if ((touched_ & bit) == 0) {
        CopyRows(RestOf(b), to, layout_.geometry_rows());
        if (job_.tangents) CopyRows(RestTangentsOf(b), to + geometry_, 4);
      }
      Touch(part, bit);
      const float* const from = rows.singles.data() + i * numbers;
      if (part.positions) AddSingle(from, part.weight, to + lane);
      if (part.normals) {
        AddSingle(from + part.normal_rows / kBlockLanes, part.weight, to + 3 * kBlockLanes + lane);
      }
      if (part.tangents) {
        AddSingle(from + part.tangent_rows / kBlockLanes, part.weight, to + geometry_ + lane);
      }
    }
  }

  /// For the blocks that have not had it.
  HWY_INLINE void RestoreLength() const {
    for (std::uint32_t left = normals_ | tangents_; left != 0; left &= left - 1) {
      const auto b = static_cast<std::size_t>(__builtin_ctz(left));
      float* const rows = MorphedOf(b);
      for (std::size_t lane = 0; lane < kBlockLanes; lane += kLanes) {
        if ((normals_ >> b & 1u) != 0) {
          float* const at = rows + 3 * kBlockLanes + lane;
          StoreRows(Normalized(Rows(at), RestOf(b) + 3 * kBlockLanes + lane), at);
        }
        if ((tangents_ >> b & 1u) != 0) {
          float* const at = rows + geometry_ + lane;
          StoreRows(Normalized(Rows(at), RestTangentsOf(b) + lane), at);
        }
      }
    }
  }

  const MorphJob& job_;
  const CpuLayout& layout_;
  std::size_t index_, begin_;
  std::size_t geometry_;
  float* morphed_;
  std::uint32_t touched_ = 0;
  std::uint32_t normals_ = 0, tangents_ = 0;  ///< blocks whose vectors want unit length
};

std::uint32_t MorphAccumulateStretch(const MorphJob& job, std::size_t stretch, float* morphed) {
  return Stretch(job, stretch, morphed).Run();
}

}  // namespace flexor::deform::HWY_NAMESPACE

namespace flexor::deform {
template <>
inline constexpr MorphAt::Function kAtTarget<MorphAt, HWY_TARGET> =
    &HWY_NAMESPACE::MorphAccumulateStretch;
}  // namespace flexor::deform
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flexor::deform {

MorphKernel MorphAccumulateKernel(std::int64_t target) { return FindAt<MorphAt>(target); }

}  // namespace flexor::deform
#endif
