/// @file io/load.h
/// One way in for every format: by content, never by extension.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flexor/asset/character.h"
#include "flexor/core/diagnostic.h"
#include "flexor/core/export.h"
#include "flexor/core/result.h"
#include "flexor/io/limits.h"

namespace flexor::io {

/// Fetches a file that the loaded one refers to. `name` is decoded UTF-8 and relative; a reader
/// refuses absolute names, drive letters, schemes and anything that leaves the folder before it
/// asks, unless allow_outside.
using ResourceFn =
    std::function<Result<std::vector<std::byte>>(const std::string& name, std::uint64_t max_bytes)>;

/// What a load may do.
struct LoadOptions {
  LoadLimits limits{};
  bool allow_outside = false;         ///< let references leave the file's folder
  bool load_images = true;            ///< fetch textures; off for work that needs no pictures
  double mmd_metres_per_unit = 0.08;  ///< size of one unit of PMX, PMD, VMD and VPD files
};

/// A character and what the reader has to say about it.
struct Loaded {
  asset::Character character{};
  Diagnostics diagnostics{};  ///< what was dropped, repaired or is odd; never silence
};

/// Reads a character from a file, its neighbours looked up in the same folder.
/// Reads     glTF 2.0 (.gltf with external, data-URI or no buffers), GLB, VRM 0.x and 1.0,
///           PMX 2.0 and 2.1, PMD (motions come on top: io/motion.h)
/// Errors    any of the input codes with path and JSON pointer or byte offset; the diagnostics so
/// far are lost
FLEXOR_API Result<Loaded> LoadCharacter(const std::string& path, const LoadOptions& options = {});

/// The same from memory; `path` is used in messages only, `resources` may be empty (then references
/// fail).
FLEXOR_API Result<Loaded> LoadCharacterFromMemory(std::span<const std::byte> bytes,
                                                  const std::string& path,
                                                  const ResourceFn& resources,
                                                  const LoadOptions& options = {});

}  // namespace flexor::io
