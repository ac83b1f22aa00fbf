/// @file io/usd/attribute.h
/// What value an attribute has, and when.
#pragma once

#include <cstdint>
#include <vector>

#include "flexor/core/memory_budget.h"
#include "flexor/core/result.h"

#include "io/usd/stage.h"
#include "io/usd/value.h"

namespace flexor::io::usd {

/// How values between samples come about.
enum class Between : std::uint8_t {
  kLinear,  ///< gradually where the kind of value allows it
  kHeld,    ///< the earlier sample
};

/// The value that is not bound to a time: the strongest default, whatever samples there are. Empty
/// when nobody has one, or the strongest blocks it. Time codes are retimed to the stage.
/// Errors  those of LazyValue::Load
Result<Value> DefaultValue(const Property& attribute, MemoryBudget& budget);

/// The value at a time code of the stage: of the strongest layer that has samples or a default; in
/// one layer samples win. The first and last sample hold beyond the ends, the earlier one where the
/// two are not alike or the later is blocked. Empty when there is none, or it is blocked.
/// Errors  those of LazyValue::Load · kUnsupportedFeature (a spline)
Result<Value> ValueAt(const Property& attribute, double time, Between between,
                      MemoryBudget& budget);

/// Times of the samples that ValueAt reads, in time codes of the stage, ascending; empty when the
/// value is the same at all times.
std::vector<double> SampleTimes(const Property& attribute);

}  // namespace flexor::io::usd
