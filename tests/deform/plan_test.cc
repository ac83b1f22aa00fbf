#include "flexor/deform/plan.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "deform/every_backend.h"

namespace flexor::deform {
namespace {

using asset::SkinningMethod;
using test::InfluencesOf;
using test::IsNear;
using test::Job;
using test::MeshOf;
using test::OneVertex;
using test::Translation;
using testing::AllOf;
using testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Error ErrorOf(const asset::Mesh& mesh, std::size_t joints, const DeformSettings& settings = {}) {
  const auto plan = BuildDeformPlan(mesh, joints, settings);
  return plan.ok() ? Error{ErrorCode::kInternal, "no error", {}} : plan.error();
}

asset::Mesh ThreeVertices() {
  return MeshOf({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{{0, 1.0f}}, {{1, 1.0f}}, {{0, 1.0f}}});
}

TEST(DeformPlan, NamesTheVertexAndTheJointThatIsNotThere) {
  const Error error = ErrorOf(ThreeVertices(), 1);
  EXPECT_EQ(error.code, ErrorCode::kIndexOutOfRange);
  EXPECT_THAT(error.message, AllOf(HasSubstr("joint 1"), HasSubstr("1 joints")));
  EXPECT_THAT(error.place.element, AllOf(HasSubstr("'test'"), HasSubstr("vertex 1")));
}

// Repair may give a vertex without weight to joint 0, which a palette without joints lacks.
TEST(DeformPlan, NamesTheVertexThatWouldFollowAJointThatIsNotThere) {
  asset::Mesh mesh = MeshOf({{0, 0, 0}, {1, 0, 0}}, {{}, {}});
  DeformSettings settings;
  EXPECT_EQ(ErrorOf(mesh, 0, settings).code, ErrorCode::kInternal);  // both stay where they are
  settings.weights.zero = asset::ZeroWeightPolicy::kFirstJoint;
  const Error error = ErrorOf(mesh, 0, settings);
  EXPECT_EQ(error.code, ErrorCode::kIndexOutOfRange);
  EXPECT_THAT(error.message, AllOf(HasSubstr("follow joint 0"), HasSubstr("are 0 joints")));
  EXPECT_THAT(error.place.element, AllOf(HasSubstr("'test'"), HasSubstr("vertex 0")));
  EXPECT_EQ(ErrorOf(mesh, 1, settings).code, ErrorCode::kInternal);
}

TEST(DeformPlan, NamesArraysThatDisagree) {
  const auto expect = [](const asset::Mesh& mesh, ErrorCode code, const char* a, const char* b) {
    const Error error = ErrorOf(mesh, 2);
    EXPECT_EQ(error.code, code) << error.ToString();
    EXPECT_THAT(error.ToString(), AllOf(HasSubstr(a), HasSubstr(b)));
  };
  asset::Mesh mesh = ThreeVertices();
  mesh.normals.resize(2);
  expect(mesh, ErrorCode::kShapeMismatch, "2 normals", "3 positions");

  mesh = ThreeVertices();
  mesh.tangents.resize(4);
  expect(mesh, ErrorCode::kShapeMismatch, "4 tangents", "3 positions");

  mesh = ThreeVertices();
  mesh.dqs_weights.resize(1);
  expect(mesh, ErrorCode::kShapeMismatch, "1 dual-quaternion weights", "3 positions");

  mesh = ThreeVertices();
  mesh.influences = InfluencesOf({{{0, 1.0f}}});
  expect(mesh, ErrorCode::kShapeMismatch, "1 runs", "3 positions");

  mesh = ThreeVertices();
  mesh.influences.weights.pop_back();
  expect(mesh, ErrorCode::kShapeMismatch, "3 joints", "2 weights");

  mesh = ThreeVertices();
  mesh.influences.offsets.back() = 9;
  expect(mesh, ErrorCode::kShapeMismatch, "to 9", "3 influences");

  mesh = ThreeVertices();
  mesh.influences.offsets[1] = 3;
  expect(mesh, ErrorCode::kInvalidValue, "starts at 3", "vertex 1");

  mesh = ThreeVertices();
  mesh.influences.offsets[1] = 4000000000u;
  expect(mesh, ErrorCode::kInvalidValue, "ends at 4000000000", "vertex 0");

  mesh = ThreeVertices();
  mesh.influences.offsets.clear();
  expect(mesh, ErrorCode::kShapeMismatch, "3 joints", "no offsets");

  mesh = ThreeVertices();
  mesh.triangles = {0, 1};
  expect(mesh, ErrorCode::kShapeMismatch, "2 triangle indices", "multiple of 3");

  mesh = ThreeVertices();
  mesh.triangles = {0, 1, 2, 0, 1, 3};
  expect(mesh, ErrorCode::kIndexOutOfRange, "vertex 3", "triangle 1");
}

TEST(DeformPlan, NamesWhatIsNotFinite) {
  asset::Mesh mesh = ThreeVertices();
  mesh.positions[2].y = kNan;
  Error error = ErrorOf(mesh, 2);
  EXPECT_EQ(error.code, ErrorCode::kInvalidValue);
  EXPECT_THAT(error.ToString(), AllOf(HasSubstr("positions"), HasSubstr("vertex 2")));

  mesh = ThreeVertices();
  mesh.influences.weights[1] = std::numeric_limits<float>::infinity();
  error = ErrorOf(mesh, 2);
  EXPECT_EQ(error.code, ErrorCode::kInvalidValue);
  EXPECT_THAT(error.ToString(), AllOf(HasSubstr("weights"), HasSubstr("vertex 1")));

  mesh = ThreeVertices();
  mesh.normals.resize(3);
  mesh.tangents.resize(3);
  mesh.tangents[1].w = kNan;
  EXPECT_THAT(ErrorOf(mesh, 2).ToString(), AllOf(HasSubstr("tangents"), HasSubstr("vertex 1")));

  for (const float bad : {-0.1f, 1.5f, kNan}) {
    mesh = ThreeVertices();
    mesh.dqs_weights = {0, bad, 1};
    EXPECT_THAT(ErrorOf(mesh, 2).ToString(), AllOf(HasSubstr("outside 0"), HasSubstr("vertex 1")));
  }
}

TEST(DeformPlan, ChecksMorphs) {
  asset::Mesh mesh = ThreeVertices();
  mesh.morphs.resize(2);
  mesh.morphs[1].name = "blink";
  mesh.morphs[1].positions.resize(2);
  Error error = ErrorOf(mesh, 2);
  EXPECT_EQ(error.code, ErrorCode::kShapeMismatch);
  EXPECT_THAT(error.ToString(), AllOf(HasSubstr("'blink'"), HasSubstr("2 position offsets"),
                                      HasSubstr("3 vertices")));

  mesh.morphs[1].vertices = {0, 3};
  error = ErrorOf(mesh, 2);
  EXPECT_EQ(error.code, ErrorCode::kIndexOutOfRange);
  EXPECT_THAT(error.ToString(), AllOf(HasSubstr("entry 1"), HasSubstr("vertex 3")));

  mesh.morphs[1].vertices = {2, 2};
  EXPECT_EQ(ErrorOf(mesh, 2).code, ErrorCode::kInvalidValue);

  mesh.morphs[1].vertices = {0, 2};
  mesh.morphs[1].normals.resize(3);
  EXPECT_THAT(ErrorOf(mesh, 2).ToString(),
              AllOf(HasSubstr("3 normal offsets"), HasSubstr("2 entries")));

  mesh.morphs[1].normals = {{0, 0, 0}, {0, kNan, 0}};
  EXPECT_THAT(ErrorOf(mesh, 2).ToString(), HasSubstr("vertex 2"));
}

TEST(DeformPlan, HoldsWhatWasGiven) {
  asset::Mesh mesh = ThreeVertices();
  mesh.normals.assign(3, {0, 0, 1});
  mesh.morphs.resize(4);
  DeformSettings settings;
  settings.method = SkinningMethod::kDualQuaternion;
  const auto plan = BuildDeformPlan(mesh, 5, settings);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->vertex_count(), 3u);
  EXPECT_EQ(plan->joint_count(), 5u);
  EXPECT_EQ(plan->morph_count(), 4u);
  EXPECT_TRUE(plan->has_normals());
  EXPECT_FALSE(plan->has_tangents());
  EXPECT_EQ(plan->settings().method, SkinningMethod::kDualQuaternion);
  EXPECT_EQ(plan->weight_report().max_influences, 1u);
  EXPECT_EQ(plan->influences().joints, (std::vector<std::uint32_t>{0, 1, 0}));
  EXPECT_GE(plan->bytes(), 3 * (sizeof(Vec3f) * 2 + 12));

