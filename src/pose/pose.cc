#include "flexor/pose/pose.h"

namespace flexor::pose {

Pose RestPose(const asset::Character& character) {
  Pose pose;
  pose.locals.reserve(character.nodes.size());
  pose.uses_matrix.reserve(character.nodes.size());
  for (const asset::Node& node : character.nodes) {
    pose.locals.push_back(node.rest);
    pose.uses_matrix.push_back(node.rest_matrix.has_value());
  }
  pose.morph_weights.reserve(character.instances.size());
  for (const asset::MeshInstance& instance : character.instances) {
    pose.morph_weights.push_back(instance.morph_weights);
  }
  if (character.mmd) {
    pose.mmd_morphs.assign(character.mmd->morphs.size(), 0.0f);
    pose.mmd_ik_enabled.assign(character.mmd->ik.size(), true);
  }
  return pose;
}

}  // namespace flexor::pose
