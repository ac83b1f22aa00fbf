/// @file io/gltf/attribute_names.h
/// The names of vertex attributes and what they mean.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "io/gltf/raw.h"

namespace flexor::io::gltf {

/// The part of an attribute's name before the number: "TEXCOORD" of "TEXCOORD_1".
std::string_view AttributeKind(std::string_view name);

/// The number of a numbered attribute, which has no leading zeros; -1 when it has none.
std::int64_t AttributeNumber(std::string_view name);

/// Whether a primitive may have an attribute of that name: one of the format's, or, with an
/// underscore in front, of anybody's.
bool IsAttribute(std::string_view name);

/// Whether a morph target may.
bool IsMorphAttribute(std::string_view name);

/// The numbered attributes of one kind (JOINTS_0, JOINTS_1, …) of a primitive.
struct AttributeSet {
  std::int64_t count = 0;
  std::int64_t highest = -1;  ///< the greatest number in their names

  bool IsContinuous() const { return highest + 1 == count; }
  /// How many can be used: none when numbers are missing.
  std::int64_t Usable() const { return IsContinuous() ? count : 0; }
};

struct AttributeSets {
  bool has_position = false;
  bool has_normal = false;
  bool has_tangent = false;
  AttributeSet color, joints, weights, texcoord;
  std::vector<std::string_view> invalid;  ///< names that mean nothing
};

/// Adds the next attribute of a primitive.
void CountAttribute(std::string_view name, AttributeSets& sets);

}  // namespace flexor::io::gltf
