/// @file deform/spherical.h
/// Spherical vertices as every backend reads them, and the rotations of their joints, split once
/// per frame. Private to the deform module; shared, so that backends agree on signs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "flexor/asset/sdef.h"
#include "flexor/math/mat.h"

#include "deform/hemisphere.h"

namespace flexor::deform {

/// One vertex of include/flexor/deform/skin_sdef.h. Joint 0 is the smaller joint of the two, which
/// exchanges weights and reference points of half of the vertices and no result.
struct SphericalVertex {
  double w0 = 1, w1 = 0;  ///< as the file has them, exact
  Vec3d center;
  Vec3d r0, r1;            ///< corrected: w0 r0 + w1 r1 = center
  std::uint32_t pair = 0;  ///< into SphericalPayload::pairs
  std::uint32_t unused = 0;
};

struct SphericalPayload {
  std::vector<SphericalVertex> vertices;            ///< ascending by their number in the mesh
  std::vector<std::array<std::uint32_t, 2>> pairs;  ///< different, ascending; joint 0 <= joint 1
  std::vector<std::uint32_t> joints;                ///< of all pairs, ascending
};

/// `sdef` checked.
SphericalPayload PlanSpherical(const asset::SdefVertices& sdef);

/// The rotations of the joints that some pair names; the others are left as they are.
/// Shapes  palette, rotations (J)
void SplitRotations(const SphericalPayload& payload, std::span<const Mat34d> palette,
                    std::span<Quatd> rotations);

/// The rotations of a pair's joints, q1 turned to the hemisphere of q0.
struct SphericalPair {
  Quatd q0, q1;
};
inline SphericalPair PairOf(const Quatd& q0, const Quatd& q1) {
  return {q0, q1 * (Dot(q0, q1) < -kHemisphereTolerance ? -1.0 : 1.0)};
}

}  // namespace flexor::deform
