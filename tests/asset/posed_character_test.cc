#include "flexor/asset/posed_character.h"

#include <gtest/gtest.h>

namespace flexor::asset {
namespace {

TEST(PaletteOf, IsTheSkinsOrThatOfTheNodeOrTheIdentity) {
  Character character;
  character.nodes.resize(2);
  character.skins.resize(2);
  character.instances.resize(4);
  character.instances[0].skin = 1;
  character.instances[0].node = 0;  // has no part in it with a skin
  character.instances[1].skin = 1;
  character.instances[2].node = 1;
  PosedCharacter posed;
  posed.model_from_node.resize(2);
  posed.model_from_node[1].translation = {1, 2, 3};
  posed.palettes = {std::vector<Mat34d>(3), std::vector<Mat34d>(5)};
  EXPECT_EQ(PaletteOf(character, posed, 0).data(), posed.palettes[1].data());
  EXPECT_EQ(PaletteOf(character, posed, 0).size(), 5u);
  EXPECT_EQ(PaletteOf(character, posed, 1).data(), posed.palettes[1].data());
  ASSERT_EQ(PaletteOf(character, posed, 2).size(), 1u);
  EXPECT_EQ(PaletteOf(character, posed, 2)[0], posed.model_from_node[1]);
  ASSERT_EQ(PaletteOf(character, posed, 3).size(), 1u);
  EXPECT_EQ(PaletteOf(character, posed, 3)[0], Mat34d{});
}

}  // namespace
}  // namespace flexor::asset
