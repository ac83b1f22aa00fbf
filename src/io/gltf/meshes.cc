#include "io/gltf/meshes.h"

#include <algorithm>
#include <utility>

#include "io/gltf/mesh_parts.h"

namespace flexor::io::gltf {
namespace {

bool AnyHas(const std::vector<RangeReader>& ranges, std::string_view name) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const RangeReader& part) {
    return part.reader.raw().Find(name) != kNone;
  });
}

template <class Vector>
Status Resize(const MeshContext& context, std::vector<Vector>& array, std::uint64_t count,
              std::string_view what) {
  FLEXOR_TRY(context.budget.Charge(count, sizeof(Vector), what));
  array.resize(static_cast<std::size_t>(count));
  return {};
}

/// Number formats of one attribute: those of core glTF, more with KHR_mesh_quantization.
Formats Allowed(const RawDocument& document, Formats core, Formats quantized) {
  const auto& used = document.extensions_used;
  const bool declared = std::find(used.begin(), used.end(), "KHR_mesh_quantization") != used.end();
  return declared ? core | quantized : core;
}

/// The set that the base colour texture wants, else the first.
std::string TexcoordName(const MeshContext& context, const RangeReader& part) {
  const std::string name = "TEXCOORD_" + std::to_string(part.range.texcoord_set);
  if (part.range.texcoord_set == 0 || part.reader.raw().Find(name) != kNone) return name;
  Report(context.diagnostics, "MESH_PRIMITIVE_TOO_FEW_TEXCOORDS", part.reader.Place("/material"),
         "the base colour texture of the material reads " + name +
             ", which the primitive does not have; the first set is used");
  return "TEXCOORD_0";
}

Status ReadVertices(const MeshContext& context, std::uint32_t mesh_index,
                    const std::vector<RangeReader>& ranges, std::uint64_t vertex_count,
                    asset::Mesh& mesh, std::vector<bool>& has_normals,
                    std::vector<bool>& has_tangents) {
  const RawDocument& document = context.document;
  const Formats positions = Allowed(document, kFloat32, kAnyNumber);
  const Formats directions = Allowed(document, kFloat32, kNormalized);
  const Formats texcoords = Allowed(document, kFloat32 | kNormalized, kAnyNumber);
  std::vector<std::string> texcoord_names;
  bool any_texcoords = false;
  for (const RangeReader& part : ranges) {
    texcoord_names.push_back(TexcoordName(context, part));
    any_texcoords = any_texcoords || part.reader.raw().Find(texcoord_names.back()) != kNone;
  }
  FLEXOR_TRY(Resize(context, mesh.positions, vertex_count, "positions"));
  if (AnyHas(ranges, "NORMAL")) {
    FLEXOR_TRY(Resize(context, mesh.normals, vertex_count, "normals"));
  }
  if (AnyHas(ranges, "TANGENT")) {
    FLEXOR_TRY(Resize(context, mesh.tangents, vertex_count, "tangents"));
  }
  if (any_texcoords) {
    FLEXOR_TRY(Resize(context, mesh.texcoords, vertex_count, "texture coordinates"));
  }
  std::uint64_t without_texcoords = 0;
  for (std::size_t r = 0; r < ranges.size(); ++r) {
    const PrimitiveReader& reader = ranges[r].reader;
    const std::size_t first = ranges[r].range.first_vertex;
    const std::size_t count = ranges[r].range.vertex_count;
    FLEXOR_ASSIGN([[maybe_unused]] const bool always,
                  reader.Floats("POSITION", ElementType::kVec3, positions, false,
                                Components(mesh.positions, first, count)));
    const std::int32_t position = reader.raw().Find("POSITION");
    if (!context.accessors.Raw(static_cast<std::uint32_t>(position)).has_bounds) {
      Report(context.diagnostics, "MESH_PRIMITIVE_POSITION_ACCESSOR_WITHOUT_BOUNDS",
             reader.Place("/attributes/POSITION"), "the accessor lacks min and max");
    }
    bool found = false;
    if (!mesh.normals.empty()) {
      FLEXOR_ASSIGN(found, reader.Floats("NORMAL", ElementType::kVec3, directions, false,
                                         Components(mesh.normals, first, count)));
      has_normals[r] = found;
    }
    if (!mesh.tangents.empty()) {
      FLEXOR_ASSIGN(found, reader.Floats("TANGENT", ElementType::kVec4, directions, false,
                                         Components(mesh.tangents, first, count)));
      has_tangents[r] = found;
    }
    if (!mesh.texcoords.empty()) {
      FLEXOR_ASSIGN(found, reader.Floats(texcoord_names[r], ElementType::kVec2, texcoords, false,
                                         Components(mesh.texcoords, first, count)));
      without_texcoords += found ? 0 : 1;
    }
  }
  if (without_texcoords != 0) {
    Report(context.diagnostics, "TEXCOORDS_MISSING", "/meshes/" + std::to_string(mesh_index),
           "other primitives of this mesh have texture coordinates; (0, 0) was put where there are "
           "none",
           without_texcoords);
  }
  return {};
}