  settings.normals = NormalMode::kNone;
  const auto without = BuildDeformPlan(mesh, 5, settings);
  ASSERT_TRUE(without.ok());
  EXPECT_FALSE(without->has_normals());
}

TEST(DeformPlan, MadeByDefaultHasNoVertices) {
  const DeformPlan plan;
  EXPECT_EQ(plan.vertex_count(), 0u);
  EXPECT_EQ(plan.joint_count(), 0u);
  EXPECT_EQ(plan.morph_count(), 0u);
  EXPECT_FALSE(plan.has_normals());
  EXPECT_FALSE(plan.has_tangents());
  EXPECT_EQ(plan.settings().method, std::nullopt);
  EXPECT_EQ(plan.weight_report().max_influences, 0u);
  EXPECT_EQ(plan.influences().joints.size(), 0u);
  EXPECT_EQ(plan.vertex_count(SkinningMethod::kSpherical), 0u);
  EXPECT_GT(plan.bytes(), 0u);
}

TEST(DeformPlan, Instances) {
  asset::Character character;
  character.name = "hero";
  character.meshes = {ThreeVertices()};
  character.nodes.resize(3);
  asset::Skin skin;
  skin.joints = {1, 2};
  skin.joint_from_mesh.resize(2);
  character.skins = {skin};
  asset::MeshInstance instance;
  instance.skin = 0;
  character.instances = {instance, {}};
  character.meshes[0].skinning = SkinningMethod::kDualQuaternion;

  const auto skinned = BuildDeformPlan(character, 0, {});
  ASSERT_TRUE(skinned.ok()) << skinned.error().ToString();
  EXPECT_EQ(skinned->joint_count(), 2u);

  // Without a skin the influences mean nothing: one rigid joint.
  const auto rigid = BuildDeformPlan(character, 1, {});
  ASSERT_TRUE(rigid.ok()) << rigid.error().ToString();
  EXPECT_EQ(rigid->joint_count(), 1u);
  EXPECT_EQ(rigid->influences().joints, (std::vector<std::uint32_t>{0, 0, 0}));

  const auto none = BuildDeformPlan(character, 2, {});
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, ErrorCode::kIndexOutOfRange);
  EXPECT_THAT(none.error().message, AllOf(HasSubstr("instance 2"), HasSubstr("has 2")));
}

