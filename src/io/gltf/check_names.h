/// @file io/gltf/check_names.h
/// Names inside a glTF document that carry meaning: attributes, types, references.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/gltf/check_findings.h"
#include "io/json/parse.h"

namespace flexor::io::gltf {

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
  std::vector<std::string> invalid;  ///< names that mean nothing
};

/// Sorts the names of a primitive's attributes.
AttributeSets CountAttributes(const json::Value& attributes);

/// Whether a morph target may have such an attribute.
bool IsMorphAttribute(std::string_view name);

/// The part of an attribute's name before the number: "TEXCOORD" of "TEXCOORD_1".
std::string_view AttributeKind(std::string_view name);

/// Components of an accessor type ("VEC3": 3); 0 for an unknown one.
std::size_t ComponentCount(std::string_view type);

/// A component type in words ("float", "unsigned byte").
const char* ComponentTypeName(std::int64_t component_type);

/// The least and greatest integer of a component type; {0, 0} for float.
std::pair<std::int64_t, std::int64_t> IntegerLimits(std::int64_t component_type);

/// A stored number for messages: integers whole, fractions with as many digits as a float holds.
std::string ShortNumber(double value);

/// Reports a URI that is malformed or not relative, and any in a binary file. Data URIs are only
/// reported here for being in a binary file.
void CheckUri(Findings& findings, const std::string& uri, const std::string& where, bool is_glb);

}  // namespace flexor::io::gltf
