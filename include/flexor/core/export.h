/// @file core/export.h
/// What a shared library of flexor lets out: the names marked FLEXOR_API, and nothing else.
#pragma once

#if defined(__cplusplus) && __cplusplus < 202002L
#error "flexor needs C++20: compile with -std=c++20 or later"
#endif

/// Stands before every public function that is not inline and every public class that has parts in
/// the library. FLEXOR_SHARED comes with the package files (CMake, pkg-config) of a shared flexor.
#if defined(FLEXOR_SHARED) && (defined(__GNUC__) || defined(__clang__))
#define FLEXOR_API __attribute__((visibility("default")))
#else
#define FLEXOR_API
#endif
