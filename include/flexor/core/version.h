/// @file core/version.h
/// The version of flexor: of these headers for the preprocessor, of the linked library at run time.
/// CMake reads the three numbers from here.
#pragma once

#include <string_view>

#include "flexor/core/export.h"

#define FLEXOR_VERSION_MAJOR 0
#define FLEXOR_VERSION_MINOR 1
#define FLEXOR_VERSION_PATCH 0

/// One number that grows from version to version: `#if FLEXOR_VERSION >= 200` asks for 0.2.0.
#define FLEXOR_VERSION \
  (FLEXOR_VERSION_MAJOR * 10000 + FLEXOR_VERSION_MINOR * 100 + FLEXOR_VERSION_PATCH)

#define FLEXOR_DETAIL_QUOTE(major, minor, patch) #major "." #minor "." #patch
#define FLEXOR_DETAIL_VERSION(major, minor, patch) FLEXOR_DETAIL_QUOTE(major, minor, patch)
/// The same as text: "0.1.0".
#define FLEXOR_VERSION_STRING \
  FLEXOR_DETAIL_VERSION(FLEXOR_VERSION_MAJOR, FLEXOR_VERSION_MINOR, FLEXOR_VERSION_PATCH)

namespace flexor {

/// The version of the library that is linked. A shared library may be another than the headers that
/// a program was compiled with: compare it with FLEXOR_VERSION_STRING.
FLEXOR_API std::string_view LibraryVersion();

/// How flexor names itself in the files that it writes: "flexor 0.1.0".
FLEXOR_API std::string_view WriterName();

}  // namespace flexor
