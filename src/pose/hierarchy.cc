#include "flexor/pose/pose.h"

namespace flexor::pose {

void ComputeModelSpace(const asset::Character& character, const Pose& pose,
                       std::vector<Mat34d>& model_from_node) {
  model_from_node.resize(character.nodes.size());
  for (const std::uint32_t i : character.node_order) {
    const asset::Node& node = character.nodes[i];
    const Mat34d parent_from_node =
        pose.uses_matrix[i] ? *node.rest_matrix : ToMat34(pose.locals[i]);
    model_from_node[i] =
        node.parent == asset::kNone
            ? parent_from_node
            : model_from_node[static_cast<std::size_t>(node.parent)] * parent_from_node;
  }
}

}  // namespace flexor::pose
