/// @file io/gltf/write_glb_mesh.h
/// Meshes out: one set of vertex accessors each, a primitive for every subset.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "flexor/asset/mesh.h"

#include "io/gltf/write_glb_builder.h"
#include "io/gltf/write_glb_material.h"
#include "io/gltf/write_glb_notes.h"

namespace flexor::io::gltf {

/// A mesh to write, from a character or from a frame of it. V > 0.
struct MeshInput {
  std::string place;  ///< for notes
  std::string_view name;
  std::span<const Vec3f> positions;  ///< (V)
  std::span<const Vec3f> normals;    ///< (V) or empty
  std::span<const Vec4f> tangents;   ///< (V) or empty
  std::span<const Vec2f> texcoords;  ///< (V) or empty
  std::span<const std::uint32_t> triangles;
  std::span<const asset::Subset> subsets;
  const asset::Influences* influences = nullptr;  ///< repaired, no run empty, or none
  std::span<const asset::Morph> morphs;
  std::span<const float> morph_weights;  ///< (M)
  asset::SkinningMethod skinning = asset::SkinningMethod::kLinear;
  std::span<const float> dqs_weights;  ///< (V) or empty
};

/// The glTF mesh. What the validator minds is put right: normals and tangents get unit length,
/// unused influence slots joint 0 and weight 0.
Json EncodeMesh(const MeshInput& mesh, GlbBuilder& builder, MaterialTable& materials,
                const WriteNotes& notes);

}  // namespace flexor::io::gltf
