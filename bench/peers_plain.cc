#include <algorithm>
#include <cmath>
#include <cstring>

#include "bench/peers.h"

namespace flexor::bench {
namespace {

/// The unit normal by the cofactor matrix of the three columns a, b, c.
inline void CofactorNormal(const float* a, const float* b, const float* c, const float* n,
                           float* out) {
  const float x = (b[1] * c[2] - b[2] * c[1]) * n[0] + (c[1] * a[2] - c[2] * a[1]) * n[1] +
                  (a[1] * b[2] - a[2] * b[1]) * n[2];
  const float y = (b[2] * c[0] - b[0] * c[2]) * n[0] + (c[2] * a[0] - c[0] * a[2]) * n[1] +
                  (a[2] * b[0] - a[0] * b[2]) * n[2];
  const float z = (b[0] * c[1] - b[1] * c[0]) * n[0] + (c[0] * a[1] - c[1] * a[0]) * n[1] +
                  (a[0] * b[1] - a[1] * b[0]) * n[2];
  const float length = std::sqrt(x * x + y * y + z * z);
  const float inverse = length > 0 ? 1 / length : 0;
  out[0] = x * inverse;
  out[1] = y * inverse;
  out[2] = z * inverse;
}

/// The vector v turned by the unit quaternion q.
inline void Turn(const float* q, const float* v, float* out) {
  const float x = q[1] * v[2] - q[2] * v[1] + q[3] * v[0];
  const float y = q[2] * v[0] - q[0] * v[2] + q[3] * v[1];
  const float z = q[0] * v[1] - q[1] * v[0] + q[3] * v[2];
  out[0] = v[0] + 2 * (q[1] * z - q[2] * y);
  out[1] = v[1] + 2 * (q[2] * x - q[0] * z);
  out[2] = v[2] + 2 * (q[0] * y - q[1] * x);
}

/// The translation of the dual part d of the unit quaternion q.
inline void Translation(const float* q, const float* d, float* out) {
  out[0] = 2 * (q[3] * d[0] - d[3] * q[0] + q[1] * d[2] - q[2] * d[1]);
  out[1] = 2 * (q[3] * d[1] - d[3] * q[1] + q[2] * d[0] - q[0] * d[2]);
  out[2] = 2 * (q[3] * d[2] - d[3] * q[2] + q[0] * d[1] - q[1] * d[0]);
}

/// A point moved by a matrix of four columns of four.
inline void Move(const float* m, const float* p, float* out) {
  for (int r = 0; r < 3; ++r) out[r] = m[r] * p[0] + m[4 + r] * p[1] + m[8 + r] * p[2] + m[12 + r];
}

/// The rotation between a and b at t, along the shorter arc.
inline void Slerp(const float* a, const float* b, float t, float* out) {
  float dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  const float sign = dot < 0 ? -1.0f : 1.0f;
  dot *= sign;
  float s = 1 - t, e = t;
  if (dot < 0.9995f) {
    const float angle = std::acos(dot);
    const float scale = 1 / std::sin(angle);
    s = std::sin((1 - t) * angle) * scale;
    e = std::sin(t * angle) * scale;
  }
  float square = 0;
  for (int i = 0; i < 4; ++i) {
    out[i] = s * a[i] + e * sign * b[i];
    square += out[i] * out[i];
  }
  const float inverse = 1 / std::sqrt(square);
  for (int i = 0; i < 4; ++i) out[i] *= inverse;
}

}  // namespace

void PlainLbs(const PeerMesh& mesh, const PeerPalette& palette, std::size_t begin, std::size_t end,
              float* positions, float* normals) {
  for (std::size_t v = begin; v < end; ++v) {
    const std::uint16_t* const joints = mesh.joints + v * mesh.stride;
    const float* const weights = mesh.weights + v * mesh.stride;
    float m[12] = {};
    for (std::size_t k = 0; k < mesh.counts[v]; ++k) {
      const float* const p = palette.matrices + joints[k] * std::size_t{16};
      for (int c = 0; c < 4; ++c) {
        for (int r = 0; r < 3; ++r) m[c * 3 + r] += weights[k] * p[c * 4 + r];
      }
    }
    const float* const p = mesh.positions + v * 3;
    for (int r = 0; r < 3; ++r) {
      positions[v * 3 + static_cast<std::size_t>(r)] =
          m[r] * p[0] + m[3 + r] * p[1] + m[6 + r] * p[2] + m[9 + r];
    }
    CofactorNormal(m, m + 3, m + 6, mesh.normals + v * 3, normals + v * 3);
  }
}

void PlainDqs(const PeerMesh& mesh, const PeerPalette& palette, bool residual, std::size_t begin,
              std::size_t end, float* positions, float* normals) {
  const int numbers = residual ? 20 : 8;
  for (std::size_t v = begin; v < end; ++v) {
    const std::uint16_t* const joints = mesh.joints + v * mesh.stride;
    const float* const weights = mesh.weights + v * mesh.stride;
    const float* const pivot = palette.duals + joints[0] * std::size_t{20};
    float q[20] = {};
    for (std::size_t k = 0; k < mesh.counts[v]; ++k) {
      const float* const p = palette.duals + joints[k] * std::size_t{20};
      const float dot = pivot[0] * p[0] + pivot[1] * p[1] + pivot[2] * p[2] + pivot[3] * p[3];
      const float weight = dot < 0 ? -weights[k] : weights[k];
      for (int e = 0; e < numbers; ++e) q[e] += weight * p[e];
    }
    const float* const p = mesh.positions + v * 3;
    const float* const n = mesh.normals + v * 3;
    if (residual) {
      for (int e = 0; e < 4; ++e) {
        q[4 + e] += q[8 + e] * p[0] + q[12 + e] * p[1] + q[16 + e] * p[2];
      }
    }
    const float inverse = 1 / std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int e = 0; e < numbers; ++e) q[e] *= inverse;
    float turned[3], moved[3];
    Turn(q, p, turned);
    Translation(q, q + 4, moved);
    for (std::size_t r = 0; r < 3; ++r) positions[v * 3 + r] = turned[r] + moved[r];
    if (!residual) {
      Turn(q, n, turned);
      const float length =
          std::sqrt(turned[0] * turned[0] + turned[1] * turned[1] + turned[2] * turned[2]);
      const float scale = length > 0 ? 1 / length : 0;
      for (std::size_t r = 0; r < 3; ++r) normals[v * 3 + r] = turned[r] * scale;
      continue;
    }
    float jacobian[9];
    for (int c = 0; c < 3; ++c) {
      float axis[3] = {};
      axis[c] = 1;
      Turn(q, axis, jacobian + c * 3);
      Translation(q, q + 8 + c * 4, moved);
      for (int r = 0; r < 3; ++r) jacobian[c * 3 + r] += moved[r];
    }
    CofactorNormal(jacobian, jacobian + 3, jacobian + 6, n, normals + v * 3);
  }
}

