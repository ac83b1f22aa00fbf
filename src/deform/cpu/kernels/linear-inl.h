// How positions, normals and tangents follow a blended matrix, and which lanes floats cannot be
// trusted with. Shared by linear blending and by blocks that one joint moves alone.

#include "deform/cpu/kernels/block-inl.h"

#if defined(FLEXOR_DEFORM_CPU_LINEAR_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef FLEXOR_DEFORM_CPU_LINEAR_INL
#undef FLEXOR_DEFORM_CPU_LINEAR_INL
#else
#define FLEXOR_DEFORM_CPU_LINEAR_INL
#endif

HWY_BEFORE_NAMESPACE();
namespace flexor::deform::HWY_NAMESPACE {

// Lanes in doubt. With f the squared size of the largest joint that is blended, B the blend, C its
// cofactor matrix: floats hold B to about 1e-7 sqrt(f) and C n to 4e-7 |B| sqrt(f), so a normal
// keeps its digits while |B| >= 0.15 sqrt(f); the rules for singular normals and mirror images
// (skin_lbs.h) act at 1e-6 |B|^2 and |B|^3. What comes near either limit goes to the double path.
inline constexpr float kSmallBlend = 0.0225f;  // of |B|^2 / f
/// Cheap limits: a lane above all of them is beyond doubt, because |C n| <= |B|^2. `size` is f, or
/// more: that of all joints of a block. The second look takes the lane's own, so that what becomes
/// of a vertex does not depend on which others are in its block.
struct Limits {
  static HWY_INLINE Limits Of(float size) {
    const float small = kSmallBlend * size;
    return {Broadcast(small), Broadcast(small * small),
            Broadcast(kSmallBlend * small * small * small), Broadcast(small)};
  }
  static HWY_INLINE Limits Of(V size) {
    const V small = hn::Mul(Broadcast(kSmallBlend), size);
    const V square = hn::Mul(small, small);
    return {small, square, hn::Mul(Broadcast(kSmallBlend), hn::Mul(square, small)), small};
  }
  V small;          // of f
  V normal;         // for |C n|^2
  V image_squared;  // for det(B)^2
  V tangent;        // for |B t|^2
};

/// Columns x, y, z, translation of a 3x4.
struct Blend {
  V m[12];
};

HWY_INLINE V3 MovePoint(const Blend& b, const V3& p) {
  const V* const m = b.m;
  return {hn::MulAdd(m[0], p.x, hn::MulAdd(m[3], p.y, hn::MulAdd(m[6], p.z, m[9]))),
          hn::MulAdd(m[1], p.x, hn::MulAdd(m[4], p.y, hn::MulAdd(m[7], p.z, m[10]))),
          hn::MulAdd(m[2], p.x, hn::MulAdd(m[5], p.y, hn::MulAdd(m[8], p.z, m[11])))};
}

HWY_INLINE V3 MoveVector(const V* m, const V3& v) {
  return {hn::MulAdd(m[0], v.x, hn::MulAdd(m[3], v.y, hn::Mul(m[6], v.z))),
          hn::MulAdd(m[1], v.x, hn::MulAdd(m[4], v.y, hn::Mul(m[7], v.z))),
          hn::MulAdd(m[2], v.x, hn::MulAdd(m[5], v.y, hn::Mul(m[8], v.z)))};
}

HWY_INLINE V CrossPart(V a, V b, V c, V d) { return hn::NegMulAdd(b, c, hn::Mul(a, d)); }

HWY_INLINE V3 Cross(const V3& a, const V3& b) {
  return {CrossPart(a.y, a.z, b.y, b.z), CrossPart(a.z, a.x, b.z, b.x),
          CrossPart(a.x, a.y, b.x, b.y)};
}

HWY_INLINE V SizeSquared(const V* m) {
  V sum = hn::Mul(m[0], m[0]);
  for (int e = 1; e < 9; ++e) sum = hn::MulAdd(m[e], m[e], sum);
  return sum;
}

/// What becomes of the lanes at hand.
struct Surface {
  V3 position;
  V3 normal;
  V3 tangent;
  V handedness;
};

/// Bits of lanes for Suspects.
struct Doubts {
  std::uint32_t everything = 0;
  std::uint32_t normals = 0;
  std::uint32_t tangents = 0;
};

/// The second look, at lanes whose block met a cheap limit. `largest` is the lanes' own f.
HWY_MAYBE_UNUSED HWY_NOINLINE static void LookAgain(const V* m, V largest, V normal, V det,
                                                    V tangent, bool normals, bool tangents,
                                                    std::size_t lane, Doubts& doubts) {
  const V size = SizeSquared(m);
  const V size2 = hn::Mul(size, size);
  const M sound = hn::Gt(size, hn::Mul(Broadcast(kSmallBlend), largest));
  const M side = hn::And(
      sound, hn::Gt(hn::Mul(det, det),
                    hn::Mul(Broadcast(kDoubtfulImage * kDoubtfulImage), hn::Mul(size2, size))));
  if (normals) {
    const V least = hn::Mul(Broadcast(kDoubtfulNormal * kDoubtfulNormal), size2);
    doubts.normals |= BitsOf(hn::Not(hn::And(side, hn::Gt(normal, least))), lane);
  }
  if (tangents) {
    const V least = hn::Mul(Broadcast(kDoubtfulTangent * kDoubtfulTangent), size);
    doubts.tangents |= BitsOf(hn::Not(hn::And(side, hn::Gt(tangent, least))), lane);
  }
}

/// Normals and tangents by the jacobian in m[0..8]. Lanes in doubt are noted, and hold anything.
/// `largest()` is the lanes' own f, at most that of the limits.
template <bool kNormals, bool kTangents, class Largest>
HWY_INLINE void MoveSurface(const V* m, const Limits& limits, const Largest& largest,
                            const float* geometry, const float* tangents, std::size_t lane,
                            Surface& out, Doubts& doubts) {
  if constexpr (!kNormals && !kTangents) return;
  const D d;
  // With columns a, b, c the cofactor matrix takes n to
  //   n_x (b x c) + n_y (c x a) + n_z (a x b) = (n_x b - n_y a) x c + n_z (a x b),
  // and a x b is all that the determinant needs.
  const V3 c = {m[6], m[7], m[8]};
  const V3 ab = Cross(V3{m[0], m[1], m[2]}, V3{m[3], m[4], m[5]});
  const V det = hn::MulAdd(c.x, ab.x, hn::MulAdd(c.y, ab.y, hn::Mul(c.z, ab.z)));
  const V side = hn::And(det, hn::SignBit(d));
  M clear = hn::Gt(hn::Mul(det, det), limits.image_squared);
  V normal_length = det, tangent_length = det;
  if constexpr (kNormals) {
    const V3 n = Rows(geometry + 3 * kBlockLanes);
    const V3 p = {hn::NegMulAdd(n.y, m[0], hn::Mul(n.x, m[3])),
                  hn::NegMulAdd(n.y, m[1], hn::Mul(n.x, m[4])),
                  hn::NegMulAdd(n.y, m[2], hn::Mul(n.x, m[5]))};
    const V3 moved = {hn::NegMulAdd(p.z, c.y, hn::MulAdd(p.y, c.z, hn::Mul(n.z, ab.x))),
                      hn::NegMulAdd(p.x, c.z, hn::MulAdd(p.z, c.x, hn::Mul(n.z, ab.y))),
                      hn::NegMulAdd(p.y, c.x, hn::MulAdd(p.x, c.y, hn::Mul(n.z, ab.z)))};
    normal_length = LengthSquared(moved);
    clear = hn::And(clear, hn::Gt(normal_length, limits.normal));
    out.normal = Scaled(moved, hn::Xor(InverseRoot(normal_length), side));
  }
  if constexpr (kTangents) {
    const V3 moved = MoveVector(m, Rows(tangents));
    tangent_length = LengthSquared(moved);
    clear = hn::And(clear, hn::Gt(tangent_length, limits.tangent));
    out.tangent = Unit(moved, tangent_length);
    out.handedness = hn::Xor(Row(tangents, 3), side);
  }
  if (HWY_UNLIKELY(!hn::AllTrue(d, clear))) {
    // A copy: what a call may look at cannot stay in registers.
    V copy[9];
    for (int e = 0; e < 9; ++e) copy[e] = m[e];
    LookAgain(copy, largest(), normal_length, det, tangent_length, kNormals, kTangents, lane,
              doubts);
  }
}

template <bool kNormals, bool kTangents>
HWY_INLINE void StoreSurface(const Surface& surface, const BlockOutput& out, std::size_t lane) {
  StoreVectors<kNormals>(surface.position, surface.normal, out, lane);
  if constexpr (kTangents) StoreTangents(surface.tangent, surface.handedness, out, lane);
}

/// A block that one joint moves alone: its matrix and cofactors are the same for every lane. Every
/// vertex of one joint is in such a block, so that equal vertices are computed alike.
template <bool kNormals, bool kTangents>
HWY_INLINE void MoveAlone(const LinearJoint& joint, const float* geometry, const float* tangents,
                          const BlockOutput& out, Doubts& doubts) {
  const D d;
  const float* const m = joint.matrix;
  const float* const c = joint.cofactor;
  const V side = hn::And(Broadcast(joint.handedness), hn::SignBit(d));
  for (std::size_t lane = 0; lane < kBlockLanes; lane += kLanes) {
    const V3 p = Rows(geometry + lane);
    Surface surface{};
    surface.position = {
        hn::MulAdd(Broadcast(m), p.x,
                   hn::MulAdd(Broadcast(m + 4), p.y,
                              hn::MulAdd(Broadcast(m + 8), p.z, Broadcast(m + 12)))),
        hn::MulAdd(Broadcast(m + 1), p.x,
                   hn::MulAdd(Broadcast(m + 5), p.y,
                              hn::MulAdd(Broadcast(m + 9), p.z, Broadcast(m + 13)))),
        hn::MulAdd(Broadcast(m + 2), p.x,
                   hn::MulAdd(Broadcast(m + 6), p.y,
                              hn::MulAdd(Broadcast(m + 10), p.z, Broadcast(m + 14))))};
    if constexpr (kNormals) {
      const V3 n = Rows(geometry + 3 * kBlockLanes + lane);
      const V3 turned = {
          hn::MulAdd(Broadcast(c), n.x,
                     hn::MulAdd(Broadcast(c + 3), n.y, hn::Mul(Broadcast(c + 6), n.z))),
          hn::MulAdd(Broadcast(c + 1), n.x,
                     hn::MulAdd(Broadcast(c + 4), n.y, hn::Mul(Broadcast(c + 7), n.z))),
          hn::MulAdd(Broadcast(c + 2), n.x,
                     hn::MulAdd(Broadcast(c + 5), n.y, hn::Mul(Broadcast(c + 8), n.z)))};
      const V length = LengthSquared(turned);
      surface.normal = Unit(turned, length);
      const M clear = hn::Gt(length, Broadcast(joint.least_normal));
      if (HWY_UNLIKELY(!hn::AllTrue(d, clear))) doubts.normals |= BitsOf(hn::Not(clear), lane);
    }
    if constexpr (kTangents) {
      const V3 t = Rows(tangents + lane);
      const V3 turned = {
          hn::MulAdd(Broadcast(m), t.x,
                     hn::MulAdd(Broadcast(m + 4), t.y, hn::Mul(Broadcast(m + 8), t.z))),
          hn::MulAdd(Broadcast(m + 1), t.x,
                     hn::MulAdd(Broadcast(m + 5), t.y, hn::Mul(Broadcast(m + 9), t.z))),
          hn::MulAdd(Broadcast(m + 2), t.x,
                     hn::MulAdd(Broadcast(m + 6), t.y, hn::Mul(Broadcast(m + 10), t.z)))};
      const V length = LengthSquared(turned);
      surface.tangent = Unit(turned, length);
      surface.handedness = hn::Xor(Row(tangents + lane, 3), side);
      const M clear = hn::Gt(length, Broadcast(joint.least_tangent));
      if (HWY_UNLIKELY(!hn::AllTrue(d, clear))) doubts.tangents |= BitsOf(hn::Not(clear), lane);
    }
    StoreSurface<kNormals, kTangents>(surface, out, lane);
  }
}

/// The largest squared size of a block's joints, for Limits.
HWY_INLINE float LargestJoint(const SkinJob& job, const CpuBlock& block) {
  if (job.uniform_size >= 0) return job.uniform_size;
  const std::uint32_t* const joints = job.joints + block.joints;
  const std::size_t count = block.joint_entries();
  float largest = 0;
  for (std::size_t j = 0; j < count; ++j) {
    const float size = job.linear[joints[j]].matrix[3];
    largest = size > largest ? size : largest;
  }
  return largest * job.max_weight_sum_squared;
}

/// The largest of `sizes`, one number for each joint `stride` floats apart, over the joints that
/// weigh something in each lane from `lane` on.
HWY_MAYBE_UNUSED HWY_NOINLINE static V LargestOwn(const SkinJob& job, const CpuBlock& block,
                                                  const float* rows, std::size_t lane,
                                                  const float* sizes, std::size_t stride) {
  const std::uint32_t* const joints = job.joints + block.joints;
  alignas(64) float out[kLanes];
  for (std::size_t l = 0; l < kLanes; ++l) {
    const float* const weights = rows + lane + l;
    const bool each = block.kind == BlockKind::kAny;
    const bool first_stored = each || job.raw_weights;
    float rest = 1, largest = 0;
    for (std::size_t j = 0; j < block.k; ++j) {
      // Without a row for the first joint, it comes last: what the others leave.
      const std::size_t i = first_stored ? j : (j + 1) % block.k;
      const std::size_t row = first_stored ? i : i - 1;
      const float weight = first_stored || i > 0 ? weights[row * kBlockLanes] : rest;
      rest -= weight;
      const float size = sizes[joints[each ? i * kBlockLanes + lane + l : i] * stride];
      if (weight != 0 && size > largest) largest = size;
    }
    out[l] = largest * job.max_weight_sum_squared;
  }
  return hn::Load(D(), out);
}

/// LargestJoint lane by lane; `rows` are the block's weights.
HWY_INLINE V LargestOwnJoint(const SkinJob& job, const CpuBlock& block, const float* rows,
                             std::size_t lane) {
  if (job.uniform_size >= 0) return Broadcast(job.uniform_size);
  return LargestOwn(job, block, rows, lane, job.linear->matrix + 3,
                    sizeof(LinearJoint) / sizeof(float));
}

/// Hands the lanes in doubt of a block over. The lanes of padding repeat one that counts.
HWY_INLINE std::size_t Note(const Doubts& doubts, const CpuBlock& block, std::size_t index,
                            Suspects* suspects) {
  const std::uint32_t everything = doubts.everything | block.exact;
  if (HWY_LIKELY((everything | doubts.normals | doubts.tangents) == 0)) return 0;
  const std::uint32_t real = (1u << block.count) - 1u;
  *suspects = {static_cast<std::uint32_t>(index), static_cast<std::uint16_t>(everything & real),
               static_cast<std::uint16_t>(doubts.normals & real),
               static_cast<std::uint16_t>(doubts.tangents & real)};
  return 1;
}

// The twelve numbers of a 3x4 among the sixteen of LinearJoint::matrix.
inline constexpr int kElement[12] = {0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14};

/// The weights of a kShared block, slot by slot.
class SlotWeights {
 public:
  HWY_INLINE SlotWeights(const SkinJob& job, std::size_t k, const float* rows) {
    if (HWY_UNLIKELY(job.raw_weights)) {
      first_ = Row(rows, 0);
      rest_ = rows + kBlockLanes;
      return;
    }
    // What the others leave to 1, in the order that the layout counts.
    first_ = Broadcast(1.0f);
    for (std::size_t j = 1; j < k; ++j) first_ = hn::Sub(first_, Row(rows, j - 1));
    rest_ = rows;
  }
  HWY_INLINE V First() const { return first_; }
  /// j > 0.
  HWY_INLINE V operator[](std::size_t j) const { return Row(rest_, j - 1); }

