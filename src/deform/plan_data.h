/// @file deform/plan_data.h
/// What a DeformPlan holds. Private to the deform room; every backend reads it, none writes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "flexor/asset/mesh.h"
#include "flexor/asset/weights.h"
#include "flexor/deform/settings.h"

#include "deform/spherical.h"

namespace flexor::deform {

/// A checked mesh in the caller's vertex order, with what the settings made of it. Every index is
/// in range, every number finite, every count fits: no backend checks again.
struct PlanData {
  std::string mesh_name;  ///< for messages
  DeformSettings settings;
  std::size_t joint_count = 0;  ///< J

  std::vector<Vec3f> positions;      ///< (V)
  std::vector<Vec3f> normals;        ///< (V), or empty: none in the mesh, or none wanted
  std::vector<Vec4f> tangents;       ///< (V), or empty
  std::vector<asset::Morph> morphs;  ///< (M)

  /// (V) runs after repair. An empty run is a vertex without weight: it follows
  /// settings.weights.zero (kPassThrough or kCollapse; kFirstJoint leaves no empty run). A mesh
  /// without influences has weight 1 on joint 0 everywhere. With settings.weights.normalize each
  /// run stands for its weights divided by their exact sum.
  asset::Influences influences;
  asset::WeightReport weight_report;

  /// (V) share of dual quaternions in [0, 1], or empty: then uniform_dqs_weight holds for all.
  std::vector<float> dqs_weights;
  float uniform_dqs_weight = 0;  ///< 0 or 1

  SphericalPlan spherical;  ///< vertices that the shares above do not concern

  /// Centre of the box of the rest positions: where a joint that is rigid within kRigidTolerance
  /// is made to agree exactly with its matrix (joint_motion.h).
  Vec3d rest_center;

  std::size_t vertex_count() const { return positions.size(); }
  float DqsWeight(std::size_t vertex) const {
    return dqs_weights.empty() ? uniform_dqs_weight : dqs_weights[vertex];
  }
  /// Whether any vertex is blended that way at all.
  bool UsesDqs() const { return !dqs_weights.empty() || uniform_dqs_weight > 0; }
  bool UsesLbs() const { return !dqs_weights.empty() || uniform_dqs_weight < 1; }
};

}  // namespace flexor::deform
