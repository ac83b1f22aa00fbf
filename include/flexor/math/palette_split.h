/// @file math/palette_split.h
/// A skinning matrix taken apart: the rotation that dual quaternions and spherical deforms need,
/// and what is left.
#pragma once

#include <cstdint>

#include "flexor/math/mat.h"
#include "flexor/math/transform.h"

namespace flexor {

/// Below this every entry of residual - identity counts as zero and the joint as rigid (seed
/// value).
inline constexpr double kRigidTolerance = 1e-4;

/// What kind of matrix was split.
enum class SplitKind : std::uint8_t {
  kRigid,       ///< a rotation and a translation; residual is the identity
  kResidual,    ///< scale, shear or reflection left over
  kDegenerate,  ///< no usable basis: rotation is the identity, the residual the whole 3x3
};

/// linear = ToMat3(rotation) * residual.
struct PaletteSplit {
  SplitKind kind = SplitKind::kRigid;
  Quatd rotation;
  Vec3d translation;
  Mat3d residual;  ///< Gram-Schmidt: upper triangular; a reflection is a negative third diagonal
                   ///< entry
};

/// Splits by Gram-Schmidt on the columns x, y, z: exact for rigid joints, needs no iteration.
/// Degenerate when a column is zero or lies in the span of those before it; what rounding leaves of
/// a column (below 1e-14 of its length) counts as zero. Computed in double.
PaletteSplit SplitGramSchmidt(const Mat34d& m, double tolerance = kRigidTolerance);

/// Splits so that the residual is symmetric (polar): for a positive determinant rotation is the
/// rotation nearest to the linear part and the residual stretches along three orthogonal axes. For
/// a negative determinant the same holds of -linear, so the residual has three negative stretches,
/// as in OpenUSD. Degenerate when |determinant| < 1e-10, OpenUSD's bound.
PaletteSplit SplitPolar(const Mat34d& m, double tolerance = 1e-6);

/// The nearest translation, rotation and scale of a node's matrix, by SplitGramSchmidt: exact for
/// every matrix that is one, mirrored or not. A degenerate one keeps the lengths of its columns.
Transform NearestTransform(const Mat34d& m);

}  // namespace flexor