/// The mix of methods that flexor writes as an attribute of its own; all of a mesh or nothing.
Status ReadMethodWeights(const MeshContext& context, const std::vector<RangeReader>& ranges,
                         std::uint64_t vertex_count, asset::Mesh& mesh) {
  constexpr std::string_view kName = "_FLEXOR_DQS_WEIGHT";
  const bool all = std::all_of(ranges.begin(), ranges.end(), [&](const RangeReader& part) {
    return part.reader.raw().Find(kName) != kNone;
  });
  if (!all || ranges.empty()) return {};
  FLEXOR_TRY(Resize(context, mesh.dqs_weights, vertex_count, "method weights"));
  for (const RangeReader& part : ranges) {
    FLEXOR_ASSIGN(
        [[maybe_unused]] const bool found,
        part.reader.Floats(
            kName, ElementType::kScalar, kFloat32, false,
            std::span(mesh.dqs_weights).subspan(part.range.first_vertex, part.range.vertex_count)));
  }
  return {};
}

}  // namespace

Result<ConvertedMesh> ConvertMesh(const MeshContext& context, std::uint32_t index,
                                  std::uint32_t smallest_skin) {
  ConvertedMesh converted;
  asset::Mesh& mesh = converted.mesh;
  const RawMesh& raw = context.document.meshes[index];
  mesh.name = raw.name;
  if (raw.dual_quaternions || context.document.about.dual_quaternions) {
    mesh.skinning = asset::SkinningMethod::kDualQuaternion;
  }
  FLEXOR_ASSIGN(const RangePlan plan, PlanRanges(context, index));
  std::vector<RangeReader> ranges;
  for (const VertexRange& range : plan.ranges) {
    FLEXOR_ASSIGN(PrimitiveReader reader, PrimitiveReader::Open(context, index, range.primitive));
    ranges.push_back({range, std::move(reader)});
  }
  std::vector<bool> has_normals(ranges.size()), has_tangents(ranges.size());
  FLEXOR_TRY(
      ReadVertices(context, index, ranges, plan.vertex_count, mesh, has_normals, has_tangents));
  FLEXOR_TRY(ReadTriangles(context, index, plan, ranges, mesh));
  FLEXOR_TRY(RepairShading(context, index, ranges, has_normals, has_tangents, mesh));
  FLEXOR_TRY(ReadInfluences(context, index, ranges, smallest_skin, mesh));
  FLEXOR_TRY(ReadMethodWeights(context, ranges, plan.vertex_count, mesh));
  FLEXOR_TRY(ReadMorphs(context, index, ranges, mesh));
  converted.ranges = plan.ranges;
  return converted;
}

}  // namespace flexor::io::gltf
