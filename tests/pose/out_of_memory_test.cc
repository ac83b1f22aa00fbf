// Every allocation of the entries of asset and pose fails once, alone and with all that follow:
// what comes back is an error, never an exception, and what was there before still works.
#include "support/out_of_memory.h"

#include "flexor/asset/sample.h"
#include "flexor/pose/mmd_physics.h"
#include "flexor/pose/poser.h"

#include "pose/swinging.h"

namespace flexor::pose {
namespace {

using asset::Character;
using asset::PosedCharacter;
using test::ExpectErrors;
using test::FailingAllocations;
using test::ReadyToFail;
using test::StatusOf;

#define FLEXOR_REQUIRE_FAILING() \
  if (!ReadyToFail()) GTEST_SKIP() << "allocations cannot be made to fail here"

TEST(OutOfMemory, Characters) {
  FLEXOR_REQUIRE_FAILING();
  ExpectErrors("MakeSample", [] { return StatusOf(asset::MakeSample("twist")); });
  auto made = asset::MakeSample("twist");
  ASSERT_TRUE(made.ok());
  ExpectErrors("Finalize", [&] { return asset::Finalize(*made); });
}

TEST(OutOfMemory, Posers) {
  FLEXOR_REQUIRE_FAILING();
  for (const char* sample : {"figure", "sdef"}) {
    const auto character = asset::MakeSample(sample);
    ASSERT_TRUE(character.ok());
    ExpectErrors("Poser::Create", [&] { return StatusOf(Poser::Create(*character)); });
    auto poser = Poser::Create(*character);
    ASSERT_TRUE(poser.ok());
    PosedCharacter expected;
    ASSERT_TRUE(poser->Evaluate(0, 0.1, nullptr, expected).ok());
    ExpectErrors("Evaluate", [&] {
      PosedCharacter out;
      return poser->Evaluate(0, 0.1, nullptr, out);
    });
    PosedCharacter after;
    ASSERT_TRUE(poser->Evaluate(0, 0.1, nullptr, after).ok());
    EXPECT_EQ(after.palettes, expected.palettes);
    const std::vector<Override> turn{
        {Override::Kind::kRotate, character->nodes[1].name, {0, 1, 0, 30}}};
    ExpectErrors("SetOverrides", [&] { return poser->SetOverrides(turn); });
    Pose pose = RestPose(*character);
    ExpectErrors("ApplyOverrides", [&] { return ApplyOverrides(*character, turn, pose); });
  }
}

TEST(OutOfMemory, Simulations) {
  FLEXOR_REQUIRE_FAILING();
  FLEXOR_REQUIRE_PHYSICS();
  const Character character = Swinging();
  PoserSettings settings;
  settings.simulation.checkpoint_ticks = 120;  // what a saved state holds numbers of
  auto poser = Poser::Create(character, settings);
  ASSERT_TRUE(poser.ok());
  ExpectErrors("MakeState", [&] { return StatusOf(poser->MakeState()); });
  auto state = poser->MakeState();
  ASSERT_TRUE(state.ok());
  PosedCharacter expected;
  ASSERT_TRUE(poser->Evaluate(0, 0.05, &*state, expected).ok());
  PosedCharacter later;
  ASSERT_TRUE(poser->Evaluate(0, 2.5, &*state, later).ok());
  ExpectErrors("Save", [&] { return StatusOf(state->Save()); });
  const auto saved = state->Save();
  ASSERT_TRUE(saved.ok());
  auto other = poser->MakeState();
  ASSERT_TRUE(other.ok());
  ExpectErrors("Restore", [&] { return other->Restore(*saved); });
  // A tick that fails ends the run; the next call begins it anew and comes to the same.
  for (std::size_t index = 0; index < 60; ++index) {
    auto fresh = poser->MakeState();
    ASSERT_TRUE(fresh.ok());
    PosedCharacter out;
    {
      const FailingAllocations failing(index, FailingAllocations::Which::kAllFrom);
      const Status status = poser->Evaluate(0, 0.05, &*fresh, out);
      EXPECT_EQ(status.ok(), !failing.failed()) << index;
    }
    ASSERT_TRUE(poser->Evaluate(0, 0.05, &*fresh, out).ok());
    EXPECT_EQ(out.model_from_node, expected.model_from_node) << index;
  }
}

}  // namespace
}  // namespace flexor::pose
