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

// Dense morphs summed in one pass: more streams than the machine's prefetchers follow well lose
// what fewer passes win.
inline constexpr std::size_t kAtOnce = 8;
// How far ahead of the block at hand a morph's rows are asked for.
inline constexpr std::size_t kBlocksAhead = 8;

enum Touch : std::uint8_t { kTouched = 1, kNormalsMoved = 2, kTangentsMoved = 4 };

/// One morph's share of a stretch, for what the frame wants of it.
struct Part {
  const float* rows;   ///< of its first block here
  std::size_t stride;  ///< floats of a block
  float weight;
  bool positions, normals, tangents;
  std::size_t normal_rows, tangent_rows;  ///< where they begin in a block's rows, in floats

  std::uint8_t touch() const {
    return static_cast<std::uint8_t>(kTouched | (normals ? kNormalsMoved : 0) |
                                     (tangents ? kTangentsMoved : 0));
  }
};

/// The blocks of a stretch while they are morphed. Every vertex adds its morphs up in the order of
/// the mesh, however its block keeps them, so that equal vertices stay equal to the bit.
class Stretch {
 public:
  HWY_INLINE Stretch(const MorphJob& job, std::size_t index, float* morphed, std::uint8_t* touched)
      : job_(job),
        layout_(*job.layout),
        index_(index),
        begin_(layout_.morphs.stretches[index].begin),
        count_(layout_.morphs.stretches[index].end - begin_),
        geometry_(layout_.geometry_rows() * kBlockLanes),
        morphed_(morphed),
        touched_(touched) {
    for (std::size_t b = 0; b < count_; ++b) touched_[b] = 0;
  }

  HWY_INLINE bool Run() {
    Part parts[kAtOnce];
    std::size_t waiting = 0;
    for (std::size_t i = 0; i < job_.active_count; ++i) {
      const ActiveMorph& morph = job_.active[i];
      const MorphStart from = morph.starts[index_], to = morph.starts[index_ + 1];
      if (from.block == to.block && from.lane == to.lane) continue;
      const Part part = PartOf(morph, from);
      if (!part.positions && !part.normals && !part.tangents) continue;
      if (to.block - from.block == count_) {
        parts[waiting++] = part;
        if (waiting == kAtOnce) AddWhole(parts, waiting);
        continue;
      }
      AddWhole(parts, waiting);
      AddSome(part, morph.rows->blocks.data() + from.block, to.block - from.block);
      AddLanes(part, *morph.rows, from.lane, to.lane);
    }
    AddWhole(parts, waiting);
    if (touch_ != 0) RestoreLength();
    return touch_ != 0;
  }

