/// @file pose/mmd_rotation.h
/// Arithmetic on rotations that only the MMD solver needs. All quaternions unit; q and -q give the
/// same.
#pragma once

#include "flexor/math/mat.h"
#include "flexor/math/quat.h"
#include "flexor/math/vec.h"

namespace flexor::pose {

/// The rotation about the same axis by `share` times the angle; any sign and size of share.
Quatd ScaledRotation(Quatd q, double share);

/// The part of a rotation that is about a unit axis; what turns the axis itself is dropped.
Quatd TwistAbout(Quatd q, Vec3d axis);

/// The whole angle of a rotation, about a unit axis or its opposite, whichever is nearer.
Quatd SameAngleAbout(Quatd q, Vec3d axis);

/// The rotation in a matrix that may scale and shear: its columns made orthonormal, x leading.
Quatd RotationIn(const Mat3d& m);

/// Which axis turns last, in the middle and first: kZxy is Z * X * Y.
enum class EulerOrder { kZxy, kXyz, kYzx, kYxz, kZyx, kXzy };

/// Angles about x, y and z; the one in the middle never beyond 88 degrees either way.
Vec3d ToEuler(Quatd q, EulerOrder order);
Quatd FromEuler(Vec3d angles, EulerOrder order);

}  // namespace flexor::pose
