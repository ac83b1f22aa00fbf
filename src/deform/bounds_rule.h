/// @file deform/bounds_rule.h
/// How vertices of a method go into the boxes of bounds.h. Private to deform.
#pragma once

#include <cstddef>
#include <vector>

#include "flexor/core/result.h"
#include "flexor/math/aabb.h"
#include "flexor/math/vec.h"

#include "deform/plan_data.h"

namespace flexor::deform {

/// Vertices that turn about centres: for each joint the box of the points it moves, the farthest
/// of them from the origin that any of its vertices has, and the largest distance from a centre.
struct TurningBox {
  Aabbd box;
  double farthest = 0;
  double radius = 0;
};

struct JointBoxes {
  std::vector<Aabbd> points;        ///< (J) of rest points
  std::vector<TurningBox> turning;  ///< (J)
  Aabbd still;                      ///< of vertices that stay in mesh space
};

/// Adds one vertex that morphs move by at most `reach` along each axis. Errors  kInvalidArgument
/// when no box holds it
using BoundsRule = Status (*)(const PlanData& plan, std::size_t vertex, const Vec3d& reach,
                              JointBoxes& boxes);
Status BoundBlended(const PlanData& plan, std::size_t vertex, const Vec3d& reach,
                    JointBoxes& boxes);
Status BoundSpherical(const PlanData& plan, std::size_t vertex, const Vec3d& reach,
                      JointBoxes& boxes);

}  // namespace flexor::deform
