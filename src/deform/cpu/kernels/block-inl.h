// Shared by the kernels, once for each SIMD target: the vectors, unit length, and how results of 16
// vertices reach an output in any order.

#include <cstddef>
#include <cstdint>

#include "deform/cpu/kernels/targets.h"

#if defined(FLEXOR_DEFORM_CPU_BLOCK_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef FLEXOR_DEFORM_CPU_BLOCK_INL
#undef FLEXOR_DEFORM_CPU_BLOCK_INL
#else
#define FLEXOR_DEFORM_CPU_BLOCK_INL
#endif

#include <hwy/highway.h>
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
#include <immintrin.h>
#endif

HWY_BEFORE_NAMESPACE();
namespace flexor::deform::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, kBlockLanes>;
using V = hn::Vec<D>;
using M = hn::Mask<D>;
inline constexpr std::size_t kLanes = hn::MaxLanes(D());
static_assert(kBlockLanes % kLanes == 0);

HWY_INLINE V Broadcast(const float* p) { return hn::Set(D(), *p); }
HWY_INLINE V Broadcast(float value) { return hn::Set(D(), value); }
HWY_INLINE V Row(const float* rows, std::size_t row) {
  return hn::Load(D(), rows + row * kBlockLanes);
}

struct V3 {
  V x, y, z;
};

HWY_INLINE V3 Rows(const float* rows) { return {Row(rows, 0), Row(rows, 1), Row(rows, 2)}; }
HWY_INLINE V LengthSquared(const V3& a) {
  return hn::MulAdd(a.z, a.z, hn::MulAdd(a.y, a.y, hn::Mul(a.x, a.x)));
}
HWY_INLINE V3 Scaled(const V3& a, V s) {
  return {hn::Mul(a.x, s), hn::Mul(a.y, s), hn::Mul(a.z, s)};
}

/// 1 / sqrt(square), to a relative 2e-7: the machine's estimate has 12 to 14 bits on x86 and 8 on
/// ARM, and each step of Newton's method doubles them.
HWY_INLINE V InverseRoot(V square) {
#if HWY_TARGET == HWY_AVX3
  constexpr int kSteps = 1;
#elif HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4
  constexpr int kSteps = 2;
#else
  constexpr int kSteps = 3;
#endif
  V root = hn::ApproximateReciprocalSqrt(square);
  const V half = hn::Mul(square, Broadcast(0.5f));
  for (int i = 0; i < kSteps; ++i) {
    const V error = hn::NegMulAdd(hn::Mul(half, root), root, Broadcast(1.5f));
    root = hn::Mul(root, error);
  }
  return root;
}

/// 1 / value, to about a float's last bit; the estimates have as many bits as those above.
HWY_INLINE V Inverse(V value) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4
  constexpr int kSteps = 2;
#else
  constexpr int kSteps = 3;
#endif
  V inverse = hn::ApproximateReciprocal(value);
  for (int i = 0; i < kSteps; ++i) {
    inverse = hn::Mul(inverse, hn::NegMulAdd(value, inverse, Broadcast(2.0f)));
  }
  return inverse;
}

/// Unit length for vectors known to have one.
HWY_INLINE V3 Unit(const V3& a, V length_squared) { return Scaled(a, InverseRoot(length_squared)); }

/// The lanes of a mask as bits from `first_lane` on.
HWY_INLINE std::uint32_t BitsOf(M mask, std::size_t first_lane) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(D(), mask, bytes);
  return static_cast<std::uint32_t>(bytes[0] | (bytes[1] << 8)) << first_lane;
}

#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
/// 16 vectors of three as 48 floats: six two-source permutes, a quarter of what Highway 1.0 needs.
HWY_INLINE void StoreTriples(const V3& v, float* out) {
  const __m512i xy0 = _mm512_setr_epi32(0, 16, 0, 1, 17, 0, 2, 18, 0, 3, 19, 0, 4, 20, 0, 5);
  const __m512i z0 = _mm512_setr_epi32(0, 1, 16, 3, 4, 17, 6, 7, 18, 9, 10, 19, 12, 13, 20, 15);
  const __m512i xy1 = _mm512_setr_epi32(21, 0, 6, 22, 0, 7, 23, 0, 8, 24, 0, 9, 25, 0, 10, 26);
  const __m512i z1 = _mm512_setr_epi32(0, 21, 2, 3, 22, 5, 6, 23, 8, 9, 24, 11, 12, 25, 14, 15);
  const __m512i xy2 = _mm512_setr_epi32(0, 11, 27, 0, 12, 28, 0, 13, 29, 0, 14, 30, 0, 15, 31, 0);
  const __m512i z2 = _mm512_setr_epi32(26, 1, 2, 27, 4, 5, 28, 7, 8, 29, 10, 11, 30, 13, 14, 31);
  const __m512 x = v.x.raw, y = v.y.raw, z = v.z.raw;
  _mm512_storeu_ps(out, _mm512_permutex2var_ps(_mm512_permutex2var_ps(x, xy0, y), z0, z));
  _mm512_storeu_ps(out + 16, _mm512_permutex2var_ps(_mm512_permutex2var_ps(x, xy1, y), z1, z));
  _mm512_storeu_ps(out + 32, _mm512_permutex2var_ps(_mm512_permutex2var_ps(x, xy2, y), z2, z));
}
#else
HWY_INLINE void StoreTriples(const V3& v, float* out) {
  hn::StoreInterleaved3(v.x, v.y, v.z, D(), out);
}
#endif

