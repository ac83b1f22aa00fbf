/// @file asset/sample.h
/// Characters made by code, so that nobody needs a file to try flexor and tests need none to be
/// exact.
#pragma once

#include <span>
#include <string_view>

#include "flexor/asset/character.h"
#include "flexor/core/export.h"
#include "flexor/core/result.h"

namespace flexor::asset {

/// A sample and what it is for.
struct SampleInfo {
  std::string_view name{};
  std::string_view summary{};
};

/// twist · shear · elbow · figure · sdef, with one line each.
FLEXOR_API std::span<const SampleInfo> Samples();

/// Makes a sample by name, finalised. The same bits on every machine.
/// Errors  kInvalidArgument listing the names
FLEXOR_API Result<Character> MakeSample(std::string_view name);

}  // namespace flexor::asset
