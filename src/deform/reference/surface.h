/// @file deform/reference/surface.h
/// How normals and tangents follow the jacobian of a deformation. The rule is part of the contract
/// in include/flexor/deform/skin_lbs.h; both methods share it. Private to the deform module.
#pragma once

#include <cmath>

#include "flexor/deform/skin_lbs.h"
#include "flexor/math/mat.h"

namespace flexor::deform {

/// The size of a 3x3: the root of the sum of its squared entries.
inline double SizeOf(const Mat3d& m) {
  return std::sqrt(Dot(m.x, m.x) + Dot(m.y, m.y) + Dot(m.z, m.z));
}

/// Whether the surface comes out as its mirror image. A flat image counts as not mirrored, so that
/// rounding does not choose the side.
inline bool Mirrors(const Mat3d& m) {
  const double size = SizeOf(m);
  return Determinant(m) < -kSingularNormal * size * size * size;
}

/// The unit normal after the deformation. `n` is unit or zero; zero stays zero. Where the jacobian
/// leaves no direction, n is turned by `rotation` and `singular` is set.
inline Vec3d MoveNormal(const Mat3d& jacobian, const Vec3d& n, const Quatd& rotation,
                        bool& singular) {
  if (n == Vec3d{}) return n;
  const Vec3d moved = Cofactor(jacobian) * n;
  const double size = SizeOf(jacobian);
  if (Length(moved) > kSingularNormal * size * size) {
    return Normalized(Mirrors(jacobian) ? -moved : moved);
  }
  singular = true;
  return Normalized(Rotate(rotation, n));
}

/// The unit tangent after the deformation; the same rule.
inline Vec3d MoveTangent(const Mat3d& jacobian, const Vec3d& t, const Quatd& rotation) {
  if (t == Vec3d{}) return t;
  const Vec3d moved = jacobian * t;
  if (Length(moved) > kSingularNormal * SizeOf(jacobian)) return Normalized(moved);
  return Normalized(Rotate(rotation, t));
}

}  // namespace flexor::deform
