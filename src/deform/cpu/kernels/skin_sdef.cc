// Spherical vertices, include/flexor/deform/skin_sdef.h, 16 at a time.
#include <cstddef>
#include <cstdint>

#include "deform/cpu/kernels/disabled_targets.h"
#include "deform/cpu/kernels/targets.h"
#include "deform/cpu/layout_rule.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "deform/cpu/kernels/skin_sdef.cc"
#include <hwy/foreach_target.h>

#include "deform/cpu/kernels/linear-inl.h"

HWY_BEFORE_NAMESPACE();
namespace flexor::deform::HWY_NAMESPACE {

// With R0', R1' the corrected points, e = (R0' - R1') / 2, w = w1 and h = w C - w0 w e, what lands
// is
//
//     P = w0 M0 (C + R0') / 2 + w1 M1 (C + R1') / 2 = L0 (C - h) + L1 h + w0 t0 + w1 t1
//
// with L, t the parts of M. Everything is summed as what it adds to the rest position, L without
// the identity, so that joints at rest add zeros.

/// The weights of `middle` and `across` in a rotation.
struct Factors {
  V middle, across;
};

/// Cosine and sine of y, |y| <= pi/4: within 3.3e-8 and 2e-9, fitted for this range.
HWY_INLINE Factors CosineAndSine(V y) {
  const V z = hn::Mul(y, y);
  const V c = hn::MulAdd(
      z, hn::MulAdd(z, Broadcast(-1.3597819734930713e-3f), Broadcast(4.1656293882549676e-2f)),
      Broadcast(-0.4999989475006433f));
  const V s = hn::MulAdd(
      z, hn::MulAdd(z, Broadcast(-1.9495632386590597e-4f), Broadcast(8.331978583600365e-3f)),
      Broadcast(-0.1666665066572502f));
  return {hn::MulAdd(z, c, Broadcast(1.0f)), hn::MulAdd(hn::Mul(y, z), s, y)};
}

template <bool kNlerp>
HWY_INLINE Factors FactorsAt(V weight, V angle) {
  const V from_middle = hn::Sub(weight, Broadcast(0.5f));
  if constexpr (kNlerp) return {Broadcast(1.0f), from_middle};
  return CosineAndSine(hn::Mul(from_middle, angle));
}

/// How the lanes turn about their centres, and how those move.
struct Turning {
  V x, y, z, w;  ///< quaternion
  V scale;       ///< 2 / |q|^2
  V3 shift;      ///< P - C, counted from the output origin
};

/// What a turn adds to a vector: 2 q x (q x v + w v) / |q|^2.
HWY_INLINE V3 TurnLess(const Turning& q, const V3& v) {
  const V3 u = {hn::MulAdd(q.w, v.x, hn::NegMulAdd(q.z, v.y, hn::Mul(q.y, v.z))),
                hn::MulAdd(q.w, v.y, hn::NegMulAdd(q.x, v.z, hn::Mul(q.z, v.x))),
                hn::MulAdd(q.w, v.z, hn::NegMulAdd(q.y, v.x, hn::Mul(q.x, v.y)))};
  return {hn::Mul(q.scale, hn::NegMulAdd(q.z, u.y, hn::Mul(q.y, u.z))),
          hn::Mul(q.scale, hn::NegMulAdd(q.x, u.z, hn::Mul(q.z, u.x))),
          hn::Mul(q.scale, hn::NegMulAdd(q.y, u.x, hn::Mul(q.x, u.y)))};
}

/// A turned vector of unit length or zero: what rounding did to the length is taken back.
HWY_INLINE V3 TurnUnit(const Turning& q, const V3& v) {
  const V3 more = TurnLess(q, v);
  const V3 turned = {hn::Add(v.x, more.x), hn::Add(v.y, more.y), hn::Add(v.z, more.z)};
  return Scaled(turned, hn::NegMulAdd(LengthSquared(turned), Broadcast(0.5f), Broadcast(1.5f)));
}

template <bool kNlerp>
HWY_INLINE void FinishScale(Turning& q) {
  q.scale = Broadcast(2.0f);
  if constexpr (!kNlerp) return;
  const V square =
      hn::MulAdd(q.w, q.w, hn::MulAdd(q.z, q.z, hn::MulAdd(q.y, q.y, hn::Mul(q.x, q.x))));
  q.scale = hn::Mul(q.scale, Inverse(square));
}

HWY_INLINE V BlendOf(const float* middle, const float* across, const Factors& factors) {
  return hn::MulAdd(factors.across, Broadcast(across), hn::Mul(factors.middle, Broadcast(middle)));
}

/// Component c of the shift: in the order that SumLane keeps too. `near` is C - h.
HWY_INLINE V ShiftOf(const float* first, const float* second, const V3& near, const V3& toward,
                     V weight, std::size_t c) {
  const float* const a = first + c;
  const float* const b = second + c;
  const V t0 = Broadcast(a + 12);
  V sum = hn::MulAdd(weight, hn::Sub(Broadcast(b + 12), t0), t0);
  sum = hn::MulAdd(toward.x, Broadcast(b), sum);
  sum = hn::MulAdd(toward.y, Broadcast(b + 4), sum);
  sum = hn::MulAdd(toward.z, Broadcast(b + 8), sum);
  sum = hn::MulAdd(near.x, Broadcast(a), sum);
  sum = hn::MulAdd(near.y, Broadcast(a + 4), sum);
  return hn::MulAdd(near.z, Broadcast(a + 8), sum);
}

HWY_INLINE V3 Difference(const V3& a, const V3& b) {
  return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)};
}

