/// @file bake/merged_shape.h
/// All drawn instances of a character as one mesh: what is measured as a whole, and what --merge
/// writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "flexor/deform/deformer.h"

namespace flexor::bake {

/// What a deformer gives of one character, a mesh for each instance.
using DeformedMeshes = std::span<const deform::DeformedMesh>;

/// Points of all instances, one instance after another in the order of the results.
class MergedShape {
 public:
  /// Where the points of one instance begin in the whole.
  struct Part {
    std::string name;
    std::size_t first_vertex = 0, vertex_count = 0;
  };

  MergedShape(const asset::Character& character, DeformedMeshes meshes);

  std::size_t vertex_count() const { return vertex_count_; }
  const std::vector<Part>& parts() const { return parts_; }
  /// (3T) indices into the whole.
  const std::vector<std::uint32_t>& triangles() const { return triangles_; }
  /// (V) or empty when an instance has none.
  const std::vector<Vec2f>& texcoords() const { return texcoords_; }
  /// Whether every instance has normals.
  bool has_normals() const { return has_normals_; }

  /// Copies results of the same instances together. Shapes  positions, normals are resized to (V);
  /// normals to 0 without has_normals()
  void Gather(DeformedMeshes meshes, std::vector<Vec3f>& positions,
              std::vector<Vec3f>& normals) const;

  /// The same with positions in double, exact where there are such.
  void Gather(DeformedMeshes meshes, std::vector<Vec3d>& positions,
              std::vector<Vec3f>& normals) const;

  /// "name of the instance, vertex n of it", for messages.
  std::string NameVertex(std::size_t vertex) const;

 private:
  void GatherNormals(DeformedMeshes meshes, std::vector<Vec3f>& normals) const;

  std::vector<Part> parts_;
  std::vector<std::uint32_t> triangles_;
  std::vector<Vec2f> texcoords_;
  std::size_t vertex_count_ = 0;
  bool has_normals_ = true;
};

}  // namespace flexor::bake
