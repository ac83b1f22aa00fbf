#include <cmath>
#include <utility>

#include "io/gltf/mesh_parts.h"

namespace flexor::io::gltf {
namespace {

/// Beyond this a direction is not just rounded or quantised, it is not unit.
constexpr double kUnitTolerance = 0.05;
/// Within this it is left exactly as it is.
constexpr double kExactTolerance = 1e-6;

/// Sums of the normals of the triangles around each vertex, longer for larger triangles.
std::vector<Vec3d> FaceNormalSums(const asset::Mesh& mesh) {
  std::vector<Vec3d> sums(mesh.vertex_count());
  for (std::size_t i = 0; i + 2 < mesh.triangles.size(); i += 3) {
    const std::uint32_t* t = mesh.triangles.data() + i;
    const Vec3d a = Cast<double>(mesh.positions[t[0]]);
    const Vec3d normal =
        Cross(Cast<double>(mesh.positions[t[1]]) - a, Cast<double>(mesh.positions[t[2]]) - a);
    for (int k = 0; k < 3; ++k) sums[t[k]] += normal;
  }
  return sums;
}

enum class Unit : std::uint8_t { kExact, kRounded, kWrong, kZero };

Unit Judge(Vec3f v) {
  const double length = Length(Cast<double>(v));
  if (!(length > 1e-12)) return Unit::kZero;
  if (std::abs(length - 1) <= kExactTolerance) return Unit::kExact;
  return std::abs(length - 1) <= kUnitTolerance ? Unit::kRounded : Unit::kWrong;
}

Vec3f MakeUnit(Vec3f v) { return Cast<float>(Normalized(Cast<double>(v))); }

/// Any direction at right angles to a unit vector.
Vec3f Perpendicular(Vec3f n) {
  const Vec3f axis = std::abs(n.x) < 0.7f ? Vec3f{1, 0, 0} : Vec3f{0, 1, 0};
  return Normalized(axis - n * Dot(axis, n), Vec3f{1, 0, 0});
}

/// Vertices of one range that needed something, and the first of them.
struct VertexTally {
  std::uint64_t count = 0;
  std::uint32_t first = 0;
  void Add(std::uint32_t vertex) {
    if (count++ == 0) first = vertex;
  }
};

void ReportTally(const MeshContext& context, const VertexTally& tally, std::string_view code,
                 const std::string& place, const std::string& what) {
  if (tally.count == 0) return;
  Report(context.diagnostics, code, place,
         what + "; the first is vertex " + std::to_string(tally.first), tally.count);
}

Status RepairNormals(const MeshContext& context, const std::vector<RangeReader>& ranges,
                     const std::vector<bool>& has_normals, asset::Mesh& mesh) {
  bool needs_sums = false;
  for (std::size_t r = 0; r < ranges.size(); ++r) {
    const VertexRange& range = ranges[r].range;
    const std::string place = ranges[r].reader.Place("/attributes/NORMAL");
    VertexTally wrong, zero;
    for (std::uint32_t i = 0; i < range.vertex_count; ++i) {
      Vec3f& normal = mesh.normals[range.first_vertex + i];
      const Unit unit = Judge(normal);
      if (unit == Unit::kZero) {
        normal = {};
        needs_sums = true;
        if (has_normals[r]) zero.Add(i);
      } else if (unit != Unit::kExact) {
        normal = MakeUnit(normal);
        if (unit == Unit::kWrong) wrong.Add(i);
      }
    }
    ReportTally(context, wrong, "ACCESSOR_VECTOR3_NON_UNIT", place,
                "normals that are not of unit length; made so");
    ReportTally(context, zero, "NORMALS_ZERO", place,
                "normals of no length; computed from the faces around");
    if (has_normals[r]) continue;
    Report(context.diagnostics, "NORMALS_COMPUTED", ranges[r].reader.Place("/attributes"),
           "other primitives of this mesh have normals, this one has none; they were computed from "
           "the faces around each vertex");
  }
  if (!needs_sums) return {};
  const std::uint64_t held = mesh.vertex_count() * sizeof(Vec3d);
  FLEXOR_TRY(context.budget.Charge(held, 1, "the normals of faces"));
  const std::vector<Vec3d> sums = FaceNormalSums(mesh);
  for (std::size_t v = 0; v < mesh.normals.size(); ++v) {
    if (mesh.normals[v] == Vec3f{}) {
      mesh.normals[v] = Cast<float>(Normalized(sums[v], Vec3d{0, 0, 1}));
    }
  }
  context.budget.Release(held);
  return {};
}

void RepairTangents(const MeshContext& context, const std::vector<RangeReader>& ranges,
                    const std::vector<bool>& has_tangents, asset::Mesh& mesh) {
  for (std::size_t r = 0; r < ranges.size(); ++r) {
    const VertexRange& range = ranges[r].range;
    const std::string place = ranges[r].reader.Place("/attributes/TANGENT");
    VertexTally wrong, zero, handless;
    for (std::uint32_t i = 0; i < range.vertex_count; ++i) {
      Vec4f& tangent = mesh.tangents[range.first_vertex + i];
      Vec3f direction{tangent.x, tangent.y, tangent.z};
      const Unit unit = Judge(direction);
      if (unit == Unit::kZero) {
        direction = Perpendicular(mesh.normals[range.first_vertex + i]);
      } else if (unit != Unit::kExact) {
        direction = MakeUnit(direction);
      }
      if (unit == Unit::kZero) zero.Add(i);
      if (unit == Unit::kWrong) wrong.Add(i);
      // Of an accessor without data all is 0: there is no tangent, and so none without a hand.
      const bool is_none = unit == Unit::kZero && tangent.w == 0;
      if (!is_none && std::abs(std::abs(tangent.w) - 1) > 1e-3f) handless.Add(i);
      tangent = {direction.x, direction.y, direction.z, tangent.w < 0 ? -1.0f : 1.0f};
    }
    if (!has_tangents[r]) {
      Report(context.diagnostics, "TANGENTS_MADE_UP", ranges[r].reader.Place("/attributes"),
             "other primitives of this mesh have tangents, this one has none; any direction along "
             "the surface was taken");
      continue;
    }
    ReportTally(context, wrong, "ACCESSOR_VECTOR3_NON_UNIT", place,
                "tangents that are not of unit length; made so");
    ReportTally(context, zero, "TANGENTS_MADE_UP", place,
                "tangents of no length; any direction along the surface was taken");
    ReportTally(context, handless, "ACCESSOR_INVALID_SIGN", place,
                "tangents whose fourth number is neither 1 nor -1; its sign was taken");
  }
}

}  // namespace

Status RepairShading(const MeshContext& context, std::uint32_t mesh_index,
                     const std::vector<RangeReader>& ranges, const std::vector<bool>& has_normals,
                     const std::vector<bool>& has_tangents, asset::Mesh& mesh) {
  if (!mesh.normals.empty()) {
    FLEXOR_TRY(RepairNormals(context, ranges, has_normals, mesh));
  }
  if (mesh.tangents.empty()) return {};
  if (mesh.normals.empty()) {
    Report(context.diagnostics, "MESH_PRIMITIVE_TANGENT_WITHOUT_NORMAL",
           "/meshes/" + std::to_string(mesh_index),
           "tangents without normals have no use; they are left out");
    context.budget.Release(mesh.tangents.size() * sizeof(Vec4f));
    mesh.tangents = {};
    return {};
  }
  RepairTangents(context, ranges, has_tangents, mesh);
  return {};
}

}  // namespace flexor::io::gltf
