/// @file io/gltf/write_glb_notes.h
/// What the GLB writer has to say about what it left out, changed or added.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "flexor/core/diagnostic.h"

#include "io/rules.h"

namespace flexor::io::gltf {

/// Diagnostics that nobody may have asked for.
class WriteNotes {
 public:
  explicit WriteNotes(Diagnostics* out) : out_(out) {}

  void Add(std::string_view code, std::string_view where, std::string message,
           std::uint64_t count = 1) const {
    if (out_ != nullptr) Report(*out_, code, where, std::move(message), count);
  }
  Diagnostics* diagnostics() const { return out_; }

 private:
  Diagnostics* out_;
};

/// "mesh 3 'Body'".
std::string Place(std::string_view kind, std::size_t index, std::string_view name);

}  // namespace flexor::io::gltf
