#include <limits>
#include <utility>

#include "io/gltf/mesh_parts.h"

namespace flexor::io::gltf {
namespace {

std::uint64_t TriangleCorners(PrimitiveMode mode, std::uint64_t corners) {
  switch (mode) {
    case PrimitiveMode::kTriangles:
      return corners / 3 * 3;
    case PrimitiveMode::kTriangleStrip:
    case PrimitiveMode::kTriangleFan:
      return corners < 3 ? 0 : (corners - 2) * 3;
    case PrimitiveMode::kPoints:
    case PrimitiveMode::kLines:
    case PrimitiveMode::kLineLoop:
    case PrimitiveMode::kLineStrip:
    case PrimitiveMode::kUnknown:
      break;
  }
  return 0;
}

bool HasFaces(PrimitiveMode mode) { return TriangleCorners(mode, 3) != 0; }

void AppendTriangles(PrimitiveMode mode, const std::vector<std::uint32_t>& corners,
                     std::uint32_t first_vertex, std::vector<std::uint32_t>& triangles) {
  const auto triangle = [&](std::size_t a, std::size_t b, std::size_t c) {
    triangles.insert(triangles.end(), {first_vertex + corners[a], first_vertex + corners[b],
                                       first_vertex + corners[c]});
  };
  if (mode == PrimitiveMode::kTriangles) {
    for (std::size_t i = 0; i + 2 < corners.size(); i += 3) triangle(i, i + 1, i + 2);
  } else if (mode == PrimitiveMode::kTriangleStrip) {
    // Every other triangle of a strip runs the other way round.
    for (std::size_t i = 0; i + 2 < corners.size(); ++i) {
      triangle(i, i + 1 + i % 2, i + 2 - i % 2);
    }
  } else if (mode == PrimitiveMode::kTriangleFan) {
    for (std::size_t i = 1; i + 1 < corners.size(); ++i) triangle(i, i + 1, 0);
  }
}

/// The triangles of one primitive that has faces.
Status ReadPrimitive(const MeshContext& context, const PrimitiveReader& reader,
                     const VertexRange& range, asset::Mesh& mesh) {
  const PrimitiveMode mode = reader.raw().mode;
  const std::uint64_t corner_count = reader.CornerCount();
  const std::uint64_t added = TriangleCorners(mode, corner_count);
  if (mode == PrimitiveMode::kTriangles ? corner_count % 3 != 0 : corner_count < 3) {
    Report(context.diagnostics, "MESH_PRIMITIVE_INCOMPATIBLE_MODE", reader.Place(),
           std::to_string(corner_count) + " indices do not make whole triangles; the last " +
               std::to_string(mode == PrimitiveMode::kTriangles ? corner_count % 3 : corner_count) +
               " are left out");
  }
  FLEXOR_ASSIGN(const auto corners, reader.Corners(range.vertex_count));
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (added > kMost - mesh.triangles.size()) {
    return Error{ErrorCode::kLimitExceeded,
                 "the mesh has more than the " + std::to_string(kMost) +
                     " triangle corners that can be numbered",
                 {{}, reader.Place("/indices"), std::nullopt}};
  }
  if (added != 0) {
    const auto first = static_cast<std::uint32_t>(mesh.triangles.size());
    // Growing by doubling holds up to three times the new size for a while.
    FLEXOR_TRY(context.budget.Charge(added, 3 * sizeof(std::uint32_t), "triangles"));
    AppendTriangles(mode, corners, range.first_vertex, mesh.triangles);
    mesh.subsets.push_back({first, static_cast<std::uint32_t>(added), reader.raw().material});
  }
  context.budget.Release(corners.size() * sizeof(std::uint32_t));
  return {};
}

}  // namespace

Status ReadTriangles(const MeshContext& context, std::uint32_t mesh_index, const RangePlan& plan,
                     const std::vector<RangeReader>& ranges, asset::Mesh& mesh) {
  const RawMesh& raw = context.document.meshes[mesh_index];
  for (std::uint32_t p = 0; p < raw.primitives.size(); ++p) {
    if (plan.range_of_primitive[p] == kNone) continue;
    const auto r = static_cast<std::size_t>(plan.range_of_primitive[p]);
    const RawPrimitive& primitive = raw.primitives[p];
    if (!HasFaces(primitive.mode)) {
      Report(context.diagnostics, "MESH_PRIMITIVE_NOT_TRIANGLES",
             "/meshes/" + std::to_string(mesh_index) + "/primitives/" + std::to_string(p) + "/mode",
             std::string("points or lines: the vertices are kept and move, ") +
                 (primitive.indices != kNone ? "the indices are dropped" : "there are no faces"));
      continue;
    }
    if (plan.ranges[r].primitive == p) {
      FLEXOR_TRY(ReadPrimitive(context, ranges[r].reader, plan.ranges[r], mesh));
      continue;
    }
    FLEXOR_ASSIGN(const PrimitiveReader reader, PrimitiveReader::Open(context, mesh_index, p));
    FLEXOR_TRY(ReadPrimitive(context, reader, plan.ranges[r], mesh));
  }
  const std::size_t held = mesh.triangles.size();
  mesh.triangles.shrink_to_fit();
  context.budget.Release(held * 2 * sizeof(std::uint32_t));
  return {};
}

}  // namespace flexor::io::gltf
