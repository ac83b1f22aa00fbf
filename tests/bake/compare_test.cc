#include "flexor/bake/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "flexor/asset/sample.h"

namespace flexor::bake {
namespace {

using testing::HasSubstr;

asset::Character Twist() { return std::move(asset::MakeSample("twist")).value(); }

CompareSettings TwistSettings(const asset::Character& character) {
  CompareSettings settings;
  settings.methods = {*ParseMethodChoice("lbs", {}), *ParseMethodChoice("dqs", {})};
  settings.clip = 0;
  settings.times = *ListTimes(&character.clips[0], FrameRange{0, 60, 15}, 30);
  settings.ring = RingChoice{};
  return settings;
}

// The numbers that were published for this rig, on every backend.
class CompareOnBackends : public testing::TestWithParam<deform::BackendKind> {};

TEST_P(CompareOnBackends, TheTwistAtHalfATurnHasItsPublishedNumbers) {
  const asset::Character character = Twist();
  CompareSettings settings = TwistSettings(character);
  settings.performer.backend = GetParam();
  const auto comparison = CompareMethods(character, settings);
  ASSERT_TRUE(comparison.ok()) << comparison.error().ToString();
  EXPECT_EQ(comparison->edges, 288u);
  EXPECT_EQ(comparison->ring_vertices, 12u);
  EXPECT_DOUBLE_EQ(comparison->ring_along, 2);
  ASSERT_EQ(comparison->frames.size(), 5u);
  const FrameNumbers& half_turn = comparison->frames.back();
  EXPECT_EQ(half_turn.time.frame, 60);
  const ShapeNumbers &lbs = half_turn.shapes[0], &dqs = half_turn.shapes[1];
  EXPECT_NEAR(*lbs.ring_radius_ratio, 0.0, 1e-6);
  EXPECT_NEAR(*dqs.ring_radius_ratio, 1.0, 1e-6);
  EXPECT_NEAR(lbs.edges.mean, 0.950067, 1e-5);
  EXPECT_NEAR(dqs.edges.mean, 1.051186, 1e-5);
  EXPECT_NEAR(lbs.edges.max, 1.1180, 1e-4);
  EXPECT_NEAR(dqs.edges.max, 1.2247, 1e-4);
  EXPECT_GE(dqs.ring_pairs->min, 0.9999998);
  EXPECT_LE(dqs.ring_pairs->max, 1.0000002);
  // In all: the ends of every range, and the means where they are farthest from 1.
  EXPECT_NEAR(comparison->all.shapes[0].edges.mean, 0.950067, 1e-5);
  EXPECT_NEAR(comparison->all.shapes[1].edges.mean, 1.051186, 1e-5);
  EXPECT_NEAR(*comparison->all.shapes[0].ring_radius_ratio, 0.0, 1e-6);
}

TEST_P(CompareOnBackends, TheRestPoseReturnsItself) {
  const asset::Character character = Twist();
  CompareSettings settings = TwistSettings(character);
  settings.performer.backend = GetParam();
  settings.clip.reset();
  settings.times = {{0, 0}};
  const auto comparison = CompareMethods(character, settings);
  ASSERT_TRUE(comparison.ok());
  for (const ShapeNumbers& shape : comparison->all.shapes) {
    EXPECT_EQ(shape.edges.min, 1.0);
    EXPECT_EQ(shape.edges.max, 1.0);
    EXPECT_EQ(*shape.ring_radius_ratio, 1.0);
    EXPECT_EQ(*shape.area_ratio, 1.0);
    EXPECT_EQ(*shape.volume_ratio, 1.0);
  }
  EXPECT_EQ(comparison->all.pairs[0].distance.max_mm, 0.0);
}

INSTANTIATE_TEST_SUITE_P(Backends, CompareOnBackends,
                         testing::Values(deform::BackendKind::kReference,
                                         deform::BackendKind::kCpu),
                         [](const auto& backend) {
                           return std::string(deform::BackendName(backend.param));
                         });

TEST(CompareMethods, DistancesNameTheirVertexAndFrame) {
  const asset::Character character = Twist();
  const auto comparison = CompareMethods(character, TwistSettings(character));
  ASSERT_TRUE(comparison.ok());
  ASSERT_EQ(comparison->all.pairs.size(), 1u);
  const PairNumbers& pair = comparison->all.pairs[0];
  // At half a turn the ring stands at its centre in one method and at 0.5 m in the other.
  EXPECT_NEAR(pair.distance.max_mm, 500, 0.01);
  EXPECT_EQ(pair.worst_frame, 60);
  EXPECT_THAT(pair.worst_vertex, HasSubstr("tube, vertex "));
  EXPECT_NEAR(LargestDistanceMm(*comparison), 500, 0.01);
  // 12 of 60 vertices differ, each by the same distance: rms = 500 sqrt(12 / 60) at the end.
  EXPECT_NEAR(comparison->frames.back().pairs[0].distance.rms_mm, 223.6068, 0.01);
  double squares = 0;
  for (const FrameNumbers& frame : comparison->frames) {
    squares += frame.pairs[0].distance.rms_mm * frame.pairs[0].distance.rms_mm;
  }
  EXPECT_NEAR(pair.distance.rms_mm, std::sqrt(squares / 5), 1e-9);
}

TEST(CompareMethods, EveryPairOnceInOrder) {
  const asset::Character character = Twist();
  CompareSettings settings = TwistSettings(character);
  settings.methods.push_back(*ParseMethodChoice("dqs:usd", {}));
  settings.times.resize(1);
  const auto comparison = CompareMethods(character, settings);
  ASSERT_TRUE(comparison.ok());
  ASSERT_EQ(comparison->all.pairs.size(), 3u);
  EXPECT_EQ(comparison->all.pairs[0].b, 1u);
  EXPECT_EQ(comparison->all.pairs[1].b, 2u);
  EXPECT_EQ(comparison->all.pairs[2].a, 1u);
}

TEST(CompareMethods, TwoMeshesAreMeasuredAsOneShape) {
  asset::Character character = Twist();
  character.instances.push_back(character.instances[0]);
  character.instances[1].name = "again";
  ASSERT_TRUE(asset::Finalize(character).ok());
  const auto comparison = CompareMethods(character, TwistSettings(character));
  ASSERT_TRUE(comparison.ok());
  EXPECT_EQ(comparison->vertices, 120u);
  EXPECT_EQ(comparison->edges, 576u);
  EXPECT_EQ(comparison->ring_vertices, 24u);
  EXPECT_NEAR(comparison->all.shapes[1].edges.mean, 1.051186, 1e-5);
}

TEST(CompareMethods, AKilometreAwayTheNumbersAreTheSame) {
  const asset::Character near = std::move(asset::MakeSample("elbow")).value();
  asset::Character far = near;
  for (asset::Node& node : far.nodes) {
    if (node.parent == asset::kNone) node.rest.translation += Vec3d{1000.123, -500.7, 3000.3};
  }
  ASSERT_TRUE(asset::Finalize(far).ok());
  CompareSettings settings;
  settings.methods = {*ParseMethodChoice("lbs", {}), *ParseMethodChoice("dqs", {})};
  settings.clip = 0;
  settings.times = *ListTimes(&near.clips[0], FrameRange{0, 60, 20}, 30);
  const auto here = CompareMethods(near, settings), there = CompareMethods(far, settings);
  ASSERT_TRUE(here.ok() && there.ok());
  EXPECT_GT(here->all.pairs[0].distance.max_mm, 10);
  // Floats around 3 km are a quarter of a millimetre apart.
  EXPECT_NEAR(here->all.pairs[0].distance.max_mm, there->all.pairs[0].distance.max_mm, 2e-3);
  EXPECT_NEAR(here->all.shapes[1].edges.max, there->all.shapes[1].edges.max, 1e-3);
}

TEST(CompareMethods, SaysWhatIsWrongWithTheQuestion) {
  const asset::Character character = Twist();
  CompareSettings settings = TwistSettings(character);
  settings.methods.clear();
  EXPECT_EQ(CompareMethods(character, settings).error().code, ErrorCode::kInvalidArgument);
  settings = TwistSettings(character);
  settings.methods.push_back(settings.methods[0]);
  EXPECT_THAT(CompareMethods(character, settings).error().message, HasSubstr("lbs"));
  settings = TwistSettings(character);
  settings.times.clear();
  EXPECT_EQ(CompareMethods(character, settings).error().code, ErrorCode::kInvalidArgument);
  settings = TwistSettings(character);
  settings.ring->axis = {0, 0, 0};
  EXPECT_EQ(CompareMethods(character, settings).error().code, ErrorCode::kInvalidArgument);
  settings = TwistSettings(character);
  settings.ring->along = 9;
  settings.ring->tolerance = 0.1;
  EXPECT_THAT(CompareMethods(character, settings).error().message, HasSubstr("from 0.0"));
}

TEST(CompareMethods, StopsWhenProgressSaysSo) {
  const asset::Character character = Twist();
  std::vector<std::uint64_t> seen;
  const auto stop = [&](const Progress& progress) {
    EXPECT_EQ(progress.total, 5u);
    seen.push_back(progress.done);
    return progress.done < 2;
  };
  const auto comparison = CompareMethods(character, TwistSettings(character), stop);
  ASSERT_FALSE(comparison.ok());
  EXPECT_EQ(comparison.error().code, ErrorCode::kCancelled);
  EXPECT_THAT(seen, testing::ElementsAre(0, 1, 2));
}

TEST(ParseMethodChoice, ReadsAResidualAndRefusesNonsense) {
  EXPECT_EQ(ParseMethodChoice("dqs:origin", {})->settings.dqs.residual,
            deform::DqsResidual::kOrigin);
  EXPECT_EQ(ParseMethodChoice("sdef:nlerp", {})->settings.sdef.rotation,
            deform::SdefRotation::kNlerp);
  EXPECT_EQ(ParseMethodChoice("sdef", {})->settings.method, asset::SkinningMethod::kSpherical);
  EXPECT_EQ(ParseMethodChoice("file:usd", {})->settings.method, std::nullopt);
  deform::DeformSettings base;
  base.weights.max_influences = 2;
  EXPECT_EQ(ParseMethodChoice("lbs", base)->settings.weights.max_influences, 2u);
  for (const char* bad : {"", "lsb", "dqs:", "dqs:x", "lbs:usd", ":usd"}) {
    EXPECT_EQ(ParseMethodChoice(bad, {}).error().code, ErrorCode::kInvalidArgument) << bad;
  }
}

TEST(ComparisonJson, HasTheNamesThatOthersReadBy) {
  const asset::Character character = Twist();
  const auto comparison = CompareMethods(character, TwistSettings(character));
  ASSERT_TRUE(comparison.ok());
  const auto json = nlohmann::json::parse(ComparisonJson(*comparison));
  EXPECT_EQ(json["character"], "twist");
  EXPECT_EQ(json["clip"], "twist");
  EXPECT_NEAR(json["methods"]["lbs"]["ring_radius_ratio_min"].get<double>(), 0, 1e-6);
  EXPECT_NEAR(json["methods"]["dqs"]["edge_ratio_mean"].get<double>(), 1.051186, 1e-5);
  for (const char* key : {"edge_ratio_min", "edge_ratio_max", "volume_ratio", "area_ratio"}) {
    EXPECT_TRUE(json["methods"]["lbs"][key].is_number()) << key;
  }
  ASSERT_EQ(json["pairs"].size(), 1u);
  EXPECT_EQ(json["pairs"][0]["a"], "lbs");
  EXPECT_EQ(json["pairs"][0]["b"], "dqs");
  for (const char* key : {"max_mm", "rms_mm", "p99_mm", "normals_max_deg"}) {
    EXPECT_TRUE(json["pairs"][0][key].is_number()) << key;
  }
  ASSERT_EQ(json["frames"].size(), 5u);
  EXPECT_EQ(json["frames"][4]["frame"], 60);
  EXPECT_EQ(json["frames"][4]["seconds"], 2);
  EXPECT_EQ(json["frames"][4]["pairs"].size(), 1u);
  // Without a ring the key stays and says null.
  CompareSettings plain = TwistSettings(character);
  plain.ring.reset();
  const auto other = nlohmann::json::parse(ComparisonJson(*CompareMethods(character, plain)));
  EXPECT_TRUE(other["methods"]["lbs"]["ring_radius_ratio_min"].is_null());
}

}  // namespace
}  // namespace flexor::bake
