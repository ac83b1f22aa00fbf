#include <cmath>
#include <limits>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flexor/pose/pose.h"

namespace flexor::pose {
namespace {

using asset::Character;
using ::testing::HasSubstr;
using Kind = Override::Kind;

Character MakeCharacter() {
  Character c;
  c.nodes.resize(3);
  c.nodes[0].name = "hips";
  c.nodes[1].name = "a=b";
  c.nodes[2].name = "elbow_L";
  c.nodes[2].parent = 0;
  c.nodes[2].rest.rotation = FromAxisAngle(Vec3d{0, 0, 1}, std::numbers::pi / 2);
  c.meshes.resize(2);
  c.meshes[0].morphs.resize(2);
  c.meshes[0].morphs[0].name = "smile";
  c.meshes[0].morphs[1].name = "blink";
  c.meshes[1].morphs.resize(1);
  c.meshes[1].morphs[0].name = "blink";
  c.instances.resize(2);
  c.instances[1].mesh = 1;
  EXPECT_TRUE(asset::Finalize(c).ok());
  return c;
}

TEST(ParseOverride, ReadsEveryKind) {
  const auto rotate = ParseOverride(Kind::kRotate, "elbow_L=0, 1,-0.5,+90");
  ASSERT_TRUE(rotate.ok());
  EXPECT_EQ(rotate->target, "elbow_L");
  EXPECT_EQ(rotate->value, (Vec4d{0, 1, -0.5, 90}));
  EXPECT_EQ(ParseOverride(Kind::kTranslate, "x=1e-2,2,3")->value, (Vec4d{0.01, 2, 3, 0}));
  EXPECT_EQ(ParseOverride(Kind::kScale, "x=1,2,3")->kind, Kind::kScale);
  EXPECT_EQ(ParseOverride(Kind::kMorph, "smile=-0.25")->value.x, -0.25);
}

TEST(ParseOverride, TheLastEqualsSignSplits) {
  const auto item = ParseOverride(Kind::kTranslate, "a=b=1,2,3");
  ASSERT_TRUE(item.ok());
  EXPECT_EQ(item->target, "a=b");
}

TEST(ParseOverride, SaysWhatWasExpectedAndWhatCame) {
  const std::pair<const char*, const char*> bad[] = {
      {"elbow", "there is no '='"},
      {"=1,2,3,4", "no name"},
      {"elbow=1,2,3", "3 numbers where 4 are needed"},
      {"elbow=1,2,3,4,5", "5 numbers where 4 are needed"},
      {"elbow=1,2,,4", "'' is not a finite number"},
      {"elbow=1,2,x,4", "'x' is not a finite number"},
      {"elbow=1,2,3,4deg", "'4deg' is not a finite number"},
      {"elbow=nan,0,0,1", "'nan' is not a finite number"},
      {"elbow=inf,0,0,1", "'inf' is not a finite number"},
      {"elbow=0,0,0,90", "the axis is zero"},
      {"elbow=", "'' is not a finite number"},
  };
  for (const auto& [text, words] : bad) {
    const auto result = ParseOverride(Kind::kRotate, text);
    ASSERT_FALSE(result.ok()) << text;
    EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(result.error().message, HasSubstr(words));
    EXPECT_THAT(result.error().message, HasSubstr("expected JOINT=x,y,z,DEGREES"));
    EXPECT_THAT(result.error().message, HasSubstr(text));
  }
  EXPECT_THAT(ParseOverride(Kind::kMorph, "smile=1,2").error().message,
              HasSubstr("2 numbers where 1 is needed"));
}

TEST(ApplyOverrides, RotationActsInTheNodesOwnSpace) {
  const Character c = MakeCharacter();
  Pose pose = RestPose(c);
  const Override item{Kind::kRotate, "elbow_L", {2, 0, 0, 90}};  // the axis may have any length
  ASSERT_TRUE(ApplyOverrides(c, {&item, 1}, pose).ok());
  // Rest turns x to y; turning about the own x afterwards leaves that, and takes y to z.
  const Vec3d x = Rotate(pose.locals[2].rotation, Vec3d{1, 0, 0});
  const Vec3d y = Rotate(pose.locals[2].rotation, Vec3d{0, 1, 0});
  EXPECT_NEAR(x.y, 1, 1e-15);
  EXPECT_NEAR(y.z, 1, 1e-15);
}

TEST(ApplyOverrides, TheyAddUpInOrder) {
  const Character c = MakeCharacter();
  Pose pose = RestPose(c);
  const Override items[] = {{Kind::kTranslate, "hips", {1, 2, 3, 0}},
                            {Kind::kTranslate, "0", {1, 0, 0, 0}},
                            {Kind::kScale, "hips", {2, 1, 0, 0}},
                            {Kind::kScale, "hips", {3, 1, 1, 0}}};
  ASSERT_TRUE(ApplyOverrides(c, items, pose).ok());
  EXPECT_EQ(pose.locals[0].translation, (Vec3d{2, 2, 3}));
  EXPECT_EQ(pose.locals[0].scale, (Vec3d{6, 1, 0}));
}

TEST(ApplyOverrides, MorphsOnEveryInstanceThatHasThem) {
  const Character c = MakeCharacter();
  Pose pose = RestPose(c);
  const Override items[] = {{Kind::kMorph, "blink", {0.5, 0, 0, 0}},
                            {Kind::kMorph, "0", {0.25, 0, 0, 0}}};
  ASSERT_TRUE(ApplyOverrides(c, items, pose).ok());
  EXPECT_EQ(pose.morph_weights[0], (std::vector<float>{0.25f, 0.5f}));
  EXPECT_EQ(pose.morph_weights[1], (std::vector<float>{0.25f}));
}

TEST(ApplyOverrides, AnErrorLeavesThePoseUntouched) {
  const Character c = MakeCharacter();
  Pose pose = RestPose(c);
  const std::pair<Override, const char*> bad[] = {
      {{Kind::kRotate, "elbow_l", {1, 0, 0, 9}}, "did you mean 'elbow_L'?"},
      {{Kind::kRotate, "hips", {0, 0, 0, 9}}, "zero axis"},
      {{Kind::kRotate, "3", {1, 0, 0, 9}}, "there are 3 nodes"},
      {{Kind::kMorph, "smle", {1, 0, 0, 0}}, "did you mean 'smile'?"},
      {{Kind::kMorph, "2", {1, 0, 0, 0}}, "the most on one mesh are 2"},
      {{Kind::kScale, "hips", {1, std::numeric_limits<double>::infinity(), 0, 0}}, "not finite"},
  };
  for (const auto& [item, words] : bad) {
    const Override items[] = {{Kind::kTranslate, "hips", {1, 1, 1, 0}}, item};
    const Status status = ApplyOverrides(c, items, pose);
    ASSERT_FALSE(status.ok()) << words;
    EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(status.error().message, HasSubstr(words));
    EXPECT_EQ(pose.locals, RestPose(c).locals);
    EXPECT_EQ(pose.morph_weights, RestPose(c).morph_weights);
  }
}

TEST(RestPose, TakesInstanceWeightsAndMatrices) {
  Character c = MakeCharacter();
  c.instances[0].morph_weights = {0.1f, 0.2f};
  c.nodes[1].rest_matrix = Mat34d{};
  const Pose pose = RestPose(c);
  EXPECT_EQ(pose.morph_weights[0], (std::vector<float>{0.1f, 0.2f}));
  EXPECT_EQ(pose.uses_matrix, (std::vector<bool>{false, true, false}));
  EXPECT_EQ(pose.locals[2], c.nodes[2].rest);
}

}  // namespace
}  // namespace flexor::pose
