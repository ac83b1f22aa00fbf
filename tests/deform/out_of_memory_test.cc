// Every allocation of every entry fails once, alone and with all that follow: what comes back is an
// error, never an exception, and what was there before still works.
#include "support/out_of_memory.h"

#include "flexor/asset/sample.h"
#include "flexor/deform/bounds.h"
#include "flexor/deform/deformer.h"
#include "flexor/deform/morph_accumulate.h"
#include "flexor/deform/skin_dqs.h"
#include "flexor/deform/skin_lbs.h"
#include "flexor/deform/skin_sdef.h"

#include "deform/every_backend.h"
#include "support/spherical.h"

namespace flexor::deform {
namespace {

using test::ExpectErrors;
using test::FailingAllocations;
using test::Job;
using test::ReadyToFail;
using test::StatusOf;

Job MixedJob() {
  Job job;
  job.mesh = test::RandomRig({120, 7, 4, 2, true, true, 1}, 3);
  test::AddRandomSdef(job.mesh, 7, 0.2, 1, 4);
  job.mesh.dqs_weights.assign(120, 0.5f);
  for (std::size_t v = 0; v < 40; ++v) job.mesh.dqs_weights[v] = v % 2 == 0 ? 0.0f : 1.0f;
  job.palette = test::RandomPalette(7, test::JointKind::kNasty, 5);
  job.morph_weights = {0.5f, 1};
  return job;
}

class OutOfMemory : public EveryBackend {
 protected:
  void SetUp() override {
    if (!ReadyToFail()) GTEST_SKIP() << "allocations cannot be made to fail here";
    auto backend = CreateBackend(GetParam().kind, GetParam().options);
    ASSERT_TRUE(backend.ok());
    backend_ = std::move(*backend);
  }
  std::unique_ptr<Backend> backend_;
};
FLEXOR_ON_EVERY_BACKEND(OutOfMemory);

TEST_P(OutOfMemory, MakingABackendAPlanAndItsPreparation) {
  const Job job = MixedJob();
  ExpectErrors("CreateBackend",
               [&] { return StatusOf(CreateBackend(GetParam().kind, GetParam().options)); });
  ExpectErrors("BuildDeformPlan", [&] { return StatusOf(test::PlanOf(job)); });
  const auto plan = test::PlanOf(job);
  ASSERT_TRUE(plan.ok());
  for (const OutputOrder order : {OutputOrder::kCaller, OutputOrder::kPrepared}) {
    ExpectErrors("Prepare", [&] { return StatusOf(backend_->Prepare(*plan, {order})); });
  }
  const auto prepared = test::Prepared(*backend_, *plan, OutputOrder::kPrepared);
  ExpectErrors("CreateScratch", [&] { return StatusOf(backend_->CreateScratch(*prepared)); });
  const std::vector<std::uint32_t> corners{0, 1, 2};
  ExpectErrors("OutputIndices", [&] { return StatusOf(OutputIndices(*prepared, corners)); });
}

TEST_P(OutOfMemory, ARunThatCannotGrowItsScratchTouchesNothing) {
  const Job job = MixedJob();
  const auto plan = test::PlanOf(job);
  ASSERT_TRUE(plan.ok());
  const auto prepared = test::Prepared(*backend_, *plan);
  const test::Shape expected = Run(job);
  std::vector<Vec3f> positions(120, {9, 9, 9});
  DeformJob one{prepared.get(), {job.palette, job.morph_weights, {}}, {positions}, {}};
  Scratch kept;
  ExpectErrors("Run", [&] {
    Scratch fresh;
    Status status = backend_->Run({&one, 1}, fresh);
    if (!status.ok()) {
      for (const Vec3f& p : positions) EXPECT_EQ(p, (Vec3f{9, 9, 9}));
    }
    positions.assign(120, {9, 9, 9});
    return status;
  });
  // Scratch that a failure left half grown goes on to work.
  for (std::size_t index = 0; index < 40; ++index) {
    Scratch scratch;
    {
      const FailingAllocations failing(index, FailingAllocations::Which::kOne);
      static_cast<void>(backend_->Run({&one, 1}, scratch).ok());
    }
    positions.assign(120, {9, 9, 9});
    ASSERT_TRUE(backend_->Run({&one, 1}, scratch).ok());
    EXPECT_EQ(positions, expected.positions) << index;
  }
}

TEST_P(OutOfMemory, Deformers) {
  asset::Character character;
  character.nodes.resize(2);
  character.meshes = {MixedJob().mesh};
  asset::Skin skin;
  skin.joints.assign(7, 1);
  skin.joint_from_mesh.resize(7);
  character.skins = {skin};
  asset::MeshInstance instance;
  instance.skin = 0;
  character.instances = {instance};
  ASSERT_TRUE(asset::Finalize(character).ok());
  DeformerSettings settings;
  settings.backend = GetParam().kind;
  settings.backend_options = GetParam().options;
  settings.deform.method = asset::SkinningMethod::kSpherical;
  ExpectErrors("Deformer::Create", [&] { return StatusOf(Deformer::Create(character, settings)); });
  auto deformer = Deformer::Create(character, settings);
  ASSERT_TRUE(deformer.ok());
  ExpectErrors("CreateResults", [&] { return StatusOf(deformer->CreateResults()); });
  asset::PosedCharacter posed;
  posed.model_from_node.resize(2);
  posed.palettes = {MixedJob().palette};
  posed.morph_weights = {{0.5f, 1}};
  auto results = deformer->CreateResults();
  ASSERT_TRUE(results.ok());
  // The first call is the one that allocates: a deformer for each.
  for (std::size_t index = 0; index < 40; ++index) {
    auto fresh = Deformer::Create(character, settings);
    ASSERT_TRUE(fresh.ok());
    Status status;
    bool failed = false;
    {
      const FailingAllocations failing(index, FailingAllocations::Which::kAllFrom);
      status = fresh->Deform(posed, *results);
      failed = failing.failed();
    }
    EXPECT_EQ(status.ok(), !failed) << index;
    if (!status.ok()) {
      EXPECT_EQ(status.error().code, ErrorCode::kOutOfMemory);
    }
    EXPECT_TRUE(fresh->Deform(posed, *results).ok());
  }
}

TEST(OutOfMemoryOnce, OneCallFunctionsAndBounds) {
  if (!ReadyToFail()) GTEST_SKIP() << "allocations cannot be made to fail here";
  const std::vector<Vec3f> points(3, {1, 0, 0});
  const std::vector<std::uint32_t> joints{0, 1, 0, 1, 0, 1};
  const std::vector<float> weights(6, 0.5f);
  const std::vector<Mat34d> palette(2);
  std::vector<Vec3f> out(3);
  const SkinInputs in{points, {}, {}, 2, joints, weights, palette, {}};
  ExpectErrors("SkinLbs", [&] { return StatusOf(SkinLbs(in, {out})); });
  ExpectErrors("SkinDqs", [&] { return StatusOf(SkinDqs(in, {out})); });
  const std::vector<std::array<std::uint32_t, 2>> pairs(3, {0, 1});
  const std::vector<float> halves(3, 0.5f);
  const SdefInputs sdef{points, {}, {}, pairs, halves, points, points, points, palette};
  ExpectErrors("SkinSdef", [&] { return StatusOf(SkinSdef(sdef, {out})); });
  const asset::Mesh mesh = test::RandomRig({20, 1, 1, 2, true, true, 1}, 6);
  std::vector<Vec3f> morphed(20);
  const std::vector<float> morph_weights{1, 0.5f};
  ExpectErrors("MorphAccumulate", [&] { return MorphAccumulate(mesh, morph_weights, {morphed}); });

  Job job = MixedJob();
  job.mesh.dqs_weights.clear();
  const auto plan = test::PlanOf(job);
  ASSERT_TRUE(plan.ok());
  ExpectErrors("JointBoxBounds", [&] { return StatusOf(JointBoxBounds::Build(*plan)); });
}

}  // namespace
}  // namespace flexor::deform
