/// @file io/mmd/faces.h
/// The faces of PMD and PMX, and the bones of their vertices: the same rules for both.
#pragma once

#include <cstdint>
#include <vector>

#include "flexor/core/memory_budget.h"
#include "flexor/core/result.h"

#include "io/mmd/byte_reader.h"

namespace flexor::io::mmd {

/// An unsigned vertex number of 1, 2 or 4 bytes.
std::uint32_t ReadVertexIndex(ByteReader& reader, std::uint8_t width);

/// Reads `count` vertex numbers of that width, three for each face. `at` is where the count stands.
/// Errors  kShapeMismatch (no multiple of 3) · kIndexOutOfRange naming index, vertex and bound
Status ReadFaces(ByteReader& reader, std::uint32_t count, std::uint64_t at, std::uint8_t width,
                 std::size_t vertices, std::vector<std::uint32_t>& out);

/// The error of a vertex that names a bone which is not there; `offset` is where the vertex stands.
Error NoSuchBone(std::size_t vertex, std::int32_t bone, std::size_t bones, std::uint64_t offset);

}  // namespace flexor::io::mmd
