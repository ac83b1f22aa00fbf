// Which vertices a plan makes spherical, what it refuses, and centres derived from a skin.
#include <algorithm>
#include <limits>
#include <optional>

#include "flexor/asset/sample.h"
#include "flexor/deform/derive_sdef.h"
#include "flexor/deform/plan.h"
#include "flexor/deform/skin_sdef.h"

#include "deform/cpu/layout.h"
#include "deform/every_backend.h"
#include "deform/plan_data.h"
#include "support/spherical.h"

namespace flexor::deform {
namespace {

using asset::SkinningMethod;
using test::About;
using test::IsNear;
using test::Job;
using test::OneSpherical;
using test::Sdef;
using test::Shape;
using test::Turn;
using testing::AllOf;
using testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

asset::Mesh TwoSpherical() {
  asset::Mesh mesh =
      test::MeshOf({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{{0, 1.0f}}, {{1, 1.0f}}, {{0, 1.0f}}});
  test::AddSdef(mesh, 0, {});
  test::AddSdef(mesh, 2, {});
  return mesh;
}

TEST(SdefPlan, NamesWhatDoesNotFit) {
  const auto expect = [](const asset::Mesh& mesh, ErrorCode code, const char* a, const char* b) {
    const auto plan = BuildDeformPlan(mesh, 2, {});
    ASSERT_FALSE(plan.ok()) << a;
    EXPECT_EQ(plan.error().code, code) << plan.error().ToString();
    EXPECT_THAT(plan.error().ToString(), AllOf(HasSubstr(a), HasSubstr(b), HasSubstr("'test'")));
  };
  asset::Mesh mesh = TwoSpherical();
  mesh.sdef.joints.pop_back();
  expect(mesh, ErrorCode::kShapeMismatch, "1 pairs of joints", "2 spherical vertices");
  mesh = TwoSpherical();
  mesh.sdef.weights.clear();
  expect(mesh, ErrorCode::kShapeMismatch, "0 weights", "2 spherical vertices");
  mesh = TwoSpherical();
  mesh.sdef.centers.resize(3);
  expect(mesh, ErrorCode::kShapeMismatch, "3 centres", "2 spherical vertices");
  mesh = TwoSpherical();
  mesh.sdef.r0.resize(1);
  expect(mesh, ErrorCode::kShapeMismatch, "1 reference points R0", "2 spherical vertices");
  mesh = TwoSpherical();
  mesh.sdef.r1.resize(5);
  expect(mesh, ErrorCode::kShapeMismatch, "5 reference points R1", "2 spherical vertices");
  mesh = TwoSpherical();
  mesh.sdef.vertices[1] = 3;
  expect(mesh, ErrorCode::kIndexOutOfRange, "vertex 3", "3 vertices");
  mesh = TwoSpherical();
  mesh.sdef.vertices[1] = 0;
  expect(mesh, ErrorCode::kInvalidValue, "vertex 0 after vertex 0", "ascend");
  mesh = TwoSpherical();
  mesh.sdef.joints[1] = {1, 2};
  expect(mesh, ErrorCode::kIndexOutOfRange, "joint 2, but there are 2 joints", "vertex 2");
  mesh = TwoSpherical();
  mesh.sdef.joints[0] = {0xffffffffu, 1};  // -1 in unsigned storage
  expect(mesh, ErrorCode::kIndexOutOfRange, "joint 4294967295", "vertex 0");
  mesh = TwoSpherical();
  mesh.sdef.weights[1] = kNan;
  expect(mesh, ErrorCode::kInvalidValue, "spherical weights", "vertex 2");
  mesh = TwoSpherical();
  mesh.sdef.centers[0].y = kNan;
  expect(mesh, ErrorCode::kInvalidValue, "spherical centres", "vertex 0");
  mesh = TwoSpherical();
  mesh.sdef.r1[1].z = -std::numeric_limits<float>::infinity();
  expect(mesh, ErrorCode::kInvalidValue, "reference points", "vertex 2");
}

TEST(SdefPlan, DerivingNeedsASkin) {
  using Choice = std::pair<std::optional<SkinningMethod>, SdefMode>;
  for (const auto& [method, mode] : {Choice{std::nullopt, SdefMode::kAuthor},
                                     Choice{SkinningMethod::kSpherical, SdefMode::kOn}}) {
    DeformSettings settings;
    settings.method = method;
    settings.sdef.mode = mode;
    const auto plan = BuildDeformPlan(TwoSpherical(), 2, settings);
    ASSERT_FALSE(plan.ok());
    EXPECT_EQ(plan.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(plan.error().message, HasSubstr("skin"));
  }
}

class SdefModes : public EveryBackend {};
FLEXOR_ON_EVERY_BACKEND(SdefModes);

TEST_P(SdefModes, OnByDefaultAndOffOnRequest) {
  // Twenty vertices of a twisting arm: what a file asks for is not what linear blending gives.
  Job job;
  job.palette = {{}, Turn({1, 0, 0}, 120)};
  std::vector<test::Run> runs(20, {{0, 0.5f}, {1, 0.5f}});
  std::vector<Vec3f> positions;
  for (int i = 0; i < 20; ++i) positions.push_back({static_cast<float>(i) * 0.01f, 0.1f, 0});
  job.mesh = test::MeshOf(positions, runs);
  for (std::uint32_t v = 0; v < 20; ++v) {
    const Vec3f center{positions[v].x, 0, 0};
    test::AddSdef(job.mesh, v, {{0, 1}, 0.5f, center, center, center});
  }
  const Shape on = Run(job);
  job.settings.sdef.mode = SdefMode::kOff;
  const Shape off = Run(job);
  job.settings.sdef.mode = SdefMode::kOn;
  job.settings.method = SkinningMethod::kLinear;
  const Shape lbs = Run(job);
  job.settings.method = SkinningMethod::kDualQuaternion;
  const Shape dqs = Run(job);
  for (std::size_t v = 0; v < 20; ++v) {
    EXPECT_EQ(off.positions[v], lbs.positions[v]);
    EXPECT_NEAR(std::hypot(on.positions[v].y, on.positions[v].z), 0.1f, 1e-7f);
    EXPECT_NEAR(std::hypot(off.positions[v].y, off.positions[v].z), 0.05f, 1e-7f);
    EXPECT_NEAR(std::hypot(dqs.positions[v].y, dqs.positions[v].z), 0.1f, 1e-7f);
  }
  // What the caller says wins over what the file says.
  const auto plan = test::PlanOf(job);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->vertex_count(SkinningMethod::kSpherical), 0u);
}

TEST_P(SdefModes, QdefBlendsFourDualQuaternionsAmongSphericalVertices) {
  // A file of both kinds: vertex 0 as QDEF has it, vertex 1 spherical although it has a share too,
  // vertex 2 linear. The sign of the first goes by its largest weight, not by its first influence.
  Job job;
  const test::Run four{{0, 0.2f}, {1, 0.1f}, {2, 0.6f}, {3, 0.1f}};
  job.mesh = test::MeshOf(std::vector<Vec3f>(3, Vec3f{1, 0, 0}), std::vector<test::Run>(3, four));
  job.mesh.dqs_weights = {1, 1, 0};
  test::AddSdef(job.mesh, 1, {{0, 2}, 0.5f, {}, {}, {}});
  constexpr double kDegrees[] = {0, 20, 170, -100};
  for (const double degrees : kDegrees) job.palette.push_back(Turn({0, 0, 1}, degrees));
  const Shape shape = Run(job);
  // About one axis the blend is the sum of half-angle vectors, each turned to that of joint 2.
  double c = 0, s = 0;
  std::uint64_t flips = 0;
  const double lead = 170 * M_PI / 360;
  for (std::size_t k = 0; k < 4; ++k) {
    const double half = kDegrees[k] * M_PI / 360;
    const double sign = std::cos(half - lead) < 0 ? -1 : 1;
    if (sign < 0) ++flips;
    c += sign * static_cast<double>(four[k].second) * std::cos(half);
    s += sign * static_cast<double>(four[k].second) * std::sin(half);
  }
  const double angle = 2 * std::atan2(s, c);
  EXPECT_THAT(shape.positions[0], IsNear(Vec3d{std::cos(angle), std::sin(angle), 0}, 1e-6));
  EXPECT_EQ(shape.report.flips, flips);
  EXPECT_EQ(flips, 1u);  // by the first influence it would be none
  // 0 and 170 degrees meet at 85.
  EXPECT_THAT(shape.positions[1], IsNear(Turn({0, 0, 1}, 85).linear.x, 1e-6));
  Vec3d mean{};
  for (std::size_t k = 0; k < 4; ++k) {
    mean += job.palette[k].linear.x * static_cast<double>(four[k].second);
  }
  EXPECT_THAT(shape.positions[2], IsNear(mean, 1e-6));
}

/// An arm along +X: shoulder at 1, elbow at 3, a twist joint between them, and a wing beside.
asset::Character Arm() {
  asset::Character c;
  c.nodes.resize(6);
  const auto node = [&](std::size_t i, std::int32_t parent, const Vec3d& at) {
    c.nodes[i].parent = parent;
    c.nodes[i].rest.translation = at;
  };
  node(0, asset::kNone, {0, 0, 0});  // chest
  node(1, 0, {1, 0, 0});             // upper arm
  node(2, 1, {1, 0, 0});             // twist
  node(3, 2, {1, 0.5, 0});           // forearm
  node(4, 0, {0, 2, 0});             // wing
  node(5, asset::kNone, {0, 0, 0});  // holder
  asset::Skin skin;
  skin.joints = {3, 2, 1, 0, 4};  // forearm, twist, upper, chest, wing
  for (const Vec3d& at : {Vec3d{3, 0.5, 0}, {2, 0, 0}, {1, 0, 0}, {0, 0, 0}, {0, 2, 0}}) {
    skin.joint_from_mesh.push_back(test::Translation(-at));
  }
  skin.joint_from_mesh[0] = Turn({0, 1, 0}, 30) * skin.joint_from_mesh[0];
  c.skins.push_back(skin);
  asset::Mesh mesh = test::MeshOf(std::vector<Vec3f>(8, Vec3f{2.5f, 1, 0}),
                                  {{{2, 0.25f}, {0, 0.75f}},               // upper, forearm
                                   {{0, 0.5f}, {1, 0.5f}},                 // forearm, twist
                                   {{0, 1.0f}},                            // one joint
                                   {{0, 0.5f}, {4, 0.5f}},                 // no chain between them
                                   {{0, 0.5f}, {1, 0.25f}, {2, 0.25f}},    // three joints
                                   {{2, 0.5f}, {3, 0.5f}},                 // upper, chest
                                   {{2, 0.2f}, {2, 0.3f}, {0, 0.5f}},      // a joint twice
                                   {{2, 0.5f}, {0, 0.5f}, {1, -0.25f}}});  // and one below zero
  c.meshes.push_back(mesh);
  asset::MeshInstance instance;
  instance.node = 5;
  instance.skin = 0;
  c.instances.push_back(instance);
  EXPECT_TRUE(asset::Finalize(c).ok());
  return c;
}

TEST(DeriveSdef, TakesVerticesOfAJointAndItsAncestor) {
  const asset::Character c = Arm();
  const asset::SdefVertices sdef = DeriveSdef(c.meshes[0], c.skins[0], c.nodes);
  EXPECT_EQ(sdef.vertices, (std::vector<std::uint32_t>{0, 1, 5, 6, 7}));
  using Pair = std::array<std::uint32_t, 2>;
  EXPECT_EQ(sdef.joints, (std::vector<Pair>{{2, 0}, {0, 1}, {2, 3}, {2, 0}, {2, 0}}));
  EXPECT_THAT(sdef.weights, testing::ElementsAre(0.25f, 0.5f, 0.5f, testing::FloatEq(0.5f), 0.5f));
  // The lower joint's place at bind, whichever is listed first and however it stood.
  const Vec3f elbow{3, 0.5f, 0};
  EXPECT_THAT(sdef.centers[0], IsNear(elbow, 1e-6));
  EXPECT_THAT(sdef.centers[1], IsNear(elbow, 1e-6));
  EXPECT_THAT(sdef.centers[2], IsNear(Vec3f{1, 0, 0}, 1e-6));
  EXPECT_EQ(sdef.r0, sdef.centers);
  EXPECT_EQ(sdef.r1, sdef.centers);

  // With the weight limit of the plan, the third joint goes.
  asset::WeightPolicy policy;
  policy.max_influences = 2;
  EXPECT_EQ(DeriveSdef(c.meshes[0], c.skins[0], c.nodes, policy).vertices.size(), 6u);

  // What the file has stays the file's, and a joint that stood nowhere gives no centre.
  asset::Character other = c;
  test::AddSdef(other.meshes[0], 1, {});
  EXPECT_EQ(DeriveSdef(other.meshes[0], c.skins[0], c.nodes).vertices,
            (std::vector<std::uint32_t>{0, 5, 6, 7}));
  const asset::SdefVertices merged =
      MergeSdef(other.meshes[0].sdef, DeriveSdef(other.meshes[0], c.skins[0], c.nodes));
  EXPECT_EQ(merged.vertices, sdef.vertices);
  EXPECT_EQ(merged.centers[1], Vec3f{});
  other.skins[0].joint_from_mesh[0].linear.x = {};
  EXPECT_EQ(DeriveSdef(c.meshes[0], other.skins[0], c.nodes).vertices,
            (std::vector<std::uint32_t>{5}));
}

TEST(DeriveSdef, PlansOfInstancesDerive) {
  asset::Character c = Arm();
  DeformSettings settings;
  const auto count = [&](std::optional<SkinningMethod> method, SdefMode mode) {
    settings.method = method;
    settings.sdef.mode = mode;
    const auto plan = BuildDeformPlan(c, 0, settings);
    EXPECT_TRUE(plan.ok());
    return plan->vertex_count(SkinningMethod::kSpherical);
  };
  EXPECT_EQ(count(std::nullopt, SdefMode::kOn), 0u);
  EXPECT_EQ(count(std::nullopt, SdefMode::kAuthor), 5u);
  EXPECT_EQ(count(SkinningMethod::kSpherical, SdefMode::kOff), 5u);
  EXPECT_EQ(count(SkinningMethod::kLinear, SdefMode::kAuthor), 0u);
  EXPECT_EQ(count(SkinningMethod::kDualQuaternion, SdefMode::kAuthor), 0u);
  test::AddSdef(c.meshes[0], 2, {});
  EXPECT_EQ(count(std::nullopt, SdefMode::kOn), 1u);
  EXPECT_EQ(count(std::nullopt, SdefMode::kOff), 0u);
  EXPECT_EQ(count(std::nullopt, SdefMode::kAuthor), 6u);
  // A mesh without its skin rides on its node, spherical vertices or not.
  c.instances[0].skin = asset::kNone;
  EXPECT_EQ(count(std::nullopt, SdefMode::kAuthor), 0u);
}

class DerivedElbow : public EveryBackend {};
FLEXOR_ON_EVERY_BACKEND(DerivedElbow);

TEST_P(DerivedElbow, BendsAtAConstantDistanceFromTheJoint) {
  // The forearm turns about its own origin, here moved along with the upper arm.
  const asset::Character c = Arm();
  Job job;
  job.mesh = c.meshes[0];
  job.mesh.positions[0] = {3, 1.5f, 0};  // outside of the elbow by one
  job.mesh.sdef = DeriveSdef(job.mesh, c.skins[0], c.nodes);
  const Mat34d upper = test::Translation({5, 6, 7}) * Turn({0, 1, 1}, 50);
  job.palette.assign(5, upper);
  job.palette[0] = upper * About({3, 0.5, 0}, Turn({0, 0, 1}, -100));
  const Vec3d elbow = TransformPoint(upper, Vec3d{3, 0.5, 0});
  const Shape derived = Run(job);
  EXPECT_NEAR(test::DistanceOf(Cast<double>(derived.positions[0]), elbow), 1, 2e-6);
  const Mat34d three_quarters = upper * About({3, 0.5, 0}, Turn({0, 0, 1}, -75));
  EXPECT_THAT(derived.positions[0], IsNear(TransformPoint(three_quarters, Vec3d{3, 1.5, 0}), 3e-6));
  job.settings.method = SkinningMethod::kLinear;
  EXPECT_NEAR(test::DistanceOf(Cast<double>(Run(job).positions[0]), elbow), 0.7483, 1e-4);

  job.settings.method = std::nullopt;
  job.palette.assign(5, {});
  EXPECT_EQ(Run(job).positions, job.mesh.positions);
}

TEST(SdefLayout, BlocksOfOnePairAndBlocksOfMany) {
  Job job;
  job.mesh = test::RandomRig({200, 30, 2, 0, true, true, 1}, 5);
  test::AddRandomSdef(job.mesh, 30, 1, 1, 6);
  for (std::size_t v = 100; v < 164; ++v) job.mesh.sdef.joints[v] = {9, 4};
  for (std::size_t v = 164; v < 200; ++v) job.mesh.sdef.joints[v] = {4, 9};
  job.palette.resize(30);
  const auto plan = test::PlanOf(job);
  ASSERT_TRUE(plan.ok());
  const PlanData& data = plan->data();
  const CpuLayout layout = *BuildCpuLayout(data, OutputOrder::kCaller);
  std::size_t shared = 0, any = 0, vertices = 0;
  for (const CpuBlock& block : layout.blocks) {
    (block.kind == BlockKind::kShared ? shared : any) += 1;
    for (std::size_t lane = 0; lane < block.count; ++lane) {
      const std::uint32_t v = layout.caller_from_plan[block.first + lane];
      const std::uint32_t pair =
          layout.joints[block.joints + (block.kind == BlockKind::kAny ? lane : 0)];
      EXPECT_EQ(pair, test::SphericalOf(data, v)->pair);
      ++vertices;
    }
  }
  EXPECT_EQ(vertices, 200u);
  EXPECT_GE(shared, 6u);  // both ways round are one pair: 100 vertices
  EXPECT_GE(any, 6u);
  EXPECT_LT(layout.facts.blocks, 20u);
  for (const auto& pair : data.payloads.spherical.pairs) EXPECT_LE(pair[0], pair[1]);
  EXPECT_TRUE(std::ranges::is_sorted(data.payloads.spherical.pairs));
  // Weights beyond the joints go to the double path, and only they.
  EXPECT_TRUE(std::ranges::all_of(layout.blocks, [](const CpuBlock& b) { return b.exact == 0; }));
}

}  // namespace
}  // namespace flexor::deform
