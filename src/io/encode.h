/// @file io/encode.h
/// Numbers to bytes in a stated byte order, on machines of any byte order.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

namespace flexor::io {

template <class T>
concept Scalar = std::is_arithmetic_v<T> && !std::same_as<T, bool>;

/// The unsigned integer with as many bytes as T.
template <Scalar T>
using BitsOf = std::conditional_t<
    sizeof(T) == 1, std::uint8_t,
    std::conditional_t<sizeof(T) == 2, std::uint16_t,
                       std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

/// The bytes of one number. Shifts, not casts, decide the order: nothing here asks what the machine
/// is.
template <std::endian kOrder, Scalar T>
constexpr std::array<std::byte, sizeof(T)> ToBytes(T value) {
  const auto bits = std::bit_cast<BitsOf<T>>(value);
  std::array<std::byte, sizeof(T)> bytes{};
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    const std::size_t place = kOrder == std::endian::little ? i : sizeof(T) - 1 - i;
    bytes[place] = static_cast<std::byte>((bits >> (8 * i)) & 0xffu);
  }
  return bytes;
}

template <std::endian kOrder, Scalar T>
void AppendScalar(std::vector<std::byte>& out, T value) {
  const auto bytes = ToBytes<kOrder>(value);
  out.insert(out.end(), bytes.begin(), bytes.end());
}

/// Appends an array; one copy where the machine already has the order.
template <std::endian kOrder, Scalar T>
void AppendScalars(std::vector<std::byte>& out, std::span<const T> values) {
  if (values.empty()) return;
  const std::size_t start = out.size();
  out.resize(start + values.size_bytes());
  std::byte* at = out.data() + start;
  if constexpr (kOrder == std::endian::native || sizeof(T) == 1) {
    std::memcpy(at, values.data(), values.size_bytes());
  } else {
    for (const T value : values) {
      const auto bytes = ToBytes<kOrder>(value);
      std::memcpy(at, bytes.data(), bytes.size());
      at += bytes.size();
    }
  }
}

/// An array of small vectors as the scalars it is made of.
template <Scalar T, class V>
std::span<const T> Flat(std::span<const V> vectors) {
  static_assert(sizeof(V) % sizeof(T) == 0 && alignof(V) == alignof(T));
  static_assert(std::is_trivially_copyable_v<V> && std::is_same_v<decltype(V::x), T>);
  return {reinterpret_cast<const T*>(vectors.data()), vectors.size() * (sizeof(V) / sizeof(T))};
}

}  // namespace flexor::io
