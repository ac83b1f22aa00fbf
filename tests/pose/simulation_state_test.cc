#include "flexor/pose/simulation_state.h"

#include <cstring>

#include <gmock/gmock.h>

#include "flexor/pose/poser.h"

#include "pose/swinging.h"

namespace flexor::pose {
namespace {

using asset::Character;
using asset::PosedCharacter;
using testing::HasSubstr;

std::size_t CountOf(const SimulationState& state, ResetCause cause) {
  return state.report().resets[static_cast<std::size_t>(cause)];
}

/// One character with its poser and state.
struct Member {
  explicit Member(const Character& of, const PoserSettings& settings = {})
      : poser(*Poser::Create(of, settings)), state(*poser.MakeState()) {}

  const std::vector<Mat34d>& At(double seconds, std::uint32_t clip = 0) {
    const Status status = poser.Evaluate(clip, seconds, &state, posed);
    EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().ToString());
    return posed.model_from_node;
  }

  Poser poser;
  SimulationState state;
  PosedCharacter posed;
};

TEST(SimulationState, WithoutBodiesThereIsNothing) {
  const Character leg = LegRig().Build();
  const auto none = SimulationState::Create(leg);
  ASSERT_TRUE(none.ok());
  EXPECT_FALSE(none->simulates());
  EXPECT_EQ(none->report().ticks, 0u);
  const auto saved = none->Save();
  ASSERT_TRUE(saved.ok());
  SimulationState other;
  EXPECT_TRUE(other.Restore(*saved).ok());
  EXPECT_FALSE(SimulationState::Create(Character{})->simulates());
  Character follows = Swinging();
  for (asset::MmdBody& body : follows.mmd->bodies) body.mode = asset::MmdBodyMode::kFollowBone;
  EXPECT_FALSE(SimulationState::Create(follows)->simulates());
}

TEST(SimulationState, IsUsedAsAskedFor) {
  const Character c = Swinging();
  SimulationSettings settings;
  settings.use = SimulationUse::kOff;
  EXPECT_FALSE(SimulationState::Create(c, settings)->simulates());
  settings.use = SimulationUse::kAuto;
  EXPECT_EQ(SimulationState::Create(c, settings)->simulates(), HasMmdPhysics());
  settings.use = SimulationUse::kOn;
  const auto on = SimulationState::Create(c, settings);
  if (HasMmdPhysics()) {
    EXPECT_TRUE(on->simulates());
  } else {
    EXPECT_EQ(on.error().code, ErrorCode::kBackendMissing);
  }
}

TEST(SimulationState, RefusesSettingsWithoutMeaning) {
  FLEXOR_REQUIRE_PHYSICS();
  const Character c = Swinging();
  const auto code = [&](auto set) {
    SimulationSettings settings;
    set(settings);
    const auto state = SimulationState::Create(c, settings);
    return state.ok() ? ErrorCode::kInternal : state.error().code;
  };
  EXPECT_EQ(code([](auto& s) { s.warm_up_seconds = -1; }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code([](auto& s) { s.teleport_speed = 0; }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code([](auto& s) { s.most_seconds = NAN; }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code([](auto& s) { s.checkpoint_ticks = -1; }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code([](auto& s) { s.mmd.steps_per_second = 0; }), ErrorCode::kInvalidArgument);
}

TEST(SimulationState, AFrameAloneIsTheFrameInAnyOrder) {
  FLEXOR_REQUIRE_PHYSICS();
  const Character c = Swinging();
  Member forward(c);
  std::vector<std::vector<Mat34d>> frames;
  for (int f = 0; f <= 200; ++f) frames.push_back(forward.At(f / 30.0));
  EXPECT_GT(Distance(frames[15][3].translation, frames[0][3].translation), 0.1) << "it swings";
  Member any(c);
  for (const int f : {160, 155, 20, 20, 1, 0, 200, 199, 151, 149}) {
    EXPECT_EQ(any.At(f / 30.0), frames[static_cast<std::size_t>(f)]) << f;
  }
  EXPECT_EQ(forward.state.report().ticks, 801u);
}

// Common times of 24, 25, 30 and 60 frames a second, and of a frame that comes late.
TEST(SimulationState, EveryFrameRateGivesOneAnswer) {
  FLEXOR_REQUIRE_PHYSICS();
  const Character c = Swinging();
  Member by_second(c);
  std::vector<std::vector<Mat34d>> seconds;
  for (int s = 0; s <= 6; ++s) seconds.push_back(by_second.At(s));
  for (const int rate : {24, 25, 30, 60, 144}) {
    Member member(c);
    for (int f = 0; f <= 6 * rate; ++f) {
      const std::vector<Mat34d>& at = member.At(static_cast<double>(f) / rate);
      if (f % rate != 0) continue;
      EXPECT_EQ(at, seconds[static_cast<std::size_t>(f / rate)]) << rate;
    }
    EXPECT_EQ(member.state.report().ticks, by_second.state.report().ticks);
  }
}

TEST(SimulationState, ATimeIsItsNearestTick) {
  FLEXOR_REQUIRE_PHYSICS();
  const Character c = Swinging();
  Member member(c);
  const std::vector<Mat34d> tick = member.At(61 / 120.0);
  EXPECT_EQ(member.posed.seconds, 61 / 120.0);
  EXPECT_EQ(member.At(60.6 / 120), tick);
  EXPECT_EQ(member.posed.seconds, 61 / 120.0);
  EXPECT_EQ(member.At(61.4 / 120), tick);
  EXPECT_EQ(member.At(60.5 / 120), tick) << "of two the later";
  EXPECT_NE(member.At(61.6 / 120), tick);
  EXPECT_EQ(member.At(-3), member.At(0)) << "before the clip is its start";
}

TEST(SimulationState, BodiesSettleBeforeTheFirstFrame) {
  FLEXOR_REQUIRE_PHYSICS();
  const Character c = Swinging();
  Member warm(c);
  EXPECT_LT(warm.At(0)[2].translation.y, 1.15) << "it hangs";
  EXPECT_EQ(warm.state.report().ticks, 1u);
  EXPECT_EQ(warm.state.report().mmd.steps, 240u);
  PoserSettings settings;
  settings.simulation.warm_up_seconds = 0;
  Member cold(c, settings);
  EXPECT_NEAR(cold.At(0)[2].translation.y, 1.2, 1e-9);
}

TEST(SimulationState, TellsWhyItBeganAnew) {
  FLEXOR_REQUIRE_PHYSICS();
  const Character c = Swinging();
  Member member(c);
  member.At(0.5);
  EXPECT_EQ(CountOf(member.state, ResetCause::kStart), 1u);
  member.At(0.4);
  EXPECT_EQ(CountOf(member.state, ResetCause::kTimeBack), 1u);
  member.At(0.6, 1);
  EXPECT_EQ(CountOf(member.state, ResetCause::kOtherClip), 1u);
  member.state.Reset();
  member.At(0.7, 1);
  EXPECT_EQ(CountOf(member.state, ResetCause::kAsked), 1u);
  const Override item{Override::Kind::kTranslate, "bone0", {0, 0, 1, 0}};
  ASSERT_TRUE(member.poser.SetOverrides({&item, 1}).ok());
  member.At(0.7, 1);
  EXPECT_EQ(CountOf(member.state, ResetCause::kOtherPoser), 1u);
  ASSERT_TRUE(member.poser.Evaluate(std::nullopt, 0, &member.state, member.posed).ok());
  member.At(0.8, 1);
  std::size_t all = 0;
  for (const std::size_t count : member.state.report().resets) all += count;
  EXPECT_EQ(all, 5u) << "the rest pose between two frames is no reason";
  EXPECT_EQ(ResetCauseName(ResetCause::kTimeBack), "time back");
  EXPECT_EQ(ResetCauseName(ResetCause::kRunaway), "runaway");
}

TEST(SimulationState, EveryResetGivesTheSameFrames) {
  FLEXOR_REQUIRE_PHYSICS();
  const Character c = Swinging();
  Member fresh(c), used(c);
  const std::vector<Mat34d> wanted = fresh.At(0.75);
  used.At(2);
  used.At(1, 1);
  EXPECT_EQ(used.At(0.75), wanted) << "after another clip";
  used.At(2);
  EXPECT_EQ(used.At(0.75), wanted) << "after going back";
  used.state.Reset();
  EXPECT_EQ(used.At(0.75), wanted) << "after being asked to";
}

// A character that stands 20 m off in the next frame has its hair there as at the start.
TEST(SimulationState, AJumpIsNoMotion) {
  FLEXOR_REQUIRE_PHYSICS();
  Character c = Swinging();
  c.clips[0].channels = {
      Moving({0, 1, 1 + 1 / 30.0, 2}, {{0, 0, 0}, {0, 0, 0}, {20, 0, 0}, {20, 0, 0}}, {0, 1.2, 0})};
  ASSERT_TRUE(asset::Finalize(c).ok());
  Member member(c);
  const std::vector<Mat34d> before = member.At(0);
  member.At(1);
  EXPECT_EQ(CountOf(member.state, ResetCause::kTeleport), 0u);
  const std::vector<Mat34d> after = member.At(1 + 1 / 30.0);
  EXPECT_EQ(CountOf(member.state, ResetCause::kTeleport), 4u) << "one a tick of the jump";
  for (std::size_t b = 0; b < 4; ++b) {
    EXPECT_LT(Distance(after[b].translation - before[b].translation, Vec3d{20, 0, 0}), 1e-3) << b;
  }
  Member alone(c);
  EXPECT_EQ(alone.At(1 + 1 / 30.0), after);
  PoserSettings settings;
  settings.simulation.teleport_speed = 1e6;
  Member dragged(c, settings);
  const std::vector<Mat34d> torn = dragged.At(1 + 1 / 30.0);
  EXPECT_GT(Distance(torn[3].translation - before[3].translation, Vec3d{20, 0, 0}), 0.05);
  EXPECT_EQ(CountOf(dragged.state, ResetCause::kTeleport), 0u);
}

TEST(SimulationState, MayStartLateInAClip) {
  FLEXOR_REQUIRE_PHYSICS();
  const Character c = Swinging();
  Member late(c);
  late.state.Reset(5);
  const std::vector<Mat34d> at_six = late.At(6);
  EXPECT_EQ(late.state.report().ticks, 121u);
  late.At(6.5);
  EXPECT_EQ(late.At(6), at_six) << "going back keeps the start";
  Member again(c);
  again.state.Reset(5);
  again.At(5);
  again.At(5.5);
  EXPECT_EQ(again.At(6), at_six);
  Member whole(c);
  EXPECT_EQ(late.At(4), whole.At(4)) << "before the start the clip begins at 0";
}

TEST(SimulationState, RefusesFramesThatWouldTakeForEver) {
  FLEXOR_REQUIRE_PHYSICS();
  const Character c = Swinging();
  Member member(c);
  member.At(1);
  const Status status = member.poser.Evaluate(0, 1e6, &member.state, member.posed);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kLimitExceeded);
  EXPECT_THAT(status.error().message, HasSubstr("7200"));
  EXPECT_EQ(member.poser.Evaluate(0, 1e300, &member.state, member.posed).error().code,
            ErrorCode::kLimitExceeded);
  member.At(1.1);
  EXPECT_EQ(member.state.report().ticks, 133u) << "it went on where it was";
}

// --- Save and Restore ---------------------------------------------------------------------------

constexpr std::int64_t kEvery = 600;

PoserSettings WithCheckpoints() {
  PoserSettings settings;
  settings.simulation.checkpoint_ticks = kEvery;
  return settings;
}

// Wherever it is saved (at the start, before the first checkpoint, at checkpoints and after them),
// what was restored gives the frames of what was not.
TEST(SimulationState, ARestoredStateGoesOnToTheBit) {
  FLEXOR_REQUIRE_PHYSICS();
  const Character c = Swinging();
  for (const PoserSettings& settings : {PoserSettings{}, WithCheckpoints()}) {
    const bool checkpoints = settings.simulation.checkpoint_ticks != 0;
    for (const std::int64_t tick :
         {std::int64_t{0}, std::int64_t{77}, kEvery, kEvery + 1, 2 * kEvery, 2 * kEvery + 199}) {
      Member kept(c, settings), restored(c, settings);
      kept.At(static_cast<double>(tick) / 120);
      const auto saved = kept.state.Save();
      ASSERT_TRUE(saved.ok());
      ASSERT_TRUE(restored.state.Restore(*saved).ok());
      for (const int later : {0, 1, 2, 40, 650}) {
        const double seconds = static_cast<double>(tick + later) / 120;
        EXPECT_EQ(restored.At(seconds), kept.At(seconds)) << tick << " + " << later;
      }
      const auto ticks = static_cast<std::int64_t>(restored.state.report().ticks);
      EXPECT_LE(ticks, (checkpoints ? kEvery : tick) + 651) << tick;
      for (const std::size_t count : restored.state.report().resets) EXPECT_EQ(count, 0u);
      EXPECT_EQ(restored.At(0.5), kept.At(0.5)) << "back before what was saved";
    }
  }
}

TEST(SimulationState, GoesBackToACheckpoint) {
  FLEXOR_REQUIRE_PHYSICS();
  const Character c = Swinging();
  Member member(c, WithCheckpoints());
  std::vector<std::vector<Mat34d>> frames;
  for (const double seconds : {4.0, 9.0, 10.5}) frames.push_back(member.At(seconds));
  member.At(11);
  const std::size_t before = member.state.report().ticks;
  EXPECT_EQ(member.At(10.5), frames[2]);
  EXPECT_EQ(member.state.report().ticks - before, 60u);
  EXPECT_EQ(member.At(9), frames[1]) << "to the one before";
  EXPECT_EQ(CountOf(member.state, ResetCause::kTimeBack), 0u);
  EXPECT_EQ(member.At(4), frames[0]);
  EXPECT_EQ(CountOf(member.state, ResetCause::kTimeBack), 1u);
}

TEST(SimulationState, SavesTheStartThatWasAskedFor) {
  FLEXOR_REQUIRE_PHYSICS();
  const Character c = Swinging();
  Member kept(c), restored(c), running(c);
  kept.state.Reset(5);
  ASSERT_TRUE(restored.state.Restore(*kept.state.Save()).ok());
  EXPECT_EQ(restored.At(6), kept.At(6));
  ASSERT_TRUE(running.state.Restore(*kept.state.Save()).ok());
  EXPECT_EQ(running.At(6.5), kept.At(6.5));
}

TEST(SimulationState, IsAsLargeAsItSays) {
  FLEXOR_REQUIRE_PHYSICS();
  const Character c = Swinging();
  Member member(c, WithCheckpoints());
  EXPECT_LE(member.state.Save()->size(), 200u);
  member.At(6);
  const std::size_t size = member.state.Save()->size();
  EXPECT_GE(size, 4u * 256);
  EXPECT_LE(size, 4u * 256 + 200);
}

TEST(SimulationState, RefusesBytesThatAreNotWhole) {
  FLEXOR_REQUIRE_PHYSICS();
  const Character c = Swinging();
  Member member(c, WithCheckpoints());
  member.At(6);
  const std::vector<Mat34d> before = member.At(6.1);
  const std::vector<std::byte> saved = *member.state.Save();
  for (std::size_t size = 0; size < saved.size(); ++size) {
    const Status status = member.state.Restore(std::span(saved).first(size));
    ASSERT_FALSE(status.ok()) << size;
    ASSERT_EQ(status.error().code, ErrorCode::kTruncated) << size;
  }
  for (std::size_t at = 0; at < saved.size(); ++at) {
    std::vector<std::byte> wrong = saved;
    wrong[at] ^= std::byte{0x10};
    ASSERT_FALSE(member.state.Restore(wrong).ok()) << at;
  }
  std::vector<std::byte> longer = saved;
  longer.push_back({});
  EXPECT_EQ(member.state.Restore(longer).error().code, ErrorCode::kParse);
  std::vector<std::byte> other = saved;
  other[8] = std::byte{2};
  EXPECT_EQ(member.state.Restore(other).error().code, ErrorCode::kUnsupportedFeature);
  EXPECT_EQ(member.At(6.1), before) << "nothing was touched";
  EXPECT_EQ(CountOf(member.state, ResetCause::kTimeBack), 0u);
}

TEST(SimulationState, RefusesWhatIsOfSomethingElse) {
  FLEXOR_REQUIRE_PHYSICS();
  const Character c = Swinging();
  Member member(c);
  member.At(1);
  const std::vector<std::byte> saved = *member.state.Save();
  const auto refused = [&](const Character& of, const PoserSettings& settings = {}) {
    Member other(of, settings);
    const Status status = other.state.Restore(saved);
    return status.ok() ? std::string() : status.error().message;
  };
  EXPECT_EQ(refused(c), "");
  EXPECT_THAT(refused(Swinging(1.3)), HasSubstr("another character"));
  PoserSettings settings;
  settings.simulation.mmd.gravity = 50;
  EXPECT_THAT(refused(c, settings), HasSubstr("other settings"));
  Character edited = c;
  edited.clips[0].channels[0].values[3] += 0.01f;
  EXPECT_THAT(refused(edited), HasSubstr("another clip"));
  SimulationState none;
  EXPECT_FALSE(none.Restore(saved).ok());
  // Of another poser: that is known at the next frame, which then begins anew.
  PoserSettings ik;
  ik.mmd.ik = false;
  Member without(c, ik);
  ASSERT_TRUE(without.state.Restore(saved).ok());
  without.At(1);
  EXPECT_EQ(CountOf(without.state, ResetCause::kOtherPoser), 1u);
}

// Bodies built anew lose the contacts of earlier steps: a chain that its joints press on the ground
// may slip a little when a checkpoint comes.
TEST(SimulationState, ACheckpointMovesWhatIsPressedByCentimetresAtMost) {
  FLEXOR_REQUIRE_PHYSICS();
  Character c = Swinging(0.2);
  c.clips[0].channels = {Moving({0}, {{0, 0, 0}}, {0, 0.2, 0})};
  for (asset::MmdBody& body : c.mmd->bodies) {
    body.linear_damping = body.angular_damping = 0.99;
    if (body.mode == asset::MmdBodyMode::kPhysicsAtBone) body.mode = asset::MmdBodyMode::kPhysics;
  }
  ASSERT_TRUE(asset::Finalize(c).ok());
  const auto slip = [&](const PoserSettings& settings) {
    Member member(c, settings);
    const std::vector<Mat34d> lies = member.At(2.0 * kEvery / 120);
    EXPECT_LT(lies[3].translation.y, 0.1) << "on the ground";
    double farthest = 0;
    for (int t = 1; t <= 240; ++t) {
      const std::vector<Mat34d>& now = member.At((2.0 * kEvery + t) / 120);
      for (std::size_t b = 0; b < 4; ++b) {
        farthest = std::max(farthest, Distance(lies[b].translation, now[b].translation));
      }
    }
    return farthest;
  };
  const double without = slip({}), with = slip(WithCheckpoints());
  RecordProperty("without_mm", std::to_string(without * 1000));
  RecordProperty("with_mm", std::to_string(with * 1000));
  EXPECT_LT(with, 0.05);
  EXPECT_LT(without, 0.05);
}

}  // namespace
}  // namespace flexor::pose
