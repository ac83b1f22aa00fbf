#include "flexor/pose/poser.h"

#include <algorithm>
#include <limits>
#include <random>

#include <gmock/gmock.h>

#include "flexor/asset/sample.h"
#include "flexor/pose/palette.h"

#include "pose/swinging.h"
#include "support/allocation_count.h"

namespace flexor::pose {
namespace {

using asset::Character;
using asset::PosedCharacter;
using testing::HasSubstr;

Character Sample(std::string_view name) {
  auto character = asset::MakeSample(name);
  EXPECT_TRUE(character.ok());
  return std::move(character).value();
}

Poser PoserOf(const Character& character, const PoserSettings& settings = {}) {
  auto poser = Poser::Create(character, settings);
  EXPECT_TRUE(poser.ok()) << (poser.ok() ? "" : poser.error().ToString());
  return std::move(*poser);
}

PosedCharacter At(Poser& poser, std::optional<std::uint32_t> clip, double seconds,
                  SimulationState* state = nullptr) {
  PosedCharacter out;
  const Status status = poser.Evaluate(clip, seconds, state, out);
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().ToString());
  return out;
}

/// A leg that IK bends, with an append and keys of which none lies on its neighbour.
Character Walking() {
  MmdRigBuilder rig = LegRig();
  asset::Clip clip;
  asset::Channel goal;
  goal.interpolation = asset::Interpolation::kBezier;
  goal.target = 7;
  goal.base = {0.1, 0.1, 0};
  asset::Channel thigh;
  thigh.path = asset::ChannelPath::kRotation;
  thigh.target = 1;
  thigh.components = 4;
  for (int key = 0; key <= 4; ++key) {
    const double phase = key * std::numbers::pi / 2;
    goal.times.push_back(key * 0.5);
    for (const double v : {0.0, 0.05 + 0.1 * std::sin(phase), 0.3 * std::cos(phase)}) {
      goal.values.push_back(static_cast<float>(v));
    }
    for (int curve = 0; curve < 3; ++curve) {
      for (const float v : {0.4f, 0.1f, 0.6f, 0.9f}) goal.controls.push_back(v);
    }
    thigh.times.push_back(key * 0.5);
    const Quatd q = AboutX(20 * std::sin(phase)) * AboutY(10 * std::cos(phase));
    for (const double v : {q.x, q.y, q.z, q.w}) thigh.values.push_back(static_cast<float>(v));
  }
  clip.channels = {goal, thigh};
  rig.character().clips = {clip};
  return rig.Build();
}

TEST(Poser, IsClipThenOverridesThenModelSpace) {
  const Character c = Sample("figure");
  PoserSettings settings;
  settings.overrides = {*ParseOverride(Override::Kind::kRotate, c.nodes[3].name + "=0,1,0,20"),
                        *ParseOverride(Override::Kind::kTranslate, c.nodes[0].name + "=0,0,1")};
  Poser poser = PoserOf(c, settings);
  for (const double seconds : {0.0, 0.4, 1.7}) {
    Pose pose = RestPose(c);
    SampleClip(c.clips[0], seconds, pose);
    ASSERT_TRUE(ApplyOverrides(c, settings.overrides, pose).ok());
    std::vector<Mat34d> model_from_node;
    ComputeModelSpace(c, pose, model_from_node);
    const PosedCharacter posed = At(poser, 0, seconds);
    EXPECT_EQ(posed.seconds, seconds);
    EXPECT_EQ(posed.locals, pose.locals);
    EXPECT_EQ(posed.uses_matrix, pose.uses_matrix);
    EXPECT_EQ(posed.morph_weights, pose.morph_weights);
    EXPECT_EQ(posed.model_from_node, model_from_node);
    ASSERT_EQ(posed.palettes.size(), c.skins.size());
  }
  EXPECT_EQ(At(poser, std::nullopt, 1.7).seconds, 0);
}

TEST(Poser, SolvesMmdRigsAsTheSolverDoes) {
  const Character c = Walking();
  for (const MmdDialect dialect : kAllDialects) {
    PoserSettings settings;
    settings.mmd.dialect = dialect;
    settings.stages = true;
    Poser poser = PoserOf(c, settings);
    for (const double seconds : {0.0, 0.3, 1.1}) {
      Pose pose = RestPose(c);
      SampleClip(c.clips[0], seconds, pose);
      const Solved solved = Solve(c, pose, dialect);
      EXPECT_EQ(At(poser, 0, seconds).model_from_node, solved.world);
      EXPECT_EQ(poser.stages().after_physics, solved.stages.after_physics);
      EXPECT_EQ(poser.stages().ik, solved.stages.ik);
    }
  }
}

// What a learned feature or a driver reads of a bone is what is shown, not what was keyed.
TEST(Poser, SolvedLocalsComposeToModelSpace) {
  const auto compose = [](const Character& c, const PosedCharacter& posed) {
    Pose pose;
    pose.locals = posed.locals;
    pose.uses_matrix = posed.uses_matrix;
    std::vector<Mat34d> out;
    ComputeModelSpace(c, pose, out);
    return out;
  };
  const Character walking = Walking();
  Poser walker = PoserOf(walking);
  const PosedCharacter walked = At(walker, 0, 0.7);
  EXPECT_EQ(compose(walking, walked), walked.model_from_node);
  Pose keyed = RestPose(walking);
  SampleClip(walking.clips[0], 0.7, keyed);
  EXPECT_GT(AngleBetween(walked.locals[2].rotation, keyed.locals[2].rotation), 0.1) << "the knee";
  EXPECT_EQ(walked.locals[5].rotation, walked.locals[1].rotation) << "an append";

  const Character swinging = Swinging();
  Poser swinger = PoserOf(swinging);
  SimulationState state = *swinger.MakeState();
  const PosedCharacter swung = At(swinger, 0, 0.6, &state);
  EXPECT_EQ(compose(swinging, swung), swung.model_from_node);

  Character matrix = Sample("twist");
  matrix.nodes[0].rest_matrix = Mat34d{{{1, 0, 0}, {0.5, 1, 0}, {0, 0, 1}}, {1, 2, 3}};
  ASSERT_TRUE(asset::Finalize(matrix).ok());
  Poser still = PoserOf(matrix);
  const PosedCharacter stands = At(still, std::nullopt, 0);
  EXPECT_TRUE(stands.uses_matrix[0]);
  EXPECT_EQ(compose(matrix, stands), stands.model_from_node);
}

TEST(Poser, AFrameAloneIsTheFrameInAnyOrder) {
  for (const Character& c : {Sample("figure"), Walking()}) {
    Poser poser = PoserOf(c);
    std::vector<PosedCharacter> forward;
    for (int f = 0; f <= 40; ++f) forward.push_back(At(poser, 0, f / 30.0));
    EXPECT_NE(forward[3].model_from_node, forward[30].model_from_node);
    std::vector<std::size_t> order(forward.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = order.size() - 1 - i;
    PosedCharacter again;
    for (int round = 0; round < 2; ++round) {
      for (const std::size_t f : order) {
        ASSERT_TRUE(poser.Evaluate(0, static_cast<double>(f) / 30, nullptr, again).ok());
        ASSERT_EQ(again.model_from_node, forward[f].model_from_node) << f;
        ASSERT_EQ(again.locals, forward[f].locals) << f;
        ASSERT_EQ(again.morph_weights, forward[f].morph_weights) << f;
        ASSERT_EQ(again.palettes, forward[f].palettes) << f;
      }
      std::shuffle(order.begin(), order.end(), std::mt19937(5));
    }
    Poser fresh = PoserOf(c);
    EXPECT_EQ(At(fresh, 0, 30 / 30.0).model_from_node, forward[30].model_from_node);
  }
}

TEST(Poser, InstancesOfOneSkinShareItsPalette) {
  Character c = Sample("elbow");
  c.instances.push_back(c.instances[0]);
  c.instances[1].name = "again";
  c.skins.push_back(c.skins[0]);
  c.skins[1].joint_from_mesh[0].translation.x += 1;
  c.instances.push_back(c.instances[0]);
  c.instances[2].name = "other";
  c.instances[2].skin = 1;
  ASSERT_TRUE(asset::Finalize(c).ok());
  Poser poser = PoserOf(c);
  const PosedCharacter posed = At(poser, 0, 1);
  ASSERT_EQ(posed.palettes.size(), 2u);
  EXPECT_EQ(PaletteOf(c, posed, 0).data(), PaletteOf(c, posed, 1).data());
  EXPECT_NE(PaletteOf(c, posed, 0).data(), PaletteOf(c, posed, 2).data());
  for (std::uint32_t i = 0; i < 3; ++i) {
    Palette wanted;
    ComputePalette(c, c.instances[i], posed.model_from_node, wanted);
    const std::span<const Mat34d> got = PaletteOf(c, posed, i);
    EXPECT_TRUE(std::equal(got.begin(), got.end(), wanted.begin(), wanted.end())) << i;
  }
}

TEST(Poser, AllocatesNothingAfterTheFirstFrame) {
  const Character figure = Sample("figure"), walking = Walking();
  PoserSettings settings;
  settings.stages = true;
  for (const Character* c : {&figure, &walking}) {
    settings.overrides = {*ParseOverride(Override::Kind::kRotate, c->nodes[1].name + "=0,1,0,20")};
    Poser poser = PoserOf(*c, settings);
    PosedCharacter out;
    ASSERT_TRUE(poser.Evaluate(0, 0, nullptr, out).ok());
    const std::size_t before = test::AllocationCount();
    bool good = true;
    for (int f = 1; f < 60; ++f) good = poser.Evaluate(0, f / 30.0, nullptr, out).ok() && good;
    good = poser.Evaluate(std::nullopt, 0, nullptr, out).ok() && good;
    const std::size_t after = test::AllocationCount();
    EXPECT_TRUE(good);
    EXPECT_EQ(after - before, 0u) << c->name;
  }
}

TEST(Poser, OverridesCanChange) {
  const Character c = Sample("twist");
  Poser poser = PoserOf(c);
  const PosedCharacter plain = At(poser, 0, 1);
  const Override turn = *ParseOverride(Override::Kind::kRotate, "upper=0,1,0,40");
  ASSERT_TRUE(poser.SetOverrides({&turn, 1}).ok());
  PoserSettings settings;
  settings.overrides = {turn};
  Poser made = PoserOf(c, settings);
  EXPECT_EQ(At(poser, 0, 1).locals, At(made, 0, 1).locals);
  Override wrong = turn;
  wrong.target = "uper";
  const Status refused = poser.SetOverrides({&wrong, 1});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("upper"));
  EXPECT_EQ(At(poser, 0, 1).locals, At(made, 0, 1).locals) << "the old ones stay";
  ASSERT_TRUE(poser.SetOverrides({}).ok());
  EXPECT_EQ(At(poser, 0, 1).locals, plain.locals);
}

TEST(Poser, SaysWhatIsWrongWithTheQuestion) {
  const Character c = Sample("twist");
  PoserSettings settings;
  settings.overrides = {{Override::Kind::kRotate, "uper", {0, 1, 0, 90}}};
  EXPECT_EQ(Poser::Create(c, settings).error().code, ErrorCode::kInvalidArgument);
  Poser poser = PoserOf(c);
  PosedCharacter out;
  EXPECT_EQ(poser.Evaluate(7, 0, nullptr, out).error().code, ErrorCode::kIndexOutOfRange);
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(poser.Evaluate(0, bad, nullptr, out).error().code, ErrorCode::kInvalidArgument);
  }
}