/// Four numbers a vertex, 16 bytes each: lane l of vector l / 4 * ... as SlotOf says.
#if HWY_TARGET != HWY_SCALAR
HWY_INLINE void StoreQuadruples(V x, V y, V z, V w, float* tile) {
  const D d;
  const hn::Repartition<double, D> dd;
  const V xy_low = hn::InterleaveLower(d, x, y), xy_high = hn::InterleaveUpper(d, x, y);
  const V zw_low = hn::InterleaveLower(d, z, w), zw_high = hn::InterleaveUpper(d, z, w);
  const auto low_a = hn::BitCast(dd, xy_low), low_b = hn::BitCast(dd, zw_low);
  const auto high_a = hn::BitCast(dd, xy_high), high_b = hn::BitCast(dd, zw_high);
  hn::Store(hn::BitCast(d, hn::InterleaveLower(dd, low_a, low_b)), d, tile);
  hn::Store(hn::BitCast(d, hn::InterleaveUpper(dd, low_a, low_b)), d, tile + kLanes);
  hn::Store(hn::BitCast(d, hn::InterleaveLower(dd, high_a, high_b)), d, tile + 2 * kLanes);
  hn::Store(hn::BitCast(d, hn::InterleaveUpper(dd, high_a, high_b)), d, tile + 3 * kLanes);
}
/// Where StoreQuadruples puts a lane, in floats: every 128-bit block was transposed by itself.
constexpr std::size_t SlotOf(std::size_t lane) {
  return ((lane % 4) * (kLanes / 4) + lane / 4) * 4;
}
#else
HWY_INLINE void StoreQuadruples(V x, V y, V z, V w, float* tile) {
  tile[0] = hn::GetLane(x);
  tile[1] = hn::GetLane(y);
  tile[2] = hn::GetLane(z);
  tile[3] = hn::GetLane(w);
}
constexpr std::size_t SlotOf(std::size_t) { return 0; }
#endif

/// 12 of the 16 bytes at `from`.
HWY_INLINE void StoreThree(const float* from, float* to) {
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
  for (int i = 0; i < 3; ++i) to[i] = from[i];
#elif HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  const hn::Full128<float> d;
  hn::BlendedStore(hn::Load(d, from), hn::FirstN(d, 3), d, to);
#else
  const hn::Full64<float> d;
  hn::StoreU(hn::Load(d, from), d, to);
  to[2] = from[2];
#endif
}

/// 8 and 16 bytes, wherever they lie.
HWY_INLINE void CopyTwo(const float* from, float* to) {
#if HWY_TARGET == HWY_SCALAR
  for (int i = 0; i < 2; ++i) to[i] = from[i];
#else
  const hn::Full64<float> d;
  hn::StoreU(hn::LoadU(d, from), d, to);
#endif
}
HWY_INLINE void CopyFour(const float* from, float* to) {
#if HWY_TARGET == HWY_SCALAR
  for (int i = 0; i < 4; ++i) to[i] = from[i];
#else
  const hn::Full128<float> d;
  hn::StoreU(hn::LoadU(d, from), d, to);
#endif
}

/// Where the results of one block go.
struct BlockOutput {
  HWY_INLINE BlockOutput(const SkinJob& skin_job, const CpuWindow& window,
                         const CpuBlock& cpu_block)
      : job(skin_job),
        block(cpu_block),
        dst(skin_job.dst + cpu_block.dst),
        positions(From(skin_job.positions, window)),
        normals(From(skin_job.normals, window)),
        tangents(From(skin_job.tangents, window)) {}

  /// The vertex of the window that a lane writes.
  HWY_INLINE std::size_t VertexOf(std::size_t lane) const {
    return block.store == BlockStore::kRun     ? dst[0] / 3u + lane
           : block.store == BlockStore::kQuads ? dst[lane / 4] / 3u + lane % 4
                                               : dst[lane] / 3u;
  }

