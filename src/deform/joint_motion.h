/// @file deform/joint_motion.h
/// Skinning matrices as dual-quaternion blending sees them, split once per frame. Private to the
/// deform module; shared by every backend, so that they agree on which joints are rigid and on
/// signs.
#pragma once

#include <span>

#include "flexor/deform/frame.h"
#include "flexor/math/mat.h"

#include "deform/hemisphere.h"
#include "deform/plan_data.h"

namespace flexor::deform {

/// One joint: the rigid motion a dual quaternion carries, and what it cannot carry. With p a point
/// of mesh space, M the skinning matrix and R the matrix of `rotation`:
///   kVertex        M p = R p + (residual * p + translation): the bracket is the translation that
///                  the joint's dual quaternion takes at p; residual = M3 - R, zero when rigid
///   kOrigin, kUsd  M p = R (residual * p) + translation; residual the identity when rigid
struct JointMotion {
  bool rigid = true;  ///< the residual is exactly zero (kVertex) or the identity (kOrigin, kUsd)
  Quatd rotation;     ///< unit; all zero for a joint that kUsd leaves out
  Vec3d translation;
  Mat3d residual;

  bool HasQuaternion() const { return rotation != Quatd{0, 0, 0, 0}; }
};

/// Splits every entry of a palette. Adds to report.non_rigid_joints and report.degenerate_joints.
///
/// kVertex, kOrigin: Gram-Schmidt; a joint within kRigidTolerance of a rotation counts as rigid.
/// What kVertex drops there is dropped about the centre of the mesh, where the motion stays exact,
/// so that the fault is at most kRigidTolerance times the mesh's own size wherever it stands.
/// kUsd: the polar form, a reflection as a negative scale in every direction; a joint that cannot
/// be factored has no quaternion at all and the identity as residual.
///
/// Shapes  palette, out (J)
void SplitPalette(const PlanData& plan, std::span<const Mat34d> palette, std::span<JointMotion> out,
                  FrameReport& report);

}  // namespace flexor::deform
