/// @file io/gltf/write_glb_transform.h
/// Affine maps as the translation, rotation and scale that glTF nodes can say.
#pragma once

#include <optional>

#include "flexor/math/transform.h"

namespace flexor::io::gltf {

/// How far from a right angle, in parts of their lengths, the axes of a matrix may be and still
/// count as free of shear: what float rounding does.
inline constexpr double kShearTolerance = 1e-6;

/// parent_from_node of one node, or of two in a row: outer * inner.
struct NodeTransforms {
  Transform outer;
  std::optional<Transform> inner;  ///< set when there is shear, which one node cannot say
};

/// Takes a matrix apart. Without shear the columns are the scaled axes; a mirroring is a negative x
/// scale. With shear it is a singular value decomposition: scale between two rotations. Exact up to
/// rounding for every finite matrix, singular ones too.
NodeTransforms TakeApart(const Mat34d& parent_from_node);

/// Whether a validator that works in float will agree that the matrix is free of shear; if not, the
/// matrix is better written as translation, rotation and scale.
bool IsPlainMatrix(const Mat34d& parent_from_node);

}  // namespace flexor::io::gltf
