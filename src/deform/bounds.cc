#include "flexor/deform/bounds.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/guard.h"
#include "deform/bounds_rule.h"
#include "deform/method_table.h"
#include "deform/plan_data.h"

// Why the box holds every point. Let v be a vertex with weights w_j >= 0 that sum to 1, p its rest
// position and d the sum of its morphs' offsets. Linear blending gives
//
//     x = sum_j w_j y_j      with y_j = M_j (p + d).
//
// 1. Each component of d is at most r = max_morph_weight * sum_m |offset[m, v]|, so p + d lies in
//    [p - r, p + r], which the box of every joint j with w_j > 0 contains.
// 2. An affine map sends a box with centre c and half size h into the box with centre M c and half
//    size |M| h, where |M| has the absolute values of the entries. So y_j lies in the moved box of
//    joint j, and that in the union U, which is itself a box and therefore convex.
// 3. x is a convex combination of points of U, hence in U.
//
// Rounding: a backend promises x to 1e-6 of the vertex's reach, the largest |M_j| |p + d| + |t_j|
// (skin_lbs.h), and p + d to 1e-6 of |p| + |d| (morph_accumulate.h), which M_j stretches by |M_j|
// at most. Let f be the distance of the farthest corner of the joint's box from the origin: it is
// at least |p + d| and, since its components are |p| + r, at least (|p| + |d|) / sqrt 2. So both
// faults together are below (1 + sqrt 2) 1e-6 (|M_j| f + |t_j|), which kRounding covers.
//
// Spherical vertices (skin_sdef.h) with weights w_0, w_1 from 0 to 1 give, as the weights sum to 1,
//
//     x = sum_i w_i (M_i c_i + q (p + d - C))      with c_i = (C + R_i') / 2 and q a rotation.
//
// |q (p + d - C)| = |p + d - C| <= |p - C| + |r| = g. So the bracket lies in the box of the c_i
// that joint i moves, moved by M_i and widened by g on every side, and x in the union of such boxes
// as before. Rounding: a backend promises x to 1e-6 of its reach, 1 + the larger |M_i| times the
// larger of |c_i| and |C|, plus the larger |t_i|, plus |p + d - C|; and p + d to 1e-6 of |p| + |d|,
// which is at most that reach too. C = w_0 c_0 + w_1 c_1 is no farther out than both c_i. The joint
// of the larger |M_i| and that of the larger |t_i| may be two, so that what is summed for one joint
// is at least half of the reach. So both faults are below 4e-6 times that sum, which kRounding
// covers.
namespace flexor::deform {
namespace {

constexpr double kRounding = 5e-6;

Vec3d Abs(const Vec3d& v) { return {std::abs(v.x), std::abs(v.y), std::abs(v.z)}; }
Mat3d Abs(const Mat3d& m) { return {Abs(m.x), Abs(m.y), Abs(m.z)}; }

Aabbd Around(const Vec3d& center, const Vec3d& half) {
  Aabbd box;
  box.Add(center - half);
  box.Add(center + half);
  return box;
}

/// The root of the sum of squares of a 3x3: at least its largest stretch.
double SizeOf(const Mat3d& m) { return std::sqrt(Dot(m.x, m.x) + Dot(m.y, m.y) + Dot(m.z, m.z)); }

/// How far any point of a box is from the origin, at most.
double FarthestOf(const Aabbd& box) {
  const Vec3d a = Abs(box.min), b = Abs(box.max);
  return Length(Vec3d{std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)});
}

/// How far the morphs can move each vertex, per axis.
std::vector<Vec3d> MorphReach(const PlanData& plan, double max_morph_weight) {
  std::vector<Vec3d> reach(plan.vertex_count());
  for (const asset::Morph& morph : plan.morphs) {
    for (std::size_t i = 0; i < morph.positions.size(); ++i) {
      const std::size_t v = morph.vertices.empty() ? i : morph.vertices[i];
      reach[v] += Abs(Cast<double>(morph.positions[i])) * max_morph_weight;
    }
  }
  return reach;
}

Error Refuse(const PlanData& plan, const std::string& why) {
  return {ErrorCode::kInvalidArgument,
          "per-joint boxes hold no proof for this plan: " + why +
              "; take ExactBounds of the result instead",
          {{}, "mesh '" + plan.mesh_name + "'", {}}};
}

}  // namespace

Aabbf ExactBounds(std::span<const Vec3f> positions) {
  Aabbf box;
  for (const Vec3f& p : positions) box.Add(p);
  return box;
}

