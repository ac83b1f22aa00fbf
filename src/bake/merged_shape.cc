#include "bake/merged_shape.h"

namespace flexor::bake {

MergedShape::MergedShape(const asset::Character& character, DeformedMeshes meshes) {
  bool has_texcoords = true;
  for (const deform::DeformedMesh& result : meshes) {
    const asset::MeshInstance& instance = character.instances[result.instance];
    const asset::Mesh& mesh = character.meshes[instance.mesh];
    for (const std::uint32_t index : mesh.triangles) {
      triangles_.push_back(static_cast<std::uint32_t>(vertex_count_) + index);
    }
    texcoords_.insert(texcoords_.end(), mesh.texcoords.begin(), mesh.texcoords.end());
    has_texcoords = has_texcoords && !mesh.texcoords.empty();
    has_normals_ = has_normals_ && !result.normals.empty();
    parts_.push_back({instance.name, vertex_count_, mesh.vertex_count()});
    vertex_count_ += mesh.vertex_count();
  }
  if (!has_texcoords) texcoords_.clear();
}

void MergedShape::Gather(DeformedMeshes meshes, std::vector<Vec3f>& positions,
                         std::vector<Vec3f>& normals) const {
  positions.clear();
  for (const deform::DeformedMesh& result : meshes) {
    positions.insert(positions.end(), result.positions.begin(), result.positions.end());
  }
  GatherNormals(meshes, normals);
}

void MergedShape::Gather(DeformedMeshes meshes, std::vector<Vec3d>& positions,
                         std::vector<Vec3f>& normals) const {
  positions.clear();
  positions.reserve(vertex_count_);
  for (const deform::DeformedMesh& result : meshes) {
    positions.insert(positions.end(), result.exact.begin(), result.exact.end());
    if (!result.exact.empty()) continue;
    for (const Vec3f& p : result.positions) positions.push_back(Cast<double>(p));
  }
  GatherNormals(meshes, normals);
}

void MergedShape::GatherNormals(DeformedMeshes meshes, std::vector<Vec3f>& normals) const {
  normals.clear();
  if (!has_normals_) return;
  for (const deform::DeformedMesh& result : meshes) {
    normals.insert(normals.end(), result.normals.begin(), result.normals.end());
  }
}

std::string MergedShape::NameVertex(std::size_t vertex) const {
  for (const Part& part : parts_) {
    if (vertex < part.first_vertex + part.vertex_count) {
      return part.name + ", vertex " + std::to_string(vertex - part.first_vertex);
    }
  }
  return "vertex " + std::to_string(vertex);
}

}  // namespace flexor::bake
