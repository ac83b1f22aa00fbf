#include <cmath>

#include "deform/reference/influences.h"
#include "deform/reference/reference.h"

namespace flexor::deform {
namespace {

/// Below this part of the weights' size a blended quaternion has no direction. Only weights below
/// zero can bring it there: with weights above zero the signs make every term add to the pivot's.
constexpr double kCancelled = 1e-6;

Quatd Pure(const Vec3d& v) { return {v.x, v.y, v.z, 0}; }
Vec3d VectorOf(const Quatd& q) { return {q.x, q.y, q.z}; }

/// A blended dual quaternion: unit `real`, and `dual` divided by the same length.
struct BlendedMotion {
  Quatd real;
  Quatd dual;

  Vec3d Translation() const { return VectorOf(dual * Conjugate(real)) * 2.0; }
};

/// -1 for an influence whose quaternion must be turned to agree with the pivot's.
double SignOf(const Quatd& q, const Quatd& pivot) {
  return Dot(q, pivot) < -kHemisphereTolerance ? -1.0 : 1.0;
}

/// The sum of weight * sign * 1/2 (0, t_j) q_j, where t_j is what `translation_of` says of joint j.
template <class TranslationOf>
Quatd BlendDual(std::span<const WeightedJoint> influences, std::span<const JointMotion> joints,
                const Quatd& pivot, TranslationOf translation_of) {
  Quatd sum{0, 0, 0, 0};
  for (const WeightedJoint& influence : influences) {
    const JointMotion& joint = joints[influence.joint];
    const Quatd dual = Pure(translation_of(joint)) * joint.rotation * 0.5;
    sum = sum + dual * (influence.weight * SignOf(joint.rotation, pivot));
  }
  return sum;
}

/// The residual acts first, blended by the weights as they are; then one rigid motion.
VertexMotion MoveAboutOrigin(std::span<const WeightedJoint> influences,
                             std::span<const JointMotion> joints, const BlendedMotion& rigid,
                             const Vec3d& p) {
  Mat3d residual{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  for (const WeightedJoint& influence : influences) {
    residual = residual + joints[influence.joint].residual * influence.weight;
  }
  VertexMotion out;
  out.position = Rotate(rigid.real, residual * p) + rigid.Translation();
  out.jacobian = ToMat3(rigid.real) * residual;
  out.rotation = rigid.real;
  return out;
}

}  // namespace

VertexMotion ReferenceSkinDqs(std::span<const WeightedJoint> influences,
                              std::span<const JointMotion> joints, DqsResidual form,
                              const Vec3d& p) {
  const std::size_t pivot_index = PivotOf(influences, joints);
  if (pivot_index == influences.size()) return {p, {}, {}, 0};  // nothing to follow: stays
  const JointMotion& pivot = joints[influences[pivot_index].joint];

  Quatd real{0, 0, 0, 0};
  double weight_size = 0;
  std::uint32_t flips = 0;
  for (const WeightedJoint& influence : influences) {
    const Quatd& q = joints[influence.joint].rotation;
    const double sign = SignOf(q, pivot.rotation);
    if (sign < 0) ++flips;  // never the pivot, whose dot with itself is not negative
    real = real + q * (influence.weight * sign);
    weight_size += std::abs(influence.weight);
  }
  const double length = std::sqrt(Dot(real, real));
  if (!(length > kCancelled * weight_size)) {  // no direction left: the pivot alone
    const WeightedJoint alone[] = {{influences[pivot_index].joint, 1.0}};
    VertexMotion out = ReferenceSkinDqs(alone, joints, form, p);
    out.flips = flips;
    return out;
  }

  // The blend of the dual parts for the translations that `translation_of` names, to the same
  // scale as the unit real part.
  BlendedMotion blended{real * (1.0 / length), {}};
  const auto blend = [&](auto translation_of) {
    blended.dual = BlendDual(influences, joints, pivot.rotation, translation_of) * (1.0 / length);
    return blended;
  };

  if (form != DqsResidual::kVertex) {
    const BlendedMotion rigid = blend([](const JointMotion& j) { return j.translation; });
    VertexMotion out = MoveAboutOrigin(influences, joints, rigid, p);
    out.flips = flips;
    return out;
  }

  // About the vertex: joint j moves p by its rotation and then by residual_j p + translation_j.
  VertexMotion out;
  out.flips = flips;
  out.rotation = blended.real;
  const BlendedMotion at_p =
      blend([&](const JointMotion& j) { return j.residual * p + j.translation; });
  out.position = Rotate(at_p.real, p) + at_p.Translation();
  // The real part does not depend on p and the dual part is affine in it, so the derivative along
  // an axis e is the rotated axis plus the translation of the blend of residual_j e.
  const auto derivative = [&](const Vec3d& e) {
    const BlendedMotion along = blend([&](const JointMotion& j) { return j.residual * e; });
    return Rotate(along.real, e) + along.Translation();
  };
  out.jacobian = {derivative({1, 0, 0}), derivative({0, 1, 0}), derivative({0, 0, 1})};
  return out;
}

VertexMotion ReferenceDualQuaternion(const ReferenceVertex& v) {
  const std::span<const WeightedJoint> influences = WeightsOf(v);
  if (influences.empty()) return MoveWithoutWeight(v);
  return ReferenceSkinDqs(influences, v.frame.joints, v.plan.settings.dqs.residual, v.p);
}

VertexMotion ReferenceMixed(const ReferenceVertex& v) {
  const std::span<const WeightedJoint> influences = WeightsOf(v);
  if (influences.empty()) return MoveWithoutWeight(v);
  const auto share = static_cast<double>(v.plan.payloads.mixed[v.plan.methods.EntryOf(v.vertex)]);
  const VertexMotion linear = ReferenceSkinLbs(influences, v.frame.palette, v.p);
  const VertexMotion dual =
      ReferenceSkinDqs(influences, v.frame.joints, v.plan.settings.dqs.residual, v.p);
  return {linear.position * (1.0 - share) + dual.position * share,
          linear.jacobian * (1.0 - share) + dual.jacobian * share, dual.rotation, dual.flips};
}

}  // namespace flexor::deform
