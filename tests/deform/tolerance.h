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
/// whether a sign depends on rounding.
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

/// The lengths of the parts of a morphed vector, summed; and of the vector, which is no longer.
struct MorphParts {
  double parts = 0, sum = 0;

  double Longest() const { return std::max(parts, sum); }
  /// What the direction of the vector loses.
  double Loss() const { return std::max(1.0, parts / sum); }
};

inline MorphParts PartsOfMorph(const Vec3f& base, const std::vector<asset::Morph>& morphs,
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
  return {parts, Length(sum)};
}

/// What skin_sdef.h promises of a spherical vertex after its morphs, metres.
inline double PositionOfSpherical(const PlanData& plan, const SphericalVertex& v,
                                  const Vec3d& morphed, const test::Job& job) {
  const Vec3d c0 = (v.center + v.r0) * 0.5, c1 = (v.center + v.r1) * 0.5;
  const auto& pair = plan.payloads.spherical.pairs[v.pair];
  const Mat34d& m0 = job.palette[pair[0]];
  const Mat34d& m1 = job.palette[pair[1]];
  const double size = std::max(SizeOf(m0.linear), SizeOf(m1.linear));
  const double reach = (1 + size) * std::max({Length(c0), Length(c1), Length(v.center)}) +
                       std::max(Length(m0.translation - job.output_origin),
                                Length(m1.translation - job.output_origin));
  return kPart * (std::abs(v.w0) + std::abs(v.w1)) * (reach + Length(morphed - v.center));
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
    double m = 0, reach = 0, sum = 0;
    for (std::size_t i = plan.influences.offsets[v]; i < plan.influences.offsets[v + 1]; ++i) {
      influences.push_back(
          {plan.influences.joints[i], static_cast<double>(plan.influences.weights[i])});
      sum += influences.back().weight;
    }
    const auto parts_of = [&](const Vec3f& base, std::vector<Vec3f> asset::Morph::* offsets) {
      return PartsOfMorph(base, plan.morphs, job.morph_weights, v, offsets);
    };
    const double rest_parts = parts_of(plan.positions[v], &asset::Morph::positions).Longest();
    const asset::SkinningMethod method = plan.methods.At(v);
    const double share = method == asset::SkinningMethod::kDualQuaternion ? 1
                         : method == asset::SkinningMethod::kMixed
                             ? static_cast<double>(plan.payloads.mixed[plan.methods.EntryOf(v)])
                             : 0;
    const bool about_vertex = plan.settings.dqs.residual == DqsResidual::kVertex;
    if (influences.empty()) {
      reach = rest_parts + Length(job.output_origin);
    }
    for (WeightedJoint& influence : influences) {
      if (plan.settings.weights.normalize) influence.weight /= sum;
      const Mat34d& matrix = job.palette[influence.joint];
      const double size = SizeOf(matrix.linear);
      m = std::max(m, size);
      // Where a joint turns p itself, or leaves it alone, p is part of the sum however small M is.
      const bool at_least_p =
          share > 0 && (about_vertex || !joints[influence.joint].HasQuaternion());
      reach = std::max(reach, (at_least_p ? std::max(1.0, size) : size) * rest_parts +
                                  Length(matrix.translation - job.output_origin));
    }
    Promise promise;
    if (method == asset::SkinningMethod::kSpherical) {
      const SphericalVertex& spherical = plan.payloads.spherical.vertices[plan.methods.EntryOf(v)];
      promise.position =
          PositionOfSpherical(plan, spherical, rest.position, job) + kPart * rest_parts;
      promise.normal = promise.tangent = kPart;
      if (!plan.normals.empty()) {
        promise.normal *= parts_of(plan.normals[v], &asset::Morph::normals).Loss();
      }
      if (!plan.tangents.empty()) {
        promise.tangent *= parts_of(test::Xyz(plan.tangents[v]), &asset::Morph::tangents).Loss();
      }
      promises.push_back(promise);
      continue;
    }
    VertexMotion motion{rest.position, {}, {}, 0};
    double loss = 1;
    if (!influences.empty()) {
      if (share < 1) motion = ReferenceSkinLbs(influences, job.palette, rest.position);
      if (share > 0) {
        loss = LossOfBlend(influences, joints, promise.at_threshold);
        const VertexMotion dqs =
            ReferenceSkinDqs(influences, joints, plan.settings.dqs.residual, rest.position);
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
      promise.normal = kPart * loss * (singular ? 1 : m * m / length) *
                       parts_of(plan.normals[v], &asset::Morph::normals).Loss();
    }
    if (!plan.tangents.empty()) {
      const double length = Length(motion.jacobian * rest.tangent);
      if (Near(length, kSingularNormal * size)) promise.at_threshold = true;
      const bool singular = length <= kSingularNormal * size;
      promise.tangent = kPart * loss * (singular ? 1 : m / length) *
                        parts_of(test::Xyz(plan.tangents[v]), &asset::Morph::tangents).Loss();
    }
    promises.push_back(promise);
  }
  return promises;
}

}  // namespace flexor::deform
