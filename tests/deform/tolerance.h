/// @file tests/deform/tolerance.h
/// The accuracy that the headers promise, worked out for each vertex of a job from the reference.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "flexor/deform/plan.h"

#include "deform/reference/reference.h"
#include "deform/reference/surface.h"
#include "support/rigs.h"

namespace flexor::deform {

/// What skin_lbs.h, skin_dqs.h and morph_accumulate.h promise about one vertex.
struct Promise {
  double position = 0;  ///< metres
  double normal = 0;    ///< difference of unit vectors
  double tangent = 0;
  bool at_threshold = false;  ///< so near a threshold that rounding may take either side
};

namespace promise_detail {

inline constexpr double kPart = 1e-6;

inline bool Near(double value, double threshold) {
  return value > 0.3 * threshold && value < 3 * threshold;
}

/// 1 over the squared length of the blended quaternion: what dual quaternions lose. Also says
/// whether a sign hangs on rounding.
inline double LossOfBlend(std::span<const WeightedJoint> influences,
                          std::span<const JointMotion> joints, bool& at_threshold) {
  const std::size_t pivot = PivotOf(influences, joints);
  if (pivot == influences.size()) return 1;
  Quatd real{0, 0, 0, 0};
  for (const WeightedJoint& influence : influences) {
    const Quatd& q = joints[influence.joint].rotation;
    const double dot = Dot(q, joints[influences[pivot].joint].rotation);
    if (std::abs(dot + kHemisphereTolerance) < 5e-7) at_threshold = true;
    real = real + q * (dot < -kHemisphereTolerance ? -influence.weight : influence.weight);
  }
  return std::max(1.0, 1 / Dot(real, real));
}

/// How much longer the parts of a morphed vector are than their sum.
inline double LossOfMorph(const Vec3f& base, const std::vector<asset::Morph>& morphs,
                          std::span<const float> weights, std::size_t vertex,
                          std::vector<Vec3f> asset::Morph::* offsets) {
  Vec3d sum = Cast<double>(base);
  double parts = Length(sum);
  for (std::size_t m = 0; m < weights.size(); ++m) {
    const asset::Morph& morph = morphs[m];
    std::size_t entry = vertex;
    if (!morph.vertices.empty()) {
      const auto found = std::find(morph.vertices.begin(), morph.vertices.end(), vertex);
      if (found == morph.vertices.end()) continue;
      entry = static_cast<std::size_t>(found - morph.vertices.begin());
    }
    if ((morph.*offsets).empty()) continue;
    const Vec3d offset = Cast<double>((morph.*offsets)[entry]) * static_cast<double>(weights[m]);
    sum += offset;
    parts += Length(offset);
  }
  return std::max(1.0, parts / Length(sum));
}

}  // namespace promise_detail

/// One promise per vertex, in the caller's order.
inline std::vector<Promise> PromisesOf(const DeformPlan& deform_plan, const test::Job& job) {
  using namespace promise_detail;
  const PlanData& plan = deform_plan.data();
  std::vector<JointMotion> joints(plan.joint_count);
  FrameReport ignored;
  SplitPalette(plan, job.palette, joints, ignored);
  std::vector<Promise> promises;
  for (std::size_t v = 0; v < plan.vertex_count(); ++v) {
    const RestVertex rest = ReferenceMorphAccumulate(plan, job.morph_weights, v);
    std::vector<WeightedJoint> influences;
    double m = 0, reach = Length(rest.position) + Length(job.output_origin);
    double sum = 0;
    for (std::size_t i = plan.influences.offsets[v]; i < plan.influences.offsets[v + 1]; ++i) {
      influences.push_back(
          {plan.influences.joints[i], static_cast<double>(plan.influences.weights[i])});
      sum += influences.back().weight;
    }
    if (!influences.empty()) reach = 0;
    const double rest_loss = plan.morphs.empty()
                                 ? 1
                                 : LossOfMorph(plan.positions[v], plan.morphs, job.morph_weights, v,
                                               &asset::Morph::positions);
    for (WeightedJoint& influence : influences) {
      if (plan.settings.weights.normalize) influence.weight /= sum;
      const Mat34d& matrix = job.palette[influence.joint];
      const double size = SizeOf(matrix.linear);
      m = std::max(m, size);
      reach = std::max(reach, size * Length(rest.position) * rest_loss +
                                  Length(matrix.translation - job.output_origin));
    }
    Promise promise;
    const double share = static_cast<double>(plan.DqsWeight(v));
    VertexMotion motion{rest.position, {}, {}, 0};
    double loss = 1;
    if (!influences.empty()) {
      if (share < 1) motion = ReferenceSkinLbs(influences, job.palette, rest.position);
      if (share > 0) {
        loss = LossOfBlend(influences, joints, promise.at_threshold);
        const VertexMotion dqs =
            ReferenceSkinDqs(influences, joints, plan.settings.dqs_residual, rest.position);
        motion.jacobian = motion.jacobian * (1 - share) + dqs.jacobian * share;
        if (share >= 1) motion = dqs;
      }
    }
    m = std::max(m, SizeOf(motion.jacobian));
    promise.position = kPart * reach * loss;
    const double size = SizeOf(motion.jacobian);
    const double determinant = Determinant(motion.jacobian);
    if (Near(-determinant, kSingularNormal * size * size * size)) promise.at_threshold = true;
    if (!plan.normals.empty()) {
      const double length = Length(Cofactor(motion.jacobian) * rest.normal);
      if (Near(length, kSingularNormal * size * size)) promise.at_threshold = true;
      const bool singular = length <= kSingularNormal * size * size;
      promise.normal =
          kPart * loss * (singular ? 1 : m * m / length) *
          LossOfMorph(plan.normals[v], plan.morphs, job.morph_weights, v, &asset::Morph::normals);
    }
    if (!plan.tangents.empty()) {
      const double length = Length(motion.jacobian * rest.tangent);
      if (Near(length, kSingularNormal * size)) promise.at_threshold = true;
      const bool singular = length <= kSingularNormal * size;
      promise.tangent = kPart * loss * (singular ? 1 : m / length) *
                        LossOfMorph(test::Xyz(plan.tangents[v]), plan.morphs, job.morph_weights, v,
                                    &asset::Morph::tangents);
    }
    promises.push_back(promise);
  }
  return promises;
}

}  // namespace flexor::deform
