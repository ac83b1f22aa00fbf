/// @file deform/saved_plan.h
/// Plans and prepared plans as bytes, so that a game lays nothing out when it loads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "flexor/core/export.h"
#include "flexor/core/result.h"
#include "flexor/deform/backend.h"
#include "flexor/deform/plan.h"
#include "flexor/deform/prepared_plan.h"

namespace flexor::deform {

/// The version of the bytes. Others are refused: build the plan again and save it anew. It changes
/// with everything that the bytes hold, the layouts of the CPU backend included.
inline constexpr std::uint32_t kSavedPlanVersion = 1;

/// A plan as bytes: versioned, checksummed, the same on every machine (little endian). `key` is
/// kept for the caller, such as a digest of what the plan was made from; see SavedPlanKey.
/// Errors  kLimitExceeded (more than 2^20 joints) · kOutOfMemory
FLEXOR_API Result<std::vector<std::byte>> SavePlan(const DeformPlan& plan, std::uint64_t key = 0);

/// A plan and what its backend made of it. Every SIMD target can use the saved layout of another.
/// Errors  kInvalidArgument (prepared by a backend of another kind) · those of SavePlan
FLEXOR_API Result<std::vector<std::byte>> SavePrepared(const Backend& backend,
                                                       const PreparedPlan& prepared,
                                                       std::uint64_t key = 0);

/// The plan that was saved, equal in every result. Bytes are trusted in nothing: every count, index
/// and number is checked as when a plan is built, and memory is taken for what the bytes hold.
/// Accepts what SavePrepared wrote too, and leaves the layout aside.
/// Errors  kTruncated (both sizes) · kParse (no plan, a wrong checksum, parts that contradict each
/// other) · kUnsupportedFeature (another version; both) · those of BuildDeformPlan
FLEXOR_API Result<DeformPlan> LoadPlan(std::span<const std::byte> bytes);

/// The prepared plan that was saved, equal in every result. A layout is checked against its plan,
/// block by block.
/// Errors  those of LoadPlan · kInvalidArgument (of a backend of another kind, or a plan without a
/// layout)
FLEXOR_API Result<std::shared_ptr<const PreparedPlan>> LoadPrepared(
    const Backend& backend, std::span<const std::byte> bytes);

/// The key that bytes were saved with. Only their head is looked at.
/// Errors  kTruncated · kParse · kUnsupportedFeature
FLEXOR_API Result<std::uint64_t> SavedPlanKey(std::span<const std::byte> bytes);

}  // namespace flexor::deform
