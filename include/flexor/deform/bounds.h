/// @file deform/bounds.h
/// Boxes around deformed characters: exact from output, or cheap and safe from the palette alone.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "flexor/core/export.h"
#include "flexor/core/result.h"
#include "flexor/deform/plan.h"
#include "flexor/math/aabb.h"
#include "flexor/math/mat.h"

namespace flexor::deform {

/// The exact box of a result.
FLEXOR_API Aabbf ExactBounds(std::span<const Vec3f> positions);

/// A cheap box from per-joint boxes of rest points moved by the palette, and by the largest reach
/// of the morphs. Contains every point of a result (float rounding included) of linear blending for
/// weights that are normalised and not negative, and of spherical vertices for weights from 0 to 1,
/// with any morph weights within the given range; for any other plan Build says so by an error.
/// Spherical vertices are held by the points that their centres land on, widened by their largest
/// distance from their centre. Cost    O(J) per frame
class FLEXOR_API JointBoxBounds {
 public:
  /// `max_morph_weight`: morph weights are promised to stay within [-that, that].
  /// Errors  kInvalidArgument when the plan uses raw weights, spherical weights outside 0 to 1, or
  ///         dual quaternions · kOutOfMemory
  static Result<JointBoxBounds> Build(const DeformPlan& plan, double max_morph_weight = 1.0);

  /// Shapes  palette (J) of the plan
  Aabbd Compute(std::span<const Mat34d> palette) const;

 private:
  struct JointBox {
    std::size_t joint;
    Aabbd box;
  };
  /// Vertices that turn about centres: the box of the points that the joint moves, the farthest of
  /// them from the origin that any of its vertices has, and the largest distance from a centre.
  struct TurningBox {
    std::size_t joint;
    Aabbd box;
    double farthest;
    double radius;
  };
  std::vector<JointBox> boxes_;
  std::vector<TurningBox> turning_;
  Aabbd unweighted_;  ///< vertices that stay in mesh space
};

}  // namespace flexor::deform
