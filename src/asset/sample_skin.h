/// @file asset/sample_skin.h
/// From a cut surface to a mesh: weights that flow along the skin, subsets by material, rounding.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "flexor/asset/mesh.h"

#include "asset/sample_surface.h"

namespace flexor::asset::sample {

using WeightRun = std::vector<std::pair<std::uint32_t, double>>;

/// Starts every vertex on its own bone and lets the weights flow to neighbours along the surface,
/// so that nothing leaks across gaps. `softness[bone]` in 0..1 says how far they flow where that
/// bone's skin is.
/// Shapes  owner (V), every entry < softness.size() · result (V), each summing to 1
std::vector<WeightRun> FlowWeights(const Surface& surface, const std::vector<std::uint32_t>& owner,
                                   const std::vector<double>& softness, int rounds,
                                   std::size_t max_influences);

/// Appends a surface to a mesh: rounded positions, unit normals, weights, and one subset per
/// material with the triangles that `material` (asked at their middles) gives it.
/// Shapes  weights, texcoords (V)
void AppendSurface(Mesh& mesh, const Surface& surface, const std::vector<WeightRun>& weights,
                   const std::vector<Vec2f>& texcoords,
                   const std::function<std::int32_t(Vec3d)>& material, std::int32_t material_count);

}  // namespace flexor::asset::sample
