#include "io/usd/geometry.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "io/rules.h"
#include "io/usd/attribute.h"
#include "io/usd/corners.h"
#include "io/usd/numeric.h"
#include "io/usd/solids.h"

namespace flexor::io::usd {
namespace {

Result<Value> At(const Stage& stage, const StagePrim& prim, std::string_view name,
                 std::optional<double> time, MemoryBudget& budget) {
  const Property property = stage.FindProperty(prim, name);
  return time ? ValueAt(property, *time, Between::kLinear, budget) : DefaultValue(property, budget);
}

Result<std::string> TokenAt(const Stage& stage, const StagePrim& prim, std::string_view name,
                            std::string_view fallback, MemoryBudget& budget) {
  FLEXOR_ASSIGN(const Value value, DefaultValue(stage.FindProperty(prim, name), budget));
  return std::string(value.empty() ? fallback : value.text());
}

/// Makes numbers that are not finite 0, and says how many there were.
void RepairNumbers(std::vector<Vec3f>& vectors, const Path& where, std::string_view what,
                   Diagnostics& diagnostics) {
  std::uint64_t broken = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    if (IsFinite(vectors[i])) continue;
    if (broken++ == 0) first = i;
    vectors[i] = {};
  }
  if (broken != 0) {
    Report(diagnostics, "USD_NOT_FINITE", where.ToString(),
           std::to_string(broken) + " " + std::string(what) + " are not finite, the first is " +
               std::to_string(first) + "; 0 is used",
           broken);
  }
}

/// The faces as authored, checked against the points. Nothing when they do not fit.
Result<std::optional<asset::Polygons>> ReadFaces(const Stage& stage, const StagePrim& prim,
                                                 std::optional<double> time, std::size_t points,
                                                 MemoryBudget& budget, Diagnostics& diagnostics) {
  FLEXOR_ASSIGN(const Value counts_value, At(stage, prim, "faceVertexCounts", time, budget));
  FLEXOR_ASSIGN(const Value indices_value, At(stage, prim, "faceVertexIndices", time, budget));
  FLEXOR_ASSIGN(const Value holes_value, At(stage, prim, "holeIndices", time, budget));
  const auto counts = AsInts(counts_value), indices = AsInts(indices_value);
  const auto refuse = [&](std::string why) {
    Report(diagnostics, "USD_FACES", prim.path.ToString(), "the mesh is left out: " + why);
    return std::optional<asset::Polygons>();
  };
  for (const char* name : {"faceVertexCounts", "faceVertexIndices"}) {
    if (!SampleTimes(stage.FindProperty(prim, name)).empty()) {
      Report(diagnostics, "USD_TOPOLOGY_ANIMATED", prim.path.ToString(),
             std::string(name) + " has time samples; flexor keeps the faces of the first moment");
    }
  }
  if (!counts || !indices) return refuse("it has no faceVertexCounts or no faceVertexIndices");
  std::int64_t corners = 0;
  for (std::size_t face = 0; face < counts->size(); ++face) {
    if ((*counts)[face] < 0) {
      return refuse("face " + std::to_string(face) + " has " + std::to_string((*counts)[face]) +
                    " corners");
    }
    corners += (*counts)[face];
  }
  if (corners != static_cast<std::int64_t>(indices->size())) {
    return refuse("its faces have " + std::to_string(corners) + " corners, but there are " +
                  std::to_string(indices->size()) + " indices");
  }
  for (std::size_t i = 0; i < indices->size(); ++i) {
    if ((*indices)[i] < 0 || static_cast<std::size_t>((*indices)[i]) >= points) {
      return refuse("corner " + std::to_string(i) + " names point " +
                    std::to_string((*indices)[i]) + " of " + std::to_string(points));
    }
  }
  asset::Polygons polygons;
  polygons.corner_counts.assign(counts->begin(), counts->end());
  polygons.corners.assign(indices->begin(), indices->end());
  for (const std::int32_t hole : AsInts(holes_value).value_or(std::vector<std::int32_t>())) {
    if (hole >= 0 && static_cast<std::size_t>(hole) < counts->size()) {
      polygons.holes.push_back(static_cast<std::uint32_t>(hole));
    }
  }
  std::sort(polygons.holes.begin(), polygons.holes.end());
  polygons.holes.erase(std::unique(polygons.holes.begin(), polygons.holes.end()),
                       polygons.holes.end());
  FLEXOR_ASSIGN(const std::string orientation,
                TokenAt(stage, prim, "orientation", "rightHanded", budget));
  polygons.clockwise = orientation == "leftHanded";
  FLEXOR_ASSIGN(const std::string scheme,
                TokenAt(stage, prim, "subdivisionScheme", "catmullClark", budget));
  polygons.subdivided = scheme != "none";
  return std::optional<asset::Polygons>(std::move(polygons));
}

/// Faces by the subset they are drawn with; the first set holds those of no subset.
Result<std::vector<FaceSet>> ReadFaceSets(const Stage& stage, const StagePrim& prim,
                                          std::optional<double> time, std::size_t faces,
                                          MemoryBudget& budget, Diagnostics& diagnostics) {
  std::vector<FaceSet> sets(1);
  std::vector<bool> taken(faces, false);
  for (const std::uint32_t child : prim.children) {
    const StagePrim& subset = stage[child];
    if (!(subset.type_name == "GeomSubset") || !subset.IsPresent()) continue;
    FLEXOR_ASSIGN(const std::string element, TokenAt(stage, subset, "elementType", "face", budget));
    FLEXOR_ASSIGN(const std::string family, TokenAt(stage, subset, "familyName", "", budget));
    if (element != "face" || (!family.empty() && family != "materialBind")) continue;
    FLEXOR_ASSIGN(const Value value, At(stage, subset, "indices", time, budget));
    FaceSet set;
    set.prim = &subset;
    std::uint64_t out_of_range = 0, overlapping = 0;
    for (const std::int32_t face : AsInts(value).value_or(std::vector<std::int32_t>())) {
      if (face < 0 || static_cast<std::size_t>(face) >= faces) {
        ++out_of_range;
      } else if (taken[static_cast<std::size_t>(face)]) {
        ++overlapping;
      } else {
        taken[static_cast<std::size_t>(face)] = true;
        set.faces.push_back(static_cast<std::uint32_t>(face));
      }
    }
    if (out_of_range + overlapping != 0) {
      Report(diagnostics, "USD_SUBSET", subset.path.ToString(),
             std::to_string(out_of_range) + " of its indices name no face and " +
                 std::to_string(overlapping) +
                 " a face that is in a subset already; they are left out",
             out_of_range + overlapping);
    }
    std::sort(set.faces.begin(), set.faces.end());
    sets.push_back(std::move(set));
  }
  for (std::size_t face = 0; face < faces; ++face) {
    if (!taken[face]) sets[0].faces.push_back(static_cast<std::uint32_t>(face));
  }
  return sets;
}

/// The primvar that holds texture coordinates when no material names one.
std::string FindCoordinates(const Stage& stage, const StagePrim& prim) {
  std::string found;
  for (const Token name : stage.PropertyNames(prim)) {
    const std::string_view text = name.text();
    if (text == "primvars:st") return "primvars:st";
    if (!found.empty() || text.substr(0, 9) != "primvars:") continue;
    const std::string_view type = stage.FindProperty(prim, text).type_name().text();
    if (type.substr(0, 10) == "texCoord2f" || type.substr(0, 10) == "texCoord2d" ||
        type.substr(0, 10) == "texCoord2h") {
      found = text;
    }
  }
  return found;
}

Result<Primvar> ReadNormals(const Stage& stage, const StagePrim& prim, std::optional<double> time,
                            MemoryBudget& budget, Diagnostics& diagnostics) {
  FLEXOR_ASSIGN(Primvar primvar, ReadPrimvar(stage, prim, "primvars:normals", time,
                                             Spread::kConstant, budget, diagnostics));
  if (!primvar.empty()) return primvar;
  return ReadPrimvar(stage, prim, "normals", time, Spread::kVertex, budget, diagnostics);
}

/// The triangles of all faces, set by set.
void Triangulate(const std::vector<FaceSet>& sets, asset::Mesh& mesh) {
  const asset::Polygons& polygons = mesh.polygons;
  std::vector<std::uint32_t> first_corner(polygons.corner_counts.size());
  std::uint32_t corner = 0;
  for (std::size_t face = 0; face < first_corner.size(); ++face) {
    first_corner[face] = corner;
    corner += polygons.corner_counts[face];
  }
  for (const FaceSet& set : sets) {
    asset::Subset subset;
    subset.first_index = static_cast<std::uint32_t>(mesh.triangles.size());
    for (const std::uint32_t face : set.faces) {
      if (std::binary_search(polygons.holes.begin(), polygons.holes.end(), face)) continue;
      const std::uint32_t* corners = polygons.corners.data() + first_corner[face];
      for (std::uint32_t c = 1; c + 1 < polygons.corner_counts[face]; ++c) {
        const std::uint32_t second = corners[polygons.clockwise ? c + 1 : c];
        const std::uint32_t third = corners[polygons.clockwise ? c : c + 1];
        mesh.triangles.insert(mesh.triangles.end(), {corners[0], second, third});
      }
    }
    subset.index_count = static_cast<std::uint32_t>(mesh.triangles.size()) - subset.first_index;
    mesh.subsets.push_back(subset);
  }
}

}  // namespace