class PlanPolicies : public EveryBackend {};
FLEXOR_ON_EVERY_BACKEND(PlanPolicies);

TEST_P(PlanPolicies, FileMethodAndSharesDecide) {
  Job job{test::MeshOf({{1, 0, 0}, {1, 0, 0}, {1, 0, 0}},
                       std::vector<test::Run>(3, {{0, 0.5f}, {1, 0.5f}})),
          {{}, test::Turn({0, 1, 0}, 180)},
          {},
          {},
          {}};
  const Vec3d lbs{0, 0, 0}, dqs{0, 0, -1};
  job.mesh.skinning = SkinningMethod::kLinear;
  EXPECT_THAT(Run(job).positions[0], IsNear(lbs, 1e-6));
  job.mesh.skinning = SkinningMethod::kDualQuaternion;
  EXPECT_THAT(Run(job).positions[0], IsNear(dqs, 1e-6));
  job.mesh.dqs_weights = {0, 1, 0.25f};  // what the file says by vertex wins over its one method
  test::Shape shape = Run(job);
  EXPECT_THAT(shape.positions[0], IsNear(lbs, 1e-6));
  EXPECT_THAT(shape.positions[1], IsNear(dqs, 1e-6));
  EXPECT_THAT(shape.positions[2], IsNear(dqs * 0.25, 1e-6));
  job.mesh.dqs_weights = {0, 1, 1};
  shape = Run(job);
  EXPECT_THAT(shape.positions[0], IsNear(lbs, 1e-6));
  EXPECT_THAT(shape.positions[1], IsNear(dqs, 1e-6));
  job.mesh.dqs_weights = {0, 0, 0};
  for (const Vec3f& p : Run(job).positions) EXPECT_THAT(p, IsNear(lbs, 1e-6));
  job.settings.method = SkinningMethod::kDualQuaternion;  // and what the caller says wins over both
  shape = Run(job);
  for (const Vec3f& p : shape.positions) EXPECT_THAT(p, IsNear(dqs, 1e-6));
  job.settings.method = SkinningMethod::kLinear;
  for (const Vec3f& p : Run(job).positions) EXPECT_THAT(p, IsNear(lbs, 1e-6));
}

TEST_P(PlanPolicies, MeshesWithoutInfluencesRideOnJointZero) {
  Job job{{}, {test::About({0, 1, 0}, test::Turn({0, 0, 1}, 90))}, {}, {}, {}};
  job.mesh.positions = {{0, 2, 0}};
  job.mesh.normals = {{0, 1, 0}};
  for (const auto& method : test::MethodCases()) {
    const test::Shape shape = Run(test::WithMethod(job, method));
    EXPECT_THAT(shape.positions[0], IsNear(Vec3d{-1, 1, 0}, 1e-6)) << method.name;
    EXPECT_THAT(shape.normals[0], IsNear(Vec3d{-1, 0, 0}, 1e-6)) << method.name;
  }
  EXPECT_EQ(ErrorOf(job.mesh, 0).code, ErrorCode::kIndexOutOfRange);
}

