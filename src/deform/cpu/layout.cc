#include "deform/cpu/layout.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "deform/plan_data.h"

namespace flexor::deform {

struct CpuLayout {
  std::vector<std::uint32_t> caller_from_plan;
  DeformPlan::Layout facts;
};

namespace {

constexpr std::size_t kBlock = 16;

/// The joints that the vertices [begin, end) use, each once.
std::size_t DistinctJoints(const asset::Influences& influences, std::size_t begin,
                           std::size_t end) {
  std::vector<std::uint32_t> joints(influences.joints.begin() + influences.offsets[begin],
                                    influences.joints.begin() + influences.offsets[end]);
  std::sort(joints.begin(), joints.end());
  return static_cast<std::size_t>(std::unique(joints.begin(), joints.end()) - joints.begin());
}

}  // namespace

Result<std::shared_ptr<const CpuLayout>> BuildCpuLayout(const PlanData& plan) {
  auto layout = std::make_shared<CpuLayout>();
  layout->caller_from_plan.resize(plan.vertex_count());
  std::iota(layout->caller_from_plan.begin(), layout->caller_from_plan.end(), 0u);

  DeformPlan::Layout& facts = layout->facts;
  std::size_t sum = 0;
  for (std::size_t begin = 0; begin < plan.vertex_count(); begin += kBlock) {
    const std::size_t end = std::min(begin + kBlock, plan.vertex_count());
    const std::size_t distinct = DistinctJoints(plan.influences, begin, end);
    sum += distinct;
    facts.worst_joints_per_block = std::max(facts.worst_joints_per_block, distinct);
    ++facts.blocks;
  }
  if (facts.blocks > 0) {
    facts.mean_joints_per_block = static_cast<double>(sum) / static_cast<double>(facts.blocks);
  }
  facts.bytes = sizeof(CpuLayout) + layout->caller_from_plan.size() * sizeof(std::uint32_t);
  return std::shared_ptr<const CpuLayout>(std::move(layout));
}

std::span<const std::uint32_t> CpuLayoutOrder(const CpuLayout& layout) {
  return layout.caller_from_plan;
}

DeformPlan::Layout CpuLayoutFacts(const CpuLayout& layout) { return layout.facts; }

}  // namespace flexor::deform
