/// @file io/gltf/primitive.h
/// The vertex data of one primitive, wherever it comes from: accessors or a codec.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/gltf/draco.h"
#include "io/gltf/meshes.h"

namespace flexor::io::gltf {

/// One primitive opened for reading.
class PrimitiveReader {
 public:
  /// Decodes Draco data where the primitive has it.
  static Result<PrimitiveReader> Open(const MeshContext& context, std::uint32_t mesh,
                                      std::uint32_t primitive);

  /// "/meshes/M/primitives/P" and what follows.
  std::string Place(std::string_view rest = {}) const { return place_ + std::string(rest); }
  const RawPrimitive& raw() const { return *raw_; }

  /// An attribute as floats, `components` each; false when the primitive does not have it.
  /// `formats` are those of core glTF; others of the same shape that are harmless to read are read
  /// with a diagnostic. `fractions` reads integers as fractions whatever the accessor says.
  Result<bool> Floats(std::string_view name, ElementType type, Formats formats, bool fractions,
                      std::span<float> out) const;
  /// JOINTS_n, four each.
  Status Joints(std::string_view name, std::span<std::uint32_t> out) const;

  /// Number of indices, or of vertices when there are none.
  std::uint64_t CornerCount() const;
  /// The vertices in the order of the primitive's mode, checked against `vertex_count`. Charged.
  /// Errors  kIndexOutOfRange · kInvalidValue (the primitive restart value)
  Result<std::vector<std::uint32_t>> Corners(std::uint32_t vertex_count) const;

 private:
  PrimitiveReader(const MeshContext& context, const RawPrimitive& raw, std::string place)
      : context_(&context), raw_(&raw), place_(std::move(place)) {}
  std::optional<std::uint32_t> DracoId(std::string_view name) const;

  const MeshContext* context_;
  const RawPrimitive* raw_;
  std::string place_;
  std::optional<DracoMesh> draco_;
};

}  // namespace flexor::io::gltf
