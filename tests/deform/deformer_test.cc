#include "flexor/deform/deformer.h"

#include <cmath>

#include "flexor/asset/sample.h"
#include "flexor/core/digest.h"
#include "flexor/pose/palette.h"
#include "flexor/pose/pose.h"

#include "deform/every_backend.h"
#include "support/allocation_count.h"

namespace flexor::deform {
namespace {

using asset::PosedCharacter;
using testing::AllOf;
using testing::HasSubstr;

/// The rest pose, or a time of the first clip.
PosedCharacter PoseAt(const asset::Character& character, double seconds) {
  pose::Pose pose = pose::RestPose(character);
  if (!character.clips.empty()) pose::SampleClip(character.clips[0], seconds, pose);
  PosedCharacter posed;
  posed.seconds = seconds;
  posed.locals = pose.locals;
  pose::ComputeModelSpace(character, pose, posed.model_from_node);
  for (std::int32_t s = 0; s < static_cast<std::int32_t>(character.skins.size()); ++s) {
    asset::MeshInstance instance;
    instance.skin = s;
    pose::ComputePalette(character, instance, posed.model_from_node, posed.palettes.emplace_back());
  }
  posed.morph_weights = pose.morph_weights;
  return posed;
}

void MoveTo(const Vec3d& place, PosedCharacter& posed) {
  for (Mat34d& m : posed.model_from_node) m.translation += place;
  for (auto& palette : posed.palettes) {
    for (Mat34d& m : palette) m.translation += place;
  }
}

/// Two instances of a skinned mesh, one of them hidden, one of the same mesh without a skin, and
/// one of a mesh without influences that rides on a node.
asset::Character Troupe() {
  asset::Character character;
  character.name = "troupe";
  character.nodes.resize(5);
  for (std::size_t n = 1; n < 5; ++n) character.nodes[n].parent = 0;
  character.nodes[2].rest.translation = {0, 1, 0};
  character.nodes[3].rest.translation = {0, 2, 0};
  character.nodes[4].rest.translation = {3, 0, 0};
  asset::Skin skin;
  skin.joints = {1, 2, 3};
  skin.joint_from_mesh.resize(3);
  character.skins = {skin};
  character.meshes = {test::RandomRig({300, 3, 3, 2, true, true, 1}, 5),
                      test::RandomRig({40, 1, 1, 0, true, false, 1}, 6)};
  character.meshes[1].influences = {};
  asset::MeshInstance skinned;
  skinned.skin = 0;
  asset::MeshInstance hidden = skinned;
  hidden.visible = false;
  asset::MeshInstance second = skinned;
  second.morph_weights = {0.5f, -0.5f};
  asset::MeshInstance rigid;
  rigid.node = 4;
  asset::MeshInstance box;
  box.mesh = 1;
  box.node = 2;
  character.instances = {skinned, hidden, second, rigid, box};
  const Status status = asset::Finalize(character);
  EXPECT_TRUE(status.ok());
  return character;
}

std::uint64_t DigestOfMesh(const DeformedMesh& mesh) {
  std::uint64_t digest = DigestOf(mesh.positions);
  digest = DigestOf(mesh.normals, digest);
  return DigestOf(mesh.tangents, digest);
}

class DeformerTest : public EveryBackend {
 protected:
  DeformerSettings Settings(
      asset::SkinningMethod method = asset::SkinningMethod::kDualQuaternion) const {
    DeformerSettings settings;
    settings.backend = GetParam().kind;
    settings.backend_options = GetParam().options;
    settings.deform.method = method;
    return settings;
  }
  static Deformer Made(const asset::Character& character, const DeformerSettings& settings) {
    auto deformer = Deformer::Create(character, settings);
    EXPECT_TRUE(deformer.ok());
    return std::move(*deformer);
  }
  static DeformedCharacter ResultsOf(const Deformer& deformer) {
    auto results = deformer.CreateResults();
    EXPECT_TRUE(results.ok());
    return std::move(*results);
  }
};
FLEXOR_ON_EVERY_BACKEND(DeformerTest);

TEST_P(DeformerTest, EveryMeshIsWhatItsPlanAloneGives) {
  const asset::Character character = Troupe();
  PosedCharacter posed = PoseAt(character, 0);
  posed.palettes[0][1] = test::Turn({1, 0, 0}, 70) * test::Scaling({1, 1.2, 1});
  DeformerSettings settings = Settings();
  settings.all_instances = true;
  Deformer deformer = Made(character, settings);
  ASSERT_EQ(deformer.instances().size(), 5u);
  DeformedCharacter results = ResultsOf(deformer);
  ASSERT_TRUE(deformer.Deform(posed, results).ok());
  for (std::size_t i = 0; i < 5; ++i) {
    const DeformedMesh& mesh = results.meshes()[i];
    EXPECT_EQ(mesh.instance, i);
    const auto plan = BuildDeformPlan(character, mesh.instance, settings.deform);
    ASSERT_TRUE(plan.ok());
    test::Job job;
    const auto palette = asset::PaletteOf(character, posed, mesh.instance);
    job.palette.assign(palette.begin(), palette.end());
    job.morph_weights = posed.morph_weights[i];
    const test::Shape alone = test::DeformPlanned(GetParam(), *plan, job);
    EXPECT_EQ(DigestOfMesh(mesh), test::DigestOfShape(alone)) << i;
    EXPECT_EQ(mesh.report.non_rigid_joints, alone.report.non_rigid_joints) << i;
  }
  EXPECT_EQ(results.output_origin(), Vec3d{});
}

TEST_P(DeformerTest, PlansAreSharedByInstancesThatCan) {
  const asset::Character character = Troupe();
  Deformer deformer = Made(character, Settings());
  ASSERT_EQ(deformer.instances().size(), 4u);  // without the hidden one
  EXPECT_EQ(&deformer.prepared(0), &deformer.prepared(1));
  EXPECT_NE(&deformer.prepared(0), &deformer.prepared(2));
  EXPECT_EQ(deformer.prepared(2).plan().joint_count(), 1u);
  EXPECT_EQ(deformer.backend().Info().kind, GetParam().kind);
}

TEST_P(DeformerTest, ACrowdIsManyPosesInOneCall) {
  const auto elbow = asset::MakeSample("elbow");
  ASSERT_TRUE(elbow.ok());
  Deformer deformer = Made(*elbow, Settings());
  std::vector<PosedCharacter> poses;
  std::vector<DeformedCharacter> alone, together;
  for (const double seconds : {0.0, 0.4, 0.9}) {
    poses.push_back(PoseAt(*elbow, seconds));
    alone.push_back(ResultsOf(deformer));
    together.push_back(ResultsOf(deformer));
    ASSERT_TRUE(deformer.Deform(poses.back(), alone.back()).ok());
  }
  std::vector<CrowdMember> crowd;
  for (std::size_t i = 0; i < 3; ++i) crowd.push_back({&poses[i], &together[i]});
  ASSERT_TRUE(deformer.Deform(crowd).ok());
  std::vector<std::uint64_t> digests;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t m = 0; m < alone[i].meshes().size(); ++m) {
      EXPECT_EQ(DigestOfMesh(together[i].meshes()[m]), DigestOfMesh(alone[i].meshes()[m]));
    }
    digests.push_back(DigestOfMesh(together[i].meshes()[0]));
  }
  EXPECT_NE(digests[0], digests[1]);
  EXPECT_NE(digests[1], digests[2]);
}

