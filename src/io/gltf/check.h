/// @file io/gltf/check.h
/// Everything that is wrong with a glTF file.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "flexor/core/result.h"
#include "flexor/io/check.h"

namespace flexor::io::gltf {

/// Adds all findings about a glTF file to `report`, container to data, and sets its format; then
/// loads it, from the same parsed text and with the same memory budget as any load would. Linear in
/// the size of the file, or reports CHECK_INCOMPLETE. Errors  those of loading
Result<Loaded> CheckAndLoad(std::span<const std::byte> bytes, const std::string& path,
                            const ResourceFn& resources, const LoadOptions& options,
                            CheckReport& report);

}  // namespace flexor::io::gltf
