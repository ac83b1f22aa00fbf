/// @file io/usd/geometry.h
/// Shapes of prims: meshes with any polygons, bare points, and simple solids.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "flexor/asset/mesh.h"
#include "flexor/core/diagnostic.h"
#include "flexor/core/memory_budget.h"

#include "io/usd/primvar.h"
#include "io/usd/stage.h"

namespace flexor::io::usd {

/// Faces that are drawn with one material.
struct FaceSet {
  const StagePrim* prim = nullptr;   ///< the GeomSubset; null: the faces that are in none
  std::vector<std::uint32_t> faces;  ///< ascending
};

/// What a prim looks like in its own space.
struct Shape {
  asset::Mesh mesh;  ///< without influences and morphs; subsets match `face_sets`
  std::vector<FaceSet> face_sets;
  Spread normal_spread = Spread::kVertex;
  bool double_sided = false;
  bool is_solid = false;  ///< a Cube, Sphere … : it has no points that a file could move one by one
};

/// Whether prims of that type have a shape that ReadShape makes.
bool HasShape(Token type_name);

/// The shape at a time (of defaults without one). Texture coordinates are those of `primvar`
/// ("st"), turned so that v runs downwards. What does not fit is left out with a diagnostic;
/// nothing at all when the prim has no points or its faces are broken.
Result<std::optional<Shape>> ReadShape(Stage& stage, const StagePrim& prim,
                                       std::optional<double> time, std::string_view primvar,
                                       MemoryBudget& budget, Diagnostics& diagnostics);

}  // namespace flexor::io::usd