bool HasShape(Token type_name) {
  return type_name == "Mesh" || type_name == "Points" || type_name == "BasisCurves" ||
         type_name == "NurbsCurves" || type_name == "HermiteCurves" || type_name == "NurbsPatch" ||
         IsSolid(type_name);
}

Result<std::optional<Shape>> ReadShape(Stage& stage, const StagePrim& prim,
                                       std::optional<double> time, std::string_view primvar,
                                       MemoryBudget& budget, Diagnostics& diagnostics) {
  Shape shape;
  FLEXOR_ASSIGN(const Value double_sided,
                DefaultValue(stage.FindProperty(prim, "doubleSided"), budget));
  shape.double_sided = double_sided.GetOr(false);
  shape.face_sets.resize(1);
  if (IsSolid(prim.type_name)) {
    FLEXOR_ASSIGN(shape.mesh, ReadSolid(stage, prim, time, budget));
    shape.is_solid = true;
    return std::optional<Shape>(std::move(shape));
  }

  FLEXOR_ASSIGN(const Value points_value, At(stage, prim, "points", time, budget));
  auto points = AsVec3fs(points_value);
  if (!points || points->empty()) {
    Report(diagnostics, "USD_NO_POINTS", prim.path.ToString(), "it has no points; it is left out");
    return std::optional<Shape>();
  }
  FLEXOR_TRY(budget.Charge(points->size(), sizeof(Vec3f), "points"));
  RepairNumbers(*points, prim.path, "points", diagnostics);
  asset::Mesh& mesh = shape.mesh;
  mesh.positions = *std::move(points);
  FLEXOR_ASSIGN(const Primvar normals, ReadNormals(stage, prim, time, budget, diagnostics));
  shape.normal_spread = normals.spread;
  CornerValues corner_normals, corner_coordinates;
  ElementCounts counts;
  counts.points = mesh.positions.size();

  if (prim.type_name == "Mesh") {
    FLEXOR_ASSIGN(auto polygons,
                  ReadFaces(stage, prim, time, mesh.positions.size(), budget, diagnostics));
    if (!polygons) return std::optional<Shape>();
    mesh.polygons = *std::move(polygons);
    counts.faces = mesh.polygons.corner_counts.size();
    counts.corners = mesh.polygons.corners.size();
    FLEXOR_TRY(budget.Charge(counts.corners, 8 * sizeof(std::uint32_t), "faces"));
    FLEXOR_ASSIGN(shape.face_sets,
                  ReadFaceSets(stage, prim, time, counts.faces, budget, diagnostics));
    const std::string name =
        primvar.empty() ? FindCoordinates(stage, prim) : "primvars:" + std::string(primvar);
    FLEXOR_ASSIGN(const Primvar coordinates,
                  ReadInheritedPrimvar(stage, prim, name, time, budget, diagnostics));
    if (auto values = AsVec2fs(coordinates.values)) {
      std::vector<Vec3f> upright;
      upright.reserve(values->size());
      for (const Vec2f uv : *values) upright.push_back({uv.x, 1 - uv.y, 0});
      RepairNumbers(upright, coordinates.path, "texture coordinates", diagnostics);
      corner_coordinates =
          SpreadOverCorners(coordinates, upright, counts, mesh.polygons, diagnostics);
    }
  }

  auto directions = AsVec3fs(normals.values);
  if (directions && mesh.polygons.subdivided && !mesh.polygons.corners.empty()) {
    Report(diagnostics, "USD_NORMALS_IGNORED", normals.path.ToString(),
           "the mesh is a subdivision surface, whose normals follow from its shape; the authored "
           "ones are not used");
  } else if (directions) {
    RepairNumbers(*directions, normals.path, "normals", diagnostics);
    for (Vec3f& normal : *directions) normal = Normalized(normal, Vec3f{0, 0, 1});
    corner_normals = SpreadOverCorners(normals, *directions, counts, mesh.polygons, diagnostics);
  }
  FLEXOR_TRY(SplitByCorners(corner_normals, corner_coordinates, mesh, budget));
  Triangulate(shape.face_sets, mesh);
  return std::optional<Shape>(std::move(shape));
}

}  // namespace flexor::io::usd
