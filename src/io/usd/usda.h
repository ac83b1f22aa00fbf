/// @file io/usd/usda.h
/// USD as text.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "flexor/core/diagnostic.h"
#include "flexor/core/result.h"

#include "io/usd/layer.h"

namespace flexor::io::usd {

/// Reads the text of one layer (".usda"), which need not be kept. Nothing of a broken text is kept
/// either. What the layer holds is charged to the budget of the table of paths.
/// Errors  kParse, kUnsupportedFeature, kLimitExceeded, each with line, column and byte offset
Result<std::shared_ptr<Layer>> ReadUsda(std::string_view text, const std::string& identifier,
                                        std::shared_ptr<PathTable> paths, Diagnostics& diagnostics);

}  // namespace flexor::io::usd
