/// @file deform/plan_bytes.h
/// A plan's data as bytes and back. Private to the deform module.
#pragma once

#include <memory>

#include "flexor/core/result.h"

#include "core/byte_stream.h"
#include "deform/plan_data.h"

namespace flexor::deform {

/// Joints of a plan that can be saved: what a frame takes for each is taken before any is read.
inline constexpr std::size_t kMostSavedJoints = std::size_t{1} << 20;

void WriteSettings(const DeformSettings& settings, ByteWriter& out);

void WritePlanData(const PlanData& plan, ByteWriter& out);

/// Checks everything that building a plan checks or ensures.
/// Errors  kParse · those of CheckMesh · kLimitExceeded (joints)
Result<std::shared_ptr<const PlanData>> ReadPlanData(ByteReader& in);

}  // namespace flexor::deform
