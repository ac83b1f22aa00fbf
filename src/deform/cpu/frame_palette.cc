#include "deform/cpu/frame_palette.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace flexor::deform {
namespace {

// Squared sizes within which floats hold every product that the kernels form; joints beyond leave
// their vertices to the double path.
constexpr double kSmallestSize = 1e-14;
constexpr double kLargestSize = 1e16;
// Joints whose squared sizes differ by less share one limit.
constexpr float kAlike = 4;

constexpr float kBeyond = std::numeric_limits<float>::infinity();

/// A number beyond a float's range becomes the largest float, so that 0 times it stays 0; such a
/// frame is left to the double path.
float Narrow(double value) {
  constexpr double kMost = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(value, -kMost, kMost));
}

void Narrow(const Vec3d& v, float* out) {
  out[0] = Narrow(v.x);
  out[1] = Narrow(v.y);
  out[2] = Narrow(v.z);
}

bool FitsFloat(const Vec3d& v) {
  constexpr double kMost = std::numeric_limits<float>::max();
  return std::abs(v.x) <= kMost && std::abs(v.y) <= kMost && std::abs(v.z) <= kMost;
}

double SquaredSize(const Mat3d& m) { return Dot(m.x, m.x) + Dot(m.y, m.y) + Dot(m.z, m.z); }

float SizeOrBeyond(double squared, double smallest) {
  const bool fits = squared >= smallest && squared <= kLargestSize;
  return fits ? static_cast<float>(squared) : kBeyond;
}

/// `m` acts on points counted from `center`; results are counted from `origin`.
Vec3d TranslationAbout(const Mat34d& m, const Vec3d& center, const Vec3d& origin) {
  if (center == Vec3d{}) return m.translation - origin;
  return m.linear * center + m.translation - origin;
}

/// Numbers known to be within a float's range.
void NarrowFitting(const Vec3d& v, float* out) {
  out[0] = static_cast<float>(v.x);
  out[1] = static_cast<float>(v.y);
  out[2] = static_cast<float>(v.z);
}

void Fill(const Mat34d& m, const Vec3d& translation, LinearJoint& out) {
  const double size = SquaredSize(m.linear);
  if (size <= kLargestSize) {
    NarrowFitting(m.linear.x, out.matrix);
    NarrowFitting(m.linear.y, out.matrix + 4);
    NarrowFitting(m.linear.z, out.matrix + 8);
  } else {
    Narrow(m.linear.x, out.matrix);
    Narrow(m.linear.y, out.matrix + 4);
    Narrow(m.linear.z, out.matrix + 8);
  }
  Narrow(translation, out.matrix + 12);
  out.matrix[3] = SizeOrBeyond(size, kSmallestSize);
  out.matrix[7] = out.matrix[11] = out.matrix[15] = 0;
}

/// What vertices that follow the joint alone need besides.
void FillAlone(const Mat3d& m, LinearJoint& out) {
  const double size = SquaredSize(m);
  const Mat3d cofactor = Cofactor(m);
  const double det = Dot(m.x, cofactor.x);
  const double least_image = kDoubtfulImage * kDoubtfulImage;
  const bool clear = std::isfinite(out.matrix[3]) && det * det > least_image * size * size * size;
  const bool mirrors = det < 0;
  out.handedness = mirrors ? -1.0f : 1.0f;
  out.least_normal = clear ? kDoubtfulNormal * kDoubtfulNormal : kBeyond;
  out.least_tangent = clear ? kDoubtfulTangent * kDoubtfulTangent * out.matrix[3] : kBeyond;
  const double scale = size > 0 ? (mirrors ? -1.0 : 1.0) / size : 0.0;
  if (size <= kLargestSize && size >= kSmallestSize) {
    NarrowFitting(cofactor.x * scale, out.cofactor);
    NarrowFitting(cofactor.y * scale, out.cofactor + 3);
    NarrowFitting(cofactor.z * scale, out.cofactor + 6);
  } else {
    Narrow(cofactor.x * scale, out.cofactor);
    Narrow(cofactor.y * scale, out.cofactor + 3);
    Narrow(cofactor.z * scale, out.cofactor + 6);
  }
}

