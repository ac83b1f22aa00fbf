/// @file deform/bounds.h
/// Boxes around deformed characters: exact from output, or cheap and safe from the palette alone.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "flexor/core/result.h"
#include "flexor/deform/plan.h"
#include "flexor/math/aabb.h"
#include "flexor/math/mat.h"

namespace flexor::deform {

/// The exact box of a result.
Aabbf ExactBounds(std::span<const Vec3f> positions);

/// A cheap box from per-joint boxes of rest points moved by the palette, and by the largest reach
/// of the morphs. Contains every point of a linear-blend result (float rounding included) for
/// weights that are normalised and not negative, with any morph weights within the given range; for
/// any other plan Build says so by an error. Cost    O(J) per frame
class JointBoxBounds {
 public:
  /// `max_morph_weight`: morph weights are promised to stay within [-that, that].
  /// Errors  kInvalidArgument when the plan uses raw weights or a method other than linear blending
  static Result<JointBoxBounds> Build(const DeformPlan& plan, double max_morph_weight = 1.0);

  /// Shapes  palette (J) of the plan
  Aabbd Compute(std::span<const Mat34d> palette) const;

 private:
  struct JointBox {
    std::size_t joint;
    Aabbd box;
  };
  std::vector<JointBox> boxes_;
  Aabbd unweighted_;  ///< vertices that stay in mesh space
};

}  // namespace flexor::deform