// Twice 1e308 is no number; the node is named, not a vertex that follows it.
TEST(Poser, RefusesAPoseBeyondNumbers) {
  const Character c = Sample("twist");
  PoserSettings settings;
  for (const char* name : {"lower", "upper"}) {
    settings.overrides.push_back({Override::Kind::kTranslate, name, {1e308, 0, 0, 0}});
  }
  Poser poser = PoserOf(c, settings);
  PosedCharacter out;
  const Status status = poser.Evaluate(std::nullopt, 0, nullptr, out);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kInvalidValue);
  EXPECT_THAT(status.error().ToString(), HasSubstr("node 'upper'"));
}

// A crowd on two threads: whichever poser comes next, a member's frames are its own.
TEST(Poser, PosersOfEqualSettingsAreInterchangeable) {
  FLEXOR_REQUIRE_PHYSICS();
  const Character c = Swinging();
  Poser one = PoserOf(c), other = PoserOf(c), alone = PoserOf(c);
  SimulationState first = *one.MakeState(), second = *one.MakeState(), kept = *one.MakeState();
  for (int f = 0; f <= 30; ++f) {
    Poser& now = f % 3 == 0 ? other : one;
    const PosedCharacter wanted = At(alone, 0, f / 30.0, &kept);
    EXPECT_EQ(At(now, 0, f / 30.0, &first).model_from_node, wanted.model_from_node);
    At(now, 1, f / 30.0, &second);
  }
  EXPECT_EQ(first.report().resets, kept.report().resets);
}

}  // namespace
}  // namespace flexor::pose