Status BoundBlended(const PlanData& plan, std::size_t v, const Vec3d& reach, JointBoxes& boxes) {
  const Aabbd around = Around(Cast<double>(plan.positions[v]), reach);
  const std::size_t begin = plan.influences.offsets[v], end = plan.influences.offsets[v + 1];
  if (begin == end) {
    const bool collapse = plan.settings.weights.zero == asset::ZeroWeightPolicy::kCollapse;
    if (collapse)
      boxes.still.Add(Vec3d{});
    else
      boxes.still.Add(around);
  }
  for (std::size_t i = begin; i < end; ++i) {
    if (plan.influences.weights[i] < 0) {
      return Refuse(plan, "vertex " + std::to_string(v) + " has a weight below zero");
    }
    boxes.points[plan.influences.joints[i]].Add(around);
  }
  return {};
}

Status BoundSpherical(const PlanData& plan, std::size_t v, const Vec3d& reach, JointBoxes& boxes) {
  const SphericalPayload& payload = plan.payloads.spherical;
  const SphericalVertex& spherical = payload.vertices[plan.methods.EntryOf(v)];
  if (!(spherical.w0 >= 0 && spherical.w1 >= 0)) {
    return Refuse(plan, "a spherical vertex has the weights " + std::to_string(spherical.w0) +
                            " and " + std::to_string(spherical.w1) + ", outside 0 to 1");
  }
  const Vec3d c0 = (spherical.center + spherical.r0) * 0.5;
  const Vec3d c1 = (spherical.center + spherical.r1) * 0.5;
  const double radius = Length(Cast<double>(plan.positions[v]) - spherical.center) + Length(reach);
  const double farthest = std::max(Length(c0), Length(c1));
  const auto& pair = payload.pairs[spherical.pair];
  for (const std::size_t i : {0u, 1u}) {
    TurningBox& joint = boxes.turning[pair[i]];
    joint.box.Add(i == 0 ? c0 : c1);
    joint.farthest = std::max(joint.farthest, farthest);
    joint.radius = std::max(joint.radius, radius);
  }
  return {};
}

Result<JointBoxBounds> JointBoxBounds::Build(const DeformPlan& deform_plan,
                                             double max_morph_weight) {
  return GuardAllocations("bounds were built", [&]() -> Result<JointBoxBounds> {
    const PlanData& plan = deform_plan.data();
    for (const MethodRow& row : MethodTable()) {
      if (!plan.methods.Uses(row.method) || row.bounds != nullptr) continue;
      return Refuse(plan, "vertices of the method " + std::string(row.name) + " leave those boxes");
    }
    if (!plan.settings.weights.normalize) return Refuse(plan, "its weights are not normalised");
    if (!(max_morph_weight >= 0) || !std::isfinite(max_morph_weight)) {
      return Refuse(plan, "the range of morph weights, " + std::to_string(max_morph_weight) +
                              ", is not a finite number of 0 or more");
    }

    const std::vector<Vec3d> morph_reach = MorphReach(plan, max_morph_weight);
    JointBoxes boxes{std::vector<Aabbd>(plan.joint_count),
                     std::vector<deform::TurningBox>(plan.joint_count),
                     {}};
    for (std::size_t v = 0; v < plan.vertex_count(); ++v) {
      FLEXOR_TRY(RowOf(plan.methods.At(v)).bounds(plan, v, morph_reach[v], boxes));
    }
    JointBoxBounds bounds;
    bounds.unweighted_ = boxes.still;
    for (std::size_t j = 0; j < plan.joint_count; ++j) {
      if (!boxes.points[j].empty()) bounds.boxes_.push_back({j, boxes.points[j]});
      const deform::TurningBox& turning = boxes.turning[j];
      if (turning.box.empty()) continue;
      bounds.turning_.push_back({j, turning.box, turning.farthest, turning.radius});
    }
    return bounds;
  });
}

Aabbd JointBoxBounds::Compute(std::span<const Mat34d> palette) const {
  Aabbd box = unweighted_;
  double reach = unweighted_.empty() ? 0 : FarthestOf(unweighted_);
  for (const JointBox& joint : boxes_) {
    const Mat34d& m = palette[joint.joint];
    box.Add(
        Around(TransformPoint(m, joint.box.Center()), Abs(m.linear) * (joint.box.Size() * 0.5)));
    reach = std::max(reach, SizeOf(m.linear) * FarthestOf(joint.box) + Length(m.translation));
  }
  for (const TurningBox& joint : turning_) {
    const Mat34d& m = palette[joint.joint];
    const Vec3d around{joint.radius, joint.radius, joint.radius};
    box.Add(Around(TransformPoint(m, joint.box.Center()),
                   Abs(m.linear) * (joint.box.Size() * 0.5) + around));
    reach = std::max(
        reach, (1 + SizeOf(m.linear)) * joint.farthest + Length(m.translation) + joint.radius);
  }
  if (box.empty()) return box;
  const double margin = kRounding * reach;
  return {box.min - Vec3d{margin, margin, margin}, box.max + Vec3d{margin, margin, margin}};
}

}  // namespace flexor::deform
