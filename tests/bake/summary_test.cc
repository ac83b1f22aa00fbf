#include "flexor/bake/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flexor/asset/sample.h"

namespace flexor::bake {
namespace {

using testing::ElementsAre;

TEST(Summarize, CountsTheTwist) {
  const asset::Character character = std::move(asset::MakeSample("twist")).value();
  const auto summary = Summarize(character);
  ASSERT_TRUE(summary.ok()) << summary.error().ToString();
  EXPECT_EQ(summary->nodes, 3u);
  EXPECT_EQ(summary->joints, 2u);
  EXPECT_EQ(summary->vertices, 60u);
  EXPECT_EQ(summary->triangles, 96u);
  ASSERT_EQ(summary->instances.size(), 1u);
  EXPECT_THAT(summary->instances[0].influences, ElementsAre(0, 48, 12));
  EXPECT_LT(summary->instances[0].rest_deviation_mm, 1e-3);
  EXPECT_FLOAT_EQ(summary->rest_box.Size().y, 4);
  ASSERT_EQ(summary->clips.size(), 1u);
  EXPECT_EQ(summary->clips[0].frames, 61u);
  EXPECT_EQ(summary->clips[0].nodes, 1u);
  EXPECT_THAT(summary->unused_skins, ElementsAre());
}

TEST(Summarize, FindsUnusedSkinsAndRestPosesThatAreNotTheBindPose) {
  asset::Character character = std::move(asset::MakeSample("twist")).value();
  character.skins.push_back(character.skins[0]);
  character.skins[1].name = "spare";
  // The upper joint rests a quarter turned, so the rest pose twists the mesh.
  character.nodes[1].rest.rotation = FromAxisAngle(Vec3d{0, 1, 0}, 1.5707963267948966);
  ASSERT_TRUE(asset::Finalize(character).ok());
  const auto summary = Summarize(character);
  ASSERT_TRUE(summary.ok());
  EXPECT_THAT(summary->unused_skins, ElementsAre("spare"));
  // A point at radius 0.5 moves by the chord of a quarter circle.
  EXPECT_NEAR(summary->instances[0].rest_deviation_mm, 500 * std::sqrt(2.0), 0.01);
}

TEST(Summarize, MovingTheWholeCharacterIsNoDeviation) {
  asset::Character character = std::move(asset::MakeSample("twist")).value();
  character.nodes[0].rest.translation = {3, 0, 0};
  character.nodes[0].rest.rotation = FromAxisAngle(Vec3d{1, 0, 0}, -1.5707963267948966);
  ASSERT_TRUE(asset::Finalize(character).ok());
  EXPECT_LT(Summarize(character)->instances[0].rest_deviation_mm, 0.01);
}

TEST(Summarize, ACharacterWithoutMeshesIsNoError) {
  asset::Character character;
  character.nodes.resize(2);
  character.nodes[1].parent = 0;
  ASSERT_TRUE(asset::Finalize(character).ok());
  const auto summary = Summarize(character);
  ASSERT_TRUE(summary.ok());
  EXPECT_EQ(summary->nodes, 2u);
  EXPECT_TRUE(summary->rest_box.empty());
}

}  // namespace
}  // namespace flexor::bake
