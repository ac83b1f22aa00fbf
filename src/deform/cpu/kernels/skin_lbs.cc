// Linear blending, include/flexor/deform/skin_lbs.h, 16 vertices at a time.
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "deform/cpu/kernels/disabled_targets.h"
#include "deform/cpu/kernels/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "deform/cpu/kernels/skin_lbs.cc"
#include <hwy/foreach_target.h>

#include "deform/cpu/kernels/linear-inl.h"

HWY_BEFORE_NAMESPACE();
namespace flexor::deform::HWY_NAMESPACE {

inline constexpr std::size_t kLinearStride = sizeof(LinearJoint) / sizeof(float);

template <bool kNormals, bool kTangents>
std::size_t SkinLbsWindow(const SkinJob& job, const CpuWindow& window, BlockRange blocks,
                          Suspects* suspects) {
  std::size_t noted = 0;
  Prefetcher<kNormals> prefetch(job, window);
  for (std::size_t b = blocks.begin; b < blocks.end; ++b) {
    const CpuBlock& block = job.blocks[b];
    const float* const data = job.data + std::size_t{block.data} * kBlockLanes;
    const float* const geometry = GeometryOf(job, b, data);
    const float* const tangents = kTangents ? TangentsOf(job, b) : nullptr;
    const BlockOutput out(job, window, block);
    prefetch.Ahead(data, block.k);
    Doubts doubts;
    if (block.kind == BlockKind::kOne) {
      MoveAlone<kNormals, kTangents>(job.linear[job.joints[block.joints]], geometry, tangents, out,
                                     doubts);
    } else {
      const Limits limits = Limits::Of(LargestJoint(job, block));
      const float* const weights = data + job.geometry_rows * kBlockLanes;
      const bool any = block.kind == BlockKind::kAny;
      alignas(64) float sums[16 * kBlockLanes];
      if (any) {
        SumEach<16>(job.linear->matrix, kLinearStride, job.joints + block.joints, weights, block.k,
                    sums);
      }
      for (std::size_t lane = 0; lane < kBlockLanes; lane += kLanes) {
        Blend blend;
        if (any) {
          for (int e = 0; e < 12; ++e) {
            blend.m[e] = Row(sums + lane, static_cast<std::size_t>(kElement[e]));
          }
        } else {
          BlendShared(job, block, SlotWeights(job, block.k, weights + lane), blend);
        }
        Surface surface{};
        surface.position = MovePoint(blend, Rows(geometry + lane));
        MoveSurface<kNormals, kTangents>(
            blend.m, limits, [&]() HWY_ATTR { return LargestOwnJoint(job, block, weights, lane); },
            geometry + lane, tangents + (kTangents ? lane : 0), lane, surface, doubts);
        StoreSurface<kNormals, kTangents>(surface, out, lane);
      }
    }
    noted += Note(doubts, block, b, suspects + noted);
  }
  return noted;
}

SkinKernel LbsKernelHere(const KernelChoice& choice) {
  const bool normals = choice.normals, tangents = choice.tangents;
  return normals ? (tangents ? &SkinLbsWindow<true, true> : &SkinLbsWindow<true, false>)
                 : (tangents ? &SkinLbsWindow<false, true> : &SkinLbsWindow<false, false>);
}

}  // namespace flexor::deform::HWY_NAMESPACE

namespace flexor::deform {
template <>
inline constexpr LbsAt::Function kAtTarget<LbsAt, HWY_TARGET> = &HWY_NAMESPACE::LbsKernelHere;
}  // namespace flexor::deform
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flexor::deform {

SkinKernel LbsKernel(const KernelChoice& choice) {
  const auto find = FindAt<LbsAt>(choice.target);
  return find == nullptr ? nullptr : find(choice);
}

std::int64_t CompiledTargets() { return TargetsOf<LbsAt>(TargetBits()); }

}  // namespace flexor::deform
#endif
