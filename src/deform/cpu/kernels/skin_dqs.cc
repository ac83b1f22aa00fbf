// Dual quaternions, include/flexor/deform/skin_dqs.h, 16 vertices at a time; and vertices between
// linear blending and dual quaternions.
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "deform/cpu/kernels/disabled_targets.h"
#include "deform/cpu/kernels/targets.h"
#include "deform/joint_motion.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "deform/cpu/kernels/skin_dqs.cc"
#include <hwy/foreach_target.h>

#include "deform/cpu/kernels/linear-inl.h"

HWY_BEFORE_NAMESPACE();
namespace flexor::deform::HWY_NAMESPACE {

// Below this part of the weights' size a blended quaternion is left to the double path, which knows
// what to do when it cancels. Weights above zero never bring it there.
inline constexpr float kSmallReal = 1e-4f;  // of |real|^2
// A dot of two quaternions this near to where signs turn is left to the double path too.
inline constexpr float kDoubtfulDot = 4e-7f;
// A dot above this is beyond that doubt on whichever side of zero signs turn.
inline constexpr float kClearDot = 4e-6f;

struct Quaternion {
  V x, y, z, w;
};

/// A blended dual quaternion, to the scale that its weights gave it.
struct Motion {
  Quaternion real;
  Quaternion dual;
  V scale;  ///< 2 / |real|^2
};

/// Turns influences to agree with the pivot of each lane, where the joints' own signs do not do.
class Signs {
 public:
  HWY_INLINE Signs(const SkinJob& job, bool needed, std::size_t block) : needed_(needed) {
    if (HWY_LIKELY(!needed)) return;
    for (std::size_t lane = 0; lane < kBlockLanes; ++lane) {
      const DualJoint& pivot = job.dual[job.pivots[block * kBlockLanes + lane]];
      for (std::size_t c = 0; c < 4; ++c) {
        pivot_[c * kBlockLanes + lane] = pivot.motion[c] * pivot.sign;
      }
    }
  }

  /// Weights of a kAny block with their signs; `signed_weights` holds as many.
  HWY_INLINE const float* ApplyEach(const SkinJob& job, const CpuBlock& block, const float* weights,
                                    float* signed_weights, Doubts& doubts) const {
    if (HWY_LIKELY(!needed_)) return weights;
    const std::uint32_t* const joints = job.joints + block.joints;
    for (std::size_t i = 0; i < block.joint_entries(); ++i) {
      const std::size_t lane = i % kBlockLanes;
      const DualJoint& joint = job.dual[joints[i]];
      float dot = 0;
      for (std::size_t c = 0; c < 4; ++c) dot += pivot_[c * kBlockLanes + lane] * joint.motion[c];
      const float past = dot * joint.sign + static_cast<float>(kHemisphereTolerance);
      if (std::abs(past) < kDoubtfulDot && weights[i] != 0) doubts.everything |= 1u << lane;
      signed_weights[i] = weights[i] * (past < 0 ? -joint.sign : joint.sign);
    }
    return signed_weights;
  }

  /// The weights of one joint at the lanes from `lane` on, with their signs.
  HWY_INLINE V Apply(V weight, const DualJoint& joint, std::size_t lane, Doubts& doubts) const {
    if (HWY_LIKELY(!needed_)) return weight;
    const D d;
    const float* const pivot = pivot_ + lane;
    V dot = hn::Mul(Row(pivot, 3), Broadcast(joint.motion + 3));
    for (std::size_t c = 0; c < 3; ++c)
      dot = hn::MulAdd(Row(pivot, c), Broadcast(joint.motion + c), dot);
    const V sign = Broadcast(joint.sign);
    const V past = hn::MulAdd(dot, sign, Broadcast(static_cast<float>(kHemisphereTolerance)));
    const M near =
        hn::And(hn::Lt(hn::Abs(past), Broadcast(kDoubtfulDot)), hn::Ne(weight, hn::Zero(d)));
    if (HWY_UNLIKELY(!hn::AllFalse(d, near))) doubts.everything |= BitsOf(near, lane);
    const V turned = hn::And(past, hn::SignBit(d));
    return hn::Mul(hn::Xor(weight, turned), sign);
  }

