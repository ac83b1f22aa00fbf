#include "io/gltf/attribute_names.h"

#include <algorithm>

namespace flexor::io::gltf {
namespace {

bool IsPlain(std::string_view name) {
  return name == "POSITION" || name == "NORMAL" || name == "TANGENT";
}

/// The set that a kind is counted in, or nullptr.
AttributeSet* SetOf(std::string_view kind, AttributeSets& sets) {
  if (kind == "COLOR") return &sets.color;
  if (kind == "JOINTS") return &sets.joints;
  if (kind == "WEIGHTS") return &sets.weights;
  return kind == "TEXCOORD" ? &sets.texcoord : nullptr;
}

}  // namespace

std::string_view AttributeKind(std::string_view name) { return name.substr(0, name.find('_')); }

std::int64_t AttributeNumber(std::string_view name) {
  const std::size_t bar = name.find('_');
  if (bar == std::string_view::npos) return -1;
  const std::string_view digits = name.substr(bar + 1);
  constexpr std::size_t kMostDigits = 9;
  if (digits.empty() || digits.size() > kMostDigits || (digits.size() > 1 && digits[0] == '0')) {
    return -1;
  }
  std::int64_t number = 0;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9') return -1;
    number = 10 * number + (digit - '0');
  }
  return number;
}

bool IsAttribute(std::string_view name) {
  if (name.starts_with('_') || IsPlain(name)) return true;
  AttributeSets sets;
  return SetOf(AttributeKind(name), sets) != nullptr && AttributeNumber(name) >= 0;
}

bool IsMorphAttribute(std::string_view name) {
  const std::string_view kind = AttributeKind(name);
  return IsAttribute(name) && kind != "JOINTS" && kind != "WEIGHTS";
}

void CountAttribute(std::string_view name, AttributeSets& sets) {
  if (name.starts_with('_')) return;
  if (name == "POSITION") {
    sets.has_position = true;
  } else if (name == "NORMAL") {
    sets.has_normal = true;
  } else if (name == "TANGENT") {
    sets.has_tangent = true;
  } else if (!IsAttribute(name)) {
    sets.invalid.push_back(name);
  } else {
    AttributeSet& set = *SetOf(AttributeKind(name), sets);
    ++set.count;
    set.highest = std::max(set.highest, AttributeNumber(name));
  }
}

}  // namespace flexor::io::gltf