TEST_P(PlanPolicies, VerticesWithoutWeight) {
  // Four vertices, one of them without weight; its first listed joint is 2, which moves up.
  Job job{test::MeshOf({{1, 0, 0}, {2, 0, 0}, {3, 4, 0}, {4, 0, 0}},
                       {{{0, 1.0f}}, {{1, 1.0f}}, {{2, 0.0f}, {0, 0.0f}}, {{1, 1.0f}}}),
          {{}, {}, Translation({0, 1, 0})},
          {},
          {},
          {}};
  job.mesh.normals.assign(4, {0, 1, 0});
  job.mesh.tangents.assign(4, {1, 0, 0, -1});
  job.output_origin = {0, 0, 10};
  const struct {
    asset::ZeroWeightPolicy policy;
    Vec3d place;
  } cases[] = {{asset::ZeroWeightPolicy::kPassThrough, {3, 4, -10}},
               {asset::ZeroWeightPolicy::kCollapse, {0, 0, -10}},
               {asset::ZeroWeightPolicy::kFirstJoint, {3, 5, -10}}};
  for (const auto& method : test::MethodCases()) {
    for (const auto& [policy, place] : cases) {
      Job with_policy = test::WithMethod(job, method);
      with_policy.settings.weights.zero = policy;
      const auto plan = test::PlanOf(with_policy);
      ASSERT_TRUE(plan.ok());
      EXPECT_EQ(plan->weight_report().zero_sum, 1u);
      const test::Shape shape = test::DeformPlanned(GetParam(), *plan, with_policy);
      EXPECT_THAT(shape.positions[2], IsNear(place, 1e-5)) << method.name;
      EXPECT_THAT(shape.positions[3], IsNear(Vec3d{4, 0, -10}, 1e-5)) << method.name;
      EXPECT_THAT(shape.normals[2], IsNear(Vec3d{0, 1, 0}, 1e-6)) << method.name;
      EXPECT_THAT(test::Xyz(shape.tangents[2]), IsNear(Vec3d{1, 0, 0}, 1e-6)) << method.name;
      EXPECT_EQ(shape.tangents[2].w, -1.0f);
      // A collapsed vertex has no surface left: its normal stands in and is counted.
      const bool collapsed = policy == asset::ZeroWeightPolicy::kCollapse;
      EXPECT_EQ(shape.report.singular_normal_matrices, collapsed ? 1u : 0u) << method.name;
    }
  }
}

TEST_P(PlanPolicies, WeightsOfRealFiles) {
  // Sums of less than 1, eight influences over two sets, quantised sums of 254/255, negative
  // weights: joints that agree move the vertex by all of it, none of these by a part.
  const std::vector<test::Run> runs = {{{0, 0.4f}, {1, 0.173f}},
                                       {{0, 0.125f},
                                        {1, 0.125f},
                                        {2, 0.125f},
                                        {3, 0.125f},
                                        {4, 0.125f},
                                        {5, 0.125f},
                                        {6, 0.125f},
                                        {7, 0.125f}},
                                       {{0, 85 / 255.0f}, {1, 85 / 255.0f}, {2, 84 / 255.0f}},
                                       {{0, 255 / 255.0f}},
                                       {{0, 65535 / 65535.0f}},
                                       {{0, 1.2f}, {1, -0.2f}},
                                       {{0, 0.5f}, {0, 0.5f}}};
  Job job{test::MeshOf(std::vector<Vec3f>(runs.size(), Vec3f{1, 2, 3}), runs),
          std::vector<Mat34d>(8, Translation({100, 0, 0})),
          {},
          {},
          {}};
  for (const auto& method : test::MethodCases()) {
    const test::Shape shape = Run(test::WithMethod(job, method));
    for (std::size_t v = 0; v < runs.size(); ++v) {
      EXPECT_THAT(shape.positions[v], IsNear(Vec3d{101, 2, 3}, 5e-5)) << method.name << " " << v;
    }
  }
  const auto plan = test::PlanOf(job);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->weight_report().max_influences, 8u);
  EXPECT_EQ(plan->weight_report().clamped, 1u);
  EXPECT_EQ(plan->weight_report().merged, 1u);
}

}  // namespace
}  // namespace flexor::deform
