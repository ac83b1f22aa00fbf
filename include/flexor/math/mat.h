/// @file math/mat.h
/// 3x3 and affine 3x4 matrices over column vectors. Name them destination_from_source.
#pragma once

#include <cmath>

#include "flexor/math/quat.h"
#include "flexor/math/vec.h"

namespace flexor {

/// Three columns: the images of the X, Y and Z axes.
template <class T>
struct Mat3 {
  Vec3<T> x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};

  friend constexpr bool operator==(const Mat3&, const Mat3&) = default;
  friend constexpr Vec3<T> operator*(const Mat3& m, Vec3<T> v) {
    return m.x * v.x + m.y * v.y + m.z * v.z;
  }
  friend constexpr Mat3 operator*(const Mat3& a, const Mat3& b) {
    return {a * b.x, a * b.y, a * b.z};
  }
  friend constexpr Mat3 operator*(const Mat3& a, T s) { return {a.x * s, a.y * s, a.z * s}; }
  friend constexpr Mat3 operator+(const Mat3& a, const Mat3& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  friend constexpr Mat3 operator-(const Mat3& a, const Mat3& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
};

/// An affine map: v -> linear * v + translation. The fourth row 0 0 0 1 is implied.
template <class T>
struct Mat34 {
  Mat3<T> linear{};
  Vec3<T> translation{};

  friend constexpr bool operator==(const Mat34&, const Mat34&) = default;
  friend constexpr Mat34 operator*(const Mat34& a, const Mat34& b) {
    return {a.linear * b.linear, a.linear * b.translation + a.translation};
  }
};

/// Matrices in the two precisions.
using Mat3f = Mat3<float>;
using Mat3d = Mat3<double>;
using Mat34f = Mat34<float>;
using Mat34d = Mat34<double>;

/// The image of a point.
template <class T>
constexpr Vec3<T> TransformPoint(const Mat34<T>& m, Vec3<T> p) {
  return m.linear * p + m.translation;
}
template <class T>
constexpr Mat3<T> Transposed(const Mat3<T>& m) {
  return {{m.x.x, m.y.x, m.z.x}, {m.x.y, m.y.y, m.z.y}, {m.x.z, m.y.z, m.z.z}};
}
template <class T>
constexpr T Determinant(const Mat3<T>& m) {
  return Dot(m.x, Cross(m.y, m.z));
}
/// det(m) * inverse-transpose(m), finite for every finite m: what normals are transformed by, up to
/// length.
template <class T>
constexpr Mat3<T> Cofactor(const Mat3<T>& m) {
  return {Cross(m.y, m.z), Cross(m.z, m.x), Cross(m.x, m.y)};
}
/// The inverse; not finite when m is singular.
template <class T>
Mat3<T> Inverse(const Mat3<T>& m) {
  return Transposed(Cofactor(m)) * (T(1) / Determinant(m));
}
template <class T>
Mat34<T> Inverse(const Mat34<T>& m) {
  const Mat3<T> inverse = Inverse(m.linear);
  return {inverse, -(inverse * m.translation)};
}
/// The rotation matrix of a unit quaternion.
template <class T>
constexpr Mat3<T> ToMat3(Quat<T> q) {
  const T xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
  const T xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
  const T wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
  return {{1 - 2 * (yy + zz), 2 * (xy + wz), 2 * (xz - wy)},
          {2 * (xy - wz), 1 - 2 * (xx + zz), 2 * (yz + wx)},
          {2 * (xz + wy), 2 * (yz - wx), 1 - 2 * (xx + yy)}};
}
/// The unit quaternion of a rotation matrix (orthonormal, determinant +1), by its largest
/// component.
template <class T>
Quat<T> ToQuat(const Mat3<T>& m) {
  const T trace = m.x.x + m.y.y + m.z.z;
  Quat<T> q;
  if (trace > T(0)) {
    q = {m.y.z - m.z.y, m.z.x - m.x.z, m.x.y - m.y.x, T(1) + trace};
  } else if (m.x.x >= m.y.y && m.x.x >= m.z.z) {
    q = {T(1) + m.x.x - m.y.y - m.z.z, m.x.y + m.y.x, m.z.x + m.x.z, m.y.z - m.z.y};
  } else if (m.y.y >= m.z.z) {
    q = {m.x.y + m.y.x, T(1) + m.y.y - m.x.x - m.z.z, m.y.z + m.z.y, m.z.x - m.x.z};
  } else {
    q = {m.z.x + m.x.z, m.y.z + m.z.y, T(1) + m.z.z - m.x.x - m.y.y, m.x.y - m.y.x};
  }
  return Normalized(q);
}
template <class To, class From>
constexpr Mat3<To> Cast(const Mat3<From>& m) {
  return {Cast<To>(m.x), Cast<To>(m.y), Cast<To>(m.z)};
}
template <class To, class From>
constexpr Mat34<To> Cast(const Mat34<From>& m) {
  return {Cast<To>(m.linear), Cast<To>(m.translation)};
}
template <class T>
bool IsFinite(const Mat34<T>& m) {
  return IsFinite(m.linear.x) && IsFinite(m.linear.y) && IsFinite(m.linear.z) &&
         IsFinite(m.translation);
}

}  // namespace flexor
