/// @file math/aabb.h
/// An axis-aligned box; empty until a point is added.
#pragma once

#include <algorithm>
#include <limits>

#include "flexor/math/vec.h"

namespace flexor {

/// Two corners; see the file comment.
template <class T>
struct Aabb {
  Vec3<T> min{std::numeric_limits<T>::infinity(), std::numeric_limits<T>::infinity(),
              std::numeric_limits<T>::infinity()};
  Vec3<T> max{-std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity(),
              -std::numeric_limits<T>::infinity()};

  friend constexpr bool operator==(const Aabb&, const Aabb&) = default;
  constexpr bool empty() const { return !(min.x <= max.x && min.y <= max.y && min.z <= max.z); }
  constexpr void Add(Vec3<T> p) {
    min = {std::min(min.x, p.x), std::min(min.y, p.y), std::min(min.z, p.z)};
    max = {std::max(max.x, p.x), std::max(max.y, p.y), std::max(max.z, p.z)};
  }
  constexpr void Add(const Aabb& other) {
    if (other.empty()) return;
    Add(other.min);
    Add(other.max);
  }
  constexpr bool Contains(Vec3<T> p) const {
    return p.x >= min.x && p.x <= max.x && p.y >= min.y && p.y <= max.y && p.z >= min.z &&
           p.z <= max.z;
  }
  constexpr Vec3<T> Center() const { return empty() ? Vec3<T>{} : (min + max) * T(0.5); }
  constexpr Vec3<T> Size() const { return empty() ? Vec3<T>{} : max - min; }
  /// The length of the diagonal: the size that tolerances scale with.
  T Extent() const { return Length(Size()); }
};

/// Boxes in the two precisions.
using Aabbf = Aabb<float>;
using Aabbd = Aabb<double>;

}  // namespace flexor
