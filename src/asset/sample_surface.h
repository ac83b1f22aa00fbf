/// @file asset/sample_surface.h
/// From a field to a closed triangle mesh with an even spread of vertices.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "asset/sample_field.h"

namespace flexor::asset::sample {

/// Where a surface is to have smaller triangles: around `center` the grid is `fineness` times as
/// fine, falling off to the plain grid at `radius` (measured in the plain grid).
struct Lens {
  Vec3d center;
  double radius = 0.3;
  double fineness = 2;
};

/// A closed surface: every edge belongs to two triangles that pass it in opposite directions.
/// Shapes  positions, normals (V) · triangles (3T), counter-clockwise from outside
struct Surface {
  std::vector<Vec3d> positions;
  std::vector<Vec3d> normals;  ///< unit, from the field
  std::vector<std::uint32_t> triangles;
};

/// Polygonises the zero set of a field by surface nets on a grid of cubes with the given edge,
/// spreads the vertices evenly and puts them on the zero set. Lenses must not overlap.
Surface Polygonize(const Field& field, double cell, const std::vector<Lens>& lenses);

/// Cuts a surface along the zero line of a function on it, so that no triangle lies on both sides.
/// Vertices close to the line are moved onto it rather than joined by slivers.
void CutAlong(Surface& surface, const std::function<double(Vec3d)>& line);

}  // namespace flexor::asset::sample
