#include "cli/exit_code.h"

#include "cli/signals.h"

namespace flexor::cli {

int ExitCodeOf(const Error& error) {
  switch (error.code) {
    case ErrorCode::kInternal:
      return kInternalFault;
    case ErrorCode::kInvalidArgument:
      return kUsage;
    case ErrorCode::kFileNotFound:
    case ErrorCode::kFileUnreadable:
      return kInputMissing;
    case ErrorCode::kUnknownFormat:
    case ErrorCode::kUnsupportedFeature:
    case ErrorCode::kParse:
    case ErrorCode::kTruncated:
    case ErrorCode::kIndexOutOfRange:
    case ErrorCode::kShapeMismatch:
    case ErrorCode::kInvalidValue:
    case ErrorCode::kLimitExceeded:
      return kInputInvalid;
    case ErrorCode::kOutsideTolerance:
      return kOutsideTolerance;
    case ErrorCode::kBackendMissing:
      return kBackendMissing;
    case ErrorCode::kFileUnwritable:
    case ErrorCode::kOutOfMemory:
      return kOutOfRoom;
    case ErrorCode::kCancelled:
      return StopSignal() != 0 ? kSignalBase + StopSignal() : kInternalFault;
  }
  return kInternalFault;
}

}  // namespace flexor::cli