 private:
  bool needed_;
  alignas(64) float pivot_[4 * kBlockLanes];
};

template <bool kFirst>
HWY_INLINE void Accumulate(const float* numbers, V weight, V* sums, int count) {
  for (int e = 0; e < count; ++e) {
    sums[e] = kFirst ? hn::Mul(weight, Broadcast(numbers + e))
                     : hn::MulAdd(weight, Broadcast(numbers + e), sums[e]);
  }
}

/// One pass over the joints of a block: real and dual part (8), residual (12), or all. Residuals
/// about the origin are blended by the weights as they are, all else with signs.
template <bool kMotion, bool kResidual, bool kPlainResidual>
HWY_INLINE void Gather(const SkinJob& job, const CpuBlock& block, const SlotWeights& weights,
                       const Signs& signs, std::size_t lane, V* motion, V* residual,
                       Doubts& doubts) {
  const std::uint32_t* const joints = job.joints + block.joints;
  {
    const DualJoint& joint = job.dual[joints[0]];
    const V plain = weights.First();
    const V w = signs.Apply(plain, joint, lane, doubts);
    if constexpr (kMotion) {
      Accumulate<true>(joint.motion, w, motion, 8);
    }
    if constexpr (kResidual) {
      Accumulate<true>(joint.residual, kPlainResidual ? plain : w, residual, 12);
    }
  }
  for (std::size_t j = 1; j < block.k; ++j) {
    const DualJoint& joint = job.dual[joints[j]];
    const V plain = weights[j];
    const V w = signs.Apply(plain, joint, lane, doubts);
    if constexpr (kMotion) {
      Accumulate<false>(joint.motion, w, motion, 8);
    }
    if constexpr (kResidual) {
      Accumulate<false>(joint.residual, kPlainResidual ? plain : w, residual, 12);
    }
  }
}

template <bool kResidual, bool kPlainResidual>
HWY_INLINE Motion BlendMotion(const SkinJob& job, const CpuBlock& block, const SlotWeights& weights,
                              const Signs& signs, const float* sums, std::size_t lane, V* residual,
                              Doubts& doubts) {
  V q[8];
  if (HWY_UNLIKELY(sums != nullptr)) {
    for (std::size_t e = 0; e < 8; ++e) q[e] = Row(sums + lane, e);
    if constexpr (kResidual) {
      for (std::size_t e = 0; e < 12; ++e) residual[e] = Row(sums + lane, 8 + e);
    }
  } else if constexpr (!kResidual) {
    Gather<true, false, false>(job, block, weights, signs, lane, q, nullptr, doubts);
  } else if constexpr (kLanes == kBlockLanes) {
    Gather<true, true, kPlainResidual>(job, block, weights, signs, lane, q, residual, doubts);
  } else {
    // Twenty sums do not fit sixteen registers: two passes cost less than spilling.
    Gather<true, false, false>(job, block, weights, signs, lane, q, nullptr, doubts);
    Gather<false, true, kPlainResidual>(job, block, weights, signs, lane, nullptr, residual,
                                        doubts);
  }
  const D d;
  const V square =
      hn::MulAdd(q[3], q[3], hn::MulAdd(q[2], q[2], hn::MulAdd(q[1], q[1], hn::Mul(q[0], q[0]))));
  const M clear = hn::Gt(square, Broadcast(kSmallReal * job.max_weight_sum_squared));
  if (HWY_UNLIKELY(!hn::AllTrue(d, clear))) doubts.everything |= BitsOf(hn::Not(clear), lane);
  const V inverse = Inverse(square);
  return {{q[0], q[1], q[2], q[3]}, {q[4], q[5], q[6], q[7]}, hn::Add(inverse, inverse)};
}

HWY_INLINE V3 Cross(const Quaternion& a, const V3& b, const V3& add) {
  return {hn::MulAdd(a.y, b.z, hn::NegMulAdd(a.z, b.y, add.x)),
          hn::MulAdd(a.z, b.x, hn::NegMulAdd(a.x, b.z, add.y)),
          hn::MulAdd(a.x, b.y, hn::NegMulAdd(a.y, b.x, add.z))};
}

/// R p + T: p + 2 (q x u + w d - d_w q) / |q|^2 with u = q x p + w p + d.
HWY_INLINE V3 MovePoint(const Motion& a, const V3& p) {
  const Quaternion& q = a.real;
  const Quaternion& d = a.dual;
  const V3 u = Cross(
      q, p, {hn::MulAdd(q.w, p.x, d.x), hn::MulAdd(q.w, p.y, d.y), hn::MulAdd(q.w, p.z, d.z)});
  const V3 t =
      Cross(q, u,
            {hn::NegMulAdd(d.w, q.x, hn::Mul(q.w, d.x)), hn::NegMulAdd(d.w, q.y, hn::Mul(q.w, d.y)),
             hn::NegMulAdd(d.w, q.z, hn::Mul(q.w, d.z))});
  return {hn::MulAdd(a.scale, t.x, p.x), hn::MulAdd(a.scale, t.y, p.y),
          hn::MulAdd(a.scale, t.z, p.z)};
}

/// R v, for a v of unit length or zero: what rounding did to the length is taken back.
HWY_INLINE V3 TurnUnit(const Motion& a, const V3& v) {
  const Quaternion& q = a.real;
  const V3 u = Cross(q, v, {hn::Mul(q.w, v.x), hn::Mul(q.w, v.y), hn::Mul(q.w, v.z)});
  const V3 t = {hn::NegMulAdd(q.z, u.y, hn::Mul(q.y, u.z)),
                hn::NegMulAdd(q.x, u.z, hn::Mul(q.z, u.x)),
                hn::NegMulAdd(q.y, u.x, hn::Mul(q.x, u.y))};
  const V3 turned = {hn::MulAdd(a.scale, t.x, v.x), hn::MulAdd(a.scale, t.y, v.y),
                     hn::MulAdd(a.scale, t.z, v.z)};
  const V correction = hn::NegMulAdd(LengthSquared(turned), Broadcast(0.5f), Broadcast(1.5f));
  return Scaled(turned, correction);
}

/// d += D p: the residual's share of the dual part, at the vertex.
HWY_INLINE void AddResidual(const V* r, const V3& p, Quaternion& d) {
  d.x = hn::MulAdd(r[0], p.x, hn::MulAdd(r[4], p.y, hn::MulAdd(r[8], p.z, d.x)));
  d.y = hn::MulAdd(r[1], p.x, hn::MulAdd(r[5], p.y, hn::MulAdd(r[9], p.z, d.y)));
  d.z = hn::MulAdd(r[2], p.x, hn::MulAdd(r[6], p.y, hn::MulAdd(r[10], p.z, d.z)));
  d.w = hn::MulAdd(r[3], p.x, hn::MulAdd(r[7], p.y, hn::MulAdd(r[11], p.z, d.w)));
}

/// |q|^2 / 2 times the rotation matrix of q, columns.
HWY_INLINE void HalfRotation(const Quaternion& q, V* m) {
  const V half = Broadcast(0.5f);
  const V xx = hn::Mul(q.x, q.x), yy = hn::Mul(q.y, q.y), zz = hn::Mul(q.z, q.z);
  const V ww = hn::Mul(q.w, q.w);
  const V sum = hn::Mul(half, hn::Sub(ww, xx)), difference = hn::Mul(half, hn::Sub(yy, zz));
  m[0] = hn::Mul(half, hn::Sub(hn::Add(ww, xx), hn::Add(yy, zz)));
  m[4] = hn::Add(sum, difference);
  m[8] = hn::Sub(sum, difference);
  const V wx = hn::Mul(q.w, q.x), wy = hn::Mul(q.w, q.y), wz = hn::Mul(q.w, q.z);
  const V xy = hn::Mul(q.x, q.y), xz = hn::Mul(q.x, q.z), yz = hn::Mul(q.y, q.z);
  m[1] = hn::Add(xy, wz);
  m[3] = hn::Sub(xy, wz);
  m[2] = hn::Sub(xz, wy);
  m[6] = hn::Add(xz, wy);
  m[5] = hn::Add(yz, wx);
  m[7] = hn::Sub(yz, wx);
}

/// The jacobian about the vertex: R plus the translations that the residual's columns stand for.
HWY_INLINE void JacobianAboutVertex(const Motion& a, const V* r, V* m) {
  const Quaternion& q = a.real;
  HalfRotation(q, m);
  for (int c = 0; c < 3; ++c) {
    const V* const u = r + c * 4;
    m[c * 3] = hn::MulAdd(
        q.y, u[2],
        hn::NegMulAdd(q.z, u[1], hn::NegMulAdd(u[3], q.x, hn::MulAdd(q.w, u[0], m[c * 3]))));
    m[c * 3 + 1] = hn::MulAdd(
        q.z, u[0],
        hn::NegMulAdd(q.x, u[2], hn::NegMulAdd(u[3], q.y, hn::MulAdd(q.w, u[1], m[c * 3 + 1]))));
    m[c * 3 + 2] = hn::MulAdd(
        q.x, u[1],
        hn::NegMulAdd(q.y, u[0], hn::NegMulAdd(u[3], q.z, hn::MulAdd(q.w, u[2], m[c * 3 + 2]))));
  }
  for (int e = 0; e < 9; ++e) m[e] = hn::Mul(m[e], a.scale);
}

/// The largest squared size of a residual in a block.
HWY_INLINE float LargestResidual(const SkinJob& job, const CpuBlock& block) {
  float largest = 0;
  for (std::size_t j = 0; j < block.joint_entries(); ++j) {
    const float size = job.dual[job.joints[block.joints + j]].residual_size;
    largest = size > largest ? size : largest;
  }
  return largest * job.max_weight_sum_squared;
}

/// The same lane by lane; `rows` are the block's weights.
HWY_INLINE V LargestOwnResidual(const SkinJob& job, const CpuBlock& block, const float* rows,
                                std::size_t lane) {
  return LargestOwn(job, block, rows, lane, &job.dual->residual_size,
                    sizeof(DualJoint) / sizeof(float));
}

/// Squared size that the jacobian about the vertex cannot exceed: |R + T|^2 <= 2 (3 + |T|^2).
HWY_INLINE V SizeAboutVertex(V scale, V residual) {
  return hn::MulAdd(scale, residual, Broadcast(6.0f));
}

struct Here {
  const float* geometry;
  const float* tangents;
  const float* weights;
  const float* rows;  ///< of the whole block's weights
  const float* sums;  ///< of a kAny block, else null
  std::size_t lane;
};

template <bool kNormals, bool kTangents>
HWY_INLINE V3 Rigid(const SkinJob& job, const CpuBlock& block, const Signs& signs, const Here& at,
                    Surface& surface, Doubts& doubts) {
  const SlotWeights weights(job, block.k, at.weights);
  const Motion motion =
      BlendMotion<false, false>(job, block, weights, signs, at.sums, at.lane, nullptr, doubts);
  if constexpr (kNormals) {
    surface.normal = TurnUnit(motion, Rows(at.geometry + 3 * kBlockLanes));
  }
  if constexpr (kTangents) {
    surface.tangent = TurnUnit(motion, Rows(at.tangents));
    surface.handedness = Row(at.tangents, 3);
  }
  return MovePoint(motion, Rows(at.geometry));
}

template <bool kNormals, bool kTangents>
HWY_INLINE V3 AboutVertex(const SkinJob& job, const CpuBlock& block, const Signs& signs,
                          float residual_size, const Here& at, Surface& surface, Doubts& doubts) {
  const SlotWeights weights(job, block.k, at.weights);
  V residual[12];
  Motion motion =
      BlendMotion<true, false>(job, block, weights, signs, at.sums, at.lane, residual, doubts);
  const V3 p = Rows(at.geometry);
  AddResidual(residual, p, motion.dual);
  const V3 moved = MovePoint(motion, p);
  if constexpr (kNormals || kTangents) {
    V m[9];
    JacobianAboutVertex(motion, residual, m);
    const auto own = [&]() HWY_ATTR {
      return SizeAboutVertex(motion.scale, LargestOwnResidual(job, block, at.rows, at.lane));
    };
    MoveSurface<kNormals, kTangents>(
        m, Limits::Of(SizeAboutVertex(motion.scale, Broadcast(residual_size))), own, at.geometry,
        at.tangents, at.lane, surface, doubts);
  }
  return moved;
}

template <bool kNormals, bool kTangents>
HWY_INLINE V3 AboutOrigin(const SkinJob& job, const CpuBlock& block, const Signs& signs,
                          float residual_size, const Here& at, Surface& surface, Doubts& doubts) {
  const SlotWeights weights(job, block.k, at.weights);
  Blend residual;
  const Motion motion =
      BlendMotion<true, true>(job, block, weights, signs, at.sums, at.lane, residual.m, doubts);
  const V3 moved = MovePoint(motion, MovePoint(residual, Rows(at.geometry)));
  if constexpr (kNormals || kTangents) {
    const auto own = [&]() HWY_ATTR { return LargestOwnResidual(job, block, at.rows, at.lane); };
    MoveSurface<kNormals, kTangents>(residual.m, Limits::Of(residual_size), own, at.geometry,
                                     at.tangents, at.lane, surface, doubts);
    if constexpr (kNormals) surface.normal = TurnUnit(motion, surface.normal);
    if constexpr (kTangents) surface.tangent = TurnUnit(motion, surface.tangent);
  }
  return moved;
}

HWY_INLINE V Mix(V a, V b, V share) { return hn::MulAdd(share, hn::Sub(b, a), a); }

/// Both methods and a share of each, position and jacobian.
template <bool kNormals, bool kTangents>
HWY_INLINE V3 Mixed(const SkinJob& job, const CpuBlock& block, const Signs& signs, float joint_size,
                    float residual_size, V share, const Here& at, Surface& surface,
                    Doubts& doubts) {
  const V3 p = Rows(at.geometry);
  V3 moved;
  V jacobian[9];
  V size, scale;
  if (job.about_origin) {
    const SlotWeights weights(job, block.k, at.weights);
    Blend residual;
    const Motion motion =
        BlendMotion<true, true>(job, block, weights, signs, at.sums, at.lane, residual.m, doubts);
    moved = MovePoint(motion, MovePoint(residual, p));
    V rotation[9];
    HalfRotation(motion.real, rotation);
    for (int e = 0; e < 9; ++e) rotation[e] = hn::Mul(rotation[e], motion.scale);
    for (int c = 0; c < 3; ++c) {
      const V3 column =
          MoveVector(rotation, {residual.m[c * 3], residual.m[c * 3 + 1], residual.m[c * 3 + 2]});
      jacobian[c * 3] = column.x;
      jacobian[c * 3 + 1] = column.y;
      jacobian[c * 3 + 2] = column.z;
    }
    size = Broadcast(residual_size);
    scale = motion.scale;
  } else {
    const SlotWeights weights(job, block.k, at.weights);
    V residual[12];
    Motion motion =
        BlendMotion<true, false>(job, block, weights, signs, at.sums, at.lane, residual, doubts);
    AddResidual(residual, p, motion.dual);
    moved = MovePoint(motion, p);
    JacobianAboutVertex(motion, residual, jacobian);
    size = SizeAboutVertex(motion.scale, Broadcast(residual_size));
    scale = motion.scale;
  }
  Blend blend;
  BlendShared(job, block, SlotWeights(job, block.k, at.weights), blend);
  const V3 linear = MovePoint(blend, p);
  for (int e = 0; e < 9; ++e) jacobian[e] = Mix(blend.m[e], jacobian[e], share);
  const auto own = [&]() HWY_ATTR {
    const V residual = LargestOwnResidual(job, block, at.rows, at.lane);
    return hn::Max(job.about_origin ? residual : SizeAboutVertex(scale, residual),
                   LargestOwnJoint(job, block, at.rows, at.lane));
  };
  MoveSurface<kNormals, kTangents>(jacobian, Limits::Of(hn::Max(size, Broadcast(joint_size))), own,
                                   at.geometry, at.tangents, at.lane, surface, doubts);
  return {Mix(linear.x, moved.x, share), Mix(linear.y, moved.y, share),
          Mix(linear.z, moved.z, share)};
}

/// Whether two joints of a shared list point apart with the signs that they have. Where none do, it
/// does not matter which of them leads a vertex.
HWY_INLINE bool PointApart(const SkinJob& job, const CpuBlock& block) {
  if (block.kind != BlockKind::kShared) return true;
  const std::uint32_t* const joints = job.joints + block.joints;
  for (std::size_t j = 1; j < block.k; ++j) {
    if ((job.joint_flags[joints[j]] & kJointSignsDisagree) == 0) continue;
    const float* const a = job.dual[joints[j]].motion;
    for (std::size_t i = 0; i < j; ++i) {
      const float* const b = job.dual[joints[i]].motion;
      const float dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
      if (!(dot > kClearDot)) return true;
    }
  }
  return false;
}

/// What the joints of a block ask for, together. Signs matter only where two of them disagree.
HWY_INLINE std::uint8_t FlagsOf(const SkinJob& job, const CpuBlock& block) {
  if (HWY_LIKELY(job.frame_flags == 0)) return 0;
  std::uint8_t flags = 0;
  int disagreeing = 0;
  for (std::size_t j = 0; j < block.joint_entries(); ++j) {
    const std::uint8_t joint = job.joint_flags[job.joints[block.joints + j]];
    flags = static_cast<std::uint8_t>(flags | joint);
    if (joint & kJointSignsDisagree) ++disagreeing;
  }
  if (disagreeing < 2 || !PointApart(job, block)) {
    flags = static_cast<std::uint8_t>(flags & ~kJointSignsDisagree);
  }
  return flags;
}

/// Lanes whose strongest joint has no quaternion this frame: another leads, or none.
HWY_INLINE void NoteLeaderless(const SkinJob& job, std::size_t block, Doubts& doubts) {
  for (std::size_t lane = 0; lane < kBlockLanes; ++lane) {
    const std::uint8_t pivot = job.joint_flags[job.pivots[block * kBlockLanes + lane]];
    if ((pivot & kJointLeftOut) != 0) doubts.everything |= 1u << lane;
  }
}

/// The sums that BlendMotion wants, for joints that every lane has for itself.
HWY_INLINE void SumDuals(const SkinJob& job, const CpuBlock& block, const Signs& signs,
                         bool residuals, const float* weights, float* rows, Doubts& doubts) {
  constexpr std::size_t kStride = sizeof(DualJoint) / sizeof(float);
  alignas(64) float scratch[kMostAny * kBlockLanes];
  const float* const turned = signs.ApplyEach(job, block, weights, scratch, doubts);
  const std::uint32_t* const joints = job.joints + block.joints;
  SumEach<8>(job.dual->motion, kStride, joints, turned, block.k, rows);
  if (!residuals) return;
  const float* const by = job.about_origin ? weights : turned;
  SumEach<8>(job.dual->residual, kStride, joints, by, block.k, rows + 8 * kBlockLanes);
  SumEach<4>(job.dual->residual + 8, kStride, joints, by, block.k, rows + 16 * kBlockLanes);
}

template <bool kMixed, bool kNormals, bool kTangents>
std::size_t SkinDqsWindow(const SkinJob& job, const CpuWindow& window, BlockRange blocks,
                          Suspects* suspects) {
  std::size_t noted = 0;
  Prefetcher<kNormals> prefetch(job, window);
  for (std::size_t b = blocks.begin; b < blocks.end; ++b) {
    const CpuBlock& block = job.blocks[b];
    const float* const data = job.data + std::size_t{block.data} * kBlockLanes;
    const float* const weights = data + job.geometry_rows * kBlockLanes;
    const float* const geometry = GeometryOf(job, b, data);
    const float* const tangents = kTangents ? TangentsOf(job, b) : nullptr;
    const BlockOutput out(job, window, block);
    prefetch.Ahead(data, block.k);
    Doubts doubts;
    if (!kMixed && block.kind == BlockKind::kOne) {
      MoveAlone<kNormals, kTangents>(job.alone[job.joints[block.joints]], geometry, tangents, out,
                                     doubts);
      noted += Note(doubts, block, b, suspects + noted);
      continue;
    }
    const std::uint8_t flags = FlagsOf(job, block);
    const Signs signs(job, (flags & kJointSignsDisagree) != 0, b);
    if (HWY_UNLIKELY((flags & kJointLeftOut) != 0)) NoteLeaderless(job, b, doubts);
    const bool residuals = kMixed || (flags & kJointHasResidual) != 0;
    const float residual_size = residuals ? LargestResidual(job, block) : 0;
    const float joint_size = kMixed ? LargestJoint(job, block) : 0;
    alignas(64) float scratch[20 * kBlockLanes];
    const float* sums = nullptr;
    if (!kMixed && block.kind == BlockKind::kAny) {
      SumDuals(job, block, signs, residuals, weights, scratch, doubts);
      sums = scratch;
    }
    for (std::size_t lane = 0; lane < kBlockLanes; lane += kLanes) {
      const Here at{
          geometry + lane, tangents + (kTangents ? lane : 0), weights + lane, weights, sums, lane};
      Surface surface{};
      V3 moved;
      if constexpr (kMixed) {
        const std::size_t rows = job.raw_weights ? block.k + 1u : block.k - 1u;
        moved = Mixed<kNormals, kTangents>(job, block, signs, joint_size, residual_size,
                                           Row(at.weights, rows), at, surface, doubts);
      } else if (!residuals) {
        moved = Rigid<kNormals, kTangents>(job, block, signs, at, surface, doubts);
      } else if (job.about_origin) {
        moved =
            AboutOrigin<kNormals, kTangents>(job, block, signs, residual_size, at, surface, doubts);
      } else {
        moved =
            AboutVertex<kNormals, kTangents>(job, block, signs, residual_size, at, surface, doubts);
      }
      surface.position = moved;
      StoreSurface<kNormals, kTangents>(surface, out, lane);
    }
    noted += Note(doubts, block, b, suspects + noted);
  }
  return noted;
}

template <bool kMixed>
SkinKernel DqsKernelHere(const KernelChoice& choice) {
  const bool normals = choice.normals, tangents = choice.tangents;
  return normals
             ? (tangents ? &SkinDqsWindow<kMixed, true, true> : &SkinDqsWindow<kMixed, true, false>)
             : (tangents ? &SkinDqsWindow<kMixed, false, true>
                         : &SkinDqsWindow<kMixed, false, false>);
}

}  // namespace flexor::deform::HWY_NAMESPACE

namespace flexor::deform {
template <>
inline constexpr DqsAt::Function kAtTarget<DqsAt, HWY_TARGET> =
    &HWY_NAMESPACE::DqsKernelHere<false>;
template <>
inline constexpr MixedAt::Function kAtTarget<MixedAt, HWY_TARGET> =
    &HWY_NAMESPACE::DqsKernelHere<true>;
}  // namespace flexor::deform
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flexor::deform {

SkinKernel DqsKernel(const KernelChoice& choice) {
  const auto find = FindAt<DqsAt>(choice.target);
  return find == nullptr ? nullptr : find(choice);
}

SkinKernel MixedKernel(const KernelChoice& choice) {
  const auto find = FindAt<MixedAt>(choice.target);
  return find == nullptr ? nullptr : find(choice);
}

}  // namespace flexor::deform
#endif
