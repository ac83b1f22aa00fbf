/// @file deform/cpu/frame_palette.h
/// A frame's palette as the CPU kernels read it: composed in double about the output origin and the
/// layout's centre, narrowed once. Private to the deform module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "flexor/core/aligned_buffer.h"
#include "flexor/deform/frame.h"

#include "deform/cpu/job.h"
#include "deform/joint_motion.h"
#include "deform/plan_data.h"
#include "deform/widen_palette.h"

namespace flexor::deform {

/// Fitted to a plan, then filled without allocating. The entry after the last joint stands for what
/// the plan does with vertices that have no weight.
class FramePalette {
 public:
  /// Makes it large enough; allocates nothing where it has been as large before.
  void Fit(const PlanData& plan, const CpuLayout& layout);

  /// For the plan that it was last fitted to. Adds joints and flips to `report`.
  void Fill(const PlanData& plan, const CpuLayout& layout, const WidenedFrame& in,
            FrameReport& report);
  /// Points a job at the tables.
  void Describe(SkinJob& job) const;
  /// Whether some translation of the frame is more than a float holds once it is counted from the
  /// output origin and acts on points counted from the centre.
  bool beyond_float() const { return beyond_float_; }
  /// (J), or empty when no method of the plan reads them.
  std::span<const JointMotion> motions() const { return motions_; }
  /// (J), or empty when no method of the plan reads them.
  std::span<const Quatd> rotations() const { return rotations_; }

 private:
  void FillLinear(const PlanData& plan, const CpuLayout& layout, const WidenedFrame& in);
  void FillDual(const PlanData& plan, const CpuLayout& layout, const WidenedFrame& in);
  void FillPairs(const PlanData& plan, const CpuLayout& layout, const WidenedFrame& in);
  void AgreeOnSigns(const CpuLayout& layout, FrameReport& report);

  std::size_t joint_count_ = 0;
  AlignedBuffer<LinearJoint> linear_;
  AlignedBuffer<LinearJoint> alone_;
  AlignedBuffer<DualJoint> dual_;
  std::vector<JointMotion> motions_;
  std::vector<Quatd> rotations_;
  AlignedBuffer<CenterJoint> centers_;  ///< (J)
  AlignedBuffer<PairMotion> pairs_;
  std::vector<std::uint8_t> flags_;
  std::vector<std::int8_t> signs_;  ///< 0 while a joint has none yet
  std::uint8_t frame_flags_ = 0;
  float uniform_size_ = -1;
  float max_weight_sum_squared_ = 1;
  float origin_[3] = {};
  bool about_origin_ = false;
  bool beyond_float_ = false;
  bool has_weightless_ = false;
};

}  // namespace flexor::deform