/// 1/2 (0, v) q.
Quatd HalfTimes(const Vec3d& v, const Quatd& q) { return Quatd{v.x, v.y, v.z, 0} * q * 0.5; }

void Narrow(const Quatd& q, double sign, float* out) {
  out[0] = Narrow(q.x * sign);
  out[1] = Narrow(q.y * sign);
  out[2] = Narrow(q.z * sign);
  out[3] = Narrow(q.w * sign);
}

Quatd operator-(const Quatd& a, const Quatd& b) { return a + -b; }

void Store(const Quatd& q, double factor, float* out) {
  out[0] = static_cast<float>(q.x * factor);
  out[1] = static_cast<float>(q.y * factor);
  out[2] = static_cast<float>(q.z * factor);
  out[3] = static_cast<float>(q.w * factor);
}

/// The rotations between those of a pair: PairMotion.
void FillTurn(const SphericalPair& pair, SdefRotation rotation, PairMotion& out) {
  const Quatd sum = pair.q0 + pair.q1, difference = pair.q1 - pair.q0;
  if (rotation == SdefRotation::kNlerp) {
    Store(sum, 0.5, out.middle);
    Store(difference, 1, out.across);
    return;
  }
  // From the length of the difference the angle keeps its digits however small it is; signs agree,
  // so that the sum has a length.
  const double along = std::sqrt(Dot(sum, sum)), across = std::sqrt(Dot(difference, difference));
  Store(sum, 1 / along, out.middle);
  Store(difference, across > 0 ? 1 / across : 0.0, out.across);
  out.angle = static_cast<float>(2 * std::asin(0.5 * across));
}

/// What the motion does to a vertex that follows it alone.
Mat34d MatrixOf(const JointMotion& motion, bool about_origin) {
  if (!motion.HasQuaternion()) return {};
  const Mat3d rotation = ToMat3(motion.rotation);
  return {about_origin ? rotation * motion.residual : rotation + motion.residual,
          motion.translation};
}

/// The motion of vertices without weight.
JointMotion WeightlessMotion(const PlanData& plan, bool about_origin) {
  const bool collapse = plan.settings.weights.zero == asset::ZeroWeightPolicy::kCollapse;
  const double kept = collapse ? 0 : 1;
  const Mat3d scaled = Mat3d{} * kept;
  return {!collapse, Quatd{}, {}, about_origin ? scaled : scaled - Mat3d{}};
}

}  // namespace

void FramePalette::Fit(const PlanData& plan, const CpuLayout& layout) {
  joint_count_ = plan.joint_count;
  max_weight_sum_squared_ = static_cast<float>(layout.max_weight_sum * layout.max_weight_sum);
  about_origin_ = plan.settings.dqs.residual != DqsResidual::kVertex;
  has_weightless_ = plan.weight_report.zero_sum > 0;
  uniform_size_ = -1;
  frame_flags_ = 0;
  linear_.resize(plan.Needs(kNeedsMatrices) ? joint_count_ + 1 : 0);
  const bool spherical = plan.Needs(kNeedsPairRotations);
  const auto& pairs = plan.payloads.spherical.pairs;
  rotations_.resize(spherical ? joint_count_ : 0);
  centers_.resize(spherical ? joint_count_ : 0);
  pairs_.resize(pairs.size());
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    std::copy(pairs[i].begin(), pairs[i].end(), pairs_[i].joints);
  }
  const bool dual = plan.Needs(kNeedsMotions);
  alone_.resize(dual ? joint_count_ + 1 : 0);
  dual_.resize(dual ? joint_count_ + 1 : 0);
  motions_.resize(dual ? joint_count_ : 0);
  flags_.resize(dual ? joint_count_ + 1 : 0);
  signs_.resize(dual ? joint_count_ + 1 : 0);
}

