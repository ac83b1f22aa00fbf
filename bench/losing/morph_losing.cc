#include "bench/losing/morph_losing.h"

#include <algorithm>
#include <cstdint>

#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/losing/morph_losing.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace flexor::bench::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void MorphBlocks(const std::vector<BlockCursorMorphs::Rows>& morphs, const float* rest,
                 std::size_t begin, std::size_t end, float* morphed) {
  constexpr std::size_t kRows = 6, kLanes = 16, kBlock = kRows * kLanes;
  const hn::CappedTag<float, kLanes> d;
  constexpr std::size_t kStep = hn::MaxLanes(hn::CappedTag<float, kLanes>());
  std::vector<std::size_t> cursors(morphs.size());
  std::vector<std::pair<const float*, float>> hits(morphs.size());
  for (std::size_t m = 0; m < morphs.size(); ++m) {
    const auto& blocks = morphs[m].blocks;
    const auto at = std::lower_bound(blocks.begin(), blocks.end(), begin);
    cursors[m] = static_cast<std::size_t>(at - blocks.begin());
  }
  for (std::size_t b = begin; b < end; ++b) {
    std::size_t count = 0;
    for (std::size_t m = 0; m < morphs.size(); ++m) {
      const std::size_t at = cursors[m];
      if (at == morphs[m].blocks.size() || morphs[m].blocks[at] != b) continue;
      ++cursors[m];
      hits[count++] = {morphs[m].rows.data() + at * kBlock, morphs[m].weight};
    }
    for (std::size_t lane = 0; lane < kLanes; lane += kStep) {
      hn::Vec<hn::CappedTag<float, kLanes>> sums[kRows];
      for (std::size_t r = 0; r < kRows; ++r) {
        sums[r] = hn::Load(d, rest + b * kBlock + r * kLanes + lane);
      }
      for (std::size_t i = 0; i < count; ++i) {
        const auto weight = hn::Set(d, hits[i].second);
        for (std::size_t r = 0; r < kRows; ++r) {
          sums[r] = hn::MulAdd(weight, hn::Load(d, hits[i].first + r * kLanes + lane), sums[r]);
        }
      }
      const auto square =
          hn::MulAdd(sums[3], sums[3], hn::MulAdd(sums[4], sums[4], hn::Mul(sums[5], sums[5])));
      const auto inverse = hn::Div(hn::Set(d, 1.0f), hn::Sqrt(hn::Max(square, hn::Set(d, 1e-37f))));
      for (std::size_t r = 0; r < kRows; ++r) {
        hn::Store(r < 3 ? sums[r] : hn::Mul(sums[r], inverse), d,
                  morphed + b * kBlock + r * kLanes + lane);
      }
    }
  }
}

}  // namespace flexor::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flexor::bench {

HWY_EXPORT(MorphBlocks);

namespace {

constexpr std::size_t kRows = 6, kLanes = 16;

void PutVertex(float* rows, std::size_t lane, const float* position, const float* normal) {
  for (std::size_t c = 0; c < 3; ++c) {
    rows[c * kLanes + lane] = position[c];
    rows[(3 + c) * kLanes + lane] = normal[c];
  }
}

}  // namespace

void BlockCursorMorphs::Add(const PeerMorph& morph, std::size_t vertices) {
  Rows out;
  out.weight = morph.weight;
  const std::size_t count = morph.vertices == nullptr ? vertices : morph.count;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t v = morph.vertices == nullptr ? i : morph.vertices[i];
    const auto block = static_cast<std::uint32_t>(v / kLanes);
    if (out.blocks.empty() || out.blocks.back() != block) {
      out.blocks.push_back(block);
      out.rows.resize(out.rows.size() + kRows * kLanes, 0.0f);
    }
    PutVertex(out.rows.data() + (out.blocks.size() - 1) * kRows * kLanes, v % kLanes,
              morph.positions + i * 3, morph.normals + i * 3);
  }
  morphs_.push_back(std::move(out));
}

BlockCursorMorphs::BlockCursorMorphs(const PeerMesh& mesh)
    : rest_(blocks(mesh.vertices) * kRows * kLanes), morphed_(rest_.size()) {
  for (std::size_t v = 0; v < mesh.vertices; ++v) {
    PutVertex(rest_.data() + v / kLanes * kRows * kLanes, v % kLanes, mesh.positions + v * 3,
              mesh.normals + v * 3);
  }
}

void BlockCursorMorphs::Run(std::size_t begin, std::size_t end) {
  HWY_DYNAMIC_DISPATCH(MorphBlocks)(morphs_, rest_.data(), begin, end, morphed_.data());
}

}  // namespace flexor::bench
#endif
