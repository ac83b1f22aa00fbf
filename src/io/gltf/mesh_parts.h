/// @file io/gltf/mesh_parts.h
/// The pieces of ConvertMesh.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/gltf/meshes.h"
#include "io/gltf/primitive.h"
#include "io/rules.h"

namespace flexor::io::gltf {

static_assert(sizeof(Vec2f) == 2 * sizeof(float) && sizeof(Vec3f) == 3 * sizeof(float) &&
              sizeof(Vec4f) == 4 * sizeof(float));

/// The components of a run of small vectors, one after another.
template <class Vector>
std::span<float> Components(std::vector<Vector>& all, std::size_t first, std::size_t count) {
  return {reinterpret_cast<float*>(all.data() + first), count * (sizeof(Vector) / sizeof(float))};
}

/// One vertex range and the primitive that its data is read from.
struct RangeReader {
  VertexRange range;
  PrimitiveReader reader;
};

/// mesh_ranges.cc: checks that the attributes of each primitive have one count and that joint and
/// weight sets go together, and gives every primitive its vertex range (kNone: it has no POSITION
/// and is left out). Ranges follow each other.
struct RangePlan {
  std::vector<VertexRange> ranges;
  std::vector<std::int32_t> range_of_primitive;
  std::uint64_t vertex_count = 0;
};
Result<RangePlan> PlanRanges(const MeshContext& context, std::uint32_t mesh);

/// mesh_triangles.cc: indices of all primitives as triangles, one subset for each primitive that
/// has some.
Status ReadTriangles(const MeshContext& context, std::uint32_t mesh_index, const RangePlan& plan,
                     const std::vector<RangeReader>& ranges, asset::Mesh& mesh);

/// mesh_influences.cc: all joint and weight sets, as they are; exact zeros left out.
Status ReadInfluences(const MeshContext& context, std::uint32_t mesh_index,
                      const std::vector<RangeReader>& ranges, std::uint32_t smallest_skin,
                      asset::Mesh& mesh);

/// mesh_morphs.cc: morph targets, their names and default weights. A target that moves at most half
/// of the vertices becomes sparse.
Status ReadMorphs(const MeshContext& context, std::uint32_t mesh_index,
                  const std::vector<RangeReader>& ranges, asset::Mesh& mesh);

/// mesh_shading.cc: makes normals and tangents unit, computes those that ranges lack while others
/// of the mesh have them. `has_normals` and `has_tangents` say so per range. Needs the triangles.
Status RepairShading(const MeshContext& context, std::uint32_t mesh_index,
                     const std::vector<RangeReader>& ranges, const std::vector<bool>& has_normals,
                     const std::vector<bool>& has_tangents, asset::Mesh& mesh);

}  // namespace flexor::io::gltf
