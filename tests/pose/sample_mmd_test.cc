#include "pose/mmd_rigs.h"

namespace flexor::pose {
namespace {

using asset::Channel;
using asset::ChannelPath;
using asset::Character;
using asset::Interpolation;

// A leg with one channel.
Character WithChannel(Channel channel) {
  MmdRigBuilder rig = LegRig();
  rig.rig().morphs.resize(2);
  rig.character().clips.resize(1);
  rig.character().clips[0].channels.push_back(std::move(channel));
  return rig.Build();
}

Pose At(const Character& c, double seconds) {
  Pose pose = RestPose(c);
  SampleClip(c.clips[0], seconds, pose);
  return pose;
}

Channel Bezier(ChannelPath path, std::vector<double> times, std::vector<float> values,
               std::vector<float> controls) {
  Channel channel;
  channel.path = path;
  channel.interpolation = Interpolation::kBezier;
  channel.target = 1;
  channel.components = path == ChannelPath::kRotation ? 4 : path == ChannelPath::kMmdMorph ? 1 : 3;
  channel.times = std::move(times);
  channel.values = std::move(values);
  channel.controls = std::move(controls);
  return channel;
}

TEST(SampleMmd, RestPoseHasNoMorphsAndAllIk) {
  const Pose pose = RestPose(LegRig().Build());
  EXPECT_EQ(pose.mmd_ik_enabled, std::vector<bool>{true});
  EXPECT_TRUE(pose.mmd_morphs.empty());
  EXPECT_TRUE(RestPose(Character{}).mmd_ik_enabled.empty());
}

// Each component of a translation has its own curve: x straight, y (0.5,0)(0.5,1), z upright.
TEST(SampleMmd, EveryComponentIsEasedByItsOwnCurveOfTheLaterKey) {
  const Character c = WithChannel(Bezier(
      ChannelPath::kTranslation, {0, 1}, {0, 0, 0, 10, 10, 10},
      {0,     1,     0,     1,     0,    1, 0,    1, 0, 1, 0, 1,  // the first key's own: never used
       0.25f, 0.25f, 0.75f, 0.75f, 0.5f, 0, 0.5f, 1, 1, 0, 0, 1}));
  const Vec3d at = At(c, 0.25).locals[1].translation;
  EXPECT_DOUBLE_EQ(at.x, 2.5);
  // By 40-digit bisection.
  EXPECT_NEAR(At(c, 0.2).locals[1].translation.y, 0.64495032393, 1e-9);
  EXPECT_NEAR(At(c, 0.4).locals[1].translation.z, 1.11397339268, 1e-9);
  EXPECT_EQ(At(c, 0).locals[1].translation, (Vec3d{0, 0, 0}));
  EXPECT_EQ(At(c, 1).locals[1].translation, (Vec3d{10, 10, 10}));
  EXPECT_EQ(At(c, -1).locals[1].translation, (Vec3d{0, 0, 0}));
  EXPECT_EQ(At(c, 9).locals[1].translation, (Vec3d{10, 10, 10}));
}

TEST(SampleMmd, ARotationHasOneCurveAndSlerps) {
  const float half = static_cast<float>(std::sqrt(0.5));
  for (const float sign : {1.0f, -1.0f}) {
    const Character c = WithChannel(Bezier(ChannelPath::kRotation, {0, 2},
                                           {0, 0, 0, 1, sign * half, 0, 0, sign * half},
                                           {0, 0, 1, 1, 0.5f, 0, 0.5f, 1}));
    EXPECT_NEAR(AngleBetween(At(c, 0.4).locals[1].rotation, AboutX(90 * 0.064495032393)), 0, 1e-7);
    EXPECT_NEAR(AngleBetween(At(c, 1.0).locals[1].rotation, AboutX(45)), 0, 1e-7);
  }
}

TEST(SampleMmd, SegmentsWithoutLengthJump) {
  const Character c =
      WithChannel(Bezier(ChannelPath::kTranslation, {0, 1, 1, 2},
                         {0, 0, 0, 1, 1, 1, 5, 5, 5, 6, 6, 6}, std::vector<float>(48, 0.5f)));
  EXPECT_EQ(At(c, 1).locals[1].translation, (Vec3d{5, 5, 5}));
  EXPECT_NEAR(At(c, 1 - 1e-5).locals[1].translation.x, 1, 1.1e-5);
  EXPECT_NEAR(At(c, 1.5).locals[1].translation.x, 5.5, 1e-12);
}

TEST(SampleMmd, MorphsAreLinearAndIkIsAStep) {
  Channel morph = Bezier(ChannelPath::kMmdMorph, {0, 1}, {0.5f, 1.5f}, {});
  morph.interpolation = Interpolation::kLinear;
  EXPECT_FLOAT_EQ(At(WithChannel(morph), 0.25).mmd_morphs[1], 0.75f);
  EXPECT_EQ(At(WithChannel(morph), 0.25).mmd_morphs[0], 0);
  EXPECT_EQ(At(WithChannel(morph), 8).mmd_morphs[1], 1.5f);

  Channel ik = Bezier(ChannelPath::kMmdIkEnabled, {0, 1, 2}, {1, 0, 1}, {});
  ik.interpolation = Interpolation::kStep;
  ik.target = 0;
  ik.components = 1;
  const Character c = WithChannel(ik);
  EXPECT_TRUE(At(c, 29.0 / 30).mmd_ik_enabled[0]);
  EXPECT_FALSE(At(c, 30.0 / 30).mmd_ik_enabled[0]);
  EXPECT_FALSE(At(c, 1.999).mmd_ik_enabled[0]);
  EXPECT_TRUE(At(c, 5).mmd_ik_enabled[0]);
}

TEST(SampleMmd, OverridesReachSlidersByName) {
  MmdRigBuilder rig = LegRig();
  rig.character().meshes.resize(1);
  rig.character().meshes[0].morphs.resize(2);
  rig.character().meshes[0].morphs[0].name = "smile";
  rig.character().meshes[0].morphs[1].name = "unowned";
  rig.character().instances.resize(1);
  asset::MmdMorph smile;
  smile.name = "smile";
  smile.kind = asset::MmdMorphKind::kVertex;
  smile.mesh_morph = 0;
  rig.rig().morphs = {smile};
  const Character c = rig.Build();
  Pose pose = RestPose(c);
  const Override items[] = {{Override::Kind::kMorph, "smile", {0.5, 0, 0, 0}},
                            {Override::Kind::kMorph, "unowned", {0.25, 0, 0, 0}}};
  ASSERT_TRUE(ApplyOverrides(c, items, pose).ok());
  EXPECT_EQ(pose.mmd_morphs[0], 0.5f);
  const Solved solved = Solve(c, pose);
  // Once, not twice.
  EXPECT_EQ(solved.pose.morph_weights[0], (std::vector<float>{0.5f, 0.25f}));

  const Override wrong[] = {{Override::Kind::kMorph, "smyle", {1, 0, 0, 0}}};
  const Status status = ApplyOverrides(c, wrong, pose);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "no morph is named 'smyle'; did you mean 'smile'?");
}

}  // namespace
}  // namespace flexor::pose