 private:
  Part PartOf(const ActiveMorph& morph, const MorphStart& from) const {
    const MorphRows& rows = *morph.rows;
    const std::size_t stride = rows.numbers() * kBlockLanes;
    const std::size_t normals = rows.positions ? 3 : 0;
    const std::size_t tangents = normals + (rows.normals ? 3 : 0);
    return {rows.rows.data() + from.block * stride,
            stride,
            morph.weight,
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

  /// The rest shape of a block into its morphed rows.
  HWY_INLINE void Open(std::size_t b) {
    float* const to = MorphedOf(b);
    CopyRows(RestOf(b), to, layout_.geometry_rows());
    if (job_.tangents) CopyRows(RestTangentsOf(b), to + geometry_, 4);
  }

  static HWY_INLINE void CopyRows(const float* from, float* to, std::size_t rows) {
    for (std::size_t i = 0; i < rows * kBlockLanes; i += kLanes) {
      hn::Store(hn::Load(D(), from + i), D(), to + i);
    }
  }

  static HWY_INLINE void AddTo(const float* from, V weight, V3& sum) {
    sum.x = hn::MulAdd(weight, Row(from, 0), sum.x);
    sum.y = hn::MulAdd(weight, Row(from, 1), sum.y);
    sum.z = hn::MulAdd(weight, Row(from, 2), sum.z);
  }
  static HWY_INLINE void StoreRows(const V3& v, float* to) {
    hn::Store(v.x, D(), to);
    hn::Store(v.y, D(), to + kBlockLanes);
    hn::Store(v.z, D(), to + 2 * kBlockLanes);
  }

  /// Morphs with rows for every block of the stretch: sums stay in registers, offsets are read in a
  /// row. Forgets the parts.
  HWY_INLINE void AddWhole(const Part* parts, std::size_t& count) {
    if (count == 0) return;
    std::uint8_t touch = 0;
    for (std::size_t i = 0; i < count; ++i) {
      touch = static_cast<std::uint8_t>(touch | parts[i].touch());
    }
    for (std::size_t b = 0; b < count_; ++b) {
      float* const to = MorphedOf(b);
      const bool opened = touched_[b] != 0;
      const float* const base = opened ? to : RestOf(b);
      for (std::size_t lane = 0; lane < kBlockLanes; lane += kLanes) {
        V3 position = Rows(base + lane);
        V3 normal = position, tangent = position;
        if (job_.normals) normal = Rows(base + 3 * kBlockLanes + lane);
        const float* const tangents = opened ? to + geometry_ : RestTangentsOf(b);
        if (job_.tangents) tangent = Rows(tangents + lane);
        for (std::size_t i = 0; i < count; ++i) {
          const Part& part = parts[i];
          const V weight = Broadcast(part.weight);
          const float* const from = part.rows + b * part.stride + lane;
          if (part.positions) AddTo(from, weight, position);
          if (part.normals) AddTo(from + part.normal_rows, weight, normal);
          if (part.tangents) AddTo(from + part.tangent_rows, weight, tangent);
        }
        StoreRows(position, to + lane);
        if (job_.normals) StoreRows(normal, to + 3 * kBlockLanes + lane);
        if (job_.tangents) {
          StoreRows(tangent, to + geometry_ + lane);
          hn::Store(Row(tangents + lane, 3), D(), to + geometry_ + 3 * kBlockLanes + lane);
        }
      }
      touched_[b] = static_cast<std::uint8_t>(touched_[b] | touch);
      for (std::size_t i = 0; i < count; ++i) {
        const float* const ahead = parts[i].rows + (b + kBlocksAhead) * parts[i].stride;
        for (std::size_t n = 0; n < parts[i].stride; n += kBlockLanes) {
          __builtin_prefetch(ahead + n, 0, 3);
        }
      }
    }
    touch_ = static_cast<std::uint8_t>(touch_ | touch);
    count = 0;
  }

  HWY_INLINE float* OpenFor(std::size_t b, std::uint8_t touch) {
    if (touched_[b] == 0) Open(b);
    touched_[b] = static_cast<std::uint8_t>(touched_[b] | touch);
    touch_ = static_cast<std::uint8_t>(touch_ | touch);
    return MorphedOf(b);
  }

  /// A morph with rows for some blocks.
  HWY_INLINE void AddSome(const Part& part, const std::uint32_t* blocks, std::size_t count) {
    const V weight = Broadcast(part.weight);
    const std::uint8_t touch = part.touch();
    for (std::size_t i = 0; i < count; ++i) {
      float* const to = OpenFor(blocks[i] - begin_, touch);
      for (std::size_t lane = 0; lane < kBlockLanes; lane += kLanes) {
        const float* const from = part.rows + i * part.stride + lane;
        if (part.positions) AddInPlace(from, weight, to + lane);
        if (part.normals) AddInPlace(from + part.normal_rows, weight, to + 3 * kBlockLanes + lane);
        if (part.tangents) AddInPlace(from + part.tangent_rows, weight, to + geometry_ + lane);
      }
    }
  }
  static HWY_INLINE void AddInPlace(const float* from, V weight, float* to) {
    V3 sum = Rows(to);
    AddTo(from, weight, sum);
    StoreRows(sum, to);
  }

  /// Single vertices, rounded as rows are.
  HWY_INLINE void AddLanes(const Part& part, const MorphRows& rows, std::size_t begin,
                           std::size_t end) {
    const std::uint8_t touch = part.touch();
    const std::size_t numbers = rows.numbers();
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t lane = rows.lanes[i] % kBlockLanes;
      float* const to = OpenFor(rows.lanes[i] / kBlockLanes - begin_, touch) + lane;
      const float* const from = rows.singles.data() + i * numbers;
      if (part.positions) AddSingle(from, part.weight, to);
      if (part.normals) {
        AddSingle(from + part.normal_rows / kBlockLanes, part.weight, to + 3 * kBlockLanes);
      }
      if (part.tangents) {
        AddSingle(from + part.tangent_rows / kBlockLanes, part.weight, to + geometry_);
      }
    }
  }
  static HWY_INLINE void AddSingle(const float* from, float weight, float* to) {
    const hn::CappedTag<float, 1> d;
    for (std::size_t c = 0; c < 3; ++c) {
      float* const sum = to + c * kBlockLanes;
      hn::StoreU(hn::MulAdd(hn::Set(d, weight), hn::LoadU(d, from + c), hn::LoadU(d, sum)), d, sum);
    }
  }

  HWY_INLINE void RestoreLength() {
    for (std::size_t b = 0; b < count_; ++b) {
      float* const rows = MorphedOf(b);
      if (touched_[b] & kNormalsMoved) {
        Normalize(RestOf(b) + 3 * kBlockLanes, rows + 3 * kBlockLanes);
      }
      if (touched_[b] & kTangentsMoved) Normalize(RestTangentsOf(b), rows + geometry_);
    }
  }

  /// Unit length, or the rest vector where the sum has none.
  static HWY_INLINE void Normalize(const float* rest, float* rows) {
    const D d;
    for (std::size_t lane = 0; lane < kBlockLanes; lane += kLanes) {
      const V3 sum = Rows(rows + lane);
      const V square = LengthSquared(sum);
      const M plain =
          hn::And(hn::Gt(square, Broadcast(kLeastSquare)), hn::Lt(square, Broadcast(kMostSquare)));
      V3 unit = Unit(sum, square);
      if (HWY_UNLIKELY(!hn::AllTrue(d, plain))) {
        // By the largest number first, so that squares stay within a float's range.
        const V largest = hn::Max(hn::Abs(sum.x), hn::Max(hn::Abs(sum.y), hn::Abs(sum.z)));
        const M has_length = hn::Gt(largest, Broadcast(1e-37f));
        const V3 near_one = Scaled(sum, hn::Div(Broadcast(1.0f), largest));
        const V3 careful = Unit(near_one, LengthSquared(near_one));
        const V3 before = Rows(rest + lane);
        const auto choose = [&](V fast, V slow, V none) HWY_ATTR {
          return hn::IfThenElse(plain, fast, hn::IfThenElse(has_length, slow, none));
        };
        unit = {choose(unit.x, careful.x, before.x), choose(unit.y, careful.y, before.y),
                choose(unit.z, careful.z, before.z)};
      }
      StoreRows(unit, rows + lane);
    }
  }
  static constexpr float kLeastSquare = 1e-20f, kMostSquare = 1e20f;

  const MorphJob& job_;
  const CpuLayout& layout_;
  std::size_t index_, begin_, count_;
  std::size_t geometry_;
  float* morphed_;
  std::uint8_t* touched_;
  std::uint8_t touch_ = 0;
};

bool MorphAccumulateStretch(const MorphJob& job, std::size_t stretch, float* morphed,
                            std::uint8_t* touched) {
  return Stretch(job, stretch, morphed, touched).Run();
}

}  // namespace flexor::deform::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "deform/cpu/kernels/choose-inl.h"

namespace flexor::deform {

MorphKernel MorphAccumulateKernel(std::int64_t target) {
#define FLEXOR_CASE(bit, space) \
  if (target == (bit)) return &space::MorphAccumulateStretch;
  FLEXOR_EACH_TARGET(FLEXOR_CASE)
#undef FLEXOR_CASE
  return nullptr;
}

}  // namespace flexor::deform
#endif
