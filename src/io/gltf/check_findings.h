/// @file io/gltf/check_findings.h
/// Where the parts of the check put what they find.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "flexor/core/diagnostic.h"

#include "io/rules.h"

namespace flexor::io::gltf {

/// The findings of one check.
class Findings {
 public:
  explicit Findings(Diagnostics& diagnostics) : diagnostics_(&diagnostics) {}

  /// `where` is a JSON pointer; the empty one, which names the whole document, is for faults of the
  /// text itself. Use Where() for members of the root.
  void Add(std::string_view code, std::string_view where, std::string message,
           std::uint64_t count = 1) {
    Report(*diagnostics_, code, where, std::move(message), count);
  }

 private:
  Diagnostics* diagnostics_;
};

/// The pointer of an object in messages: the root, whose pointer is empty, is written "/".
inline std::string Where(const std::string& pointer) { return pointer.empty() ? "/" : pointer; }

}  // namespace flexor::io::gltf
