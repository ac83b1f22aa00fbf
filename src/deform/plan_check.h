/// @file deform/plan_check.h
/// Whether a mesh holds together well enough to be deformed. Private to the deform module.
#pragma once

#include "flexor/asset/mesh.h"
#include "flexor/core/result.h"

namespace flexor::deform {

/// Checks every array, count, index and number of a mesh hung on `joint_count` joints.
/// Errors  kIndexOutOfRange · kShapeMismatch · kInvalidValue · kLimitExceeded, each with the mesh,
/// the element and both numbers
Status CheckMesh(const asset::Mesh& mesh, std::size_t joint_count);

}  // namespace flexor::deform
