#include "io/gltf/check_names.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>

namespace flexor::io::gltf {
namespace {

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
