/// @file deform/cpu/prepared.h
/// A plan as the CPU backend runs it. Private to the deform module.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "flexor/deform/prepared_plan.h"

#include "deform/cpu/layout.h"

namespace flexor::deform {

class CpuPreparedPlan final : public PreparedPlan {
 public:
  CpuPreparedPlan(DeformPlan plan, CpuLayout layout)
      : PreparedPlan(std::move(plan), {layout.order}), layout_(std::move(layout)) {
    windows_.reserve(layout_.windows.size());
    for (const CpuWindow& window : layout_.windows) {
      windows_.push_back({window.first_vertex, window.end_vertex});
    }
  }

  PreparedFacts facts() const override { return layout_.facts; }
  std::span<const std::uint32_t> caller_from_output() const override {
    if (order() == OutputOrder::kCaller) return {};
    return layout_.caller_from_plan;
  }

  std::span<const VertexWindow> windows() const override { return windows_; }

  const CpuLayout& layout() const { return layout_; }
  const PlanData& data() const { return plan().data(); }

 private:
  CpuLayout layout_;
  std::vector<VertexWindow> windows_;
};

}  // namespace flexor::deform
