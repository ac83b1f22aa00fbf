#include "flexor/asset/posed_character.h"

namespace flexor::asset {

std::span<const Mat34d> PaletteOf(const Character& character, const PosedCharacter& posed,
                                  std::uint32_t instance) {
  static constexpr Mat34d kIdentity{};
  const MeshInstance& shown = character.instances[instance];
  if (shown.skin != kNone) return posed.palettes[static_cast<std::size_t>(shown.skin)];
  if (shown.node == kNone) return {&kIdentity, 1};
  return {&posed.model_from_node[static_cast<std::size_t>(shown.node)], 1};
}

}  // namespace flexor::asset
