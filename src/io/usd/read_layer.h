/// @file io/usd/read_layer.h
/// One layer, text or bytes: by content, never by extension.
#pragma once

#include <memory>
#include <string>

#include "flexor/core/diagnostic.h"
#include "flexor/core/result.h"

#include "io/usd/layer.h"
#include "io/usd/shared_bytes.h"

namespace flexor::io::usd {

/// Reads a layer. `identifier` names it in messages, and its extension is compared with its
/// content. Large arrays of a binary layer stay in the bytes, which are then kept alive (and are
/// not charged here); all else is charged to the budget of the table of paths. Errors
/// kUnknownFormat for what is neither · those of ReadUsda and ReadUsdc, with the identifier as path
/// of the place
Result<std::shared_ptr<const Layer>> ReadLayer(const SharedBytes& bytes,
                                               const std::string& identifier,
                                               std::shared_ptr<PathTable> paths,
                                               Diagnostics& diagnostics);

}  // namespace flexor::io::usd