TEST_P(DeformerTest, ResultsGoIntoTheCallersMemory) {
  const asset::Character character = Troupe();
  const PosedCharacter posed = PoseAt(character, 0);
  Deformer deformer = Made(character, Settings());
  DeformedCharacter own = ResultsOf(deformer);
  ASSERT_TRUE(deformer.Deform(posed, own).ok());
  std::vector<std::vector<Vec3f>> positions;
  std::vector<OutputViews> views;
  for (const DeformedMesh& mesh : own.meshes()) {
    positions.emplace_back(mesh.positions.size());
    views.push_back({positions.back(), {}, {}});
  }
  auto theirs = deformer.CreateResults(views);
  ASSERT_TRUE(theirs.ok());
  ASSERT_TRUE(deformer.Deform(posed, *theirs).ok());
  for (std::size_t i = 0; i < views.size(); ++i) {
    const auto expected = own.meshes()[i].positions;
    EXPECT_EQ(positions[i], std::vector<Vec3f>(expected.begin(), expected.end()));
    EXPECT_TRUE(theirs->meshes()[i].positions.empty());
  }
  views.pop_back();
  const auto few = deformer.CreateResults(views);
  ASSERT_FALSE(few.ok());
  EXPECT_EQ(few.error().code, ErrorCode::kShapeMismatch);
  EXPECT_THAT(few.error().message, AllOf(HasSubstr("3"), HasSubstr("4")));
}

