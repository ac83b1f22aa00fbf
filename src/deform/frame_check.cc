#include "deform/frame_check.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

namespace flexor::deform {
namespace {

Error Fault(const PlanData& plan, ErrorCode code, std::string message, std::string_view element) {
  return {
      code, std::move(message), {{}, "mesh '" + plan.mesh_name + "', " + std::string(element), {}}};
}

Status CheckSize(const PlanData& plan, std::string_view what, std::size_t given,
                 std::size_t wanted) {
  if (given == wanted) return {};
  return Fault(plan, ErrorCode::kShapeMismatch,
               "the " + std::string(what) + " has " + std::to_string(given) +
                   " entries, but the plan wants " + std::to_string(wanted),
               what);
}

/// An output that may be left out; a plan without the array has 0 entries to give.
Status CheckOutput(const PlanData& plan, std::string_view what, std::size_t given,
                   std::size_t wanted) {
  return given == 0 ? Status() : CheckSize(plan, what, given, wanted);
}

/// All joints at once, without a branch for each number: 0 times what is finite is 0, and all else
/// stays NaN in the sums.
bool AllFinite(std::span<const Mat34d> palette) {
  constexpr std::size_t kSums = 4, kNumbers = 12;
  static_assert(sizeof(Mat34d) == kNumbers * sizeof(double));
  double sums[kSums] = {};
  for (const Mat34d& m : palette) {
    double numbers[kNumbers];
    std::memcpy(numbers, &m, sizeof(numbers));
    for (std::size_t i = 0; i < kSums; ++i) {
      sums[i] += numbers[i] * 0.0 + numbers[i + kSums] * 0.0 + numbers[i + 2 * kSums] * 0.0;
    }
  }
  return sums[0] + sums[1] + sums[2] + sums[3] == 0.0;
}

/// Of the numbers of a finite palette, the size of the largest.
double LargestEntry(std::span<const Mat34d> palette) {
  constexpr std::size_t kMaxima = 4, kNumbers = 12;
  double largest[kMaxima] = {};
  for (const Mat34d& m : palette) {
    double numbers[kNumbers];
    std::memcpy(numbers, &m, sizeof(numbers));
    for (std::size_t i = 0; i < kNumbers; ++i) {
      largest[i % kMaxima] = std::max(largest[i % kMaxima], std::abs(numbers[i]));
    }
  }
  return std::max({largest[0], largest[1], largest[2], largest[3]});
}

}  // namespace

Status CheckShapes(const PlanData& plan, const FrameInputs& in, const OutputViews& out) {
  FLEXOR_TRY(CheckSize(plan, "palette", in.palette.size(), plan.joint_count));
  if (!in.morph_weights.empty()) {
    FLEXOR_TRY(CheckSize(plan, "morph weights", in.morph_weights.size(), plan.morphs.size()));
  }
  FLEXOR_TRY(CheckSize(plan, "output of positions", out.positions.size(), plan.vertex_count()));
  FLEXOR_TRY(CheckOutput(plan, "output of exact positions", out.exact_positions.size(),
                         plan.vertex_count()));
  FLEXOR_TRY(CheckOutput(plan, "output of normals", out.normals.size(), plan.normals.size()));
  return CheckOutput(plan, "output of tangents", out.tangents.size(), plan.tangents.size());
}

bool NumbersAreFinite(const FrameInputs& in) {
  float weights = 0;
  for (const float weight : in.morph_weights) weights += weight * 0.0f;
  return AllFinite(in.palette) && weights == 0.0f && IsFinite(in.output_origin);
}

Status CheckNumbers(const PlanData& plan, const FrameInputs& in) {
  for (std::size_t j = 0; j < in.palette.size(); ++j) {
    if (IsFinite(in.palette[j])) continue;
    return Fault(plan, ErrorCode::kInvalidValue,
                 "the skinning matrix has an entry that is not a finite number",
                 "joint " + std::to_string(j));
  }
  for (std::size_t m = 0; m < in.morph_weights.size(); ++m) {
    if (std::isfinite(in.morph_weights[m])) continue;
    return Fault(plan, ErrorCode::kInvalidValue, "the morph weight is not a finite number",
                 "morph " + std::to_string(m));
  }
  if (!IsFinite(in.output_origin)) {
    return Fault(plan, ErrorCode::kInvalidValue, "the output origin is not a finite point",
                 "output origin");
  }
  return {};
}

Error NotPrepared(const DeformJob& job, std::string_view backend) {
  const std::string name(backend);
  if (job.plan == nullptr) {
    return {ErrorCode::kInvalidArgument,
            "the job has no plan; give it one that the " + name + " backend prepared",
            {}};
  }
  return {ErrorCode::kInvalidArgument,
          "the plan was prepared by another backend; prepare it by the " + name + " backend",
          {{}, "mesh '" + job.plan->plan().data().mesh_name + "'", {}}};
}

Status OfJob(std::span<const DeformJob> jobs, std::size_t index, Status status) {
  if (status.ok() || jobs.size() == 1) return status;
  Error error = std::move(status).error();
  const std::string job = "job " + std::to_string(index);
  error.place.element = error.place.element.empty() ? job : job + ", " + error.place.element;
  return error;
}

std::uint32_t JointsBeyondFloat(const FrameInputs& in) {
  constexpr double kMost = std::numeric_limits<float>::max();
  const double origin = std::max(
      {std::abs(in.output_origin.x), std::abs(in.output_origin.y), std::abs(in.output_origin.z)});
  // Nearly always nothing comes near, and one pass without branches says so.
  if (LargestEntry(in.palette) + origin <= kMost) return 0;
  const auto fits = [](const Vec3d& v) {
    return std::abs(v.x) <= kMost && std::abs(v.y) <= kMost && std::abs(v.z) <= kMost;
  };
  std::uint32_t count = 0;
  for (const Mat34d& m : in.palette) {
    const bool all = fits(m.linear.x) && fits(m.linear.y) && fits(m.linear.z) &&
                     fits(m.translation - in.output_origin);
    if (!all) ++count;
  }
  return count;
}

}  // namespace flexor::deform
