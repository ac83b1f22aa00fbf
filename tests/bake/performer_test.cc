#include "flexor/bake/performer.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "flexor/asset/sample.h"
#include "flexor/core/digest.h"

#include "support/allocation_count.h"

namespace flexor::bake {
namespace {

std::uint64_t DigestOfResults(const Performer& performer) {
  std::uint64_t digest = 0xcbf29ce484222325ull;
  for (const deform::DeformedMesh& result : performer.results()) {
    digest = DigestOf(result.positions, digest);
    digest = DigestOf(result.normals, digest);
    digest = DigestOf(result.tangents, digest);
  }
  return digest;
}

PerformerSettings SettingsOf(deform::BackendKind backend, asset::SkinningMethod method) {
  PerformerSettings settings;
  settings.backend = backend;
  settings.deform.method = method;
  return settings;
}

asset::Character Sample(std::string_view name) {
  auto character = asset::MakeSample(name);
  EXPECT_TRUE(character.ok());
  return std::move(character).value();
}

class PerformerOnBackends : public testing::TestWithParam<deform::BackendKind> {};

TEST_P(PerformerOnBackends, AFrameAloneEqualsTheFrameInAnyOrder) {
  const asset::Character character = Sample("twist");
  for (const asset::SkinningMethod method :
       {asset::SkinningMethod::kLinear, asset::SkinningMethod::kDualQuaternion}) {
    auto performer = Performer::Create(character, SettingsOf(GetParam(), method));
    ASSERT_TRUE(performer.ok()) << performer.error().ToString();
    std::vector<double> times;
    std::vector<std::uint64_t> forward;
    for (int f = 0; f <= 60; f += 4) times.push_back(f / 30.0);
    for (const double time : times) {
      ASSERT_TRUE(performer->Evaluate(0, time).ok());
      forward.push_back(DigestOfResults(*performer));
    }
    EXPECT_NE(forward.front(), forward.back());
    std::vector<std::size_t> order(times.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = order.size() - 1 - i;
    for (int round = 0; round < 2; ++round) {
      for (const std::size_t i : order) {
        ASSERT_TRUE(performer->Evaluate(0, times[i]).ok());
        EXPECT_EQ(DigestOfResults(*performer), forward[i]) << "time " << times[i];
      }
      std::shuffle(order.begin(), order.end(), std::mt19937(7));
    }
    auto fresh = Performer::Create(character, SettingsOf(GetParam(), method));
    ASSERT_TRUE(fresh->Evaluate(0, times[5]).ok());
    EXPECT_EQ(DigestOfResults(*fresh), forward[5]);
  }
}

TEST_P(PerformerOnBackends, TheRestPoseReturnsTheMesh) {
  const asset::Character character = Sample("twist");
  for (const asset::SkinningMethod method :
       {asset::SkinningMethod::kLinear, asset::SkinningMethod::kDualQuaternion}) {
    auto performer = Performer::Create(character, SettingsOf(GetParam(), method));
    ASSERT_TRUE(performer.ok());
    ASSERT_TRUE(performer->Evaluate(std::nullopt, 0).ok());
    ASSERT_EQ(performer->results().size(), 1u);
    const deform::DeformedMesh& result = performer->results()[0];
    const asset::Mesh& mesh = character.meshes[0];
    ASSERT_EQ(result.positions.size(), mesh.vertex_count());
    for (std::size_t v = 0; v < mesh.vertex_count(); ++v) {
      EXPECT_EQ(result.positions[v], mesh.positions[v]) << v;
    }
  }
}

TEST_P(PerformerOnBackends, NothingIsAllocatedAfterTheFirstFrame) {
  const asset::Character character = Sample("twist");
  PerformerSettings settings = SettingsOf(GetParam(), asset::SkinningMethod::kDualQuaternion);
  settings.backend_options.threads = 1;
  auto performer = Performer::Create(character, settings);
  ASSERT_TRUE(performer.ok());
  ASSERT_TRUE(performer->Evaluate(0, 0).ok());
  const std::size_t before = test::AllocationCount();
  bool good = true;
  for (int f = 1; f <= 60; ++f) good = performer->Evaluate(0, f / 30.0).ok() && good;
  const std::size_t after = test::AllocationCount();
  EXPECT_TRUE(good);
  EXPECT_EQ(after - before, 0u);
}

INSTANTIATE_TEST_SUITE_P(Backends, PerformerOnBackends,
                         testing::Values(deform::BackendKind::kReference,
                                         deform::BackendKind::kCpu),
                         [](const auto& backend) {
                           return std::string(deform::BackendName(backend.param));
                         });

TEST(Performer, VerticesOfOneInfluenceAgreeBetweenMethods) {
  const asset::Character character = Sample("twist");
  auto lbs = Performer::Create(
      character, SettingsOf(deform::BackendKind::kReference, asset::SkinningMethod::kLinear));
  auto dqs = Performer::Create(character, SettingsOf(deform::BackendKind::kReference,
                                                     asset::SkinningMethod::kDualQuaternion));
  ASSERT_TRUE(lbs.ok() && dqs.ok());
  for (int f = 0; f <= 60; f += 6) {
    ASSERT_TRUE(lbs->Evaluate(0, f / 30.0).ok());
    ASSERT_TRUE(dqs->Evaluate(0, f / 30.0).ok());
    const asset::Influences& influences = lbs->plan(0).influences();
    std::size_t checked = 0;
    for (std::size_t v = 0; v < influences.vertex_count(); ++v) {
      if (influences.offsets[v + 1] - influences.offsets[v] != 1) continue;
      ++checked;
      EXPECT_LE(Length(lbs->results()[0].positions[v] - dqs->results()[0].positions[v]), 1e-6f);
    }
    EXPECT_EQ(checked, 48u);  // all but the middle ring
  }
}

TEST(Performer, OverridesLieOnTopOfTheClip) {
  const asset::Character character = Sample("twist");
  PerformerSettings settings =
      SettingsOf(deform::BackendKind::kReference, asset::SkinningMethod::kLinear);
  settings.pose.overrides.push_back(
      *pose::ParseOverride(pose::Override::Kind::kRotate, "upper=0,1,0,180"));
  auto turned = Performer::Create(character, settings);
  ASSERT_TRUE(turned.ok());
  settings.pose.overrides.clear();
  auto plain = Performer::Create(character, settings);
  ASSERT_TRUE(plain.ok());
  // Half a turn by hand at rest is half a turn by the clip.
  ASSERT_TRUE(turned->Evaluate(std::nullopt, 0).ok());
  ASSERT_TRUE(plain->Evaluate(0, 2).ok());
  for (std::size_t v = 0; v < character.meshes[0].vertex_count(); ++v) {
    EXPECT_LE(Length(turned->results()[0].positions[v] - plain->results()[0].positions[v]), 1e-6f);
  }
}

TEST(Performer, RefusesUnknownTargetsClipsAndBackends) {
  const asset::Character character = Sample("twist");
  PerformerSettings settings;
  settings.pose.overrides.push_back({pose::Override::Kind::kRotate, "uper", {0, 1, 0, 90}});
  auto performer = Performer::Create(character, settings);
  ASSERT_FALSE(performer.ok());
  EXPECT_EQ(performer.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(performer.error().message.find("upper"), std::string::npos)
      << performer.error().message;

  auto plain = Performer::Create(character, {});
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(plain->Evaluate(7, 0).error().code, ErrorCode::kIndexOutOfRange);

  PerformerSettings no_target;
  no_target.backend_options.simd_target = "NOT_A_TARGET";
  EXPECT_EQ(Performer::Create(character, no_target).error().code, ErrorCode::kBackendMissing);
}

TEST(Performer, HiddenInstancesAreLeftOutUnlessAskedFor) {
  asset::Character character = Sample("twist");
  character.instances.push_back(character.instances[0]);
  character.instances[1].name = "second";
  character.instances[0].visible = false;
  ASSERT_TRUE(asset::Finalize(character).ok());
  auto shown = Performer::Create(character, {});
  ASSERT_TRUE(shown.ok());
  ASSERT_EQ(shown->results().size(), 1u);
  EXPECT_EQ(shown->results()[0].instance, 1u);
  PerformerSettings all;
  all.all_instances = true;
  auto both = Performer::Create(character, all);
  ASSERT_TRUE(both.ok());
  ASSERT_EQ(both->results().size(), 2u);
  ASSERT_TRUE(both->Evaluate(0, 1).ok());
  EXPECT_EQ(DigestOf(both->results()[0].positions), DigestOf(both->results()[1].positions));
  // One mesh on as many joints: one plan.
  EXPECT_EQ(&both->plan(0), &both->plan(1));
}

TEST(Performer, NormalsAndTangentsCanBeLeftOut) {
  const asset::Character character = Sample("twist");
  PerformerSettings settings;
  settings.deform.normals = deform::NormalMode::kNone;
  auto performer = Performer::Create(character, settings);
  ASSERT_TRUE(performer.ok());
  ASSERT_TRUE(performer->Evaluate(0, 1).ok());
  EXPECT_TRUE(performer->results()[0].normals.empty());
  auto with = Performer::Create(character, {});
  ASSERT_TRUE(with->Evaluate(0, 1).ok());
  EXPECT_EQ(with->results()[0].normals.size(), 60u);
}

}  // namespace
}  // namespace flexor::bake
