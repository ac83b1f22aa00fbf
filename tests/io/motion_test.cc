#include "flexor/io/motion.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flexor/io/mmd/text_cp932.h"
#include "flexor/io/mmd/vmd.h"
#include "flexor/io/mmd/vpd.h"

namespace flexor::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

asset::Character Rigged() {
  asset::Character character;
  character.mmd.emplace();
  for (const char* name : {"センター", "左足", "とても長い名前の骨です", "センター"}) {
    asset::Node node;
    node.name = name;
    node.rest.translation = {0, 1, 0};
    character.nodes.push_back(node);
    asset::MmdBone bone;
    bone.match_name = mmd::MatchBytes(name);
    character.mmd->bones.push_back(bone);
  }
  asset::MmdIk ik;
  ik.goal = 1;
  ik.effector = 2;
  ik.links.resize(1);
  character.mmd->ik.push_back(ik);
  character.mmd->bones[1].ik = 0;
  asset::MmdMorph morph;
  morph.name = "笑い";
  morph.match_name = mmd::MatchBytes(morph.name);
  character.mmd->morphs.push_back(morph);
  EXPECT_TRUE(asset::Finalize(character).ok());
  return character;
}

mmd::VmdBoneKey Key(std::string_view name, std::uint32_t frame, Vec3f at = {},
                    Quatf turn = {0, 0, 0, 1}) {
  mmd::VmdBoneKey key;
  key.name.set(mmd::EncodeCp932(name).bytes);
  key.frame = frame;
  key.translation = at;
  key.rotation = turn;
  key.set_curves({});
  return key;
}

struct Bound {
  asset::Character character = Rigged();
  Diagnostics diagnostics;
  MotionReport report;
  const asset::Clip& clip() const { return character.clips.at(0); }
};

Bound Bind(const mmd::VmdMotion& motion) {
  Bound bound;
  const auto bytes = mmd::WriteVmd(motion);
  EXPECT_TRUE(bytes.ok());
  const auto report =
      AddMotionFromMemory(*bytes, "踊り/walk.vmd", {}, bound.character, bound.diagnostics);
  EXPECT_TRUE(report.ok()) << report.error().ToString();
  if (report.ok()) bound.report = *report;
  return bound;
}

TEST(MotionTest, KeysAreSortedAndTheLaterOfTwoCounts) {
  mmd::VmdMotion motion;
  motion.bones = {Key("センター", 60, {0, 0, 1}), Key("センター", 0, {1, 0, 0}),
                  Key("センター", 60, {0, 2, 3})};
  const Bound bound = Bind(motion);
  EXPECT_EQ(bound.clip().name, "walk");
  EXPECT_EQ(bound.clip().frames_per_second, 30);
  EXPECT_EQ(bound.clip().end_time, 2);
  const asset::Channel& move = bound.clip().channels.at(0);
  EXPECT_EQ(move.path, asset::ChannelPath::kTranslation);
  EXPECT_EQ(move.target, 0u) << "the first of two bones of that name";
  EXPECT_THAT(move.times, ElementsAre(0, 2));
  // Offsets in metres, Z mirrored, from the rest position (0, 1, 0), which no float has touched.
  EXPECT_NEAR(move.base.y, 1, 1e-6);
  EXPECT_EQ(move.base, bound.character.nodes[0].rest.translation);
  EXPECT_FLOAT_EQ(move.values[0], 0.08f);
  EXPECT_FLOAT_EQ(move.values[4], 0.16f);
  EXPECT_FLOAT_EQ(move.values[5], -0.24f);
}

TEST(MotionTest, CurvesBelongToTheirComponents) {
  mmd::VmdMotion motion;
  motion.bones = {Key("センター", 0, {1, 1, 1})};
  mmd::VmdBoneCurves curves;
  curves.y = {0, 127, 64, 127};
  curves.rotation = {10, 20, 30, 40};
  motion.bones[0].set_curves(curves);
  const Bound bound = Bind(motion);
  const std::vector<float>& move = bound.clip().channels.at(0).controls;
  ASSERT_EQ(move.size(), 12u);
  EXPECT_FLOAT_EQ(move[0], 20 / 127.0f);
  EXPECT_FLOAT_EQ(move[4], 0);
  EXPECT_FLOAT_EQ(move[5], 1);
  EXPECT_FLOAT_EQ(move[6], 64 / 127.0f);
  const std::vector<float>& turn = bound.clip().channels.at(1).controls;
  ASSERT_EQ(turn.size(), 4u);
  EXPECT_FLOAT_EQ(turn[3], 40 / 127.0f);
}

