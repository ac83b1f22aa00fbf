/// @file io/usd/corners.h
/// Values that a point may have several of, one for each face it is part of.
#pragma once

#include <cstdint>
#include <vector>

#include "flexor/asset/mesh.h"
#include "flexor/core/diagnostic.h"
#include "flexor/core/memory_budget.h"

#include "io/usd/primvar.h"

namespace flexor::io::usd {

/// One value for each point, or one for each corner.
struct CornerValues {
  std::vector<Vec3f> values;              ///< different ones only
  std::vector<std::uint32_t> of_points;   ///< index into `values`, per point; or empty
  std::vector<std::uint32_t> of_corners;  ///< the same per corner of all faces; or empty

  bool empty() const { return of_points.empty() && of_corners.empty(); }
};

/// Spreads a primvar's values over points or corners; empty, with a diagnostic, when the sizes do
/// not fit.
CornerValues SpreadOverCorners(const Primvar& primvar, const std::vector<Vec3f>& values,
                               const ElementCounts& counts, const asset::Polygons& polygons,
                               Diagnostics& diagnostics);

/// Fills normals and texture coordinates of a mesh. Where corners of one point differ, further
/// vertices repeat the point: the first corner keeps the point itself.
Status SplitByCorners(const CornerValues& normals, const CornerValues& coordinates,
                      asset::Mesh& mesh, MemoryBudget& budget);

}  // namespace flexor::io::usd
