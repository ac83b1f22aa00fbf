/// @file io/gltf/document.h
/// glTF JSON into raw structs. After this every index names something and every span lies inside
/// its view and every view inside its buffer, by the lengths that the file declares.
#pragma once

#include <string>
#include <string_view>

#include "flexor/core/diagnostic.h"
#include "flexor/core/memory_budget.h"
#include "flexor/core/result.h"

#include "io/gltf/raw.h"
#include "io/json/parse.h"

namespace flexor::io::gltf {

/// Reads the whole document. String views of the result point into `json`, which must stay.
///
/// What breaks a rule of the specification without making the file unreadable becomes a diagnostic
/// with the code of the Khronos validator; everything else is an error with its JSON pointer.
/// Errors  kUnsupportedFeature (glTF version, required extension) · kIndexOutOfRange (index and
///         count) · kShapeMismatch (a span that leaves its view or buffer, both sizes) ·
///         kInvalidValue (type, range, cycle, two parents) · kLimitExceeded (budget)
Result<RawDocument> ReadDocument(const json::Document& json, MemoryBudget& budget,
                                 Diagnostics& diagnostics);

}  // namespace flexor::io::gltf
