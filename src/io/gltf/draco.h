/// @file io/gltf/draco.h
/// The one door to the Draco codec.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "flexor/core/memory_budget.h"
#include "flexor/core/result.h"

namespace flexor::io::gltf {

inline constexpr const char* kDracoExtension = "KHR_draco_mesh_compression";

/// Whether this build can decode Draco.
bool HasDraco();

/// A decoded primitive. The points are in the order that the codec made, which need not be that of
/// the source.
class DracoMesh {
 public:
  /// Decodes a whole Draco mesh. What the codec will hold is estimated from the counts that the
  /// data itself claims, and charged to `budget` while the DracoMesh lives.
  /// Errors  kUnsupportedFeature (a build without the codec, a point cloud) · kParse (broken data)
  ///         · kLimitExceeded
  static Result<DracoMesh> Decode(std::span<const std::byte> bytes, MemoryBudget& budget);

  ~DracoMesh();
  DracoMesh(DracoMesh&&) noexcept;
  DracoMesh& operator=(DracoMesh&&) noexcept;

  std::uint64_t point_count() const;
  std::uint64_t index_count() const;
  /// Triangle corners. Errors  kIndexOutOfRange
  Status Indices(std::span<std::uint32_t> out) const;

  /// The attribute with a unique id, its components as floats; integers as fractions of their
  /// largest value when `fractions`.
  /// Shapes  out (points * components)
  /// Errors  kIndexOutOfRange (no such id) · kShapeMismatch (another number of components) ·
  ///         kParse (a point without a value)
  Status Floats(std::uint32_t id, std::uint32_t components, bool fractions,
                std::span<float> out) const;
  /// The same as unsigned integers. Errors  also kInvalidValue (not an unsigned integer)
  Status Unsigned(std::uint32_t id, std::uint32_t components, std::span<std::uint32_t> out) const;

 private:
  struct Impl;
  DracoMesh();
  std::unique_ptr<Impl> impl_;
};

}  // namespace flexor::io::gltf
