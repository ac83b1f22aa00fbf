/// @file io/neighbours.h
/// The files beside the one that is read.
#pragma once

#include <string>

#include "flexor/io/load.h"

namespace flexor::io {

/// Fetches files from the folder of `path`. Links are followed only as far as they stay in that
/// folder, unless `allow_outside`.
/// Errors  (of the function) kFileNotFound · kFileUnreadable · kLimitExceeded
ResourceFn NeighboursOf(const std::string& path, bool allow_outside);

/// The last part of a path, without what follows its last dot.
std::string StemOf(const std::string& path);

}  // namespace flexor::io
