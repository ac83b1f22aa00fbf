/// @file io/gltf/load.h
/// A glTF file into a character, in two steps, so that a check can look at what the first one
/// gives.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "flexor/core/memory_budget.h"
#include "flexor/core/result.h"
#include "flexor/io/load.h"

#include "io/gltf/container.h"
#include "io/json/parse.h"

namespace flexor::io::gltf {

/// Parses the text of a container. Errors  those of json::Parse
Result<json::Document> ParseText(const Container& container, const std::string& path,
                                 const LoadOptions& options, MemoryBudget& budget);

/// Converts a parsed file; `diagnostics` is what was said so far. `budget` holds the file and the
/// document already. Errors  those of ReadDocument and of what it refers to
Result<Loaded> LoadParsed(const Container& container, const json::Document& json,
                          const std::string& path, const ResourceFn& resources,
                          const LoadOptions& options, MemoryBudget& budget,
                          Diagnostics diagnostics);

/// Both, from the bytes on.
Result<Loaded> Load(std::span<const std::byte> bytes, const std::string& path,
                    const ResourceFn& resources, const LoadOptions& options);

}  // namespace flexor::io::gltf
