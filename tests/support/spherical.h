/// @file tests/support/spherical.h
/// Meshes with spherical vertices, made by code.
#pragma once

#include <array>
#include <cstdint>

#include "flexor/asset/mesh.h"

#include "deform/plan_data.h"

namespace flexor::test {

/// One spherical vertex as a file has it.
struct Sdef {
  std::array<std::uint32_t, 2> joints{0, 1};
  float weight = 0.5f;
  Vec3f center{}, r0{}, r1{};
};

/// Appends a vertex; vertices must come in order.
void AddSdef(asset::Mesh& mesh, std::uint32_t vertex, const Sdef& sdef);

/// One vertex with normal +Z and tangent +X, spherical, and linear by the same weights.
asset::Mesh OneSpherical(const Vec3f& position, const Sdef& sdef);

/// Makes about `share` of the vertices spherical: joints drawn below `joints`, now and then the
/// same twice; weights from 0 to 1 with both ends now and then; centres and reference points within
/// the box of `size` about the origin. The same bits for one seed.
void AddRandomSdef(asset::Mesh& mesh, std::size_t joints, double share, double size,
                   std::uint32_t seed);

/// Null for a vertex that a plan skins some other way.
const deform::SphericalVertex* SphericalOf(const deform::PlanData& plan, std::size_t vertex);

}  // namespace flexor::test
