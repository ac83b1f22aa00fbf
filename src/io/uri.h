/// @file io/uri.h
/// References inside files: data URIs, and names of neighbouring files that must stay neighbours.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "flexor/core/memory_budget.h"
#include "flexor/core/result.h"

#include "io/base64.h"

namespace flexor::io {

/// Whether a reference carries its data with it.
bool IsDataUri(std::string_view uri);

struct DataUri {
  std::string media_type;  ///< lower case, without parameters; may be empty
  std::vector<std::byte> bytes;
  std::string irregularity;  ///< what was forgiven in lenient mode, in words; mostly empty
};

/// Decodes data:[media type][;base64],payload (RFC 2397).
/// Errors  kParse naming the character · kLimitExceeded (budget)
Result<DataUri> DecodeDataUri(std::string_view uri, Base64Mode mode, MemoryBudget& budget);

/// A reference to another file, made safe: percent-decoded UTF-8, `/` between folders, `.` and `..`
/// resolved. It is a file name, not an address: `?` and `#` are part of it.
///
/// Unless `allow_outside`, whatever would leave the folder of the referring file is refused, in any
/// spelling: `..`, absolute names, drive letters, backslashes (read as `/`), schemes, and the same
/// percent-encoded. Names with NUL or control characters and names that are not UTF-8 are always
/// refused.
/// Errors  kInvalidValue quoting the reference and the reason · kUnsupportedFeature (a scheme)
Result<std::string> ResolveReference(std::string_view uri, bool allow_outside);

/// The same for a plain name that is not percent-encoded, such as a texture of a PMX model.
Result<std::string> ResolveName(std::string_view name, bool allow_outside);

/// Percent-decoding that takes a `%` without two hexadecimal digits as itself.
std::string PercentDecoded(std::string_view text);

}  // namespace flexor::io
