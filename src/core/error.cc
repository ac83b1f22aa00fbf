#include "flexor/core/error.h"

namespace flexor {

std::string_view ErrorCodeName(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInternal:
      return "INTERNAL";
    case ErrorCode::kInvalidArgument:
      return "INVALID_ARGUMENT";
    case ErrorCode::kFileNotFound:
      return "FILE_NOT_FOUND";
    case ErrorCode::kFileUnreadable:
      return "FILE_UNREADABLE";
    case ErrorCode::kFileUnwritable:
      return "FILE_UNWRITABLE";
    case ErrorCode::kUnknownFormat:
      return "UNKNOWN_FORMAT";
    case ErrorCode::kUnsupportedFeature:
      return "UNSUPPORTED_FEATURE";
    case ErrorCode::kParse:
      return "PARSE";
    case ErrorCode::kTruncated:
      return "TRUNCATED";
    case ErrorCode::kIndexOutOfRange:
      return "INDEX_OUT_OF_RANGE";
    case ErrorCode::kShapeMismatch:
      return "SHAPE_MISMATCH";
    case ErrorCode::kInvalidValue:
      return "INVALID_VALUE";
    case ErrorCode::kLimitExceeded:
      return "LIMIT_EXCEEDED";
    case ErrorCode::kOutsideTolerance:
      return "OUTSIDE_TOLERANCE";
    case ErrorCode::kBackendMissing:
      return "BACKEND_MISSING";
    case ErrorCode::kOutOfMemory:
      return "OUT_OF_MEMORY";
    case ErrorCode::kCancelled:
      return "CANCELLED";
  }
  return "INTERNAL";
}

std::string Place::ToString() const {
  std::string text = path;
  if (!element.empty()) {
    if (!text.empty()) text += ": ";
    text += element;
  }
  if (byte_offset) {
    if (!text.empty()) text += ' ';
    text += "(byte " + std::to_string(*byte_offset) + ")";
  }
  return text;
}

std::string Error::ToString() const {
  std::string text = place.ToString();
  if (!text.empty()) text += ": ";
  text += message;
  text += " [";
  text += ErrorCodeName(code);
  text += ']';
  return text;
}

}  // namespace flexor
