#include "bench/losing/lbs_losing.h"

#include <cstdint>

#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/losing/lbs_losing.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace flexor::bench::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// The unit normal of one vertex by the cofactor matrix of columns a, b, c.
HWY_INLINE void CofactorNormal(const float* m, const float* n, float* out) {
  const float* const a = m;
  const float* const b = m + 4;
  const float* const c = m + 8;
  const float x = (b[1] * c[2] - b[2] * c[1]) * n[0] + (c[1] * a[2] - c[2] * a[1]) * n[1] +
                  (a[1] * b[2] - a[2] * b[1]) * n[2];
  const float y = (b[2] * c[0] - b[0] * c[2]) * n[0] + (c[2] * a[0] - c[0] * a[2]) * n[1] +
                  (a[2] * b[0] - a[0] * b[2]) * n[2];
  const float z = (b[0] * c[1] - b[1] * c[0]) * n[0] + (c[0] * a[1] - c[1] * a[0]) * n[1] +
                  (a[0] * b[1] - a[1] * b[0]) * n[2];
  const hn::CappedTag<float, 1> d;
  const float square = x * x + y * y + z * z;
  const float inverse = square > 0 ? 1.0f / hn::GetLane(hn::Sqrt(hn::Set(d, square))) : 0.0f;
  out[0] = x * inverse;
  out[1] = y * inverse;
  out[2] = z * inverse;
}

/// One vertex after another: its whole 4x4 in as few vectors as hold it, weights broadcast. Needs
/// no order of vertices, but normals and stores are one vertex wide.
void MatrixPerVertex(const PeerMesh& mesh, const PeerPalette& palette, std::size_t begin,
                     std::size_t end, float* positions, float* normals) {
  const hn::CappedTag<float, 16> d;
  constexpr std::size_t kStep = hn::MaxLanes(hn::CappedTag<float, 16>());
  for (std::size_t v = begin; v < end; ++v) {
    alignas(64) float m[16];
    hn::Vec<hn::CappedTag<float, 16>> sums[16 / kStep];
    for (std::size_t i = 0; i < 16 / kStep; ++i) sums[i] = hn::Zero(d);
    for (std::size_t k = 0; k < mesh.counts[v]; ++k) {
      const float* const from =
          palette.matrices + mesh.joints[v * mesh.stride + k] * std::size_t{16};
      const auto weight = hn::Set(d, mesh.weights[v * mesh.stride + k]);
      for (std::size_t i = 0; i < 16 / kStep; ++i) {
        sums[i] = hn::MulAdd(weight, hn::Load(d, from + i * kStep), sums[i]);
      }
    }
    for (std::size_t i = 0; i < 16 / kStep; ++i) hn::Store(sums[i], d, m + i * kStep);
    const float* const p = mesh.positions + v * 3;
    for (std::size_t r = 0; r < 3; ++r) {
      positions[v * 3 + r] = m[r] * p[0] + m[4 + r] * p[1] + m[8 + r] * p[2] + m[12 + r];
    }
    CofactorNormal(m, mesh.normals + v * 3, normals + v * 3);
  }
}

/// A vertex in every lane, palette entries gathered: twelve gathers for each influence.
void GatherPalette(const PeerMesh& mesh, const PeerPalette& palette, std::size_t begin,
                   std::size_t end, float* positions, float* normals) {
  using D = hn::CappedTag<float, 16>;
  const D d;
  const hn::RebindToSigned<D> di;
  using V = hn::Vec<D>;
  constexpr std::size_t kLanes = hn::MaxLanes(D());
  std::size_t v = begin;
  for (; v + kLanes <= end; v += kLanes) {
    V m[12];
    for (V& one : m) one = hn::Zero(d);
    std::size_t most = 0;
    for (std::size_t l = 0; l < kLanes; ++l) {
      most = mesh.counts[v + l] > most ? mesh.counts[v + l] : most;
    }
    for (std::size_t k = 0; k < most; ++k) {
      alignas(64) std::int32_t at[kLanes];
      alignas(64) float weights[kLanes];
      for (std::size_t l = 0; l < kLanes; ++l) {
        at[l] = mesh.joints[(v + l) * mesh.stride + k] * 16;
        weights[l] = mesh.weights[(v + l) * mesh.stride + k];
      }
      const auto index = hn::Load(di, at);
      const V weight = hn::Load(d, weights);
      for (int c = 0; c < 4; ++c) {
        for (int r = 0; r < 3; ++r) {
          const V entry = hn::GatherIndex(d, palette.matrices + c * 4 + r, index);
          m[c * 3 + r] = hn::MulAdd(weight, entry, m[c * 3 + r]);
        }
      }
    }
    V px, py, pz, nx, ny, nz;
    hn::LoadInterleaved3(d, mesh.positions + v * 3, px, py, pz);
    hn::LoadInterleaved3(d, mesh.normals + v * 3, nx, ny, nz);
    V out[3];
    for (int r = 0; r < 3; ++r) {
      out[r] = hn::MulAdd(m[r], px, hn::MulAdd(m[3 + r], py, hn::MulAdd(m[6 + r], pz, m[9 + r])));
    }
    hn::StoreInterleaved3(out[0], out[1], out[2], d, positions + v * 3);
    const auto cross = [&](int a, int b, int e) HWY_ATTR {
      const int f = (e + 1) % 3, g = (e + 2) % 3;
      return hn::NegMulAdd(m[a * 3 + g], m[b * 3 + f], hn::Mul(m[a * 3 + f], m[b * 3 + g]));
    };
    for (int r = 0; r < 3; ++r) {
      out[r] = hn::MulAdd(cross(1, 2, r), nx,
                          hn::MulAdd(cross(2, 0, r), ny, hn::Mul(cross(0, 1, r), nz)));
    }
    const V square =
        hn::MulAdd(out[0], out[0], hn::MulAdd(out[1], out[1], hn::Mul(out[2], out[2])));
    const V inverse = hn::Div(hn::Set(d, 1.0f), hn::Sqrt(hn::Max(square, hn::Set(d, 1e-37f))));
    hn::StoreInterleaved3(hn::Mul(out[0], inverse), hn::Mul(out[1], inverse),
                          hn::Mul(out[2], inverse), d, normals + v * 3);
  }
  MatrixPerVertex(mesh, palette, v, end, positions, normals);
}

}  // namespace flexor::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flexor::bench {

HWY_EXPORT(MatrixPerVertex);
HWY_EXPORT(GatherPalette);

namespace {
void RunMatrixPerVertex(const PeerMesh& mesh, const PeerPalette& palette, std::size_t begin,
                        std::size_t end, float* positions, float* normals) {
  HWY_DYNAMIC_DISPATCH(MatrixPerVertex)(mesh, palette, begin, end, positions, normals);
}
void RunGatherPalette(const PeerMesh& mesh, const PeerPalette& palette, std::size_t begin,
                      std::size_t end, float* positions, float* normals) {
  HWY_DYNAMIC_DISPATCH(GatherPalette)(mesh, palette, begin, end, positions, normals);
}
}  // namespace

std::span<const LosingCandidate> LbsLosingCandidates() {
  static constexpr LosingCandidate kAll[] = {
      {"matrix_per_vertex", "normals and stores are one vertex wide", &RunMatrixPerVertex},
      {"gather_palette", "gathers cost more than they save", &RunGatherPalette}};
  return kAll;
}

}  // namespace flexor::bench
#endif
