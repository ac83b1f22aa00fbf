/// @file deform/plan_data.h
/// What a DeformPlan holds. Private to the deform module; every backend reads it, none writes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "flexor/asset/mesh.h"
#include "flexor/asset/weights.h"
#include "flexor/deform/plan.h"
#include "flexor/deform/settings.h"

#include "deform/frame_need.h"
#include "deform/vertex_methods.h"

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

  MethodColumn methods;     ///< what skins each vertex
  MethodPayloads payloads;  ///< what the methods keep for their vertices
  FrameNeeds needs = 0;     ///< what they read of a frame

  /// Centre of the box of the rest positions: where a joint that is rigid within kRigidTolerance
  /// is made to agree exactly with its matrix (joint_motion.h).
  Vec3d rest_center;

  std::size_t vertex_count() const { return positions.size(); }
  bool Needs(FrameNeeds need) const { return (needs & need) != 0; }
};

/// `data` complete and checked.
DeformPlan PlanOf(std::shared_ptr<const PlanData> data);

}  // namespace flexor::deform
