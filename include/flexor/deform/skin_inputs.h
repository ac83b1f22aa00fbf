/// @file deform/skin_inputs.h
/// One mesh and one pose as plain arrays, for the one-call functions skin_lbs.h and skin_dqs.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "flexor/asset/weights.h"
#include "flexor/math/mat.h"
#include "flexor/math/vec.h"

namespace flexor::deform {

/// Arrays of one skinned mesh and the palette it is posed by. Views only: nothing is copied until
/// the call, nothing is kept after it.
/// Shapes   positions (V) · normals (V) or empty · tangents (V) or empty · joints, weights (V * K)
///          with K = influences_per_vertex, vertex by vertex · palette (J)
/// Spaces   positions, normals, tangents: mesh space at bind · palette: model_from_mesh
/// Units    metres; weights dimensionless, repaired by `policy`; slots of weight 0 are unused and
///          may name any joint below J
struct SkinInputs {
  std::span<const Vec3f> positions{};
  std::span<const Vec3f> normals{};   ///< unit
  std::span<const Vec4f> tangents{};  ///< xyz unit, w = handedness +1 or -1
  std::size_t influences_per_vertex = 4;
  std::span<const std::uint32_t> joints{};
  std::span<const float> weights{};
  std::span<const Mat34d> palette{};
  asset::WeightPolicy policy{};
};

}  // namespace flexor::deform
