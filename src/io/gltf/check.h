/// @file io/gltf/check.h
/// The check of glTF, GLB and VRM files: a pass of its own over the document, which works on files
/// that the reader refuses.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "flexor/io/check.h"

namespace flexor::io::gltf {

/// Checks one file and fills the report. Never fails: what cannot be looked at is a diagnostic.
/// Source  the rules are those of the glTF 2.0 specification; codes, places and tolerances agree
///         with the Khronos validator 2.0.0-dev.3.10 (tools/validator_agreement.py shows how far)
/// Cost    linear in the size of document and data; memory within options.limits
void CheckGltf(std::span<const std::byte> bytes, const std::string& path,
               const ResourceFn& resources, const LoadOptions& options, CheckReport& report);

}  // namespace flexor::io::gltf
