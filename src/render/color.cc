#include "render/color.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "flexor/math/srgb.h"

namespace flexor::render {
namespace {

Vec3f LinearFromLch(Lch color) {
  const float hue = color.hue_degrees * std::numbers::pi_v<float> / 180;
  const float a = color.chroma * std::cos(hue), b = color.chroma * std::sin(hue);
  const auto cube = [](float x) { return x * x * x; };
  const float l = cube(color.lightness + 0.3963377774f * a + 0.2158037573f * b);
  const float m = cube(color.lightness - 0.1055613458f * a - 0.0638541728f * b);
  const float s = cube(color.lightness - 0.0894841775f * a - 1.2914855480f * b);
  const auto clamp = [](float x) { return std::clamp(x, 0.f, 1.f); };
  return {clamp(4.0767416621f * l - 3.3077115913f * m + 0.2309699292f * s),
          clamp(-1.2684380046f * l + 2.6097574011f * m - 0.3413193965f * s),
          clamp(-0.0041960863f * l - 0.7034186147f * m + 1.7076147010f * s)};
}

}  // namespace

float LinearFromSrgb8(std::uint8_t value) {
  static const std::array<float, 256> table = [] {
    std::array<float, 256> t{};
    for (std::size_t i = 0; i < t.size(); ++i) t[i] = LinearFromSrgb(static_cast<float>(i) / 255);
    return t;
  }();
  return table[value];
}

std::uint8_t Srgb8FromLinear(float linear) {
  if (!(linear > 0)) return 0;  // not a number among them
  return static_cast<std::uint8_t>(std::lround(SrgbFromLinear(linear) * 255));
}

Vec3f LinearFromHex(std::uint32_t rgb) {
  return {LinearFromSrgb8(static_cast<std::uint8_t>(rgb >> 16)),
          LinearFromSrgb8(static_cast<std::uint8_t>(rgb >> 8)),
          LinearFromSrgb8(static_cast<std::uint8_t>(rgb))};
}

std::uint32_t HexFromLinear(Vec3f linear) {
  return static_cast<std::uint32_t>(Srgb8FromLinear(linear.x)) << 24 |
         static_cast<std::uint32_t>(Srgb8FromLinear(linear.y)) << 16 |
         static_cast<std::uint32_t>(Srgb8FromLinear(linear.z)) << 8 | 0xFF;
}

ColorRamp::ColorRamp(std::span<const Lch> stops) {
  for (std::size_t i = 0; i < kSize; ++i) {
    const float at = static_cast<float>(i) / (kSize - 1) * static_cast<float>(stops.size() - 1);
    const std::size_t from = std::min(static_cast<std::size_t>(at), stops.size() - 2);
    const float f = at - static_cast<float>(from);
    const Lch a = stops[from], b = stops[from + 1];
    table_[i] = LinearFromLch({a.lightness + (b.lightness - a.lightness) * f,
                               a.chroma + (b.chroma - a.chroma) * f,
                               a.hue_degrees + (b.hue_degrees - a.hue_degrees) * f});
  }
}

Vec3f ColorRamp::At(float t) const {
  if (!(t > 0)) return table_.front();
  const float at = std::min(t, 1.f) * (kSize - 1);
  const std::size_t from = std::min(static_cast<std::size_t>(at), kSize - 2);
  const float f = at - static_cast<float>(from);
  return table_[from] * (1 - f) + table_[from + 1] * f;
}

const ColorRamp& HeatRamp() {
  static constexpr std::array<Lch, 6> kStops{{{0.895f, 0.004f, 100},
                                              {0.84f, 0.135f, 95},
                                              {0.74f, 0.170f, 60},
                                              {0.60f, 0.200f, 28},
                                              {0.45f, 0.180f, -8},
                                              {0.30f, 0.130f, -50}}};
  static const ColorRamp ramp{kStops};
  return ramp;
}

const ColorRamp& WeightRamp() {
  static constexpr std::array<Lch, 5> kStops{{{0.50f, 0.125f, 262},
                                              {0.66f, 0.110f, 205},
                                              {0.76f, 0.165f, 142},
                                              {0.87f, 0.165f, 95},
                                              {0.60f, 0.220f, 27}}};
  static const ColorRamp ramp{kStops};
  return ramp;
}

}  // namespace flexor::render
