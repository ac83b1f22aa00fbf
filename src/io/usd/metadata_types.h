/// @file io/usd/metadata_types.h
/// Which metadata keys are known, and what their values are.
#pragma once

#include <string_view>

#include "io/usd/value_type.h"

namespace flexor::io::usd {

/// A key whose value has a fixed type; text needs it to read the value, bytes to check it.
struct MetadataType {
  std::string_view key;  ///< as text spells it
  ValueType type = ValueType::kNone;
  bool is_array = false;
};

/// Null for keys that nobody has declared.
const MetadataType* FindMetadataType(std::string_view key);

}  // namespace flexor::io::usd
