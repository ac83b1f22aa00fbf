/// @file io/gltf/document.h
/// glTF JSON into raw structs, by one reading for all who look at a file.
#pragma once

#include <unordered_set>

#include "flexor/core/diagnostic.h"
#include "flexor/core/memory_budget.h"
#include "flexor/core/result.h"

#include "io/gltf/raw.h"
#include "io/json/parse.h"

namespace flexor::io::gltf {

/// Reads the whole document, strictly: afterwards every index names something, every span lies
/// inside its view and every view inside its buffer, by the lengths that the file declares. String
/// views of the result point into `json`, which must stay.
///
/// What breaks a rule of the specification without making the file unreadable becomes a diagnostic
/// with the code of the Khronos validator; everything else is an error with its JSON pointer.
/// Errors  kUnsupportedFeature (glTF version, required extension) · kIndexOutOfRange (index and
/// count) · kShapeMismatch (a span that leaves its view or buffer, both sizes) · kInvalidValue
/// (type, range, cycle, two parents) · kLimitExceeded (budget)
Result<RawDocument> ReadDocument(const json::Document& json, MemoryBudget& budget,
                                 Diagnostics& diagnostics);

/// Values of a document that break a rule of their own.
using InvalidValues = std::unordered_set<const json::Value*>;

/// Reads what is good of a document that was judged already (check_schema.h): values in `invalid`
/// count as broken, indices and spans are as the file has them, and nothing is said. Compression,
/// VRM and children lists are left out.
/// Errors  kLimitExceeded (budget)
Result<RawDocument> ReadJudgedDocument(const json::Value& root, const InvalidValues& invalid,
                                       MemoryBudget& budget);

}  // namespace flexor::io::gltf