void PlainSdef(const PeerMesh& mesh, const PeerSdef& sdef, const PeerPalette& palette,
               std::size_t begin, std::size_t end, float* positions, float* normals) {
  for (std::size_t v = begin; v < end; ++v) {
    const std::size_t j0 = sdef.joints[v * 2], j1 = sdef.joints[v * 2 + 1];
    const float* const m0 = palette.matrices + j0 * 16;
    const float* const m1 = palette.matrices + j1 * 16;
    const float w0 = sdef.weights[v], w1 = 1 - w0;
    const float* const c = sdef.centers + v * 3;
    float q[4], c0[3], c1[3], r0[3], r1[3], turned[3];
    Slerp(palette.duals + j0 * 20, palette.duals + j1 * 20, w1, q);
    Move(m0, c, c0);
    Move(m1, c, c1);
    Move(m0, sdef.r0 + v * 3, r0);
    Move(m1, sdef.r1 + v * 3, r1);
    const float* const p = mesh.positions + v * 3;
    const float from_center[3] = {p[0] - c[0], p[1] - c[1], p[2] - c[2]};
    Turn(q, from_center, turned);
    for (std::size_t i = 0; i < 3; ++i) {
      const float linear = c[i] + (c0[i] - c[i]) * w0 + (c1[i] - c[i]) * w1;
      positions[v * 3 + i] = turned[i] + 0.5f * (linear + r0[i] * w0 + r1[i] * w1);
    }
    Turn(q, mesh.normals + v * 3, turned);
    const float length =
        std::sqrt(turned[0] * turned[0] + turned[1] * turned[1] + turned[2] * turned[2]);
    const float scale = length > 0 ? 1 / length : 0;
    for (std::size_t i = 0; i < 3; ++i) normals[v * 3 + i] = turned[i] * scale;
  }
}

std::uint64_t Ceiling(const PeerMesh& four, std::size_t begin, std::size_t end, float* positions,
                      float* normals) {
  // In strips that stay in the first cache, so that the six streams run side by side.
  constexpr std::size_t kStrip = 64;
  std::uint64_t sum = 0;
  std::uint64_t words[3 * kStrip] = {};
  for (std::size_t v = begin; v < end; v += kStrip) {
    const std::size_t count = v + kStrip <= end ? kStrip : end - v;
    std::memcpy(words, four.weights + v * 4, count * 16);
    std::memcpy(words + 2 * kStrip, four.joints + v * 4, count * 8);
    for (std::size_t i = 0; i < 3 * kStrip; ++i) sum |= words[i];
    std::memcpy(positions + v * 3, four.positions + v * 3, count * 12);
    std::memcpy(normals + v * 3, four.normals + v * 3, count * 12);
  }
  return sum;
}

void PlainMorphs(const PeerMesh& mesh, const PeerMorph* morphs, std::size_t morph_count,
                 std::size_t begin, std::size_t end, float* positions, float* normals) {
  std::memcpy(positions + begin * 3, mesh.positions + begin * 3, (end - begin) * 12);
  std::memcpy(normals + begin * 3, mesh.normals + begin * 3, (end - begin) * 12);
  for (std::size_t m = 0; m < morph_count; ++m) {
    const PeerMorph& morph = morphs[m];
    const float weight = morph.weight;
    if (morph.vertices == nullptr) {
      for (std::size_t i = begin * 3; i < end * 3; ++i) positions[i] += weight * morph.positions[i];
      for (std::size_t i = begin * 3; i < end * 3; ++i) normals[i] += weight * morph.normals[i];
      continue;
    }
    const std::uint32_t* const last = morph.vertices + morph.count;
    const std::uint32_t* const first = std::lower_bound(morph.vertices, last, begin);
    for (const std::uint32_t* v = first; v != last && *v < end; ++v) {
      const std::size_t from = static_cast<std::size_t>(v - morph.vertices) * 3;
      const std::size_t to = std::size_t{*v} * 3;
      for (std::size_t c = 0; c < 3; ++c) {
        positions[to + c] += weight * morph.positions[from + c];
        normals[to + c] += weight * morph.normals[from + c];
      }
    }
  }
  for (std::size_t v = begin; v < end; ++v) {
    float* const n = normals + v * 3;
    const float square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    const float inverse = square > 0 ? 1 / std::sqrt(square) : 1;
    for (std::size_t c = 0; c < 3; ++c) n[c] *= inverse;
  }
}

}  // namespace flexor::bench
