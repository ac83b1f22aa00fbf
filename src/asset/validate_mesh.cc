#include <cmath>
#include <limits>

#include "asset/validate.h"

namespace flexor::asset {
namespace {

bool Finite(Vec2f v) { return std::isfinite(v.x) && std::isfinite(v.y); }
bool Finite(Vec3f v) { return IsFinite(v); }
bool Finite(Vec4f v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z) && std::isfinite(v.w);
}
bool Finite(float v) { return std::isfinite(v); }

std::string VertexPlace(const std::string& place, std::size_t vertex) {
  return place + " vertex " + std::to_string(vertex);
}

template <class T>
Status CheckPerVertex(const std::vector<T>& values, std::size_t vertex_count,
                      const std::string& place, std::string_view what) {
  if (values.empty()) return {};
  if (values.size() != vertex_count) {
    return SizeError(place, what, values.size(), vertex_count, "one for each vertex, or none");
  }
  for (std::size_t v = 0; v < values.size(); ++v) {
    if (!Finite(values[v])) {
      return At(ErrorCode::kInvalidValue, VertexPlace(place, v),
                "a number among its " + std::string(what) + " is not finite");
    }
  }
  return {};
}

Status CheckTriangles(const Mesh& mesh, const std::string& place) {
  const std::size_t count = mesh.triangles.size();
  if (count % 3 != 0) {
    return At(ErrorCode::kShapeMismatch, place,
              std::to_string(count) + " triangle indices, which is not a multiple of 3");
  }
  if (count > std::numeric_limits<std::uint32_t>::max()) {
    return At(ErrorCode::kLimitExceeded, place,
              std::to_string(count) + " triangle indices, but at most " +
                  std::to_string(std::numeric_limits<std::uint32_t>::max()) + " can be numbered");
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (mesh.triangles[i] >= mesh.vertex_count()) {
      return IndexError(place + " triangle " + std::to_string(i / 3), "vertex", mesh.triangles[i],
                        mesh.vertex_count(), "vertices");
    }
  }
  return {};
}

Status FinalizeSubsets(Mesh& mesh, const std::string& place, std::size_t material_count) {
  if (mesh.subsets.empty() && !mesh.triangles.empty()) {
    mesh.subsets.push_back({0, static_cast<std::uint32_t>(mesh.triangles.size()), kNone});
  }
  std::uint64_t covered = 0;
  for (std::size_t s = 0; s < mesh.subsets.size(); ++s) {
    const Subset& subset = mesh.subsets[s];
    const std::string subset_place = place + " subset " + std::to_string(s);
    if (subset.first_index != covered) {
      return At(ErrorCode::kShapeMismatch, subset_place,
                "starts at index " + std::to_string(subset.first_index) + ", but " +
                    std::to_string(covered) + " is where the one before ends");
    }
    if (subset.index_count % 3 != 0) {
      return At(ErrorCode::kShapeMismatch, subset_place,
                std::to_string(subset.index_count) + " indices, which is not a multiple of 3");
    }
    if (subset.material != kNone &&
        (subset.material < 0 || static_cast<std::size_t>(subset.material) >= material_count)) {
      return At(ErrorCode::kIndexOutOfRange, subset_place,
                "material " + std::to_string(subset.material) + ", but there are " +
                    std::to_string(material_count) + " materials");
    }
    covered += subset.index_count;
  }
  if (covered != mesh.triangles.size()) {
    return At(ErrorCode::kShapeMismatch, place,
              "its subsets cover " + std::to_string(covered) + " triangle indices, but there are " +
                  std::to_string(mesh.triangles.size()));
  }
  return {};
}

Status CheckInfluences(const Influences& influences, std::size_t vertex_count,
                       const std::string& place) {
  if (influences.joints.size() != influences.weights.size()) {
    return At(ErrorCode::kShapeMismatch, place,
              std::to_string(influences.joints.size()) + " joints of influences, but " +
                  std::to_string(influences.weights.size()) + " weights");
  }
  if (influences.offsets.empty()) {
    if (influences.joints.empty()) return {};
    return At(ErrorCode::kShapeMismatch, place,
              std::to_string(influences.joints.size()) +
                  " influences, but no offsets that say whose they are");
  }
  if (influences.vertex_count() != vertex_count) {
    return SizeError(place, "runs of influences", influences.vertex_count(), vertex_count,
                     "one for each vertex, or none");
  }
  if (influences.offsets.front() != 0) {
    return At(ErrorCode::kShapeMismatch, place,
              "the first influence offset is " + std::to_string(influences.offsets.front()) +
                  ", but must be 0");
  }
  for (std::size_t v = 0; v < vertex_count; ++v) {
    if (influences.offsets[v + 1] < influences.offsets[v]) {
      return At(ErrorCode::kShapeMismatch, VertexPlace(place, v),
                "its influences end at " + std::to_string(influences.offsets[v + 1]) +
                    ", before their start at " + std::to_string(influences.offsets[v]));
    }
  }
  if (influences.offsets.back() != influences.joints.size()) {
    return At(ErrorCode::kShapeMismatch, place,
              "the influence offsets end at " + std::to_string(influences.offsets.back()) +
                  ", but there are " + std::to_string(influences.joints.size()) + " influences");
  }
  for (std::size_t v = 0; v < vertex_count; ++v) {
    for (std::uint32_t i = influences.offsets[v]; i < influences.offsets[v + 1]; ++i) {
      if (!std::isfinite(influences.weights[i])) {
        return At(
            ErrorCode::kInvalidValue, VertexPlace(place, v),
            "its weight for joint " + std::to_string(influences.joints[i]) + " is not finite");
      }
    }
  }
  return {};
}

Status CheckSdef(const Mesh& mesh, const std::string& place) {
  const SdefVertices& sdef = mesh.sdef;
  const auto check_size = [&](std::size_t size, std::string_view what) -> Status {
    if (size == sdef.size()) return {};
    return SizeError(place, what, size, sdef.size(), "one for each spherical vertex");
  };
  FLEXOR_TRY(check_size(sdef.joints.size(), "pairs of joints of spherical vertices"));
  FLEXOR_TRY(check_size(sdef.weights.size(), "weights of spherical vertices"));
  FLEXOR_TRY(check_size(sdef.centers.size(), "centres of spherical vertices"));
  FLEXOR_TRY(check_size(sdef.r0.size(), "points R0 of spherical vertices"));
  FLEXOR_TRY(check_size(sdef.r1.size(), "points R1 of spherical vertices"));
  if (!sdef.empty() && mesh.influences.empty()) {
    return At(ErrorCode::kShapeMismatch, place,
              std::to_string(sdef.size()) +
                  " spherical vertices, but no influences that say how they are skinned without");
  }
  for (std::size_t i = 0; i < sdef.size(); ++i) {
    const std::uint32_t vertex = sdef.vertices[i];
    const std::string entry = place + " spherical entry " + std::to_string(i);
    if (vertex >= mesh.vertex_count()) {
      return IndexError(entry, "vertex", vertex, mesh.vertex_count(), "vertices");
    }
    if (i > 0 && vertex <= sdef.vertices[i - 1]) {
      return At(ErrorCode::kInvalidValue, entry,
                "vertex " + std::to_string(vertex) + " follows vertex " +
                    std::to_string(sdef.vertices[i - 1]) + ", but vertices must ascend");
    }
    if (!std::isfinite(sdef.weights[i])) {
      return At(ErrorCode::kInvalidValue, VertexPlace(place, vertex),
                "its spherical weight is not finite");
    }
    if (!IsFinite(sdef.centers[i]) || !IsFinite(sdef.r0[i]) || !IsFinite(sdef.r1[i])) {
      return At(ErrorCode::kInvalidValue, VertexPlace(place, vertex),
                "a number among its spherical centre, R0 and R1 is not finite");
    }
  }
  return {};
}

Status CheckMorph(const Morph& morph, std::size_t index, std::size_t vertex_count,
                  const std::string& mesh_place) {
  const std::string name = Named("morph", index, morph.name);
  const std::string place = mesh_place + " " + name;
  for (std::size_t i = 0; i < morph.vertices.size(); ++i) {
    const std::uint32_t vertex = morph.vertices[i];
    if (vertex >= vertex_count) {
      return IndexError(place + " entry " + std::to_string(i), "vertex", vertex, vertex_count,
                        "vertices");
    }
    if (i > 0 && vertex <= morph.vertices[i - 1]) {
      return At(ErrorCode::kInvalidValue, place + " entry " + std::to_string(i),
                "vertex " + std::to_string(vertex) + " follows vertex " +
                    std::to_string(morph.vertices[i - 1]) + ", but vertices must ascend");
    }
  }
  const bool sparse = !morph.vertices.empty();
  const std::size_t count = sparse ? morph.vertices.size() : vertex_count;
  const auto check = [&](const std::vector<Vec3f>& values, std::string_view what) -> Status {
    if (values.empty()) return {};
    if (values.size() != count) {
      return SizeError(place, what, values.size(), count,
                       sparse ? "one for each vertex listed, or none"
                              : "one for each vertex of the mesh, or none");
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!IsFinite(values[i])) {
        return At(ErrorCode::kInvalidValue, VertexPlace(mesh_place, sparse ? morph.vertices[i] : i),
                  "a number among its " + std::string(what) + " in " + name + " is not finite");
      }
    }
    return {};
  };
  FLEXOR_TRY(check(morph.positions, "position offsets"));
  FLEXOR_TRY(check(morph.normals, "normal offsets"));
  FLEXOR_TRY(check(morph.tangents, "tangent offsets"));
  for (std::size_t i = 0; i < morph.in_betweens.size(); ++i) {
    const InBetween& shape = morph.in_betweens[i];
    const std::string shape_place = place + " in-between " + std::to_string(i);
    if (!std::isfinite(shape.weight) || shape.weight == 0 || shape.weight == 1) {
      return At(
          ErrorCode::kInvalidValue, shape_place,
          "its weight is " + std::to_string(shape.weight) + ", which must be neither 0 nor 1");
    }
    if (i > 0 && shape.weight < morph.in_betweens[i - 1].weight) {
      return At(ErrorCode::kInvalidValue, shape_place,
                "its weight " + std::to_string(shape.weight) + " is below that of the one before");
    }
    FLEXOR_TRY(check(shape.positions, "position offsets of an in-between"));
    FLEXOR_TRY(check(shape.normals, "normal offsets of an in-between"));
  }
  return {};
}

