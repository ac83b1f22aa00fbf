/// @file io/gltf/check_rules.h
/// The table of every diagnostic that reading or checking a glTF file can emit.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "flexor/core/diagnostic.h"

namespace flexor::io::gltf {

/// Who defined a code.
enum class RuleOrigin : std::uint8_t {
  kKhronos,  ///< the Khronos glTF validator; same code, same places, same class of severity
  kFlexor,
};

struct Rule {
  std::string_view code;
  Severity severity;
  RuleOrigin origin;
  std::string_view summary;
  std::string_view remedy = {};  ///< what a person can do; empty where the summary says it
};

/// All rules, sorted by code.
std::span<const Rule> Rules();

/// The rule of a code, or nullptr.
const Rule* FindRule(std::string_view code);

}  // namespace flexor::io::gltf