TEST_P(DeformerTest, FarAwayTheShapeKeepsItsDigits) {
  const auto elbow = asset::MakeSample("elbow");
  ASSERT_TRUE(elbow.ok());
  const PosedCharacter home = PoseAt(*elbow, 0.7);
  PosedCharacter far = home;
  const Vec3d place{40000, 300, -70000};
  MoveTo(place, far);

  DeformerSettings settings = Settings(asset::SkinningMethod::kLinear);
  Deformer deformer = Made(*elbow, settings);
  DeformedCharacter at_home = ResultsOf(deformer), there = ResultsOf(deformer);
  ASSERT_TRUE(deformer.Deform(home, at_home).ok());
  ASSERT_TRUE(deformer.Deform(far, there).ok());
  settings.near_origin = true;
  Deformer near_deformer = Made(*elbow, settings);
  DeformedCharacter near = ResultsOf(near_deformer);
  ASSERT_TRUE(near_deformer.Deform(far, near).ok());
  EXPECT_LT(Length(near.output_origin() - place), 3);
  EXPECT_EQ(there.output_origin(), Vec3d{});

  double worst_there = 0, worst_near = 0;
  for (std::size_t v = 0; v < at_home.meshes()[0].positions.size(); ++v) {
    const Vec3d expected = Cast<double>(at_home.meshes()[0].positions[v]) + place;
    worst_there =
        std::max(worst_there, Length(Cast<double>(there.meshes()[0].positions[v]) - expected));
    worst_near = std::max(worst_near, Length(Cast<double>(near.meshes()[0].positions[v]) +
                                             near.output_origin() - expected));
  }
  // Half a unit in the last place of 70 km is 4 mm in each coordinate; what is kept near the
  // character has its micrometres.
  EXPECT_LT(worst_there, 0.0057);
  EXPECT_LT(worst_near, 4e-6);
}

TEST_P(DeformerTest, ExactPositionsWhereTheBackendHasThem) {
  const asset::Character character = Troupe();
  DeformerSettings settings = Settings();
  settings.exact = true;
  settings.tangents = false;
  Deformer deformer = Made(character, settings);
  DeformedCharacter results = ResultsOf(deformer);
  PosedCharacter posed = PoseAt(character, 0);
  MoveTo({1e6, 0, 0}, posed);
  ASSERT_TRUE(deformer.Deform(posed, results).ok());
  const DeformedMesh& mesh = results.meshes()[0];
  EXPECT_TRUE(mesh.tangents.empty());
  if (GetParam().kind == BackendKind::kCpu) {
    EXPECT_TRUE(mesh.exact.empty());
    return;
  }
  ASSERT_EQ(mesh.exact.size(), mesh.positions.size());
  for (std::size_t v = 0; v < mesh.exact.size(); ++v) {
    EXPECT_EQ(mesh.positions[v].x, static_cast<float>(mesh.exact[v].x));
    EXPECT_NEAR(mesh.exact[v].x, 1e6, 3);
  }
}

TEST_P(DeformerTest, WhatDoesNotBelongTogetherIsRefused) {
  const asset::Character character = Troupe();
  Deformer deformer = Made(character, Settings());
  DeformedCharacter results = ResultsOf(deformer);
  const PosedCharacter posed = PoseAt(character, 0);
  const auto code_of = [&](const PosedCharacter& pose, DeformedCharacter& out) {
    const Status status = deformer.Deform(pose, out);
    EXPECT_FALSE(status.ok());
    return status.ok() ? ErrorCode::kInternal : status.error().code;
  };
  PosedCharacter wrong = posed;
  wrong.model_from_node.pop_back();
  EXPECT_EQ(code_of(wrong, results), ErrorCode::kShapeMismatch);
  wrong = posed;
  wrong.palettes.clear();
  EXPECT_EQ(code_of(wrong, results), ErrorCode::kShapeMismatch);
  wrong = posed;
  wrong.palettes[0].pop_back();
  EXPECT_EQ(code_of(wrong, results), ErrorCode::kShapeMismatch);
  wrong = posed;
  wrong.morph_weights.pop_back();
  EXPECT_EQ(code_of(wrong, results), ErrorCode::kShapeMismatch);
  DeformedCharacter none;
  EXPECT_TRUE(none.meshes().empty());
  EXPECT_EQ(none.output_origin(), Vec3d{});
  EXPECT_EQ(code_of(posed, none), ErrorCode::kShapeMismatch);
  const CrowdMember nobody;
  EXPECT_EQ(deformer.Deform({&nobody, 1}).error().code, ErrorCode::kInvalidArgument);

  wrong = posed;
  wrong.palettes[0][1].translation.y = 1e39;
  const Status beyond = deformer.Deform(wrong, results);
  ASSERT_FALSE(beyond.ok());
  EXPECT_EQ(beyond.error().code, ErrorCode::kInvalidValue);
  EXPECT_THAT(beyond.error().message, HasSubstr("beyond the range of a float"));
}

TEST_P(DeformerTest, AllocatesNothingAfterTheFirstCall) {
  const auto elbow = asset::MakeSample("elbow");
  ASSERT_TRUE(elbow.ok());
  Deformer deformer = Made(*elbow, Settings());
  DeformedCharacter results = ResultsOf(deformer);
  const PosedCharacter first = PoseAt(*elbow, 0), second = PoseAt(*elbow, 0.5);
  ASSERT_TRUE(deformer.Deform(first, results).ok());
  const std::size_t before = test::AllocationCount();
  ASSERT_TRUE(deformer.Deform(second, results).ok());
  EXPECT_EQ(test::AllocationCount(), before);
}

}  // namespace
}  // namespace flexor::deform
