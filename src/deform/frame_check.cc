#include "deform/frame_check.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include "deform/widen_palette.h"

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

/// A stream that the host can write; one that may be left out has no entries then.
template <class T>
Status CheckOutput(const PlanData& plan, std::string_view what, const OutputView<T>& output,
                   std::size_t wanted, bool optional) {
  if (output.empty() && optional) return {};
  FLEXOR_TRY(CheckSize(plan, what, output.size(), wanted));
  if (output.on_device()) {
    return Fault(plan, ErrorCode::kInvalidArgument,
                 "the " + std::string(what) +
                     " is memory of a device, which this backend cannot write; give it memory of "
                     "the host",
                 what);
  }
  const auto address = reinterpret_cast<std::uintptr_t>(output.data());
  if (output.stride() >= sizeof(T) && output.stride() % alignof(T) == 0 &&
      address % alignof(T) == 0) {
    return {};
  }
  return Fault(plan, ErrorCode::kInvalidArgument,
               "the " + std::string(what) + " has a stride of " + std::to_string(output.stride()) +
                   " bytes from an address that is " + std::to_string(address % alignof(T)) +
                   " past a multiple of " + std::to_string(alignof(T)) +
                   "; both must be multiples of it, and the stride at least " +
                   std::to_string(sizeof(T)),
               what);
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
  const std::size_t numbers = plan.joint_count * in.palette.numbers_per_joint();
  if (in.palette.form() != PaletteForm::kDouble && in.palette.numbers().size() != numbers) {
    return Fault(plan, ErrorCode::kShapeMismatch,
                 "the palette has " + std::to_string(in.palette.numbers().size()) +
                     " numbers, but the plan wants " + std::to_string(numbers),
                 "palette");
  }
  if (!in.morph_weights.empty()) {
    FLEXOR_TRY(CheckSize(plan, "morph weights", in.morph_weights.size(), plan.morphs.size()));
  }
  FLEXOR_TRY(CheckOutput(plan, "output of positions", out.positions, plan.vertex_count(), false));
  FLEXOR_TRY(CheckOutput(plan, "output of exact positions", out.exact_positions,
                         plan.vertex_count(), true));
  FLEXOR_TRY(CheckOutput(plan, "output of normals", out.normals, plan.normals.size(), true));
  return CheckOutput(plan, "output of tangents", out.tangents, plan.tangents.size(), true);
}

bool NumbersAreSound(const FrameInputs& in, std::span<const Mat34d> palette) {
  bool affine = true;
  if (in.palette.form() == PaletteForm::kColumns44) {
    for (std::size_t j = 0; j < palette.size(); ++j) affine &= HasAffineRow(in.palette, j);
  }
  float weights = 0;
  for (const float weight : in.morph_weights) weights += weight * 0.0f;
  return affine && AllFinite(palette) && weights == 0.0f && IsFinite(in.output_origin);
}

Status CheckNumbers(const PlanData& plan, const FrameInputs& in) {
  for (std::size_t j = 0; j < in.palette.size(); ++j) {
    if (!IsFinite(WidenedJoint(in.palette, j))) {
      return Fault(plan, ErrorCode::kInvalidValue,
                   "the skinning matrix has an entry that is not a finite number",
                   "joint " + std::to_string(j));
    }
    if (!HasAffineRow(in.palette, j)) {
      return Fault(plan, ErrorCode::kInvalidValue,
                   "the skinning matrix has another fourth row than 0 0 0 1",
                   "joint " + std::to_string(j));
    }
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

Error NotPrepared(const PreparedPlan* plan, std::string_view backend) {
  const std::string name(backend);
  if (plan == nullptr) {
    return {ErrorCode::kInvalidArgument,
            "the job has no plan; give it one that the " + name + " backend prepared",
            {}};
  }
  return {ErrorCode::kInvalidArgument,
          "the plan was prepared by another backend; prepare it by the " + name + " backend",
          {{}, "mesh '" + plan->plan().data().mesh_name + "'", {}}};
}

Status CheckEnd(std::size_t given, std::size_t begun) {
  if (given == begun) return {};
  return Error{ErrorCode::kInvalidArgument,
               "a run that began with " + std::to_string(begun) + " jobs is to end with " +
                   std::to_string(given),
               {}};
}

Status OfJob(std::span<const DeformJob> jobs, std::size_t index, Status status) {
  if (status.ok() || jobs.size() == 1) return status;
  Error error = std::move(status).error();
  const std::string job = "job " + std::to_string(index);
  error.place.element = error.place.element.empty() ? job : job + ", " + error.place.element;
  return error;
}

std::uint32_t JointsBeyondFloat(std::span<const Mat34d> palette, const Vec3d& output_origin) {
  constexpr double kMost = std::numeric_limits<float>::max();
  const double origin =
      std::max({std::abs(output_origin.x), std::abs(output_origin.y), std::abs(output_origin.z)});
  // Nearly always nothing comes near, and one pass without branches says so.
  if (LargestEntry(palette) + origin <= kMost) return 0;
  const auto fits = [](const Vec3d& v) {
    return std::abs(v.x) <= kMost && std::abs(v.y) <= kMost && std::abs(v.z) <= kMost;
  };
  std::uint32_t count = 0;
  for (const Mat34d& m : palette) {
    const bool all = fits(m.linear.x) && fits(m.linear.y) && fits(m.linear.z) &&
                     fits(m.translation - output_origin);
    if (!all) ++count;
  }
  return count;
}

}  // namespace flexor::deform
