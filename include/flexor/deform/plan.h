/// @file deform/plan.h
/// Everything about one mesh and one choice of method that does not change from frame to frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "flexor/asset/character.h"
#include "flexor/core/export.h"
#include "flexor/core/result.h"
#include "flexor/deform/settings.h"
#include "flexor/math/aabb.h"

namespace flexor::deform {

struct PlanData;  // private: src/deform/plan_data.h

/// Immutable; copies share their data; safe to use from any number of threads and instances at
/// once. Knows no backend: Backend::Prepare lays it out for one. Made by default it has no
/// vertices.
class FLEXOR_API DeformPlan {
 public:
  std::size_t vertex_count() const;  ///< V
  std::size_t joint_count() const;   ///< J that a frame's palette must have
  std::size_t morph_count() const;   ///< M
  bool has_normals() const;
  bool has_tangents() const;
  const DeformSettings& settings() const;
  const asset::WeightReport& weight_report() const;

  /// What the vertices became, in the caller's order, for tests, pictures and reports: (V) runs of
  /// repaired influences.
  const asset::Influences& influences() const;

  /// How many vertices are skinned by a method, whoever asked for it.
  std::size_t vertex_count(asset::SkinningMethod method) const;

  /// Memory that the plan and its copies share.
  std::size_t bytes() const;

  const PlanData& data() const;

 private:
  friend DeformPlan PlanOf(std::shared_ptr<const PlanData> data);
  std::shared_ptr<const PlanData> data_;  ///< null when made by default
};

/// Builds the plan of a mesh hung on `joint_count` joints (1 for a mesh without influences, which
/// then follows joint 0 rigidly). All checking of the mesh happens here: backends trust a plan.
/// Errors  kIndexOutOfRange (vertex, joint and J) · kShapeMismatch (array, both sizes) ·
/// kInvalidValue (not finite; vertex named) · kLimitExceeded (2^31 vertices) · kInvalidArgument
/// (settings that derive spherical centres, which needs the skin of an instance) · kOutOfMemory
FLEXOR_API Result<DeformPlan> BuildDeformPlan(const asset::Mesh& mesh, std::size_t joint_count,
                                              const DeformSettings& settings);

/// The same for an instance of a character.
FLEXOR_API Result<DeformPlan> BuildDeformPlan(const asset::Character& character,
                                              std::uint32_t instance,
                                              const DeformSettings& settings);

}  // namespace flexor::deform
