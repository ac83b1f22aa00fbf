#include "flexor/pose/palette.h"

namespace flexor::pose {

void ComputePalette(const asset::Skin& skin, const std::vector<Mat34d>& model_from_node,
                    Palette& out) {
  out.resize(skin.joints.size());
  for (std::size_t j = 0; j < skin.joints.size(); ++j) {
    out[j] = model_from_node[skin.joints[j]] * skin.joint_from_mesh[j];
  }
}

void ComputePalette(const asset::Character& character, const asset::MeshInstance& instance,
                    const std::vector<Mat34d>& model_from_node, Palette& out) {
  if (instance.skin != asset::kNone) {
    ComputePalette(character.skins[static_cast<std::size_t>(instance.skin)], model_from_node, out);
    return;
  }
  out.assign(1, instance.node == asset::kNone
                    ? Mat34d{}
                    : model_from_node[static_cast<std::size_t>(instance.node)]);
}

std::size_t PaletteSize(const asset::Character& character, const asset::MeshInstance& instance) {
  if (instance.skin == asset::kNone) return 1;
  return character.skins[static_cast<std::size_t>(instance.skin)].joints.size();
}

}  // namespace flexor::pose