Status CheckPolygons(const Mesh& mesh, const std::string& place) {
  const Polygons& polygons = mesh.polygons;
  std::uint64_t corners = 0;
  for (const std::uint32_t count : polygons.corner_counts) corners += count;
  if (corners != polygons.corners.size()) {
    return At(ErrorCode::kShapeMismatch, place,
              "its polygons have " + std::to_string(corners) + " corners, but " +
                  std::to_string(polygons.corners.size()) + " are listed");
  }
  for (std::size_t i = 0; i < polygons.corners.size(); ++i) {
    if (polygons.corners[i] >= mesh.vertex_count()) {
      return IndexError(place + " corner " + std::to_string(i), "vertex", polygons.corners[i],
                        mesh.vertex_count(), "vertices");
    }
  }
  for (std::size_t i = 0; i < polygons.holes.size(); ++i) {
    if (polygons.holes[i] >= polygons.corner_counts.size()) {
      return IndexError(place + " hole " + std::to_string(i), "polygon", polygons.holes[i],
                        polygons.corner_counts.size(), "polygons");
    }
  }
  if (mesh.repeats.size() > mesh.vertex_count()) {
    return SizeError(place, "repeated vertices", mesh.repeats.size(), mesh.vertex_count(),
                     "they are some of the vertices");
  }
  for (std::size_t i = 0; i < mesh.repeats.size(); ++i) {
    if (mesh.repeats[i] >= mesh.point_count()) {
      return IndexError(VertexPlace(place, mesh.point_count() + i), "repeated point",
                        mesh.repeats[i], mesh.point_count(), "points");
    }
  }
  return {};
}

}  // namespace