 private:
  V first_;
  const float* rest_;
};

/// The blended matrix of a kShared block.
HWY_INLINE void BlendShared(const SkinJob& job, const CpuBlock& block, const SlotWeights& weights,
                            Blend& out) {
  const std::uint32_t* const joints = job.joints + block.joints;
  V* const m = out.m;
  const std::size_t k = block.k;
  const float* p = job.linear[joints[0]].matrix;
  for (int e = 0; e < 12; ++e) m[e] = hn::Mul(weights.First(), Broadcast(p + kElement[e]));
  for (std::size_t j = 1; j < k; ++j) {
    p = job.linear[joints[j]].matrix;
    const V w = weights[j];
    for (int e = 0; e < 12; ++e) m[e] = hn::MulAdd(w, Broadcast(p + kElement[e]), m[e]);
  }
  if (HWY_UNLIKELY(job.raw_weights)) {
    // The row after the weights: what their sum has over 1, times the origin that every
    // translation is counted from.
    const V excess = weights[k];
    for (int c = 0; c < 3; ++c) {
      m[9 + c] = hn::MulAdd(excess, Broadcast(job.origin + c), m[9 + c]);
    }
  }
}

#if HWY_TARGET != HWY_SCALAR
/// kNumbers sums of one vertex, side by side in vectors of at most kNumbers.
template <std::size_t kNumbers>
HWY_INLINE void SumOne(const float* table, std::size_t stride, const std::uint32_t* joints,
                       const float* weights, std::size_t k, float* out) {
  const hn::CappedTag<float, kNumbers> d;
  constexpr std::size_t kStep = hn::MaxLanes(hn::CappedTag<float, kNumbers>());
  constexpr std::size_t kVectors = kNumbers / kStep;
  hn::Vec<hn::CappedTag<float, kNumbers>> sums[kVectors];
  const float* row = table + joints[0] * stride;
  for (std::size_t i = 0; i < kVectors; ++i) {
    sums[i] = hn::Mul(hn::Set(d, weights[0]), hn::Load(d, row + i * kStep));
  }
  for (std::size_t j = kBlockLanes; j < k * kBlockLanes; j += kBlockLanes) {
    row = table + joints[j] * stride;
    for (std::size_t i = 0; i < kVectors; ++i) {
      sums[i] = hn::MulAdd(hn::Set(d, weights[j]), hn::Load(d, row + i * kStep), sums[i]);
    }
  }
  for (std::size_t i = 0; i < kVectors; ++i) hn::Store(sums[i], d, out + i * kStep);
}

/// Four rows of 16 from four numbers of 16 vertices, `stride` floats apart.
HWY_INLINE void Transpose(const float* numbers, std::size_t stride, float* rows) {
  const hn::Full128<float> d;
  const hn::Repartition<double, hn::Full128<float>> dd;
  for (std::size_t lane = 0; lane < kBlockLanes; lane += 4) {
    const float* const from = numbers + lane * stride;
    const auto v0 = hn::Load(d, from), v1 = hn::Load(d, from + stride);
    const auto v2 = hn::Load(d, from + 2 * stride), v3 = hn::Load(d, from + 3 * stride);
    const auto low_a = hn::BitCast(dd, hn::InterleaveLower(d, v0, v1));
    const auto low_b = hn::BitCast(dd, hn::InterleaveLower(d, v2, v3));
    const auto high_a = hn::BitCast(dd, hn::InterleaveUpper(d, v0, v1));
    const auto high_b = hn::BitCast(dd, hn::InterleaveUpper(d, v2, v3));
    float* const to = rows + lane;
    hn::Store(hn::BitCast(d, hn::InterleaveLower(dd, low_a, low_b)), d, to);
    hn::Store(hn::BitCast(d, hn::InterleaveUpper(dd, low_a, low_b)), d, to + kBlockLanes);
    hn::Store(hn::BitCast(d, hn::InterleaveLower(dd, high_a, high_b)), d, to + 2 * kBlockLanes);
    hn::Store(hn::BitCast(d, hn::InterleaveUpper(dd, high_a, high_b)), d, to + 3 * kBlockLanes);
  }
}
#endif

/// Weighted sums over joints that every lane has for itself: row e of `rows` gets the sums of
/// number e of the joints. `stride` in floats; kNumbers a power of two.
template <std::size_t kNumbers>
HWY_INLINE void SumEach(const float* table, std::size_t stride, const std::uint32_t* joints,
                        const float* weights, std::size_t k, float* rows) {
#if HWY_TARGET == HWY_SCALAR
  for (std::size_t lane = 0; lane < kBlockLanes; ++lane) {
    for (std::size_t e = 0; e < kNumbers; ++e) {
      float sum = weights[lane] * table[joints[lane] * stride + e];
      for (std::size_t i = kBlockLanes + lane; i < k * kBlockLanes; i += kBlockLanes) {
        sum += weights[i] * table[joints[i] * stride + e];
      }
      rows[e * kBlockLanes + lane] = sum;
    }
  }
#else
  alignas(64) float tile[kNumbers * kBlockLanes];
  for (std::size_t lane = 0; lane < kBlockLanes; ++lane) {
    SumOne<kNumbers>(table, stride, joints + lane, weights + lane, k, tile + lane * kNumbers);
  }
  for (std::size_t e = 0; e < kNumbers; e += 4) {
    Transpose(tile + e, kNumbers, rows + e * kBlockLanes);
  }
#endif
}

}  // namespace flexor::deform::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
