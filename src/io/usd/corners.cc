#include "io/usd/corners.h"

#include <array>
#include <bit>
#include <unordered_map>

namespace flexor::io::usd {
namespace {

using Bits = std::array<std::uint32_t, 3>;

struct HashBits {
  std::size_t operator()(const Bits& bits) const {
    std::uint64_t hash = 0x9e3779b97f4a7c15ull;
    for (const std::uint32_t word : bits) {
      hash = (hash ^ word) * 0xd6e8feb86659fd93ull;
      hash ^= hash >> 32;
    }
    return static_cast<std::size_t>(hash);
  }
};

/// For each value the index of the first one that is equal, and those first ones in a row.
std::vector<std::uint32_t> Distinct(const std::vector<Vec3f>& values, std::vector<Vec3f>& out) {
  std::unordered_map<Bits, std::uint32_t, HashBits> seen;
  std::vector<std::uint32_t> number(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Bits bits{std::bit_cast<std::uint32_t>(values[i].x),
                    std::bit_cast<std::uint32_t>(values[i].y),
                    std::bit_cast<std::uint32_t>(values[i].z)};
    const auto [at, is_new] = seen.emplace(bits, static_cast<std::uint32_t>(out.size()));
    if (is_new) out.push_back(values[i]);
    number[i] = at->second;
  }
  return number;
}

std::uint32_t At(const CornerValues& values, std::uint32_t point, std::size_t corner) {
  if (!values.of_corners.empty()) return values.of_corners[corner];
  return values.of_points.empty() ? 0 : values.of_points[point];
}

}  // namespace

CornerValues SpreadOverCorners(const Primvar& primvar, const std::vector<Vec3f>& values,
                               const ElementCounts& counts, const asset::Polygons& polygons,
                               Diagnostics& diagnostics) {
  CornerValues spread;
  const auto indices = ElementIndices(primvar, values.size(), counts, diagnostics);
  if (!indices) return spread;
  const std::vector<std::uint32_t> number = Distinct(values, spread.values);
  const auto value_of = [&](std::size_t element) {
    return number[(*indices)[element] * primvar.element_size];
  };
  switch (primvar.spread) {
    case Spread::kConstant:
      spread.of_points.assign(counts.points, value_of(0));
      break;
    case Spread::kVertex:
      for (std::size_t i = 0; i < counts.points; ++i) spread.of_points.push_back(value_of(i));
      break;
    case Spread::kUniform:
      for (std::size_t face = 0; face < counts.faces; ++face) {
        spread.of_corners.insert(spread.of_corners.end(), polygons.corner_counts[face],
                                 value_of(face));
      }
      break;
    case Spread::kFaceVarying:
      for (std::size_t i = 0; i < counts.corners; ++i) spread.of_corners.push_back(value_of(i));
      break;
  }
  return spread;
}

Status SplitByCorners(const CornerValues& normals, const CornerValues& coordinates,
                      asset::Mesh& mesh, MemoryBudget& budget) {
  const std::size_t points = mesh.positions.size();
  // What each vertex has, points first; a point has what its first corner gives it.
  std::vector<std::uint32_t> normal_of(points), coordinate_of(points);
  std::vector<bool> is_set(points, false);
  for (std::size_t i = 0; i < points; ++i) {
    const auto point = static_cast<std::uint32_t>(i);
    if (normals.of_corners.empty()) normal_of[i] = At(normals, point, 0);
    if (coordinates.of_corners.empty()) coordinate_of[i] = At(coordinates, point, 0);
  }
  if (!normals.of_corners.empty() || !coordinates.of_corners.empty()) {
    std::unordered_map<Bits, std::uint32_t, HashBits> vertex_with;
    for (std::size_t corner = 0; corner < mesh.polygons.corners.size(); ++corner) {
      const std::uint32_t point = mesh.polygons.corners[corner];
      const std::uint32_t normal = At(normals, point, corner);
      const std::uint32_t coordinate = At(coordinates, point, corner);
      if (!is_set[point]) {
        is_set[point] = true;
        normal_of[point] = normal;
        coordinate_of[point] = coordinate;
      }
      if (normal_of[point] == normal && coordinate_of[point] == coordinate) continue;
      const auto [at, is_new] = vertex_with.emplace(
          Bits{point, normal, coordinate}, static_cast<std::uint32_t>(mesh.positions.size()));
      if (is_new) {
        FLEXOR_TRY(budget.Charge(1, 2 * sizeof(Vec3f) + sizeof(Vec2f) + 16 * sizeof(std::uint32_t),
                                 "vertices where faces meet"));
        mesh.positions.push_back(mesh.positions[point]);
        mesh.repeats.push_back(point);
        normal_of.push_back(normal);
        coordinate_of.push_back(coordinate);
      }
      mesh.polygons.corners[corner] = at->second;
    }
  }
  if (!normals.empty() && !normals.values.empty()) {
    for (const std::uint32_t value : normal_of) mesh.normals.push_back(normals.values[value]);
  }
  if (!coordinates.empty() && !coordinates.values.empty()) {
    for (const std::uint32_t value : coordinate_of) {
      mesh.texcoords.push_back({coordinates.values[value].x, coordinates.values[value].y});
    }
  }
  return {};
}

}  // namespace flexor::io::usd
