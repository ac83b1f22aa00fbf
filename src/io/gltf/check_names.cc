#include "io/gltf/check_names.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace flexor::io::gltf {
namespace {

/// The number after the underscore of a numbered attribute, without leading zeros; -1 when it is
/// none.
std::int64_t SetNumber(std::string_view name) {
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

bool IsAlpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// What is wrong with a reference that is no data URI; empty when it can be split into its parts.
std::string UriFault(std::string_view uri) {
  const std::size_t colon = uri.find(':');
  const std::size_t end_of_scheme = uri.find_first_of("/?#");
  if (colon == std::string_view::npos || colon > end_of_scheme) return {};
  if (colon == 0) return "its scheme is empty";
  const std::string_view scheme = uri.substr(0, colon);
  if (!IsAlpha(scheme[0])) return "its scheme does not start with a letter";
  const auto is_scheme = [](char c) {
    return IsAlpha(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
  };
  if (!std::all_of(scheme.begin(), scheme.end(), is_scheme)) {
    return "its scheme has a character that schemes do not have";
  }
  const std::string_view rest = uri.substr(colon + 1);
  if (rest.starts_with("//")) {
    const std::string_view host = rest.substr(2, rest.substr(2).find_first_of("/?#"));
    if (host.find('[') != std::string_view::npos && host.find(']') == std::string_view::npos) {
      return "a bracket in its host is not closed";
    }
  }
  return {};
}

bool IsRelative(std::string_view uri) {
  if (uri.starts_with('/')) return false;
  if (uri.find_first_of("?#") != std::string_view::npos) return false;
  return uri.find(':') == std::string_view::npos || uri.find(':') > uri.find('/');
}

}  // namespace

AttributeSets CountAttributes(const json::Value& attributes) {
  AttributeSets sets;
  for (const auto& [name, index] : attributes.items()) {
    if (name.starts_with('_')) continue;
    if (name == "POSITION") {
      sets.has_position = true;
    } else if (name == "NORMAL") {
      sets.has_normal = true;
    } else if (name == "TANGENT") {
      sets.has_tangent = true;
    } else {
      const std::string_view kind = AttributeKind(name);
      AttributeSet* const set = kind == "COLOR"      ? &sets.color
                                : kind == "JOINTS"   ? &sets.joints
                                : kind == "WEIGHTS"  ? &sets.weights
                                : kind == "TEXCOORD" ? &sets.texcoord
                                                     : nullptr;
      const std::int64_t number = SetNumber(name);
      if (set == nullptr || number < 0) {
        sets.invalid.push_back(name);
        continue;
      }
      ++set->count;
      set->highest = std::max(set->highest, number);
    }
  }
  return sets;
}

bool IsMorphAttribute(std::string_view name) {
  if (name.starts_with('_') || name == "POSITION" || name == "NORMAL" || name == "TANGENT") {
    return true;
  }
  const std::string_view kind = AttributeKind(name);
  return (kind == "COLOR" || kind == "TEXCOORD") && SetNumber(name) >= 0;
}

std::string_view AttributeKind(std::string_view name) { return name.substr(0, name.find('_')); }

std::size_t ComponentCount(std::string_view type) {
  if (type == "SCALAR") return 1;
  if (type == "VEC2") return 2;
  if (type == "VEC3") return 3;
  if (type == "VEC4" || type == "MAT2") return 4;
  if (type == "MAT3") return 9;
  if (type == "MAT4") return 16;
  return 0;
}

const char* ComponentTypeName(std::int64_t component_type) {
  switch (component_type) {
    case 5120:
      return "byte";
    case 5121:
      return "unsigned byte";
    case 5122:
      return "short";
    case 5123:
      return "unsigned short";
    case 5125:
      return "unsigned int";
    case 5126:
      return "float";
    default:
      return "unknown type";
  }
}

std::pair<std::int64_t, std::int64_t> IntegerLimits(std::int64_t component_type) {
  switch (component_type) {
    case 5120:
      return {-128, 127};
    case 5121:
      return {0, 255};
    case 5122:
      return {-32768, 32767};
    case 5123:
      return {0, 65535};
    case 5125:
      return {0, 4294967295};
    default:
      return {0, 0};
  }
}

std::string ShortNumber(double value) {
  constexpr double kWholeBelow = 1e15;
  char text[32];
  const bool is_whole = std::abs(value) < kWholeBelow && value == std::floor(value);
  std::snprintf(text, sizeof text, is_whole ? "%.0f" : "%.7g", value);
  return text;
}

void CheckUri(Findings& findings, const std::string& uri, const std::string& where, bool is_glb) {
  const bool is_data = uri.starts_with("data:");
  if (is_glb) {
    findings.Add("URI_GLB", where, "a binary file should hold its data itself");
    if (is_data) findings.Add("DATA_URI_GLB", where, "a data URI is a third larger than a chunk");
  }
  if (is_data) return;
  if (const std::string fault = UriFault(uri); !fault.empty()) {
    findings.Add("INVALID_URI", where, "'" + uri + "' is no valid reference: " + fault);
  } else if (!IsRelative(uri)) {
    findings.Add("NON_RELATIVE_URI", where, "'" + uri + "' is not relative to the file");
  }
}

}  // namespace flexor::io::gltf
