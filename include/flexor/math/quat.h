/// @file math/quat.h
/// Quaternions, stored x, y, z, w. Unit quaternions are rotations; q and -q are the same one.
#pragma once

#include <cmath>

#include "flexor/math/vec.h"

namespace flexor {

/// Four numbers; identity when default constructed.
template <class T>
struct Quat {
  T x{}, y{}, z{}, w = T(1);

  friend constexpr bool operator==(const Quat&, const Quat&) = default;
  friend constexpr Quat operator+(Quat a, Quat b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
  }
  friend constexpr Quat operator-(Quat a) { return {-a.x, -a.y, -a.z, -a.w}; }
  friend constexpr Quat operator*(Quat a, T s) { return {a.x * s, a.y * s, a.z * s, a.w * s}; }
  /// Hamilton product: the rotation b first, then a.
  friend constexpr Quat operator*(Quat a, Quat b) {
    return {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
            a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
  }
};

/// Quaternions in the two precisions.
using Quatf = Quat<float>;
using Quatd = Quat<double>;

/// The four-dimensional inner product.
template <class T>
constexpr T Dot(Quat<T> a, Quat<T> b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
template <class T>
constexpr Quat<T> Conjugate(Quat<T> a) {
  return {-a.x, -a.y, -a.z, a.w};
}
/// The unit quaternion along `a`; the identity where `a` has no direction.
template <class T>
Quat<T> Normalized(Quat<T> a) {
  const T length = std::sqrt(Dot(a, a));
  if (!(length > T(0)) || !std::isfinite(length)) return {};
  return a * (T(1) / length);
}
/// Rotates a vector by a unit quaternion.
template <class T>
constexpr Vec3<T> Rotate(Quat<T> q, Vec3<T> v) {
  const Vec3<T> u{q.x, q.y, q.z};
  const Vec3<T> t = Cross(u, v) * T(2);
  return v + t * q.w + Cross(u, t);
}
/// The rotation by `radians` about `axis` (any length; the identity about a zero axis).
template <class T>
Quat<T> FromAxisAngle(Vec3<T> axis, T radians) {
  const Vec3<T> unit = Normalized(axis);
  const T s = std::sin(radians / 2);
  return Normalized(Quat<T>{unit.x * s, unit.y * s, unit.z * s, std::cos(radians / 2)});
}
/// Spherical interpolation along the shorter arc; `a` and `b` unit. Falls back to a normalised
/// blend when they are nearly parallel, where the two agree to rounding.
template <class T>
Quat<T> Slerp(Quat<T> a, Quat<T> b, T t) {
  T cosine = Dot(a, b);
  if (cosine < T(0)) {
    b = -b;
    cosine = -cosine;
  }
  if (cosine > T(0.9999999)) return Normalized(a * (T(1) - t) + b * t);
  const T angle = std::acos(std::min(cosine, T(1)));
  const T scale = T(1) / std::sin(angle);
  return Normalized(a * (std::sin((T(1) - t) * angle) * scale) + b * (std::sin(t * angle) * scale));
}
template <class To, class From>
constexpr Quat<To> Cast(Quat<From> a) {
  return {static_cast<To>(a.x), static_cast<To>(a.y), static_cast<To>(a.z), static_cast<To>(a.w)};
}

}  // namespace flexor
