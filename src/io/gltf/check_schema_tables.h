/// @file io/gltf/check_schema_tables.h
/// Short ways to write one row of a type's table.
#pragma once

#include "io/gltf/check_schema.h"

namespace flexor::io::gltf::row {

inline constexpr bool kRequired = true;
inline constexpr double kLargestInteger = 1e300;

constexpr Property Index(std::string_view name, bool required = false) {
  return {.name = name, .kind = PropertyKind::kIndex, .required = required};
}
constexpr Property Indices(std::string_view name, bool required = false) {
  return {.name = name, .kind = PropertyKind::kIndices, .required = required};
}
constexpr Property Integer(std::string_view name, double least, bool required = false,
                           double greatest = kLargestInteger) {
  return {.name = name,
          .kind = PropertyKind::kInteger,
          .required = required,
          .range = {.least = least, .greatest = greatest}};
}
constexpr Property OneOf(std::string_view name, std::span<const std::int64_t> values,
                         bool required = false) {
  return {.name = name, .kind = PropertyKind::kInteger, .required = required, .integers = values};
}
constexpr Property Number(std::string_view name, Range range = {}, bool required = false) {
  return {.name = name, .kind = PropertyKind::kNumber, .required = required, .range = range};
}
constexpr Property Numbers(std::string_view name, std::size_t length, Range range = {}) {
  return {.name = name, .kind = PropertyKind::kNumbers, .range = range, .length = length};
}
constexpr Property Bool(std::string_view name) {
  return {.name = name, .kind = PropertyKind::kBool};
}
constexpr Property Text(std::string_view name, bool required = false,
                        Pattern pattern = Pattern::kAnything) {
  return {.name = name, .kind = PropertyKind::kString, .required = required, .pattern = pattern};
}
constexpr Property Choice(std::string_view name, std::span<const std::string_view> values,
                          bool required = false, ExtraChoice extra = {}) {
  return {.name = name,
          .kind = PropertyKind::kString,
          .required = required,
          .strings = values,
          .extra_choice = extra};
}
constexpr Property Object(std::string_view name, const ObjectType& type, bool required = false) {
  return {.name = name, .kind = PropertyKind::kObject, .required = required, .object = &type};
}
constexpr Property Objects(std::string_view name, const ObjectType& type) {
  return {.name = name, .kind = PropertyKind::kObjects, .required = true, .object = &type};
}
constexpr Property Other(std::string_view name, PropertyKind kind, bool required = false) {
  return {.name = name, .kind = kind, .required = required};
}

inline constexpr Range kUnitRange{.least = 0, .greatest = 1};
inline constexpr Range kNotNegative{.least = 0};
inline constexpr Range kPositive{.above = 0};

}  // namespace flexor::io::gltf::row
