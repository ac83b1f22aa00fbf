/// @file io/usd/solids.h
/// Simple solids as meshes: Cube, Sphere, Cylinder, Cone, Capsule, Plane.
#pragma once

#include <optional>

#include "flexor/asset/mesh.h"
#include "flexor/core/memory_budget.h"

#include "io/usd/stage.h"

namespace flexor::io::usd {

bool IsSolid(Token type_name);

/// A solid of the size that the prim gives, as triangles with normals and without texture
/// coordinates: 24 segments around, 12 from pole to pole.
Result<asset::Mesh> ReadSolid(const Stage& stage, const StagePrim& prim, std::optional<double> time,
                              MemoryBudget& budget);

}  // namespace flexor::io::usd
