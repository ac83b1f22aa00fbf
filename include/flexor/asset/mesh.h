/// @file asset/mesh.h
/// The rest shape of one mesh with what moves it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flexor/asset/influences.h"
#include "flexor/asset/node.h"
#include "flexor/asset/sdef.h"
#include "flexor/asset/skinning_method.h"
#include "flexor/math/vec.h"

namespace flexor::asset {

/// Offsets that a morph adds to the rest shape, times its weight. Dense when `vertices` is empty,
/// then every offset array present has V entries; else sparse: entry i belongs to vertex
/// vertices[i] (ascending, unique).
struct Morph {
  std::string name{};
  std::vector<std::uint32_t> vertices{};  ///< (A) vertex indices, or empty for dense
  std::vector<Vec3f> positions{};         ///< (A or V) metres, or empty
  std::vector<Vec3f> normals{};           ///< (A or V) differences, or empty
  std::vector<Vec3f> tangents{};          ///< (A or V) differences of xyz, or empty
};

/// A run of triangles with one material.
struct Subset {
  std::uint32_t first_index = 0;  ///< into Mesh::triangles, a multiple of 3
  std::uint32_t index_count = 0;  ///< a multiple of 3
  std::int32_t material = kNone;  ///< index into Character::materials
};

/// A mesh in its own space at bind. Every per-vertex array is empty or has V entries, in the file's
/// point order.
struct Mesh {
  std::string name{};
  std::vector<Vec3f> positions{};  ///< (V) metres
  std::vector<Vec3f> normals{};    ///< (V) unit, or empty: then faces are flat
  std::vector<Vec4f> tangents{};   ///< (V) xyz unit, w = handedness +1 or -1, or empty
  std::vector<Vec2f> texcoords{};  ///< (V) origin top left, first set, or empty
  std::vector<std::uint32_t>
      triangles{};                ///< (3T) vertex indices, counter-clockwise seen from outside
  std::vector<Subset> subsets{};  ///< cover `triangles` in order without gaps
  Influences influences{};        ///< V runs, or empty
  std::vector<Morph> morphs{};
  std::vector<float> morph_weights{};  ///< default weights, one per morph

  /// How the file asks for its vertices to be skinned. The most specific holds: vertices of `sdef`
  /// are spherical, then those of `dqs_weights` mixed, then all others follow `skinning`.
  SkinningMethod skinning = SkinningMethod::kLinear;
  std::vector<float> dqs_weights{};  ///< (V) 0 = linear, 1 = dual quaternion, or empty
  SdefVertices sdef{};               ///< vertices that bend about a centre; empty in most formats

  std::size_t vertex_count() const { return positions.size(); }
};

}  // namespace flexor::asset