TEST(MotionTest, AZeroQuaternionIsNoRotation) {
  mmd::VmdMotion motion;
  motion.bones = {Key("左足", 0, {}, {0, 0, 0, 0}), Key("左足", 1, {}, {0.6f, 0, 0, 0.8f})};
  const Bound bound = Bind(motion);
  ASSERT_EQ(bound.clip().channels.size(), 1u) << "a bone that never moves has no translation";
  const asset::Channel& turn = bound.clip().channels[0];
  EXPECT_THAT(turn.values,
              ElementsAre(0, 0, 0, 1, testing::FloatEq(-0.6f), 0, 0, testing::FloatEq(0.8f)));
}

TEST(MotionTest, LongNamesMatchByTheBytesThatFit) {
  mmd::VmdMotion motion;
  motion.bones = {Key("とても長い名前の骨です", 0)};
  const Bound bound = Bind(motion);
  EXPECT_EQ(bound.report.bones, 1u);
  EXPECT_EQ(bound.clip().channels.at(0).target, 2u);
}

TEST(MotionTest, NamesThatAreNotThereAreCountedAndNamed) {
  mmd::VmdMotion motion;
  motion.bones = {Key("尻尾", 0), Key("尻尾", 5), Key("翼", 0)};
  mmd::VmdMorphKey morph;
  morph.name.set(mmd::EncodeCp932("怒り").bytes);
  motion.morphs = {morph};
  const Bound bound = Bind(motion);
  EXPECT_EQ(bound.report.unmatched_bones, 2u);
  EXPECT_EQ(bound.report.unmatched_morphs, 1u);
  ASSERT_EQ(bound.diagnostics.entries().size(), 2u);
  EXPECT_EQ(bound.diagnostics.entries()[0].code, "MOTION_BONE_UNMATCHED");
  EXPECT_THAT(bound.diagnostics.entries()[0].message, HasSubstr("'尻尾', '翼' (3 keys)"));
}

TEST(MotionTest, IkIsOnUntilItsFirstKeyAndJumps) {
  mmd::VmdMotion motion;
  mmd::VmdPropertyKey off;
  off.frame = 30;
  mmd::VmdIkState state;
  state.name.set(mmd::EncodeCp932("左足").bytes);
  state.enabled = 0;
  off.iks = {state};
  mmd::VmdPropertyKey on = off;
  on.frame = 60;
  on.iks[0].enabled = 1;
  motion.properties = {on, off};
  const Bound bound = Bind(motion);
  const asset::Channel& channel = bound.clip().channels.at(0);
  EXPECT_EQ(channel.path, asset::ChannelPath::kMmdIkEnabled);
  EXPECT_EQ(channel.interpolation, asset::Interpolation::kStep);
  EXPECT_THAT(channel.times, ElementsAre(0, 1, 2));
  EXPECT_THAT(channel.values, ElementsAre(1, 0, 1));
}

TEST(MotionTest, APoseIsAClipOfOneFrame) {
  mmd::VpdPose pose;
  pose.model_name = "模型.osm";
  pose.bones = {{"左足", "", {0, 0, 1}, {0, 0, 0, 1}}};
  pose.morphs = {{"笑い", "", 0.5f}};
  const auto bytes = mmd::WriteVpd(pose);
  ASSERT_TRUE(bytes.ok());
  asset::Character character = Rigged();
  Diagnostics diagnostics;
  const auto report = AddMotionFromMemory(*bytes, "stand.vpd", {}, character, diagnostics);
  ASSERT_TRUE(report.ok()) << report.error().ToString();
  EXPECT_EQ(report->bones, 1u);
  EXPECT_EQ(report->morphs, 1u);
  EXPECT_EQ(character.clips.at(0).end_time, 0);
}

TEST(MotionTest, OnlyMikuMikuDanceCharactersTakeMotions) {
  asset::Character character = Rigged();
  character.mmd.reset();
  character.source.format = "GLB 2.0";
  const auto bytes = mmd::WriteVmd({});
  ASSERT_TRUE(bytes.ok());
  Diagnostics diagnostics;
  const auto report = AddMotionFromMemory(*bytes, "a.vmd", {}, character, diagnostics);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(report.error().message, HasSubstr("GLB 2.0"));
  EXPECT_TRUE(character.clips.empty());
}

}  // namespace
}  // namespace flexor::io
