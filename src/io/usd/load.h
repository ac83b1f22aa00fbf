/// @file io/usd/load.h
/// A USD file as a character.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "flexor/io/load.h"

namespace flexor::io::usd {

/// Reads a layer or package, composes it with everything it refers to, and converts it.
/// Errors  those of Stage::Compose and Convert
Result<Loaded> LoadUsd(std::span<const std::byte> bytes, const std::string& path,
                       const ResourceFn& resources, const LoadOptions& options);

}  // namespace flexor::io::usd
