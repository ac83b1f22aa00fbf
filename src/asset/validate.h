/// @file asset/validate.h
/// Private parts of Finalize: one function per kind of thing, and the words for places in errors.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "flexor/asset/character.h"
#include "flexor/core/result.h"

namespace flexor::asset {

/// "mesh 'Body'", or "mesh 3" when it has no name.
std::string Named(std::string_view kind, std::size_t index, std::string_view name);

/// An error at a place in words.
Error At(ErrorCode code, std::string place, std::string message);

/// kIndexOutOfRange naming the index and the bound, e.g. "parent 99, but there are 2 nodes".
Error IndexError(std::string place, std::string_view what, std::uint64_t index, std::uint64_t count,
                 std::string_view plural);

/// kShapeMismatch naming both sizes.
Error SizeError(std::string place, std::string_view what, std::size_t have, std::size_t want,
                std::string_view reason);

/// Checks the hierarchy (ranges of all parents first, then cycles) and fills node_order.
Status FinalizeNodes(Character& character);

/// Checks one mesh; fills missing subsets and morph weights.
Status FinalizeMesh(Mesh& mesh, const std::string& place, std::size_t material_count);

/// Checks the rig of a character that has one: nodes, meshes and their morphs are known to be good.
/// Gives unit length to rotations and fixed axes.
Status FinalizeMmd(Character& character);

/// Checks one clip against the character; raises end_time to its last key.
Status FinalizeClip(Clip& clip, const std::string& place, const Character& character);

}  // namespace flexor::asset
