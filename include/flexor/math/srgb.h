/// @file math/srgb.h
/// The sRGB curve between linear light and what files and screens hold.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>

namespace flexor {

/// Linear light, 0 to 1, of an sRGB value; clamped. Source: IEC 61966-2-1
template <std::floating_point T>
T LinearFromSrgb(T value) {
  const T v = std::clamp(value, T{0}, T{1});
  return v <= T(0.04045) ? v / T(12.92) : std::pow((v + T(0.055)) / T(1.055), T(2.4));
}

/// The sRGB value, 0 to 1, of linear light; clamped.
template <std::floating_point T>
T SrgbFromLinear(T linear) {
  const T v = std::clamp(linear, T{0}, T{1});
  return v <= T(0.0031308) ? v * T(12.92) : T(1.055) * std::pow(v, T(1 / 2.4)) - T(0.055);
}

}  // namespace flexor
