/// @file io/usd/usdc.h
/// USD as bytes: crates.
#pragma once

#include <memory>
#include <string>

#include "flexor/core/diagnostic.h"
#include "flexor/core/result.h"

#include "io/usd/layer.h"
#include "io/usd/shared_bytes.h"

namespace flexor::io::usd {

/// Reads the structure of one crate (".usdc"); values stay in the bytes, which the layer keeps
/// alive. What the layer holds besides is charged to the budget of the table of paths.
/// Reads   versions 0.0.1 to 0.14
/// Errors  kUnknownFormat, kParse, kTruncated, kIndexOutOfRange, kUnsupportedFeature (newer
///         versions), kLimitExceeded, with byte offset or prim path
Result<std::shared_ptr<Layer>> ReadUsdc(const SharedBytes& bytes, const std::string& identifier,
                                        std::shared_ptr<PathTable> paths, Diagnostics& diagnostics);

}  // namespace flexor::io::usd
