/// @file deform/reference/reference.h
/// The specification of every kernel: scalar, double, one vertex at a time. Private to the deform
/// module and its tests.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "flexor/core/result.h"
#include "flexor/deform/backend.h"

#include "deform/joint_motion.h"
#include "deform/plan_data.h"
#include "deform/spherical.h"

namespace flexor::deform {

/// One vertex of the rest shape after the morphs. Mesh space.
struct RestVertex {
  Vec3d position;
  Vec3d normal;   ///< unit, or zero when the mesh has none or none with a direction
  Vec3d tangent;  ///< the same
  double handedness = 1;
};

/// One influence with its weight as it is blended: divided by the exact sum where the plan
/// normalises.
struct WeightedJoint {
  std::uint32_t joint = 0;
  double weight = 0;
};

/// Where a vertex goes, and how its neighbourhood goes with it.
struct VertexMotion {
  Vec3d position;  ///< model space
  Mat3d jacobian;  ///< of position by rest position, weights held
  Quatd rotation;  ///< how a normal turns where the jacobian has no direction left for it
  std::uint32_t flips = 0;
};

/// Stage 1: include/flexor/deform/morph_accumulate.h. Weights (M), or empty for none.
RestVertex ReferenceMorphAccumulate(const PlanData& plan, std::span<const float> weights,
                                    std::size_t vertex);

/// The influence that leads a vertex: the largest weight, above zero; among equals the smallest
/// joint, so that the order of influences plays no part. With `joints`, only those that have a
/// quaternion can lead. influences.size() when there is none.
std::size_t PivotOf(std::span<const WeightedJoint> influences,
                    std::span<const JointMotion> joints = {});

/// Linear blending: include/flexor/deform/skin_lbs.h. At least one influence.
VertexMotion ReferenceSkinLbs(std::span<const WeightedJoint> influences,
                              std::span<const Mat34d> palette, const Vec3d& p);

/// Dual quaternions: include/flexor/deform/skin_dqs.h. At least one influence; `joints` from
/// SplitPalette with the same form.
VertexMotion ReferenceSkinDqs(std::span<const WeightedJoint> influences,
                              std::span<const JointMotion> joints, DqsResidual form,
                              const Vec3d& p);

/// Spherical: include/flexor/deform/skin_sdef.h. `pair` holds the rotations of the vertex's joints,
/// m0 and m1 their skinning matrices.
VertexMotion ReferenceSkinSdef(const SphericalVertex& v, const SphericalPair& pair,
                               const Mat34d& m0, const Mat34d& m1, SdefRotation rotation,
                               const Vec3d& p);

/// What a frame's palette was split into, once for all vertices: what PlanData::needs says.
struct SplitFrame {
  std::span<const Mat34d> palette;
  std::span<const JointMotion> joints;  ///< of SplitPalette, or empty
  std::span<const Quatd> rotations;     ///< of SplitRotations, or empty
};

/// One vertex to be skinned.
struct ReferenceVertex {
  const PlanData& plan;
  std::size_t vertex;
  const Vec3d& p;  ///< after the morphs
  const SplitFrame& frame;
  std::span<WeightedJoint> scratch;  ///< at least as many as the vertex has influences
};

/// A method of the method table: reads the vertex's influences and payload from the plan.
using ReferenceRule = VertexMotion (*)(const ReferenceVertex& v);
VertexMotion ReferenceLinear(const ReferenceVertex& v);
VertexMotion ReferenceDualQuaternion(const ReferenceVertex& v);
VertexMotion ReferenceMixed(const ReferenceVertex& v);
VertexMotion ReferenceSpherical(const ReferenceVertex& v);

/// Skinning of one vertex by the method that the plan has for it. `p` after the morphs; `scratch`
/// for the vertex's influences.
VertexMotion ReferenceSkin(const PlanData& plan, std::size_t vertex, const Vec3d& p,
                           const SplitFrame& frame, std::span<WeightedJoint> scratch);

/// Never fails.
std::unique_ptr<Backend> CreateReferenceBackend();

}  // namespace flexor::deform
