/// @file deform/cpu/layout_bytes.h
/// A CPU layout as bytes and back. Private to the deform module.
#pragma once

#include "flexor/core/result.h"

#include "core/byte_stream.h"
#include "deform/cpu/layout.h"
#include "deform/plan_data.h"

namespace flexor::deform {

void WriteCpuLayout(const CpuLayout& layout, ByteWriter& out);

/// Errors  kTruncated · kParse, see CheckCpuLayout
Result<CpuLayout> ReadCpuLayout(ByteReader& in, const PlanData& plan);

/// Whether kernels may run a layout over frames of the plan: every vertex in one place, each block
/// within the arrays, each joint, pair and offset in range. Numbers in rows may be anything.
/// Errors  kParse naming the part
Status CheckCpuLayout(const CpuLayout& layout, const PlanData& plan);

}  // namespace flexor::deform