/// All lanes on one pair. `rows` are the block's spherical rows at the lanes at hand.
template <bool kNlerp>
HWY_INLINE Turning TurnShared(const SkinJob& job, const PairMotion& pair, const float* rows) {
  const V3 toward = Rows(rows + 3 * kBlockLanes), near = Difference(Rows(rows), toward);
  const V weight = Row(rows, 6);
  const Factors factors = FactorsAt<kNlerp>(weight, Broadcast(pair.angle));
  Turning out;
  out.x = BlendOf(pair.middle, pair.across, factors);
  out.y = BlendOf(pair.middle + 1, pair.across + 1, factors);
  out.z = BlendOf(pair.middle + 2, pair.across + 2, factors);
  out.w = BlendOf(pair.middle + 3, pair.across + 3, factors);
  FinishScale<kNlerp>(out);
  const float* const first = job.centers[pair.joints[0]].matrix;
  const float* const second = job.centers[pair.joints[1]].matrix;
  out.shift = {ShiftOf(first, second, near, toward, weight, 0),
               ShiftOf(first, second, near, toward, weight, 1),
               ShiftOf(first, second, near, toward, weight, 2)};
  return out;
}

// Rows of TurnEach: quaternion, then shift.
inline constexpr std::size_t kTurnRows = 8;

#if HWY_TARGET != HWY_SCALAR
/// Quaternion and shift of one lane, side by side: eight numbers. `near` are rows of C - h, `rows`
/// the spherical ones.
HWY_INLINE void SumLane(const SkinJob& job, const PairMotion& pair, const float* near,
                        const float* rows, float middle, float across, float* out) {
  const hn::Full128<float> d;
  const float* const a = job.centers[pair.joints[0]].matrix;
  const float* const b = job.centers[pair.joints[1]].matrix;
  const auto turn = hn::MulAdd(hn::Set(d, across), hn::Load(d, pair.across),
                               hn::Mul(hn::Set(d, middle), hn::Load(d, pair.middle)));
  const auto t0 = hn::Load(d, a + 12);
  auto shift = hn::MulAdd(hn::Set(d, rows[6 * kBlockLanes]), hn::Sub(hn::Load(d, b + 12), t0), t0);
  for (std::size_t c = 0; c < 3; ++c) {
    shift = hn::MulAdd(hn::Set(d, rows[(3 + c) * kBlockLanes]), hn::Load(d, b + 4 * c), shift);
  }
  for (std::size_t c = 0; c < 3; ++c) {
    shift = hn::MulAdd(hn::Set(d, near[c * kBlockLanes]), hn::Load(d, a + 4 * c), shift);
  }
  hn::Store(turn, d, out);
  hn::Store(shift, d, out + 4);
}
#endif

/// Every lane on a pair of its own: what TurnShared computes, as rows of the whole block.
template <bool kNlerp>
HWY_INLINE void TurnEach(const SkinJob& job, const CpuBlock& block, const float* rows,
                         float* turns) {
  const std::uint32_t* const pairs = job.joints + block.joints;
#if HWY_TARGET == HWY_SCALAR
  for (std::size_t lane = 0; lane < kBlockLanes; ++lane) {
    const Turning one = TurnShared<kNlerp>(job, job.pairs[pairs[lane]], rows + lane);
    const V numbers[] = {one.x, one.y, one.z, one.w, one.shift.x, one.shift.y, one.shift.z};
    for (std::size_t i = 0; i < 7; ++i) {
      turns[i * kBlockLanes + lane] = hn::GetLane(numbers[i]);
    }
  }
#else
  alignas(64) float angles[kBlockLanes] = {};
  if constexpr (!kNlerp) {
    for (std::size_t lane = 0; lane < kBlockLanes; ++lane) {
      angles[lane] = job.pairs[pairs[lane]].angle;
    }
  }
  alignas(64) float middle[kBlockLanes];
  alignas(64) float across[kBlockLanes];
  alignas(64) float near[3 * kBlockLanes];
  for (std::size_t lane = 0; lane < kBlockLanes; lane += kLanes) {
    const Factors factors = FactorsAt<kNlerp>(Row(rows + lane, 6), Row(angles + lane, 0));
    hn::Store(factors.middle, D(), middle + lane);
    hn::Store(factors.across, D(), across + lane);
    const V3 rest = Difference(Rows(rows + lane), Rows(rows + 3 * kBlockLanes + lane));
    hn::Store(rest.x, D(), near + lane);
    hn::Store(rest.y, D(), near + kBlockLanes + lane);
    hn::Store(rest.z, D(), near + 2 * kBlockLanes + lane);
  }
  alignas(64) float tile[kTurnRows * kBlockLanes];
  for (std::size_t lane = 0; lane < kBlockLanes; ++lane) {
    SumLane(job, job.pairs[pairs[lane]], near + lane, rows + lane, middle[lane], across[lane],
            tile + lane * kTurnRows);
  }
  Transpose(tile, kTurnRows, turns);
  Transpose(tile + 4, kTurnRows, turns + 4 * kBlockLanes);
#endif
}

