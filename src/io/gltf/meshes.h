/// @file io/gltf/meshes.h
/// Meshes, raw to asset: one asset mesh per glTF mesh, its primitives one after another.
#pragma once

#include <cstdint>
#include <vector>

#include "flexor/asset/mesh.h"
#include "flexor/core/diagnostic.h"
#include "flexor/core/memory_budget.h"
#include "flexor/core/result.h"

#include "io/gltf/accessor.h"
#include "io/gltf/buffers.h"
#include "io/gltf/raw.h"

namespace flexor::io::gltf {

/// A run of vertices of a mesh. Primitives that name exactly the same attributes and targets share
/// one.
struct VertexRange {
  std::uint32_t primitive = 0;  ///< the first primitive that uses it
  std::uint32_t first_vertex = 0;
  std::uint32_t vertex_count = 0;
  std::uint32_t texcoord_set = 0;  ///< the set that the base colour texture of its material reads
  std::uint32_t joint_sets = 0;    ///< JOINTS_0 to JOINTS_(n-1)
};

/// A converted mesh and where its vertices came from.
struct ConvertedMesh {
  asset::Mesh mesh;
  std::vector<VertexRange> ranges;
};

/// What converting a mesh needs to know and to write to.
struct MeshContext {
  const RawDocument& document;
  BufferStore& store;
  AccessorReader& accessors;
  MemoryBudget& budget;
  Diagnostics& diagnostics;
};

/// Converts mesh `index`. `smallest_skin` is the least joint count among the skins that deform it,
/// or 0 when it has none: influences of weight 0 on joints beyond it are counted.
///
/// The point order is that of the file: primitive after primitive, each in accessor order. Strips
/// and fans become triangles; points and lines keep their vertices and lose their indices.
/// Errors  kInvalidValue · kShapeMismatch (attributes of different counts, both named) ·
///         kIndexOutOfRange (a vertex index) · kUnsupportedFeature (codec) · kLimitExceeded
Result<ConvertedMesh> ConvertMesh(const MeshContext& context, std::uint32_t index,
                                  std::uint32_t smallest_skin);

/// That every influence of the mesh names one of `joint_count` joints. Errors  kIndexOutOfRange
/// naming mesh, primitive, vertex, joint and count
Status CheckJoints(const ConvertedMesh& converted, std::uint32_t mesh_index,
                   std::size_t joint_count, const std::string& skin_place);

}  // namespace flexor::io::gltf
