/// @file deform/cpu/layout.h
/// How the CPU backend lays the vertices of a plan out in memory. Private to the deform room.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "flexor/core/result.h"
#include "flexor/deform/plan.h"

namespace flexor::deform {

struct CpuLayout;

/// Lays out a plan whose arrays, influences and method are complete; caller_from_plan is made from
/// what comes back.
Result<std::shared_ptr<const CpuLayout>> BuildCpuLayout(const PlanData& plan);

/// (V) the caller's index of each vertex of the layout: a permutation.
std::span<const std::uint32_t> CpuLayoutOrder(const CpuLayout& layout);

/// Facts for reports; `bytes` is the layout's own memory.
DeformPlan::Layout CpuLayoutFacts(const CpuLayout& layout);

}  // namespace flexor::deform
