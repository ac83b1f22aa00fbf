// The parts of dual-quaternion blending that no palette can show: signs of stored quaternions, and
// the derivative that normals follow.
#include "deform/joint_motion.h"

#include <cmath>

#include <gtest/gtest.h>

#include "flexor/deform/plan.h"
#include "flexor/math/palette_split.h"

#include "deform/reference/reference.h"
#include "support/rigs.h"

namespace flexor::deform {
namespace {

using test::IsNear;

constexpr DqsResidual kForms[] = {DqsResidual::kVertex, DqsResidual::kOrigin, DqsResidual::kUsd};

std::vector<JointMotion> MotionsOf(const std::vector<Mat34d>& palette, DqsResidual form,
                                   const asset::Mesh& mesh) {
  DeformSettings settings;
  settings.dqs.residual = form;
  const auto plan = BuildDeformPlan(mesh, palette.size(), settings);
  EXPECT_TRUE(plan.ok());
  std::vector<JointMotion> motions(palette.size());
  FrameReport report;
  SplitPalette(plan->data(), palette, motions, report);
  return motions;
}

std::vector<WeightedJoint> RandomWeights(std::uint32_t seed, std::size_t joints) {
  const asset::Mesh mesh = test::RandomRig({1, joints, 5, 0, false, false, 1}, seed);
  std::vector<WeightedJoint> weights;
  double sum = 0;
  for (std::size_t i = 0; i < mesh.influences.joints.size(); ++i) {
    weights.push_back({mesh.influences.joints[i], static_cast<double>(mesh.influences.weights[i])});
    sum += weights.back().weight;
  }
  for (WeightedJoint& weight : weights) weight.weight /= sum;
  return weights;
}

const asset::Mesh kMesh = test::OneVertex({0.4f, -0.3f, 0.8f}, {{0, 1.0f}});
const Vec3d kPoint = Cast<double>(kMesh.positions[0]);

TEST(JointMotion, PutsEveryMatrixTogetherAgain) {
  const auto palette = test::RandomPalette(24, test::JointKind::kNasty, 5);
  for (const auto form : kForms) {
    const auto motions = MotionsOf(palette, form, kMesh);
    for (std::size_t j = 0; j < palette.size(); ++j) {
      const JointMotion& m = motions[j];
      if (Dot(m.rotation, m.rotation) == 0) {
        EXPECT_EQ(form, DqsResidual::kUsd);
        EXPECT_NEAR(Determinant(palette[j].linear), 0, 1e-9) << j;
        continue;
      }
      const Vec3d got = form == DqsResidual::kVertex
                            ? Rotate(m.rotation, kPoint) + (m.residual * kPoint + m.translation)
                            : Rotate(m.rotation, m.residual * kPoint) + m.translation;
      EXPECT_THAT(got, IsNear(TransformPoint(palette[j], kPoint), 1e-12)) << j;
    }
  }
}

TEST(JointMotion, UsdTakesReflectionsAsNegativeScale) {
  // A mirror image in X: OpenUSD takes it as a negative scale in every direction and half a turn
  // about X, not as no turn and one mirrored axis.
  const auto motions = MotionsOf({test::Scaling({-1, 2, 3})}, DqsResidual::kUsd, kMesh);
  const Mat3d& s = motions[0].residual;
  EXPECT_THAT(s.x, IsNear(Vec3d{-1, 0, 0}, 1e-12));
  EXPECT_THAT(s.y, IsNear(Vec3d{0, -2, 0}, 1e-12));
  EXPECT_THAT(s.z, IsNear(Vec3d{0, 0, -3}, 1e-12));
  EXPECT_NEAR(std::abs(motions[0].rotation.x), 1, 1e-12);
}

TEST(JointMotion, StoredSignsPlayNoPart) {
  // All eight components of a dual quaternion negated: the same motion, the same blend.
  const auto palette = test::RandomPalette(8, test::JointKind::kNasty, 9);
  for (const auto form : kForms) {
    const auto motions = MotionsOf(palette, form, kMesh);
    for (std::uint32_t seed = 0; seed < 30; ++seed) {
      const auto weights = RandomWeights(seed, palette.size());
      const VertexMotion before = ReferenceSkinDqs(weights, motions, form, kPoint);
      for (std::size_t turned = 0; turned < motions.size(); ++turned) {
        auto other = motions;
        other[turned].rotation = -other[turned].rotation;
        const VertexMotion after = ReferenceSkinDqs(weights, other, form, kPoint);
        EXPECT_THAT(after.position, IsNear(before.position, 1e-12));
        EXPECT_THAT(after.jacobian.x, IsNear(before.jacobian.x, 1e-12));
      }
    }
  }
}

TEST(JointMotion, PivotIsTheLargestWeightThenTheSmallestJoint) {
  const auto pivot_of = [](std::vector<WeightedJoint> weights) {
    const std::size_t pivot = PivotOf(weights);
    return pivot < weights.size() ? static_cast<int>(weights[pivot].joint) : -1;
  };
  EXPECT_EQ(pivot_of({{4, 0.2}, {7, 0.5}, {1, 0.3}}), 7);
  EXPECT_EQ(pivot_of({{4, 0.4}, {2, 0.4}, {1, 0.2}}), 2);
  EXPECT_EQ(pivot_of({{2, 0.4}, {4, 0.4}, {1, 0.2}}), 2);
  EXPECT_EQ(pivot_of({{2, -0.4}, {4, 0.0}}), -1);
  EXPECT_EQ(pivot_of({{2, -0.4}, {4, 0.1}}), 4);
  EXPECT_EQ(pivot_of({}), -1);
}

TEST(JointMotion, JacobiansAreDerivatives) {
  const auto palette = test::RandomPalette(12, test::JointKind::kNasty, 13);
  for (const auto form : kForms) {
    const auto motions = MotionsOf(palette, form, kMesh);
    for (std::uint32_t seed = 0; seed < 40; ++seed) {
      const auto weights = RandomWeights(seed, palette.size());
      const Mat3d j = ReferenceSkinDqs(weights, motions, form, kPoint).jacobian;
      constexpr double kStep = 1e-4;  // the map is affine: any step is exact up to rounding
      const auto slope = [&](const Vec3d& axis) {
        const Vec3d ahead =
            ReferenceSkinDqs(weights, motions, form, kPoint + axis * kStep).position;
        const Vec3d behind =
            ReferenceSkinDqs(weights, motions, form, kPoint - axis * kStep).position;
        return (ahead - behind) / (2 * kStep);
      };
      EXPECT_THAT(j.x, IsNear(slope({1, 0, 0}), 1e-9)) << seed;
      EXPECT_THAT(j.y, IsNear(slope({0, 1, 0}), 1e-9)) << seed;
      EXPECT_THAT(j.z, IsNear(slope({0, 0, 1}), 1e-9)) << seed;
      const Mat3d linear = ReferenceSkinLbs(weights, palette, kPoint).jacobian;
      const Vec3d moved = ReferenceSkinLbs(weights, palette, kPoint + Vec3d{1, 0, 0}).position -
                          ReferenceSkinLbs(weights, palette, kPoint).position;
      EXPECT_THAT(linear.x, IsNear(moved, 1e-12)) << seed;
    }
  }
}

TEST(JointMotion, RigidBlendsAreRigid) {
  const auto palette = test::RandomPalette(8, test::JointKind::kRigid, 21);
  const auto motions = MotionsOf(palette, DqsResidual::kVertex, kMesh);
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    const auto weights = RandomWeights(seed, palette.size());
    const VertexMotion motion = ReferenceSkinDqs(weights, motions, DqsResidual::kVertex, kPoint);
    const Mat3d gram = Transposed(motion.jacobian) * motion.jacobian;
    EXPECT_THAT(gram.x, IsNear(Vec3d{1, 0, 0}, 1e-12));
    EXPECT_THAT(gram.y, IsNear(Vec3d{0, 1, 0}, 1e-12));
    EXPECT_THAT(gram.z, IsNear(Vec3d{0, 0, 1}, 1e-12));
    EXPECT_NEAR(Determinant(motion.jacobian), 1, 1e-12);
  }
}

}  // namespace
}  // namespace flexor::deform
