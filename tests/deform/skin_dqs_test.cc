#include "flexor/deform/skin_dqs.h"

#include <array>
#include <cmath>
#include <numbers>

#include "deform/every_backend.h"

namespace flexor::deform {
namespace {

using asset::SkinningMethod;
using test::About;
using test::IsNear;
using test::Job;
using test::OneVertex;
using test::Scaling;
using test::Shape;
using test::Translation;
using test::Turn;

constexpr DqsResidual kResiduals[] = {DqsResidual::kVertex, DqsResidual::kOrigin,
                                      DqsResidual::kUsd};

class SkinDqsTest : public EveryBackend {
 protected:
  Shape Dqs(const asset::Mesh& mesh, std::vector<Mat34d> palette,
            DqsResidual residual = DqsResidual::kVertex) const {
    return RunVertex(mesh, std::move(palette), SkinningMethod::kDualQuaternion, residual);
  }
};
FLEXOR_ON_EVERY_BACKEND(SkinDqsTest);

/// A rig moved by a constant, and its result moved back.
struct ShiftedElbow {
  asset::Mesh mesh;
  std::vector<Mat34d> palette;
};
ShiftedElbow ElbowMovedBy(double shift) {
  const Vec3d by{shift, 0, 0};
  return {OneVertex(Cast<float>(Vec3d{0.2, 1, 0} + by), {{0, 0.5f}, {1, 0.5f}}),
          {About(by, Turn({0, 0, 1}, 90) * Scaling({2, 2, 2})), Mat34d{}}};
}

TEST_P(SkinDqsTest, MovingMeshSpace) {
  // A scaled and turned joint beside a still one: about the vertex, the place of the origin plays
  // no part; about the origin, the same rig comes out in three shapes.
  const Vec3d origin_form[] = {{-0.8485, 1.2728, 0}, {0.6159, -0.1917, 0}, {13.80, -13.37, 0}};
  const double shifts[] = {0, 10, 100};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto [mesh, palette] = ElbowMovedBy(shifts[i]);
    const Vec3d back{-shifts[i], 0, 0};
    const double tolerance = 1e-4 + 1e-6 * shifts[i] * 10;
    const auto moved_back = [&](DqsResidual residual) {
      return Cast<double>(Dqs(mesh, palette, residual).positions[0]) + back;
    };
    EXPECT_THAT(moved_back(DqsResidual::kVertex), IsNear(Vec3d{-1.0243, 1.1556, 0}, tolerance));
    const double rough = i == 2 ? 6e-3 : tolerance;  // known to two decimals
    EXPECT_THAT(moved_back(DqsResidual::kOrigin), IsNear(origin_form[i], rough));
    // Uniform scale: both splits agree.
    EXPECT_THAT(moved_back(DqsResidual::kUsd), IsNear(origin_form[i], rough));
  }
}

TEST_P(SkinDqsTest, TurnsTheShortWayRound) {
  const Mat34d a = Turn({0, 0, 1}, 170), b = Turn({0, 0, 1}, -170);
  for (const auto residual : kResiduals) {
    const Shape shape = Dqs(OneVertex({1, 0, 0}, {{0, 0.5f}, {1, 0.5f}}), {a, b}, residual);
    EXPECT_THAT(shape.positions[0], IsNear(Vec3d{-1, 0, 0}, 1e-6));
    const Shape swapped = Dqs(OneVertex({1, 0, 0}, {{0, 0.5f}, {1, 0.5f}}), {b, a}, residual);
    EXPECT_THAT(swapped.positions[0], IsNear(Vec3d{-1, 0, 0}, 1e-6));
    const Shape reordered = Dqs(OneVertex({1, 0, 0}, {{1, 0.5f}, {0, 0.5f}}), {a, b}, residual);
    EXPECT_EQ(reordered.positions[0], shape.positions[0]);
  }
}

TEST_P(SkinDqsTest, AmongEqualWeightsTheSmallestJointLeadsHoweverTheyAreListed) {
  // Turns of 0, 100 and 200 degrees about one axis. Seen from the joint of 0, that of 200 is nearer
  // the other way round; seen from the one in the middle, all three agree.
  Job job{{}, {Turn({0, 0, 1}, 0), Turn({0, 0, 1}, 100), Turn({0, 0, 1}, 200)}, {}, {}, {}};
  job.settings.method = SkinningMethod::kDualQuaternion;
  const float third = 1 / 3.0f;
  const std::array<std::array<std::uint32_t, 3>, 4> orders{
      {{0, 1, 2}, {1, 0, 2}, {2, 1, 0}, {1, 2, 0}}};
  for (const auto& order : orders) {
    job.mesh =
        OneVertex({1, 0, 0}, {{order[0], third}, {order[1], third}, {order[2], third}}, {1, 0, 0});
    const Shape shape = Run(job);
    EXPECT_EQ(shape.report.flips, 1u);
    // Unit quaternions at half angles of 0, 50 and 100 - 180 degrees add to one at -15 or so.
    Vec3d sum{};
    for (const double half : {0.0, 50.0, -80.0}) {
      const double radians = half * std::numbers::pi / 180;
      sum += {std::cos(radians), std::sin(radians), 0};
    }
    const double angle = 2 * std::atan2(sum.y, sum.x);
    EXPECT_THAT(shape.positions[0], IsNear(Vec3d{std::cos(angle), std::sin(angle), 0}, 1e-6));
  }
}

TEST_P(SkinDqsTest, TurnsQuaternionsStoredOnTheOtherSide) {
  // -100 degrees is stored with w above zero, 170 with z above zero: their dot is below zero. The
  // short way from one to the other is 90 degrees; the mean is -145.
  const Mat34d a = Turn({0, 0, 1}, -100), b = Turn({0, 0, 1}, 170);
  const Vec3d mean = Turn({0, 0, 1}, -145).linear.x;
  for (const auto residual : kResiduals) {
    for (const auto& palette : {std::vector{a, b}, std::vector{b, a}}) {
      const Shape shape = Dqs(OneVertex({1, 0, 0}, {{0, 0.5f}, {1, 0.5f}}), palette, residual);
      EXPECT_THAT(shape.positions[0], IsNear(mean, 1e-6));
      EXPECT_EQ(shape.report.flips, 1u);
    }
  }
}

TEST_P(SkinDqsTest, OneTranslatedJoint) {
  const asset::Mesh mesh = OneVertex({0, 0, 0}, {{0, 1.0f}});
  EXPECT_THAT(Dqs(mesh, {Translation({4, 5, 6})}).positions[0], IsNear(Vec3d{4, 5, 6}, 1e-5));
  EXPECT_THAT(RunVertex(mesh, {Translation({4, 5, 6})}, SkinningMethod::kLinear).positions[0],
              IsNear(Vec3d{4, 5, 6}, 1e-5));
}

TEST_P(SkinDqsTest, TwistTurnsTheVertexHalfWay) {
  const asset::Mesh mesh = OneVertex({1, 0, 0}, {{0, 0.5f}, {1, 0.5f}});
  const std::vector<Mat34d> palette{{}, Turn({0, 1, 0}, 180)};
  EXPECT_THAT(Dqs(mesh, palette).positions[0], IsNear(Vec3d{0, 0, -1}, 1e-6));
  EXPECT_EQ(Dqs(mesh, palette).report.flips, 0u);
  EXPECT_THAT(RunVertex(mesh, palette, SkinningMethod::kLinear).positions[0],
              IsNear(Vec3d{0, 0, 0}, 1e-6));
}

TEST_P(SkinDqsTest, HalfTurnsKeepTheirStoredSignWhateverTheNoise) {
  // The dot is zero up to the noise of the matrices; the result must not depend on it.
  const asset::Mesh mesh = OneVertex({1, 0, 0}, {{0, 0.5f}, {1, 0.5f}});
  for (const double noise : {-1e-5, -1e-7, 0.0, 1e-7, 1e-5}) {
    const Shape shape = Dqs(mesh, {{}, Turn({0, 1, 0}, 180 + noise)});
    EXPECT_THAT(shape.positions[0], IsNear(Vec3d{0, 0, -1}, 1e-5)) << noise;
    EXPECT_EQ(shape.report.flips, 0u) << noise;
  }
}

TEST_P(SkinDqsTest, UniformScaleAtRestAgreesWithLbs) {
  // The skeleton's root is scaled by a quarter: every joint has that one matrix.
  const asset::Mesh mesh = OneVertex({1, 2, 3}, {{0, 0.3f}, {1, 0.7f}}, {0, 0, 1});
  const std::vector<Mat34d> palette(2, Scaling({0.25, 0.25, 0.25}));
  for (const auto residual : kResiduals) {
    const Shape shape = Dqs(mesh, palette, residual);
    EXPECT_THAT(shape.positions[0], IsNear(Vec3d{0.25, 0.5, 0.75}, 1e-6));
    EXPECT_THAT(shape.normals[0], IsNear(Vec3d{0, 0, 1}, 1e-6));
    EXPECT_EQ(shape.report.non_rigid_joints, 2u);
    EXPECT_EQ(shape.report.degenerate_joints, 0u);
  }
}

TEST_P(SkinDqsTest, BendBulges) {
  // A limb of radius 1 along Y, bent by 90 degrees at its joint at the origin. The outer vertex
  // half a radius before the joint, weight 1/4, leaves or nears the still limb's axis x = 0.
  Job job{
      OneVertex({1, -0.5f, 0}, {{0, 0.75f}, {1, 0.25f}}), {{}, Turn({0, 0, 1}, 90)}, {}, {}, {}};
  job.settings.method = SkinningMethod::kLinear;
  const double lbs = static_cast<double>(Run(job).positions[0].x);
  job.settings.method = SkinningMethod::kDualQuaternion;
  const double dqs = static_cast<double>(Run(job).positions[0].x);
  // Linear: 3/4 * 1 + 1/4 * 1/2. Dual quaternion: turned by twice atan of the blended quaternion.
  const double angle = 2 * std::atan2(0.25 * std::sqrt(0.5), 0.75 + 0.25 * std::sqrt(0.5));
  EXPECT_NEAR(lbs, 0.875, 1e-6);
  EXPECT_NEAR(dqs, std::cos(angle) + 0.5 * std::sin(angle), 1e-6);
  EXPECT_LT(lbs, 1);
  EXPECT_GT(dqs, 1);
  job.settings.method = std::nullopt;
  job.mesh.dqs_weights = {0.5f};
  EXPECT_NEAR(static_cast<double>(Run(job).positions[0].x), (lbs + dqs) / 2, 1e-6);
}

TEST_P(SkinDqsTest, RigidJointsAreTheSameInEveryForm) {
  Job job{test::RandomRig({200, 8, 4, 0, true, true, 1}, 11), {}, {}, {}, {}};
  job.palette = test::RandomPalette(8, test::JointKind::kRigid, 12);
  job.settings.method = SkinningMethod::kDualQuaternion;
  const Shape vertex = Run(job);
  EXPECT_EQ(vertex.report.non_rigid_joints, 0u);
  EXPECT_GT(vertex.report.flips, 0u);
  for (const auto residual : {DqsResidual::kOrigin, DqsResidual::kUsd}) {
    job.settings.dqs.residual = residual;
    const Shape other = Run(job);
    EXPECT_EQ(other.report.flips, vertex.report.flips);
    for (std::size_t v = 0; v < 200; ++v) {
      EXPECT_THAT(other.positions[v], IsNear(vertex.positions[v], 1e-5));
      EXPECT_THAT(other.normals[v], IsNear(vertex.normals[v], 1e-5));
    }
  }
}

TEST_P(SkinDqsTest, JointsWithinToleranceOfRigidAgreeAboutTheMesh) {
  // Half the tolerance of scale, on a mesh a hundred metres from the origin of mesh space: taken as
  // rigid, yet off by no more than that part of the mesh's own size.
  const Mat34d nearly = Scaling({1 + 5e-5, 1 + 5e-5, 1 + 5e-5});
  Job job{
      test::MeshOf({{100, 0, 0}, {101, 0, 0}}, {{{0, 1.0f}}, {{0, 1.0f}}}), {nearly}, {}, {}, {}};
  job.output_origin = {100, 0, 0};
  job.settings.method = SkinningMethod::kDualQuaternion;
  const Shape shape = Run(job);
  EXPECT_EQ(shape.report.non_rigid_joints, 0u);
  for (std::size_t v = 0; v < 2; ++v) {
    const Vec3d exact = TransformPoint(nearly, Cast<double>(job.mesh.positions[v]));
    EXPECT_LE(test::DistanceOf(Cast<double>(shape.positions[v]), exact - job.output_origin), 3e-5);
  }
}

TEST_P(SkinDqsTest, ReportsCountJoints) {
  const std::vector<Mat34d> palette{
      {}, Scaling({2, 1, 1}), Scaling({-1, 1, 1}), Scaling({0, 0, 0}), Turn({1, 2, 3}, 50)};
  const asset::Mesh mesh = OneVertex({1, 0, 0}, {{0, 1.0f}});
  for (const auto residual : kResiduals) {
    const Shape shape = Dqs(mesh, palette, residual);
    EXPECT_EQ(shape.report.non_rigid_joints, 3u);
    EXPECT_EQ(shape.report.degenerate_joints, 1u);
  }
  // Plans that never blend a quaternion do not split.
  EXPECT_EQ(RunVertex(mesh, palette, SkinningMethod::kLinear).report.non_rigid_joints, 0u);
}

TEST_P(SkinDqsTest, MirroredJointsMirror) {
  // Beside an equal joint, so that the blend runs; the normal stays outside and w turns.
  const asset::Mesh mesh = OneVertex({0.5f, 2, 0}, {{0, 0.5f}, {1, 0.5f}}, {1, 0, 0}, {0, 1, 0, 1});
  const std::vector<Mat34d> palette(2, Turn({0, 0, 1}, 90) * Scaling({-1, 1, 1}));
  for (const auto residual : kResiduals) {
    const Shape shape = Dqs(mesh, palette, residual);
    EXPECT_THAT(shape.positions[0], IsNear(Vec3d{-2, -0.5, 0}, 1e-6));
    EXPECT_THAT(shape.normals[0], IsNear(Vec3d{0, -1, 0}, 1e-6));
    EXPECT_THAT(test::Xyz(shape.tangents[0]), IsNear(Vec3d{-1, 0, 0}, 1e-6));
    EXPECT_EQ(shape.tangents[0].w, -1.0f);
  }
}

TEST_P(SkinDqsTest, UsdLeavesOutJointsThatCannotBeFactored) {
  // A zero matrix has no quaternion and its residual counts as the identity: the other joint alone
  // turns and moves the vertex.
  const Mat34d other = Translation({0, 0, 5}) * Turn({0, 0, 1}, 90);
  const asset::Mesh mesh = OneVertex({1, 0, 0}, {{0, 0.6f}, {1, 0.4f}});
  const Shape shape = Dqs(mesh, {Scaling({0, 0, 0}), other}, DqsResidual::kUsd);
  EXPECT_THAT(shape.positions[0], IsNear(Vec3d{0, 1, 5}, 1e-5));
  // With no other joint the vertex stays.
  const Shape alone =
      Dqs(OneVertex({1, 2, 3}, {{0, 1.0f}}, {0, 1, 0}), {Scaling({0, 0, 0})}, DqsResidual::kUsd);
  EXPECT_THAT(alone.positions[0], IsNear(Vec3d{1, 2, 3}, 1e-6));
  EXPECT_THAT(alone.normals[0], IsNear(Vec3d{0, 1, 0}, 1e-6));
}

TEST_P(SkinDqsTest, CancelledBlendsFollowThePivot) {
  // Raw weights 1 and -1 on two equal rotations leave no quaternion.
  Job job{OneVertex({1, 0, 0}, {{0, 1.0f}, {1, -1.0f}}), {}, {}, {}, {}};
  job.palette = {Translation({0, 0, 2}) * Turn({0, 0, 1}, 90), Turn({0, 0, 1}, 90)};
  job.settings.method = SkinningMethod::kDualQuaternion;
  job.settings.weights = asset::WeightPolicy::Raw();
  for (const auto residual : kResiduals) {
    job.settings.dqs.residual = residual;
    EXPECT_THAT(Run(job).positions[0], IsNear(Vec3d{0, 1, 2}, 1e-6));
  }
  // No weight above zero: the vertex stays.
  job.mesh = OneVertex({1, 0, 0}, {{0, -1.0f}, {1, -0.5f}});
  EXPECT_THAT(Run(job).positions[0], IsNear(Vec3d{1, 0, 0}, 1e-6));
}

TEST_P(SkinDqsTest, RawWeightsThatDoNotSumToOneStillMoveRigidly) {
  // Only the direction of the blended quaternion counts, and about the vertex nothing else does.
  Job job{OneVertex({1, 0, 0}, {{0, 0.4f}, {1, 0.1f}}), {}, {}, {}, {}};
  job.palette.assign(2, Translation({0, 3, 0}) * Turn({0, 0, 1}, 90) * Scaling({2, 2, 2}));
  job.settings.method = SkinningMethod::kDualQuaternion;
  job.settings.weights = asset::WeightPolicy::Raw();
  EXPECT_THAT(Run(job).positions[0], IsNear(Vec3d{0, 5, 0}, 1e-5));
}

TEST_P(SkinDqsTest, AnExtremeTurnLeavesNothingBehind) {
  // A joint goes round once in 10 degree steps; every frame is what it is alone.
  Job job{OneVertex({1, 0.3f, 0}, {{0, 0.5f}, {1, 0.5f}}), {{}, {}}, {}, {}, {}};
  job.settings.method = SkinningMethod::kDualQuaternion;
  const auto plan = test::PlanOf(job);
  ASSERT_TRUE(plan.ok());
  const auto backend = CreateBackend(GetParam().kind, GetParam().options);
  ASSERT_TRUE(backend.ok());
  const auto prepared = test::Prepared(**backend, *plan);
  Scratch scratch;
  std::vector<Vec3f> sequence;
  for (const int degrees : {0, 10, 60, 120, 170, 190, 200, 350, 0}) {
    job.palette[1] = Turn({0, 1, 0}, degrees) * Scaling({1, 1.5, 1});
    std::array<Vec3f, 1> out;
    ASSERT_TRUE((*backend)->Run(*prepared, {job.palette, {}, {}}, {out, {}, {}}, scratch).ok());
    sequence.push_back(out[0]);
    EXPECT_EQ(out[0], test::DeformPlanned(GetParam(), *plan, job).positions[0]) << degrees;
  }
  EXPECT_EQ(sequence.front(), sequence.back());
}

TEST(SkinDqs, OneCallOnArrays) {
  const std::array<Vec3f, 1> positions{Vec3f{1, 0, 0}};
  const std::array<std::uint32_t, 2> joints{0, 1};
  const std::array<float, 2> weights{0.5f, 0.5f};
  const std::array<Mat34d, 2> palette{Mat34d{}, Turn({0, 0, 1}, 90)};
  std::array<Vec3f, 1> out;
  const auto report = SkinDqs({positions, {}, {}, 2, joints, weights, palette, {}}, {out, {}, {}});
  ASSERT_TRUE(report.ok()) << report.error().ToString();
  EXPECT_THAT(out[0], IsNear(Vec3d{std::sqrt(0.5), std::sqrt(0.5), 0}, 1e-6));

  const auto [mesh, shifted] = ElbowMovedBy(0);
  ASSERT_TRUE(SkinDqs({mesh.positions, {}, {}, 2, joints, weights, shifted, {}}, {out, {}, {}},
                      DqsResidual::kOrigin)
                  .ok());
  EXPECT_THAT(out[0], IsNear(Vec3d{-0.8485, 1.2728, 0}, 1e-4));
}

}  // namespace
}  // namespace flexor::deform
