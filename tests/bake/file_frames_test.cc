// Frames of clips as files hold them: key times rounded to float.
#include <gtest/gtest.h>

#include "flexor/asset/frame_time.h"
#include "flexor/bake/frames.h"
#include "flexor/bake/performer.h"
#include "flexor/bake/summary.h"
#include "flexor/bake/to_vmd.h"

#include "support/gltf_builder.h"

namespace flexor::bake {
namespace {

/// A triangle on a node that is moved along x by `keys` keys, key k at float(k / rate) and x = k.
asset::Character Moved(int keys, double rate, const char* interpolation) {
  test::GltfBuilder b;
  b.Mesh({{"primitives", {{{"attributes", {{"POSITION", b.Zigzag(3)}}}}}}});
  b.Node({{"mesh", 0}});
  b.json["scenes"] = {{{"nodes", {0}}}};
  b.json["scene"] = 0;
  std::vector<float> times, values;
  for (int k = 0; k < keys; ++k) {
    times.push_back(static_cast<float>(k / rate));
    values.insert(values.end(), {static_cast<float>(k), 0, 0});
  }
  const std::size_t input = b.Floats("SCALAR", times), output = b.Floats("VEC3", values);
  b.json["animations"] = {
      {{"samplers", {{{"input", input}, {"output", output}, {"interpolation", interpolation}}}},
       {"channels", {{{"sampler", 0}, {"target", {{"node", 0}, {"path", "translation"}}}}}}}};
  auto loaded = b.Load();
  EXPECT_TRUE(loaded.ok()) << loaded.error().ToString();
  return std::move(loaded->character);
}

/// x of the first vertex in every frame of the whole clip.
std::vector<float> WholeClip(const asset::Character& character, double rate) {
  auto performer = Performer::Create(character, {});
  EXPECT_TRUE(performer.ok());
  const auto times = ListTimes(&character.clips[0], std::nullopt, rate);
  EXPECT_TRUE(times.ok());
  std::vector<float> out;
  for (const TimeSample& time : *times) {
    EXPECT_TRUE(performer->Evaluate(0, time.seconds).ok());
    out.push_back(performer->results()[0].positions[0].x);
  }
  return out;
}

std::vector<float> Counting(int keys) {
  std::vector<float> out;
  for (int k = 0; k < keys; ++k) out.push_back(static_cast<float>(k));
  return out;
}

TEST(FileFrames, StepKeysShowInTheirOwnFrame) {
  EXPECT_EQ(WholeClip(Moved(10, 30, "STEP"), 30), Counting(10));
  for (const double rate : {24.0, 25.0, 30.0, 60.0}) {
    EXPECT_EQ(WholeClip(Moved(200, rate, "STEP"), rate), Counting(200)) << rate;
  }
}

TEST(FileFrames, TheLastKeyIsTheLastFrame) {
  const struct {
    int keys;
    double rate;
  } rows[] = {{40, 25}, {36, 30}, {51, 24}, {121, 30}, {500, 60}, {1700, 24}};
  for (const auto& [keys, rate] : rows) {
    const asset::Character character = Moved(keys, rate, "LINEAR");
    EXPECT_EQ(WholeClip(character, rate), Counting(keys)) << rate;
    // Every other way to count says the same.
    const auto frames = static_cast<std::uint64_t>(keys);
    EXPECT_EQ(asset::CountFrames(character.clips[0]), frames);
    EXPECT_EQ(Summarize(character)->clips[0].frames, frames);
    EXPECT_EQ(SpreadTimes(&character.clips[0], 2, rate)->back().frame, keys - 1);
  }
}

TEST(FileFrames, AMotionOfThirtyFramesASecondHoldsTheEnd) {
  for (const auto& [keys, rate, last] :
       {std::tuple{36, 30.0, 35u}, {121, 30.0, 120u}, {40, 25.0, 47u}, {51, 24.0, 63u}}) {
    Diagnostics notes;
    const auto motion = ToVmd(Moved(keys, rate, "LINEAR"), 0, 1, {}, notes);
    ASSERT_TRUE(motion.ok()) << motion.error().ToString();
    EXPECT_EQ(motion->bones.back().frame, last);
    EXPECT_EQ(motion->bones.back().translation.x, static_cast<float>(keys - 1));
  }
}

}  // namespace
}  // namespace flexor::bake
