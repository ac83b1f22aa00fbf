#include <cmath>

#include "deform/reference/reference.h"

namespace flexor::deform {
namespace {

/// Above this cosine slerp and the normalised blend agree to rounding, and slerp would divide by
/// nearly zero.
constexpr double kParallel = 0.9999999;

/// The rotation between those of a pair, whose signs agree.
Quatd Between(const SphericalPair& pair, double w0, double w1, SdefRotation rotation) {
  const double cosine = Dot(pair.q0, pair.q1);
  if (rotation == SdefRotation::kNlerp || cosine > kParallel) {
    return Normalized(pair.q0 * w0 + pair.q1 * w1);
  }
  const double angle = std::acos(cosine);
  return Normalized(pair.q0 * (std::sin(w0 * angle) / std::sin(angle)) +
                    pair.q1 * (std::sin(w1 * angle) / std::sin(angle)));
}

}  // namespace

VertexMotion ReferenceSkinSdef(const SphericalVertex& v, const SphericalPair& pair,
                               const Mat34d& m0, const Mat34d& m1, SdefRotation rotation,
                               const Vec3d& p) {
  const Vec3d& c = v.center;
  const Vec3d moved = c + (TransformPoint(m0, c) - c) * v.w0 + (TransformPoint(m1, c) - c) * v.w1;
  const Vec3d turned = TransformPoint(m0, v.r0) * v.w0 + TransformPoint(m1, v.r1) * v.w1;
  VertexMotion out;
  out.rotation = Between(pair, v.w0, v.w1, rotation);
  out.position = Rotate(out.rotation, p - c) + (moved + turned) * 0.5;
  out.jacobian = ToMat3(out.rotation);
  return out;
}

VertexMotion ReferenceSpherical(const ReferenceVertex& v) {
  const SphericalPayload& payload = v.plan.payloads.spherical;
  const SphericalVertex& spherical = payload.vertices[v.plan.methods.EntryOf(v.vertex)];
  const auto& [joint0, joint1] = payload.pairs[spherical.pair];
  const SphericalPair pair = PairOf(v.frame.rotations[joint0], v.frame.rotations[joint1]);
  return ReferenceSkinSdef(spherical, pair, v.frame.palette[joint0], v.frame.palette[joint1],
                           v.plan.settings.sdef.rotation, v.p);
}

}  // namespace flexor::deform