  const SkinJob& job;
  const CpuBlock& block;
  const std::uint16_t* dst;
  float* positions;  ///< of the window's first vertex
  float* normals;
  float* tangents;

 private:
  static HWY_INLINE float* From(const SkinStream& stream, const CpuWindow& window) {
    return stream.numbers == nullptr
               ? nullptr
               : stream.numbers + std::size_t{window.first_vertex} * stream.stride;
  }
};

/// Results into vertices of the caller's own form. Tiles hold four numbers a lane, as
/// StoreQuadruples puts them: x y z and the first of the second, x y z of the second.
template <bool kTwo>
HWY_MAYBE_UNUSED HWY_NOINLINE static void StoreStrided(const BlockOutput& out, std::size_t lane,
                                                       const float* tile, const float* tile2) {
  const std::size_t stride = out.job.positions.stride;
  if constexpr (kTwo) {
    const std::size_t stride2 = out.job.normals.stride;
    if (HWY_LIKELY(out.normals == out.positions + 3 && stride2 == stride)) {
      // Six numbers in a row, all of them ours: no store has to leave bytes out.
      for (std::size_t l = 0; l < kLanes; ++l) {
        float* const to = out.positions + out.VertexOf(lane + l) * stride;
        CopyFour(tile + SlotOf(l), to);
        CopyTwo(tile2 + SlotOf(l) + 1, to + 4);
      }
      return;
    }
    for (std::size_t l = 0; l < kLanes; ++l) {
      const std::size_t vertex = out.VertexOf(lane + l);
      StoreThree(tile + SlotOf(l), out.positions + vertex * stride);
      StoreThree(tile2 + SlotOf(l), out.normals + vertex * stride2);
    }
  } else {
    for (std::size_t l = 0; l < kLanes; ++l) {
      StoreThree(tile + SlotOf(l), out.positions + out.VertexOf(lane + l) * stride);
    }
  }
}

/// Results of the lanes from `lane` on to where the block's offsets say, `second` (normals) only
/// when kTwo.
template <bool kTwo>
HWY_INLINE void StoreVectors(const V3& v, const V3& second, const BlockOutput& output,
                             std::size_t lane) {
  if (HWY_UNLIKELY(!output.job.packed)) {
    alignas(64) float tile[4 * kLanes];
    alignas(64) float tile2[4 * kLanes];
    StoreQuadruples(v.x, v.y, v.z, kTwo ? second.x : v.z, tile);
    if constexpr (kTwo) StoreQuadruples(second.x, second.y, second.z, second.z, tile2);
    StoreStrided<kTwo>(output, lane, tile, tile2);
    return;
  }
  const CpuBlock& block = output.block;
  const std::uint16_t* const dst = output.dst;
  float* const out = output.positions;
  float* const out2 = output.normals;
  if (block.store == BlockStore::kRun) {
    const std::size_t at = dst[0] + lane * 3;
    StoreTriples(v, out + at);
    if constexpr (kTwo) StoreTriples(second, out2 + at);
    return;
  }
#if HWY_TARGET == HWY_SCALAR
  const std::size_t at =
      block.store == BlockStore::kQuads ? dst[lane / 4] + lane % 4 * 3 : dst[lane];
  StoreTriples(v, out + at);
  if constexpr (kTwo) StoreTriples(second, out2 + at);
#else
  alignas(64) float tile[4 * kLanes];
  alignas(64) float tile2[4 * kLanes];
  if (block.store == BlockStore::kQuads) {
    const hn::Full128<float> d;
    StoreTriples(v, tile);
    if constexpr (kTwo) {
      StoreTriples(second, tile2);
    }
    for (std::size_t quad = 0; quad < kLanes / 4; ++quad) {
      const std::size_t at = dst[lane / 4 + quad];
      for (std::size_t i = 0; i < 12; i += 4) {
        hn::StoreU(hn::Load(d, tile + quad * 12 + i), d, out + at + i);
        if constexpr (kTwo) hn::StoreU(hn::Load(d, tile2 + quad * 12 + i), d, out2 + at + i);
      }
    }
    return;
  }
  StoreQuadruples(v.x, v.y, v.z, v.z, tile);
  if constexpr (kTwo) {
    StoreQuadruples(second.x, second.y, second.z, second.z, tile2);
  }
  HWY_UNROLL(16)
  for (std::size_t l = 0; l < kLanes; ++l) {
    const std::size_t at = dst[lane + l];
    StoreThree(tile + SlotOf(l), out + at);
    if constexpr (kTwo) StoreThree(tile2 + SlotOf(l), out2 + at);
  }
#endif
}

