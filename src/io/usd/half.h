/// @file io/usd/half.h
/// Numbers of 16 bits as USD stores them (IEEE binary16).
#pragma once

#include <bit>
#include <cstdint>

namespace flexor::io::usd {

/// A half: its bits. Equal means equal bits, so that no value is lost.
struct Half {
  std::uint16_t bits = 0;
  friend bool operator==(Half, Half) = default;
};

/// Exact.
inline float ToFloat(Half half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half.bits & 0x8000) << 16;
  const std::uint32_t exponent = (half.bits >> 10) & 0x1F;
  const std::uint32_t fraction = half.bits & 0x3FF;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7F800000 | fraction << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  const float value = static_cast<float>(fraction) * 0x1p-24f;
  return sign ? -value : value;
}

/// The nearest half, ties to even; infinity beyond the largest.
inline Half ToHalf(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000);
  const std::uint32_t magnitude = bits & 0x7FFFFFFF;
  const auto half = [&](std::uint32_t rest) {
    return Half{static_cast<std::uint16_t>(sign | rest)};
  };
  if (magnitude > 0x7F800000) return half(0x7E00 | (magnitude >> 13 & 0x3FF));  // NaN
  if (magnitude >= 0x477FF000) return half(0x7C00);                             // 65520 and more
  if (magnitude >= 0x38800000) {  // 2^-14 and more: normal
    const std::uint32_t odd = (magnitude >> 13) & 1;
    return half((magnitude + 0xFFF + odd - 0x38000000) >> 13);
  }
  // Adding 0.5 leaves the fraction in units of 2^-24, rounded by the hardware.
  const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
  return half(std::bit_cast<std::uint32_t>(shifted) - 0x3F000000);
}

}  // namespace flexor::io::usd
