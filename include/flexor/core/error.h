/// @file core/error.h
/// What went wrong, where, and what to do about it: the one error type of the project. Codes:
/// docs/errors.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "flexor/core/export.h"

namespace flexor {

/// Why an operation gave no result. Each code maps to one exit code of the command
/// (docs/errors.md).
enum class ErrorCode : std::uint8_t {
  kInternal,            ///< a fault of flexor itself; please report it
  kInvalidArgument,     ///< the caller asked for something that has no meaning
  kFileNotFound,        ///< no file of that name
  kFileUnreadable,      ///< the file is there but could not be read
  kFileUnwritable,      ///< the output could not be written
  kUnknownFormat,       ///< the bytes are no format that flexor reads
  kUnsupportedFeature,  ///< the format is known, this part of it is not supported
  kParse,               ///< the text or binary structure is broken
  kTruncated,           ///< the data ends before what it promises
  kIndexOutOfRange,   ///< an index refers to an element that does not exist; the message holds the
                      ///< index and the bound
  kShapeMismatch,     ///< two arrays that must agree do not; the message holds both sizes
  kInvalidValue,      ///< a value outside what its field allows (NaN, a negative count, a cycle)
  kLimitExceeded,     ///< a limit of LoadLimits or of a format; the message holds both numbers
  kOutsideTolerance,  ///< a comparison found more difference than was allowed
  kBackendMissing,    ///< the backend or SIMD target asked for is not in this build or machine
  kOutOfMemory,       ///< memory ran out
  kCancelled,         ///< the caller's progress function said stop
};

/// The name of a code as docs/errors.md lists it, e.g. "INDEX_OUT_OF_RANGE".
FLEXOR_API std::string_view ErrorCodeName(ErrorCode code);

/// Where in the input an error or a diagnostic sits. Every part may be empty.
struct FLEXOR_API Place {
  std::string path{};     ///< the file, UTF-8
  std::string element{};  ///< JSON pointer, prim path, or words such as "vertex 12"
  std::optional<std::uint64_t> byte_offset{};  ///< from the start of the file

  /// "path: element (byte 123)", leaving out what is empty.
  std::string ToString() const;
};

/// An error: a code, one sentence that says what, the limit and the remedy, and a place.
struct FLEXOR_API Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message{};
  Place place{};

  /// "place: message [CODE]", for a person.
  std::string ToString() const;
};

}  // namespace flexor
