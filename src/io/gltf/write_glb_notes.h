/// @file io/gltf/write_glb_notes.h
/// What the GLB writer has to say about what it left out, changed or added.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "flexor/core/diagnostic.h"

namespace flexor::io::gltf {

/// Diagnostics that nobody may have asked for.
class WriteNotes {
 public:
  explicit WriteNotes(Diagnostics* out) : out_(out) {}

  void Warn(std::string_view code, std::string where, std::string message,
            std::uint64_t count = 1) const {
    Add(Severity::kWarning, code, std::move(where), std::move(message), count);
  }
  void Inform(std::string_view code, std::string where, std::string message,
              std::uint64_t count = 1) const {
    Add(Severity::kInfo, code, std::move(where), std::move(message), count);
  }
  Diagnostics* diagnostics() const { return out_; }

 private:
  void Add(Severity severity, std::string_view code, std::string where, std::string message,
           std::uint64_t count) const {
    if (out_ == nullptr) return;
    out_->Add({.code = std::string(code),
               .severity = severity,
               .where = std::move(where),
               .message = std::move(message),
               .remedy = {},
               .count = count});
  }
  Diagnostics* out_;
};

/// "mesh 3 'Body'".
std::string Place(std::string_view kind, std::size_t index, std::string_view name);

}  // namespace flexor::io::gltf
