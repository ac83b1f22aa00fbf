/// @file math/vec.h
/// Small vectors: plain values, column convention. Float for what is stored, double for what is
/// composed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace flexor {

/// Two numbers.
template <class T>
struct Vec2 {
  T x{}, y{};
  friend constexpr bool operator==(const Vec2&, const Vec2&) = default;
};

/// Three numbers.
template <class T>
struct Vec3 {
  T x{}, y{}, z{};

  constexpr T& operator[](std::size_t i) { return i == 0 ? x : i == 1 ? y : z; }
  constexpr const T& operator[](std::size_t i) const { return i == 0 ? x : i == 1 ? y : z; }

  friend constexpr bool operator==(const Vec3&, const Vec3&) = default;
  friend constexpr Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend constexpr Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend constexpr Vec3 operator-(Vec3 a) { return {-a.x, -a.y, -a.z}; }
  friend constexpr Vec3 operator*(Vec3 a, T s) { return {a.x * s, a.y * s, a.z * s}; }
  friend constexpr Vec3 operator*(T s, Vec3 a) { return a * s; }
  friend constexpr Vec3 operator*(Vec3 a, Vec3 b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
  friend constexpr Vec3 operator/(Vec3 a, T s) { return {a.x / s, a.y / s, a.z / s}; }
  constexpr Vec3& operator+=(Vec3 b) { return *this = *this + b; }
  constexpr Vec3& operator-=(Vec3 b) { return *this = *this - b; }
  constexpr Vec3& operator*=(T s) { return *this = *this * s; }
};

/// Four numbers.
template <class T>
struct Vec4 {
  T x{}, y{}, z{}, w{};
  friend constexpr bool operator==(const Vec4&, const Vec4&) = default;
};

/// Vectors in the two precisions.
using Vec2f = Vec2<float>;
using Vec3f = Vec3<float>;
using Vec3d = Vec3<double>;
using Vec4f = Vec4<float>;
using Vec4d = Vec4<double>;

/// Inner product, cross product and length.
template <class T>
constexpr T Dot(Vec3<T> a, Vec3<T> b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
constexpr Vec3<T> Cross(Vec3<T> a, Vec3<T> b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T>
T Length(Vec3<T> a) {
  return std::sqrt(Dot(a, a));
}
/// The unit vector along `a`; `fallback` where `a` has no direction (zero or not finite).
template <class T>
Vec3<T> Normalized(Vec3<T> a, Vec3<T> fallback = {}) {
  // Scale first: the square of a tiny or huge component must not leave the range of T.
  const T largest = std::max(std::abs(a.x), std::max(std::abs(a.y), std::abs(a.z)));
  if (!(largest > T(0)) || !std::isfinite(largest)) return fallback;
  a = a / largest;
  return a / Length(a);
}
template <class To, class From>
constexpr Vec3<To> Cast(Vec3<From> a) {
  return {static_cast<To>(a.x), static_cast<To>(a.y), static_cast<To>(a.z)};
}
template <class T>
bool IsFinite(Vec3<T> a) {
  return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}

}  // namespace flexor