template <bool kNlerp>
HWY_INLINE Turning TurningOf(const float* turns) {
  Turning out;
  out.x = Row(turns, 0);
  out.y = Row(turns, 1);
  out.z = Row(turns, 2);
  out.w = Row(turns, 3);
  FinishScale<kNlerp>(out);
  out.shift = Rows(turns + 4 * kBlockLanes);
  return out;
}

template <bool kNlerp, bool kNormals, bool kTangents>
std::size_t SkinSdefWindow(const SkinJob& job, const CpuWindow& window, BlockRange blocks,
                           Suspects* suspects) {
  std::size_t noted = 0;
  Prefetcher<kNormals> prefetch(job, window);
  for (std::size_t b = blocks.begin; b < blocks.end; ++b) {
    const CpuBlock& block = job.blocks[b];
    const float* const data = job.data + std::size_t{block.data} * kBlockLanes;
    const float* const rows = data + job.geometry_rows * kBlockLanes;
    const float* const geometry = GeometryOf(job, b, data);
    const float* const tangents = kTangents ? TangentsOf(job, b) : nullptr;
    const BlockOutput out(job, window, block);
    prefetch.Ahead(data, kSphericalRows);
    const bool any = block.kind == BlockKind::kAny;
    alignas(64) float turns[kTurnRows * kBlockLanes];
    if (any) TurnEach<kNlerp>(job, block, rows, turns);
    for (std::size_t lane = 0; lane < kBlockLanes; lane += kLanes) {
      const Turning turning =
          any ? TurningOf<kNlerp>(turns + lane)
              : TurnShared<kNlerp>(job, job.pairs[job.joints[block.joints]], rows + lane);
      const V3 p = Rows(geometry + lane), c = Rows(rows + lane);
      const V3 more = TurnLess(turning, {hn::Sub(p.x, c.x), hn::Sub(p.y, c.y), hn::Sub(p.z, c.z)});
      Surface surface{};
      surface.position = {hn::Add(p.x, hn::Add(more.x, turning.shift.x)),
                          hn::Add(p.y, hn::Add(more.y, turning.shift.y)),
                          hn::Add(p.z, hn::Add(more.z, turning.shift.z))};
      if constexpr (kNormals) {
        surface.normal = TurnUnit(turning, Rows(geometry + 3 * kBlockLanes + lane));
      }
      if constexpr (kTangents) {
        surface.tangent = TurnUnit(turning, Rows(tangents + lane));
        surface.handedness = Row(tangents + lane, 3);
      }
      StoreSurface<kNormals, kTangents>(surface, out, lane);
    }
    noted += Note({}, block, b, suspects + noted);
  }
  return noted;
}

template <bool kNlerp>
SkinKernel ChooseSdef(bool normals, bool tangents) {
  return normals ? (tangents ? &SkinSdefWindow<kNlerp, true, true>
                             : &SkinSdefWindow<kNlerp, true, false>)
                 : (tangents ? &SkinSdefWindow<kNlerp, false, true>
                             : &SkinSdefWindow<kNlerp, false, false>);
}

SkinKernel SdefKernelHere(const KernelChoice& choice) {
  return choice.settings.sdef.rotation == SdefRotation::kNlerp
             ? ChooseSdef<true>(choice.normals, choice.tangents)
             : ChooseSdef<false>(choice.normals, choice.tangents);
}

}  // namespace flexor::deform::HWY_NAMESPACE

namespace flexor::deform {
template <>
inline constexpr SdefAt::Function kAtTarget<SdefAt, HWY_TARGET> = &HWY_NAMESPACE::SdefKernelHere;
}  // namespace flexor::deform
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flexor::deform {

SkinKernel SdefKernel(const KernelChoice& choice) {
  const auto find = FindAt<SdefAt>(choice.target);
  return find == nullptr ? nullptr : find(choice);
}

}  // namespace flexor::deform
#endif
