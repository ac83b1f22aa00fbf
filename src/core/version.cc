#include "flexor/core/version.h"

namespace flexor {

std::string_view LibraryVersion() { return FLEXOR_VERSION_STRING; }

std::string_view WriterName() { return "flexor " FLEXOR_VERSION_STRING; }

}  // namespace flexor
