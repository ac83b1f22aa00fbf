// Animations: interpolation, targets, key times, frame rates.

#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/gltf/animations.h"
#include "support/gltf_builder.h"

namespace flexor::io {
namespace {

using asset::ChannelPath;
using asset::Interpolation;
using test::FindDiagnostic;
using test::GltfBuilder;
using test::Json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Floats = std::vector<float>;

/// A file with one node per name given and one clip; channels are added to it.
struct Clip {
  Clip() {
    b.Node({{"name", "first"}});
    b.json["animations"] = {
        {{"name", "move"}, {"samplers", Json::array()}, {"channels", Json::array()}}};
  }
  void Channel(std::size_t input, std::size_t output, const Json& target,
               const char* how = nullptr) {
    Json sampler = {{"input", input}, {"output", output}};
    if (how != nullptr) sampler["interpolation"] = how;
    Json& clip = b.json["animations"][0];
    clip["channels"].push_back({{"sampler", clip["samplers"].size()}, {"target", target}});
    clip["samplers"].push_back(sampler);
  }
  Json Target(const char* path, int node = 0) { return {{"node", node}, {"path", path}}; }
  Loaded Load() {
    auto loaded = b.Load();
    EXPECT_TRUE(loaded.ok()) << loaded.error().ToString();
    return loaded.ok() ? std::move(*loaded) : Loaded();
  }
  Error LoadError() {
    const auto loaded = b.Load();
    EXPECT_FALSE(loaded.ok());
    return loaded.ok() ? Error{} : loaded.error();
  }
  GltfBuilder b;
};

TEST(GltfAnimationTest, ChannelsOfEveryPath) {
  Clip clip;
  const std::size_t times = clip.b.Floats("SCALAR", {0, 0.5f, 2});
  clip.Channel(times, clip.b.Floats("VEC3", {0, 0, 0, 1, 2, 3, 4, 5, 6}),
               clip.Target("translation"), "STEP");
  clip.Channel(times, clip.b.Floats("VEC4", {0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1}),
               clip.Target("rotation"), "LINEAR");
  clip.Channel(times, clip.b.Floats("VEC3", Floats(9, 2)), clip.Target("scale"));
  const Loaded loaded = clip.Load();
  ASSERT_EQ(loaded.character.clips.size(), 1u);
  const asset::Clip& c = loaded.character.clips[0];
  EXPECT_EQ(c.name, "move");
  EXPECT_EQ(c.end_time, 2);
  ASSERT_EQ(c.channels.size(), 3u);
  EXPECT_EQ(c.channels[0].path, ChannelPath::kTranslation);
  EXPECT_EQ(c.channels[0].interpolation, Interpolation::kStep);
  EXPECT_EQ(c.channels[0].components, 3u);
  EXPECT_THAT(c.channels[0].times, ElementsAre(0, 0.5, 2));
  EXPECT_THAT(c.channels[0].values, ElementsAre(0, 0, 0, 1, 2, 3, 4, 5, 6));
  EXPECT_EQ(c.channels[1].path, ChannelPath::kRotation);
  EXPECT_EQ(c.channels[1].interpolation, Interpolation::kLinear);
  EXPECT_EQ(c.channels[1].components, 4u);
  EXPECT_EQ(c.channels[2].path, ChannelPath::kScale);
  EXPECT_EQ(c.channels[2].interpolation, Interpolation::kLinear);
  EXPECT_FALSE(loaded.diagnostics.Contains("ANIMATION_DUPLICATE_TARGETS"));
}

// Three values per key; the sampler normalises them.
TEST(GltfAnimationTest, CubicSplineKeepsThreeValuesPerKey) {
  Clip clip;
  Floats values;
  for (int i = 0; i < 3 * 3 * 4; ++i) values.push_back(static_cast<float>(i) / 10);
  clip.Channel(clip.b.Floats("SCALAR", {0, 1, 3}), clip.b.Floats("VEC4", values),
               clip.Target("rotation"), "CUBICSPLINE");
  const asset::Channel channel = clip.Load().character.clips[0].channels[0];
  EXPECT_EQ(channel.interpolation, Interpolation::kCubicSpline);
  EXPECT_EQ(channel.values, values);
}

TEST(GltfAnimationTest, NormalizedIntegerRotationsBecomeUnit) {
  Clip clip;
  clip.Channel(clip.b.Floats("SCALAR", {0, 1}),
               clip.b.Accessor("VEC4", std::vector<std::int8_t>{0, 0, 90, 90, 0, 0, 0, 127}, true),
               clip.Target("rotation"));
  const asset::Channel channel = clip.Load().character.clips[0].channels[0];
  EXPECT_NEAR(channel.values[2], 0.70710678, 1e-6);
  EXPECT_NEAR(channel.values[3], 0.70710678, 1e-6);
  EXPECT_EQ(channel.values[7], 1);
}

TEST(GltfAnimationTest, RotationsFarFromUnitAreReported) {
  Clip clip;
  clip.Channel(clip.b.Floats("SCALAR", {0, 1}), clip.b.Floats("VEC4", {0, 0, 0, 5, 0, 0, 0, 0}),
               clip.Target("rotation"));
  const Loaded loaded = clip.Load();
  EXPECT_THAT(loaded.character.clips[0].channels[0].values, ElementsAre(0, 0, 0, 1, 0, 0, 0, 1));
  EXPECT_EQ(FindDiagnostic(loaded.diagnostics,
                           "ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION")
                .count,
            2u);
}

TEST(GltfAnimationTest, MorphWeightsTargetTheInstance) {
  Clip clip;
  const Json target = {{"POSITION", clip.b.Floats("VEC3", {1, 0, 0, 0, 0, 0})}};
  clip.b.Mesh(
      {{"primitives",
        {{{"attributes", {{"POSITION", clip.b.Zigzag(2)}}}, {"targets", {target, target}}}}}});
  clip.b.Node({{"mesh", 0}});
  clip.b.Node({{"mesh", 0}});
  const std::size_t times = clip.b.Floats("SCALAR", {0, 1});
  clip.Channel(times, clip.b.Accessor("SCALAR", std::vector<std::uint8_t>{0, 255, 51, 0}, true),
               clip.Target("weights", 2));
  clip.Channel(times, clip.b.Floats("SCALAR", Floats(12, 0.5f)), clip.Target("weights", 1),
               "CUBICSPLINE");
  const asset::Character c = clip.Load().character;
  ASSERT_EQ(c.clips[0].channels.size(), 2u);
  EXPECT_EQ(c.clips[0].channels[0].path, ChannelPath::kMorphWeights);
  EXPECT_EQ(c.clips[0].channels[0].target, 1u);
  EXPECT_EQ(c.instances[1].node, 2);
  EXPECT_EQ(c.clips[0].channels[0].components, 2u);
  EXPECT_THAT(c.clips[0].channels[0].values, ElementsAre(0.0f, 1.0f, 0.2f, 0.0f));
  EXPECT_EQ(c.clips[0].channels[1].target, 0u);
  EXPECT_EQ(c.clips[0].channels[1].values.size(), 12u);
}

TEST(GltfAnimationTest, ChannelsThatMoveNothingAreLeftOut) {
  Clip clip;
  const std::size_t times = clip.b.Floats("SCALAR", {0});
  const std::size_t output = clip.b.Floats("VEC3", {0, 0, 0});
  clip.Channel(times, output, {{"path", "translation"}});
  clip.Channel(times, output, clip.Target("pointer"));
  clip.Channel(times, output, clip.Target("color"));
  clip.Channel(times, output, clip.Target("weights"));
  clip.Channel(times, output, clip.Target("scale"));
  clip.Channel(times, output, clip.Target("scale"));
  const Loaded loaded = clip.Load();
  ASSERT_EQ(loaded.character.clips[0].channels.size(), 1u);
  const std::pair<const char*, const char*> reported[] = {
      {"ANIMATION_CHANNEL_WITHOUT_NODE", "/animations/0/channels/0/target"},
      {"ANIMATION_POINTER_IGNORED", "/animations/0/channels/1/target/path"},
      {"VALUE_NOT_IN_LIST", "/animations/0/channels/2/target/path"},
      {"ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS", "/animations/0/channels/3/target"},
      {"ANIMATION_DUPLICATE_TARGETS", "/animations/0/channels/5/target"},
  };
  for (const auto& [code, where] : reported) {
    EXPECT_EQ(FindDiagnostic(loaded.diagnostics, code).where, where) << code;
  }
}

TEST(GltfAnimationTest, AnimatedMatrixNode) {
  Clip clip;
  clip.b.Node({{"matrix", {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, -2, 0, 7, 8, 9, 1}}});
  clip.Channel(clip.b.Floats("SCALAR", {0}), clip.b.Floats("VEC3", {0, 0, 0}),
               clip.Target("translation", 1));
  const Loaded loaded = clip.Load();
  const asset::Node& node = loaded.character.nodes[1];
  ASSERT_TRUE(node.rest_matrix.has_value());
  EXPECT_EQ(node.rest.translation, (Vec3d{7, 8, 9}));
  const Mat34d back = ToMat34(node.rest);
  EXPECT_NEAR(back.linear.x.x, 2, 1e-12);
  EXPECT_NEAR(back.linear.z.z, -2, 1e-12);
  EXPECT_EQ(loaded.character.clips[0].channels.size(), 1u);
  EXPECT_TRUE(loaded.diagnostics.Contains("ANIMATION_CHANNEL_TARGET_NODE_MATRIX"));
}

TEST(GltfAnimationTest, KeyTimes) {
  const auto with = [](const Floats& times) {
    Clip clip;
    clip.Channel(clip.b.Floats("SCALAR", times), clip.b.Floats("VEC3", Floats(times.size() * 3, 0)),
                 clip.Target("translation"));
    return clip;
  };
  for (const Floats& bad : {Floats{-0.5f, 1}, Floats{0, 2, 1}}) {
    const Error error = with(bad).LoadError();
    EXPECT_EQ(error.code, ErrorCode::kInvalidValue);
    EXPECT_EQ(error.place.element, "/animations/0/samplers/0/input");
  }
  EXPECT_THAT(with({0, 2, 1}).LoadError().message, HasSubstr("key 2 is at 1.0"));
  EXPECT_THAT(with({0, std::numeric_limits<float>::quiet_NaN()}).LoadError().message,
              HasSubstr("element 1"));
  const Loaded jump = with({0, 1, 1, 2}).Load();
  EXPECT_THAT(jump.character.clips[0].channels[0].times, ElementsAre(0, 1, 1, 2));
  EXPECT_TRUE(jump.diagnostics.Contains("ACCESSOR_ANIMATION_INPUT_NON_INCREASING"));
  const Loaded one = with({2.5f}).Load();
  EXPECT_EQ(one.character.clips[0].end_time, 2.5);
}

TEST(GltfAnimationTest, KeysAndValuesMustMatch) {
  Clip clip;
  const std::size_t times = clip.b.Floats("SCALAR", {0, 1});
  clip.Channel(times, clip.b.Floats("VEC3", Floats(9, 0)), clip.Target("scale"));
  const Error error = clip.LoadError();
  EXPECT_EQ(error.code, ErrorCode::kShapeMismatch);
  EXPECT_EQ(error.place.element, "/animations/0/samplers/0/output");
  EXPECT_THAT(error.message, HasSubstr("2 keys need 2 output elements, but the accessor has 3"));

  Clip spline;
  spline.Channel(spline.b.Floats("SCALAR", {0, 1}), spline.b.Floats("VEC3", Floats(6, 0)),
                 spline.Target("scale"), "CUBICSPLINE");
  EXPECT_THAT(spline.LoadError().message, HasSubstr("need 6 output elements"));

  Clip type;
  type.Channel(type.b.Floats("SCALAR", {0}), type.b.Floats("VEC4", Floats(4, 0)),
               type.Target("scale"));
  EXPECT_THAT(type.LoadError().message, HasSubstr("VEC4, but must be VEC3"));

  Clip how;
  how.Channel(how.b.Floats("SCALAR", {0}), how.b.Floats("VEC3", Floats(3, 0)), how.Target("scale"),
              "BEZIER");
  EXPECT_EQ(how.LoadError().place.element, "/animations/0/samplers/0/interpolation");
}

TEST(GltfAnimationTest, ReferencesThatNameNothing) {
  const auto place = [](auto change) {
    Clip clip;
    clip.Channel(clip.b.Floats("SCALAR", {0}), clip.b.Floats("VEC3", {0, 0, 0}),
                 clip.Target("scale"));
    change(clip.b.json["animations"][0]);
    return clip.LoadError().place.element;
  };
  EXPECT_EQ(place([](Json& a) { a["channels"][0]["sampler"] = 1; }),
            "/animations/0/channels/0/sampler");
  EXPECT_EQ(place([](Json& a) { a["channels"][0]["target"]["node"] = 5; }),
            "/animations/0/channels/0/target/node");
  EXPECT_EQ(place([](Json& a) { a["samplers"][0]["input"] = 2; }),
            "/animations/0/samplers/0/input");
  EXPECT_EQ(place([](Json& a) { a["samplers"][0]["output"] = -1; }),
            "/animations/0/samplers/0/output");
  EXPECT_EQ(place([](Json& a) { a["channels"][0].erase("target"); }), "/animations/0/channels/0");
}

double RateOf(const std::vector<double>& times) {
  asset::Clip clip;
  clip.channels.emplace_back().times = times;
  return gltf::FrameRateOf(clip);
}

std::vector<double> Every(double seconds, int keys, double first = 0) {
  std::vector<double> times;
  for (int k = 0; k < keys; ++k) {
    // As a file holds them.
    times.push_back(static_cast<double>(static_cast<float>(first + k * seconds)));
  }
  return times;
}

TEST(FrameRateTest, KeysFrameByFrame) {
  for (const double rate : {24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 120.0}) {
    EXPECT_EQ(RateOf(Every(1 / rate, 40)), rate);
    EXPECT_EQ(RateOf(Every(1 / rate, 20000)), rate) << "rounding far from zero";
    EXPECT_EQ(RateOf(Every(1 / rate, 10, 1.0)), rate);
  }
  EXPECT_EQ(RateOf(Every(1 / 23.976, 40)), 24);
}

TEST(FrameRateTest, KeysOnEverySecondOrFewerFrames) {
  EXPECT_EQ(RateOf(Every(2.0 / 30, 10)), 30);
  EXPECT_EQ(RateOf(Every(2.0 / 24, 10)), 24);
  EXPECT_EQ(RateOf(Every(3.0 / 25, 10)), 25);
  EXPECT_EQ(RateOf({0, 1, 2}), 30);           // every rate fits
  EXPECT_EQ(RateOf({0, 0.25, 0.5}), 24);      // 30 does not
  EXPECT_EQ(RateOf({0, 7 / 120.0, 1}), 120);  // only 120 does
}

TEST(FrameRateTest, AJumpInBetweenDoesNotHideTheRate) {
  std::vector<double> times = Every(1.0 / 24, 17);
  for (const double late : Every(1.0 / 24, 8, 20.8 / 24)) times.push_back(late);
  EXPECT_EQ(RateOf(times), 24);
}

TEST(FrameRateTest, ThirtyWhenNothingFits) {
  EXPECT_EQ(RateOf({0, 0.123456, 0.2718}), 30);
  EXPECT_EQ(RateOf({}), 30);
  EXPECT_EQ(RateOf({0.5}), 30);
  EXPECT_EQ(gltf::FrameRateOf(asset::Clip()), 30);
}

}  // namespace
}  // namespace flexor::io
