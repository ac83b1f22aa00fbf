#include "support/gltf_builder.h"

namespace flexor::test {

std::vector<Mat34d> RestWorld(const asset::Character& character) {
  std::vector<Mat34d> world(character.nodes.size());
  for (const std::uint32_t n : character.node_order) {
    const asset::Node& node = character.nodes[n];
    const Mat34d local = node.rest_matrix ? *node.rest_matrix : ToMat34(node.rest);
    world[n] =
        node.parent == asset::kNone ? local : world[static_cast<std::size_t>(node.parent)] * local;
  }
  return world;
}

std::vector<Vec3d> RestPoints(const asset::Character& character, std::size_t index) {
  const asset::MeshInstance& instance = character.instances[index];
  const asset::Mesh& mesh = character.meshes[instance.mesh];
  const std::vector<Mat34d> world = RestWorld(character);
  std::vector<Vec3d> points;
  for (std::size_t v = 0; v < mesh.vertex_count(); ++v) {
    const Vec3d rest = Cast<double>(mesh.positions[v]);
    if (instance.skin == asset::kNone) {
      points.push_back(TransformPoint(world[static_cast<std::size_t>(instance.node)], rest));
      continue;
    }
    const asset::Skin& skin = character.skins[static_cast<std::size_t>(instance.skin)];
    Vec3d sum;
    double weights = 0;
    for (auto i = mesh.influences.offsets[v]; i < mesh.influences.offsets[v + 1]; ++i) {
      const std::uint32_t joint = mesh.influences.joints[i];
      const double weight = mesh.influences.weights[i];
      sum += TransformPoint(world[skin.joints[joint]] * skin.joint_from_mesh[joint], rest) * weight;
      weights += weight;
    }
    points.push_back(weights == 0 ? rest : sum / weights);
  }
  return points;
}

Diagnostic FindDiagnostic(const Diagnostics& diagnostics, std::string_view code) {
  for (const Diagnostic& entry : diagnostics.entries()) {
    if (entry.code == code) return entry;
  }
  return {};
}

}  // namespace flexor::test
