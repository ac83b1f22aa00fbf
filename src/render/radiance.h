// Light on its way to a pixel, kept apart by what may stand in its way.
#pragma once

#include <cmath>

#include "flexor/math/vec.h"

namespace flexor::render {

/// How much light a spot gets past what stands in the way: 0 none, 1 all.
struct Openness {
  float key = 1;  ///< towards the key lamp
  float sky = 1;  ///< towards the sky, near obstacles only
};

/// Linear RGB times alpha, and alpha, of one sample or one pixel: `base + by_key * openness to the
/// key lamp + by_sky * openness to the sky`. The openness is measured with few rays and therefore
/// noisy; everything else is exact. Kept apart, the noise can be smoothed without touching a
/// texture or an edge.
struct Radiance {
  Vec4f base, by_key, by_sky;
  float key_seen = 0, key_weight = 0;  ///< measured openness times weight, and that weight
  float sky_seen = 0, sky_weight = 0;

  /// Light that nothing can stand in the way of.
  static Radiance Plain(Vec3f color, float alpha) {
    Radiance r;
    r.base = {color.x, color.y, color.z, alpha};
    return r;
  }
};

inline Vec4f Scaled(Vec4f a, float s) { return {a.x * s, a.y * s, a.z * s, a.w * s}; }
inline Vec4f Sum(Vec4f a, Vec4f b) { return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }

inline Radiance operator*(const Radiance& a, float s) {
  return {Scaled(a.base, s), Scaled(a.by_key, s), Scaled(a.by_sky, s), a.key_seen * s,
          a.key_weight * s,  a.sky_seen * s,      a.sky_weight * s};
}
inline Radiance operator+(const Radiance& a, const Radiance& b) {
  return {Sum(a.base, b.base),        Sum(a.by_key, b.by_key),     Sum(a.by_sky, b.by_sky),
          a.key_seen + b.key_seen,    a.key_weight + b.key_weight, a.sky_seen + b.sky_seen,
          a.sky_weight + b.sky_weight};
}

/// An opaque spot whose light is `base`, `by_key` and `by_sky`, with the openness measured there.
inline Radiance Opaque(Vec3f base, Vec3f by_key, Vec3f by_sky, Openness open) {
  Radiance r;
  r.base = {base.x, base.y, base.z, 1};
  r.by_key = {by_key.x, by_key.y, by_key.z, 0};
  r.by_sky = {by_sky.x, by_sky.y, by_sky.z, 0};
  r.key_weight = by_key.x + by_key.y + by_key.z;
  r.sky_weight = by_sky.x + by_sky.y + by_sky.z;
  r.key_seen = r.key_weight * open.key;
  r.sky_seen = r.sky_weight * open.sky;
  return r;
}

/// The colour for a given openness.
inline Vec4f Resolve(const Radiance& r, Openness open) {
  return Sum(r.base, Sum(Scaled(r.by_key, open.key), Scaled(r.by_sky, open.sky)));
}

}  // namespace flexor::render
