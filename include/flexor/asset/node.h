/// @file asset/node.h
/// The transform hierarchy of a character. Terms: docs/glossary.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "flexor/math/transform.h"

namespace flexor::asset {

inline constexpr std::int32_t kNone = -1;  ///< "no such thing" for every index of the asset model

/// One element of the hierarchy: a joint, a plain group between joints, or the holder of a mesh.
struct Node {
  std::string name{};                   ///< UTF-8, as in the file; may be empty or repeated
  std::int32_t parent = kNone;          ///< index into Character::nodes, or kNone for a root
  Transform rest{};                     ///< parent_from_node when nothing animates
  std::optional<Mat34d> rest_matrix{};  ///< set when the file gives a matrix: then it is the rest,
                                        ///< `rest` its nearest TRS
};

}  // namespace flexor::asset
