/// @file deform/cpu/prepared.h
/// A plan as the CPU backend runs it. Private to the deform room.
#pragma once

#include <span>
#include <utility>

#include "flexor/deform/prepared_plan.h"

#include "deform/cpu/layout.h"

namespace flexor::deform {

class CpuPreparedPlan final : public PreparedPlan {
 public:
  CpuPreparedPlan(DeformPlan plan, CpuLayout layout)
      : PreparedPlan(std::move(plan), {layout.order}), layout_(std::move(layout)) {}

  PreparedFacts facts() const override { return layout_.facts; }
  std::span<const std::uint32_t> caller_from_output() const override {
    if (order() == OutputOrder::kCaller) return {};
    return layout_.caller_from_plan;
  }

  const CpuLayout& layout() const { return layout_; }
  const PlanData& data() const { return plan().data(); }

 private:
  CpuLayout layout_;
};

}  // namespace flexor::deform
