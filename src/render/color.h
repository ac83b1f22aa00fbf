// Colours: the sRGB curve, and ramps that are even to the eye.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "flexor/math/vec.h"

namespace flexor::render {

/// Linear light of an 8-bit sRGB value.
float LinearFromSrgb8(std::uint8_t value);
/// The 8-bit sRGB value of linear light, clamped.
std::uint8_t Srgb8FromLinear(float linear);
/// Linear RGB of 0xRRGGBB.
Vec3f LinearFromHex(std::uint32_t rgb);
/// 0xRRGGBBFF of linear RGB.
std::uint32_t HexFromLinear(Vec3f linear);

/// A colour as lightness, chroma and hue (degrees) of Oklab [Ottosson 2020], in which equal steps
/// look about equal.
struct Lch {
  float lightness = 0, chroma = 0, hue_degrees = 0;
};

/// A table of colours from 0 to 1.
class ColorRamp {
 public:
  /// Through the given stops at even distances, straight in lightness, chroma and hue.
  explicit ColorRamp(std::span<const Lch> stops);
  /// Linear RGB; clamped; NaN gives the colour of 0.
  Vec3f At(float t) const;

 private:
  static constexpr std::size_t kSize = 257;
  std::array<Vec3f, kSize> table_;
};

/// Distances: pale where nothing differs, then yellow, red, violet, ever darker.
const ColorRamp& HeatRamp();
/// Weights: blue, green, yellow, red, the order that rigging tools have taught.
const ColorRamp& WeightRamp();

}  // namespace flexor::render