void FramePalette::Fill(const PlanData& plan, const CpuLayout& layout, const WidenedFrame& in,
                        FrameReport& report) {
  Narrow(in.output_origin, origin_);
  beyond_float_ = !FitsFloat(in.output_origin);
  if (plan.Needs(kNeedsMatrices)) FillLinear(plan, layout, in);
  if (plan.Needs(kNeedsPairRotations)) FillPairs(plan, layout, in);
  if (!plan.Needs(kNeedsMotions)) return;
  SplitPalette(plan, in.palette, motions_, report);
  AgreeOnSigns(layout, report);
  FillDual(plan, layout, in);
}

void FramePalette::FillLinear(const PlanData& plan, const CpuLayout& layout,
                              const WidenedFrame& in) {
  float smallest = kBeyond, largest = 0;
  for (std::size_t j = 0; j < joint_count_; ++j) {
    const Mat34d& m = in.palette[j];
    const Vec3d translation = TranslationAbout(m, layout.center, in.output_origin);
    deform::Fill(m, translation, linear_[j]);
    beyond_float_ |= !FitsFloat(translation);
    smallest = std::min(smallest, linear_[j].matrix[3]);
    largest = std::max(largest, linear_[j].matrix[3]);
  }
  for (const std::uint32_t j : layout.alone_joints) {
    if (j < joint_count_) FillAlone(in.palette[j].linear, linear_[j]);
  }
  Mat34d rest;
  if (plan.settings.weights.zero == asset::ZeroWeightPolicy::kCollapse) rest.linear = Mat3d{} * 0.0;
  LinearJoint& last = linear_[joint_count_];
  deform::Fill(rest, TranslationAbout(rest, layout.center, in.output_origin), last);
  FillAlone(rest.linear, last);
  if (has_weightless_) {
    smallest = std::min(smallest, last.matrix[3]);
    largest = std::max(largest, last.matrix[3]);
  }
  const bool alike = std::isfinite(largest) && largest < kAlike * smallest;
  uniform_size_ = alike ? largest * max_weight_sum_squared_ : -1;
}

void FramePalette::FillPairs(const PlanData& plan, const CpuLayout& layout,
                             const WidenedFrame& in) {
  SplitRotations(plan.payloads.spherical, in.palette, rotations_);
  for (const std::uint32_t j : plan.payloads.spherical.joints) {
    const Mat34d& m = in.palette[j];
    const Vec3d translation = TranslationAbout(m, layout.center, in.output_origin);
    beyond_float_ |= !FitsFloat(translation);
    const Mat3d moved = m.linear - Mat3d{};
    float* const out = centers_[j].matrix;
    Narrow(moved.x, out);
    Narrow(moved.y, out + 4);
    Narrow(moved.z, out + 8);
    Narrow(translation, out + 12);
  }
  for (PairMotion& pair : pairs_) {
    const SphericalPair turned = PairOf(rotations_[pair.joints[0]], rotations_[pair.joints[1]]);
    FillTurn(turned, plan.settings.sdef.rotation, pair);
  }
}

/// Gives every joint the sign that agrees with the joints that it meets in vertices, as far as one
/// sign can; what cannot be settled is flagged, and settled vertex by vertex in the kernel.
void FramePalette::AgreeOnSigns(const CpuLayout& layout, FrameReport& report) {
  std::fill(signs_.begin(), signs_.end(), std::int8_t{0});
  std::fill(flags_.begin(), flags_.end(), std::uint8_t{0});
  const auto turned = [&](const PivotPair& pair) {
    return Dot(motions_[pair.pivot].rotation, motions_[pair.joint].rotation) <
           -kHemisphereTolerance;
  };
  bool any_turned = false;
  for (const PivotPair& pair : layout.pairs) {
    if (!turned(pair)) continue;
    report.flips += pair.count;
    any_turned = true;
  }
  if (any_turned) {
    for (int pass = 0; pass < 2; ++pass) {
      for (const PivotPair& pair : layout.pairs) {
        std::int8_t& a = signs_[pair.pivot];
        std::int8_t& b = signs_[pair.joint];
        if (a != 0 && b != 0) continue;
        if (a == 0 && b == 0) a = 1;
        const auto relative = static_cast<std::int8_t>(turned(pair) ? -1 : 1);
        if (b == 0) {
          b = static_cast<std::int8_t>(a * relative);
        } else {
          a = static_cast<std::int8_t>(b * relative);
        }
      }
    }
    for (const PivotPair& pair : layout.pairs) {
      const int relative = turned(pair) ? -1 : 1;
      if (signs_[pair.pivot] * signs_[pair.joint] == relative) continue;
      flags_[pair.pivot] |= kJointSignsDisagree;
      flags_[pair.joint] |= kJointSignsDisagree;
    }
  }
  for (std::int8_t& sign : signs_) {
    if (sign == 0) sign = 1;
  }
}