/// The same for tangents: four numbers each, whatever the order.
HWY_INLINE void StoreTangents(const V3& v, V w, const BlockOutput& out, std::size_t lane) {
  alignas(64) float tile[4 * kLanes];
  StoreQuadruples(v.x, v.y, v.z, w, tile);
  for (std::size_t l = 0; l < kLanes; ++l) {
    CopyFour(tile + SlotOf(l), out.tangents + out.VertexOf(lane + l) * out.job.tangents.stride);
  }
}

// How far ahead of the block at hand its stream is asked for, and what of the next window's output
// is made ready for each block: the largest single gain at 100k vertices and above
// (docs/methods/cpu_backend.md).
inline constexpr std::size_t kPrefetchBytes = 2048;
inline constexpr std::size_t kCacheLine = 64;

/// Asks for what is needed soon, where a frame does not stay in the caches anyway. One per window.
template <bool kNormals>
class Prefetcher {
 public:
  Prefetcher(const SkinJob& job, const CpuWindow& window)
      : rows_(job.geometry_rows), packed_(job.packed) {
    wanted_ = job.prefetch;
    const std::size_t next = std::size_t{window.first_vertex} + job.window_vertices;
    has_next_ = wanted_ && next + job.window_vertices <= job.vertex_count;
    if (!has_next_) return;
    const std::size_t at = next + job.blocks_done * kBlockLanes;
    positions_ = AddressOf(job.positions, at);
    if constexpr (kNormals) normals_ = AddressOf(job.normals, at);
    if (HWY_LIKELY(packed_)) return;
    position_bytes_ = job.positions.stride * sizeof(float) * kBlockLanes;
    if constexpr (kNormals) {
      // In the same vertices they come with the positions.
      const bool same = job.normals.stride == job.positions.stride &&
                        job.normals.numbers - job.positions.numbers <
                            static_cast<std::ptrdiff_t>(job.positions.stride) &&
                        job.positions.numbers - job.normals.numbers <
                            static_cast<std::ptrdiff_t>(job.positions.stride);
      normal_bytes_ = same ? 0 : job.normals.stride * sizeof(float) * kBlockLanes;
    }
  }

  HWY_INLINE void Ahead(const float* data, std::size_t k) {
    if (!wanted_) return;
    const char* const at = reinterpret_cast<const char*>(data) + kPrefetchBytes;
    for (std::size_t i = 0; i < rows_ + k; ++i) __builtin_prefetch(at + i * kCacheLine, 0, 3);
    if (!has_next_) return;
    if (HWY_UNLIKELY(!packed_)) {
      Lines(positions_, position_bytes_);
      if constexpr (kNormals) Lines(normals_, normal_bytes_);
      return;
    }
    for (std::size_t i = 0; i < 3; ++i) {
      __builtin_prefetch(positions_ + i * kCacheLine, 1, 3);
      if constexpr (kNormals) __builtin_prefetch(normals_ + i * kCacheLine, 1, 3);
    }
    positions_ += 3 * kCacheLine;
    if constexpr (kNormals) normals_ += 3 * kCacheLine;
  }

 private:
  static const char* AddressOf(const SkinStream& stream, std::size_t vertex) {
    return reinterpret_cast<const char*>(stream.numbers + vertex * stream.stride);
  }
  /// The bytes of 16 vertices, and on to the next.
  static HWY_INLINE void Lines(const char*& at, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; i += kCacheLine) __builtin_prefetch(at + i, 1, 3);
    at += bytes;
  }

  std::size_t rows_;
  bool packed_;
  bool wanted_ = false;
  bool has_next_ = false;
  const char* positions_ = nullptr;
  const char* normals_ = nullptr;
  std::size_t position_bytes_ = 0, normal_bytes_ = 0;
};

HWY_INLINE bool IsMorphed(const SkinJob& job, std::size_t block) {
  return job.touched != 0 && (job.touched >> (block - job.morphed_first) & 1u) != 0;
}

/// The rest shape of a block: as it was planned, or morphed.
HWY_INLINE const float* GeometryOf(const SkinJob& job, std::size_t block, const float* data) {
  if (HWY_LIKELY(!IsMorphed(job, block))) return data;
  return job.morphed + (block - job.morphed_first) * job.morphed_rows * kBlockLanes;
}
HWY_INLINE const float* TangentsOf(const SkinJob& job, std::size_t block) {
  if (HWY_LIKELY(!IsMorphed(job, block))) return job.tangent_data + block * 4 * kBlockLanes;
  return job.morphed +
         ((block - job.morphed_first) * job.morphed_rows + job.geometry_rows) * kBlockLanes;
}

}  // namespace flexor::deform::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
