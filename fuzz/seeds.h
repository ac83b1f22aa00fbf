/// @file fuzz/seeds.h
/// The parts of make_seeds.
#pragma once

#include <functional>
#include <string>

namespace flexor::fuzz {

/// Writes the bytes of one seed of a target.
using WriteSeed = std::function<void(const std::string& target, const std::string& name,
                                     const std::string& bytes)>;

/// Seeds for usda, usdc and usdz.
void WriteUsdSeeds(const WriteSeed& write);

}  // namespace flexor::fuzz