Status FinalizeMesh(Mesh& mesh, const std::string& place, std::size_t material_count) {
  const std::size_t vertex_count = mesh.vertex_count();
  constexpr std::size_t kMaxVertices =
      static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());
  if (vertex_count > kMaxVertices) {
    return At(ErrorCode::kLimitExceeded, place,
              std::to_string(vertex_count) + " vertices, but at most " +
                  std::to_string(kMaxVertices) + " can be numbered");
  }
  FLEXOR_TRY(CheckPerVertex(mesh.positions, vertex_count, place, "positions"));
  FLEXOR_TRY(CheckPerVertex(mesh.normals, vertex_count, place, "normals"));
  FLEXOR_TRY(CheckPerVertex(mesh.tangents, vertex_count, place, "tangents"));
  FLEXOR_TRY(CheckPerVertex(mesh.texcoords, vertex_count, place, "texture coordinates"));
  FLEXOR_TRY(CheckPerVertex(mesh.dqs_weights, vertex_count, place, "method weights"));
  for (std::size_t v = 0; v < mesh.dqs_weights.size(); ++v) {
    if (mesh.dqs_weights[v] < 0 || mesh.dqs_weights[v] > 1) {
      return At(ErrorCode::kInvalidValue, VertexPlace(place, v),
                "its method weight " + std::to_string(mesh.dqs_weights[v]) +
                    " is outside 0 (linear) to 1 (dual quaternion)");
    }
  }
  FLEXOR_TRY(CheckTriangles(mesh, place));
  FLEXOR_TRY(CheckPolygons(mesh, place));
  FLEXOR_TRY(FinalizeSubsets(mesh, place, material_count));
  FLEXOR_TRY(CheckInfluences(mesh.influences, vertex_count, place));
  FLEXOR_TRY(CheckSdef(mesh, place));
  for (std::size_t m = 0; m < mesh.morphs.size(); ++m) {
    FLEXOR_TRY(CheckMorph(mesh.morphs[m], m, vertex_count, place));
  }
  if (mesh.morph_weights.empty()) mesh.morph_weights.resize(mesh.morphs.size(), 0.0f);
  if (mesh.morph_weights.size() != mesh.morphs.size()) {
    return SizeError(place, "default morph weights", mesh.morph_weights.size(), mesh.morphs.size(),
                     "one for each morph, or none");
  }
  for (std::size_t m = 0; m < mesh.morph_weights.size(); ++m) {
    if (!std::isfinite(mesh.morph_weights[m])) {
      return At(ErrorCode::kInvalidValue, place + " " + Named("morph", m, mesh.morphs[m].name),
                "its default weight is not finite");
    }
  }
  return {};
}

}  // namespace flexor::asset
