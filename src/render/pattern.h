// Fixed sampling patterns: nothing random, so that a picture is the same every time.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "flexor/math/vec.h"

namespace flexor::render {

inline float Fraction(float x) { return x - std::floor(x); }

/// The bits of an index mirrored about the binary point: 0, 1/2, 1/4, 3/4, 1/8, …
inline float MirroredBits(std::uint32_t i) {
  i = (i << 16) | (i >> 16);
  i = ((i & 0x00ff00ffu) << 8) | ((i & 0xff00ff00u) >> 8);
  i = ((i & 0x0f0f0f0fu) << 4) | ((i & 0xf0f0f0f0u) >> 4);
  i = ((i & 0x33333333u) << 2) | ((i & 0xccccccccu) >> 2);
  i = ((i & 0x55555555u) << 1) | ((i & 0xaaaaaaaau) >> 1);
  return static_cast<float>(i >> 8) * (1.f / 16777216.f);
}

/// Sample `index` of n * n within a pixel, so that all of them differ in both coordinates.
inline Vec2f SubPixel(int index, int n) {
  const float side = static_cast<float>(n);
  const int row = index / n;
  const float i = static_cast<float>(index - row * n), j = static_cast<float>(row);
  return {(i + (j + 0.5f) / side) / side, (j + (i + 0.5f) / side) / side};
}

/// The side of the square of pixels over which light is smoothed.
inline constexpr int kShiftPeriod = 5;

/// A pair of shifts per pixel such that every square of kShiftPeriod pixels a side holds the same
/// 25 pairs, evenly spread over the unit square: smoothed over it, they leave no pattern.
inline Vec2f PixelShift(int x, int y) {
  const int i = x % kShiftPeriod, j = y % kShiftPeriod;
  const int across = (i + 2 * j) % kShiftPeriod, along = (3 * i + j) % kShiftPeriod;
  constexpr float kCells = kShiftPeriod * kShiftPeriod;
  return {static_cast<float>(i * kShiftPeriod + across) / kCells,
          static_cast<float>(j * kShiftPeriod + along) / kCells};
}

/// Two vectors that make a right-handed frame with a unit vector.
struct Frame {
  Vec3f tangent, bitangent, normal;
  explicit Frame(Vec3f unit) : normal(unit) {
    const float sign = std::copysign(1.f, unit.z);
    const float a = -1 / (sign + unit.z);
    const float b = unit.x * unit.y * a;
    tangent = {1 + sign * unit.x * unit.x * a, sign * b, -sign * unit.x};
    bitangent = {b, sign + unit.y * unit.y * a, -unit.y};
  }
  Vec3f FromLocal(Vec3f v) const { return tangent * v.x + bitangent * v.y + normal * v.z; }
};

/// A point of the unit disc, evenly spread for evenly spread a and b.
inline Vec2f OnDisc(float a, float b) {
  const float radius = std::sqrt(a), angle = 2 * std::numbers::pi_v<float> * b;
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

/// A direction above a plane with normal +Z, as often as a matt surface receives from there.
inline Vec3f OnHemisphere(float a, float b) {
  const Vec2f disc = OnDisc(a, b);
  return {disc.x, disc.y, std::sqrt(std::fmax(0.f, 1 - a))};
}

}  // namespace flexor::render
