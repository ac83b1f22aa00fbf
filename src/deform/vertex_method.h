/// @file deform/vertex_method.h
/// Which method each vertex of a mesh is skinned by: the settings' own, or that of its material.
/// Private to the deform room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "flexor/asset/character.h"
#include "flexor/deform/settings.h"

namespace flexor::deform {

/// Answers per vertex, in the caller's order. Views the mesh, which must outlive it.
class VertexMethods {
 public:
  VertexMethods(const asset::Mesh& mesh, asset::SkinningMethod file_method,
                const DeformSettings& settings);

  /// 0 = linear, 1 = dual quaternion, between them a mix.
  float DqsWeight(std::size_t vertex) const;
  /// Whether it bends about the centre that the file gives it, if there is one.
  bool TakesSdef(std::size_t vertex) const;
  /// Whether it bends about a derived centre, if one can be derived.
  bool DerivesSdef(std::size_t vertex) const;

  /// `sdef` without the vertices that do not bend so.
  asset::SdefVertices Taken(const asset::SdefVertices& sdef) const;
  asset::SdefVertices Derived(const asset::SdefVertices& sdef) const;

 private:
  Method At(std::size_t vertex) const { return own_.empty() ? base_ : own_[vertex]; }

  const asset::Mesh& mesh_;
  float file_dqs_weight_;
  SdefMode sdef_;
  Method base_;
  std::vector<Method> own_;  // (V), or empty: all take base_
};

}  // namespace flexor::deform
