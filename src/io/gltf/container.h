/// @file io/gltf/container.h
/// What is in a glTF file before anything is parsed: a JSON text and perhaps a binary chunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "flexor/core/diagnostic.h"
#include "flexor/core/result.h"

namespace flexor::io::gltf {

/// A piece of the file.
struct Chunk {
  std::span<const std::byte> bytes;
  std::uint64_t offset = 0;  ///< of bytes[0] in the file
};

struct Container {
  bool is_glb = false;       ///< binary glTF; otherwise the whole file is the JSON text
  Chunk json;                ///< the text, trailing padding of a GLB chunk included
  std::optional<Chunk> bin;  ///< the first BIN chunk; padding included, so up to 3 bytes longer
                             ///< than the buffer it holds; may be empty

  std::string_view json_text() const {
    return {reinterpret_cast<const char*>(json.bytes.data()), json.bytes.size()};
  }
};

/// Whether the bytes claim to be a binary glTF.
bool HasGlbMagic(std::span<const std::byte> bytes);

/// Takes a file apart. Files without the GLB magic are JSON text, whatever they hold. Spans point
/// into `bytes`.
///
/// What can be lived with is a diagnostic of the Khronos validator's code (GLB_UNKNOWN_CHUNK_TYPE,
/// GLB_DUPLICATE_CHUNK, GLB_CHUNK_LENGTH_UNALIGNED, GLB_LENGTH_MISMATCH of a file that goes on
/// after its declared end, …) with `where` = "byte N". What cannot is such a diagnostic and an
/// error: Errors  kUnsupportedFeature (a GLB version other than 2) · kTruncated (header, chunk
/// header or
///         chunk reaches past the end; both numbers) · kParse (first chunk is not JSON, or empty)
/// `so_far`, when given, gets what came whole before the error, for those who only look.
Result<Container> SplitContainer(std::span<const std::byte> bytes, const std::string& path,
                                 Diagnostics& diagnostics, Container* so_far = nullptr);

}  // namespace flexor::io::gltf