void FramePalette::FillDual(const PlanData& plan, const CpuLayout& layout, const WidenedFrame& in) {
  const Vec3d& center = layout.center;
  // About the origin the residual acts on whole points, so that a centre other than the origin
  // leaves no joint rigid.
  const bool all_residual = about_origin_ && !(center == Vec3d{});
  frame_flags_ = 0;
  for (const std::uint32_t j : layout.alone_joints) {
    const Mat34d matrix = MatrixOf(
        j < joint_count_ ? motions_[j] : WeightlessMotion(plan, about_origin_), about_origin_);
    const Vec3d translation = TranslationAbout(matrix, center, in.output_origin);
    deform::Fill(matrix, translation, alone_[j]);
    beyond_float_ |= !FitsFloat(translation);
    FillAlone(matrix.linear, alone_[j]);
  }
  const JointMotion weightless = WeightlessMotion(plan, about_origin_);
  for (std::size_t j = 0; j <= joint_count_; ++j) {
    const JointMotion& motion = j < joint_count_ ? motions_[j] : weightless;
    DualJoint& dual = dual_[j];
    const double sign = signs_[j];
    const Quatd& q = motion.rotation;
    dual.sign = static_cast<float>(sign);
    Narrow(q, sign, dual.motion);
    if (about_origin_) {
      const Vec3d translation = motion.translation - in.output_origin;
      beyond_float_ |= !FitsFloat(translation) || !FitsFloat(motion.residual * center);
      Narrow(HalfTimes(translation, q), sign, dual.motion + 4);
      Narrow(motion.residual.x, dual.residual);
      Narrow(motion.residual.y, dual.residual + 3);
      Narrow(motion.residual.z, dual.residual + 6);
      Narrow(motion.residual * center, dual.residual + 9);
    } else {
      const bool simple = center == Vec3d{} && motion.HasQuaternion();
      const Vec3d translation =
          simple ? motion.translation - in.output_origin
                 : TranslationAbout(MatrixOf(motion, about_origin_), center, in.output_origin);
      beyond_float_ |= !FitsFloat(translation);
      Narrow(HalfTimes(translation, q), sign, dual.motion + 4);
      if (motion.rigid) {
        std::fill(std::begin(dual.residual), std::end(dual.residual), 0.0f);
      } else {
        Narrow(HalfTimes(motion.residual.x, q), sign, dual.residual);
        Narrow(HalfTimes(motion.residual.y, q), sign, dual.residual + 4);
        Narrow(HalfTimes(motion.residual.z, q), sign, dual.residual + 8);
      }
    }
    dual.residual_size =
        SizeOrBeyond(SquaredSize(motion.residual), about_origin_ ? kSmallestSize : 0);
    if (!motion.rigid || all_residual) flags_[j] |= kJointHasResidual;
    if (!motion.HasQuaternion()) flags_[j] |= kJointLeftOut;
    if (j < joint_count_ || has_weightless_) {
      frame_flags_ = static_cast<std::uint8_t>(frame_flags_ | flags_[j]);
    }
  }
}

void FramePalette::Describe(SkinJob& job) const {
  job.linear = linear_.data();
  job.alone = alone_.data();
  job.dual = dual_.data();
  job.centers = centers_.data();
  job.pairs = pairs_.data();
  job.joint_flags = flags_.data();
  job.frame_flags = frame_flags_;
  job.uniform_size = uniform_size_;
  job.max_weight_sum_squared = max_weight_sum_squared_;
  std::copy(origin_, origin_ + 3, job.origin);
  job.about_origin = about_origin_;
}

}  // namespace flexor::deform
