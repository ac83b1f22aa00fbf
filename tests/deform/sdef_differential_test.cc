// Spherical vertices on every SIMD target against the reference, within what skin_sdef.h promises,
// alone and among vertices of every other method.
#include <algorithm>

#include <gmock/gmock.h>

#include "flexor/deform/skin_sdef.h"

#include "deform/differential.h"
#include "deform/every_backend.h"
#include "deform/plan_data.h"
#include "deform/reference/surface.h"
#include "support/spherical.h"

namespace flexor::deform {
namespace {

using asset::SkinningMethod;
using test::Job;
using test::JointKind;
using test::Shape;

constexpr JointKind kKinds[] = {JointKind::kRigid, JointKind::kUniform, JointKind::kScaled,
                                JointKind::kNasty};
constexpr SdefRotation kRotations[] = {SdefRotation::kSlerp, SdefRotation::kNlerp};

class SdefDifferentialTest : public EveryBackend {
 protected:
  /// Holds every vertex to its promise.
  void Check(const Job& job, const std::string& what) {
    const auto plan = test::PlanOf(job);
    EXPECT_TRUE(plan.ok()) << plan.error().ToString();
    EXPECT_EQ(plan->vertex_count(SkinningMethod::kSpherical), job.mesh.sdef.size());
    const Differences found = CompareWithReference(GetParam(), *plan, job);
    EXPECT_THAT(found.faults, testing::IsEmpty()) << what;
    worst_ = std::max(worst_, found.position);
    spherical_ += job.mesh.sdef.size();
  }
  void TearDown() override {
    RecordProperty("worst_position_part", std::to_string(worst_));
    EXPECT_GT(spherical_, 0u);
  }
  double worst_ = 0;  ///< position, in parts of what is allowed
  std::size_t spherical_ = 0;
};
FLEXOR_ON_EVERY_BACKEND(SdefDifferentialTest);

TEST_P(SdefDifferentialTest, EveryCombinationOfArraysAndJoints) {
  std::uint32_t seed = 700;
  for (const SdefRotation rotation : kRotations) {
    for (const JointKind kind : kKinds) {
      for (const bool normals : {false, true}) {
        for (const bool tangents : {false, true}) {
          for (const std::size_t joints : {1u, 2u, 3u, 40u}) {
            Job job;
            job.mesh = test::RandomRig({200, joints, 3, 0, normals, tangents, 2}, ++seed);
            test::AddRandomSdef(job.mesh, joints, 0.6, 2, ++seed);
            job.palette = test::RandomPalette(joints, kind, ++seed);
            job.settings.sdef.rotation = rotation;
            Check(job, "joints " + std::to_string(joints) + " kind " +
                           std::to_string(static_cast<int>(kind)));
          }
        }
      }
    }
  }
}

TEST_P(SdefDifferentialTest, EveryVertexCount) {
  for (const std::size_t vertices : {0u, 1u, 15u, 16u, 17u, 63u, 64u, 65u, 4097u}) {
    for (const double share : {0.3, 1.0}) {
      for (const SdefRotation rotation : kRotations) {
        Job job;
        const auto seed = static_cast<std::uint32_t>(vertices);
        job.mesh = test::RandomRig({vertices, 9, 4, 0, true, true, 1}, seed);
        test::AddRandomSdef(job.mesh, 9, share, 1, seed + 1);
        job.palette = test::RandomPalette(9, JointKind::kScaled, 3);
        job.settings.sdef.rotation = rotation;
        Check(job, std::to_string(vertices) + " vertices");
      }
    }
  }
}

TEST_P(SdefDifferentialTest, AmongEveryOtherMethod) {
  // One mesh, one pass: spherical, linear, dual-quaternion and mixed vertices, and vertices without
  // weight. Those that are not spherical must not notice.
  for (const OutputOrder order : {OutputOrder::kCaller, OutputOrder::kPrepared}) {
    Job job;
    job.mesh = test::RandomRig({2000, 12, 4, 2, true, true, 1}, 91);
    job.mesh.dqs_weights.resize(2000);
    for (std::size_t v = 0; v < 2000; ++v) {
      job.mesh.dqs_weights[v] = v % 5 == 0 ? 1.0f : v % 7 == 0 ? 0.4f : 0.0f;
    }
    for (std::size_t i = 0; i < 300; ++i) job.mesh.influences.weights[i * 7] = 0;
    job.palette = test::RandomPalette(12, JointKind::kScaled, 92);
    job.morph_weights = {0.5f, -0.25f};
    job.order = order;
    Job without = job;
    without.order = OutputOrder::kCaller;
    test::AddRandomSdef(job.mesh, 12, 0.3, 1, 93);
    Check(job, "among others");

    const auto plan = test::PlanOf(job);
    ASSERT_TRUE(plan.ok());
    const Shape mixed = test::InCallersOrder(test::DeformPlanned(GetParam(), *plan, job));
    const Shape plain = Run(without);
    std::size_t others = 0;
    for (std::size_t v = 0; v < 2000; ++v) {
      if (test::SphericalOf(plan->data(), v) != nullptr) continue;
      ++others;
      // In another block, rounding may fall otherwise for vertices that share it.
      EXPECT_THAT(mixed.positions[v], test::IsNear(plain.positions[v], 2e-6)) << v;
      EXPECT_THAT(mixed.normals[v], test::IsNear(plain.normals[v], 2e-5)) << v;
    }
    EXPECT_GT(others, 1200u);
    EXPECT_LT(others, 1600u);
  }
}

TEST_P(SdefDifferentialTest, FarFromTheOrigin) {
  const Vec3d far{1000, 20, -700};
  Job job;
  job.mesh = test::RandomRig({500, 20, 4, 0, true, true, 2}, 95);
  test::AddRandomSdef(job.mesh, 20, 0.5, 2, 96);
  job.palette = test::RandomPalette(20, JointKind::kUniform, 97);
  for (Mat34d& m : job.palette) m.translation += far;
  Check(job, "without an output origin");
  job.output_origin = far;
  Check(job, "with one");
  // And a mesh that stands far from its own origin, which the layout counts from its centre.
  Job away;
  away.mesh = test::RandomRig({500, 20, 4, 0, true, true, 2}, 95);
  test::AddRandomSdef(away.mesh, 20, 0.5, 2, 96);
  for (auto* points :
       {&away.mesh.positions, &away.mesh.sdef.centers, &away.mesh.sdef.r0, &away.mesh.sdef.r1}) {
    for (Vec3f& p : *points) p.x += 1024;
  }
  const Mat34d by = test::Translation({1024, 0, 0});
  away.palette = test::RandomPalette(20, JointKind::kRigid, 97);
  for (Mat34d& m : away.palette) m = by * m * Inverse(by);
  away.output_origin = {1024, 0, 0};
  const auto plan = test::PlanOf(away);
  ASSERT_TRUE(plan.ok());
  const Shape expected = test::DeformPlanned(test::BackendCases().front(), *plan, away);
  const Shape got = test::DeformPlanned(GetParam(), *plan, away);
  for (std::size_t v = 0; v < 500; ++v) {
    if (test::SphericalOf(plan->data(), v) == nullptr) continue;
    EXPECT_THAT(got.positions[v], test::IsNear(expected.positions[v], 4e-6)) << v;
  }
}

TEST_P(SdefDifferentialTest, WeightsOfEverySize) {
  for (const SdefRotation rotation : kRotations) {
    Job job;
    job.mesh = test::RandomRig({300, 6, 2, 0, true, true, 1}, 101);
    test::AddRandomSdef(job.mesh, 6, 1, 1, 102);
    constexpr float kWeights[] = {-3, -0.001f, 0, 1e-7f, 0.5f, 1 - 6e-8f, 1, 1.001f, 5};
    for (std::size_t i = 0; i < 300; ++i) {
      job.mesh.sdef.weights[i] = kWeights[i % std::size(kWeights)];
    }
    job.palette = test::RandomPalette(6, JointKind::kScaled, 103);
    job.settings.sdef.rotation = rotation;
    Check(job, "weights");
  }
}

TEST_P(SdefDifferentialTest, EqualVerticesMoveAlikeToTheBit) {
  // Copies in other blocks: with neighbours of the same joints, and of others.
  Job job;
  job.mesh = test::RandomRig({600, 30, 3, 0, true, true, 1}, 111);
  test::AddRandomSdef(job.mesh, 30, 1, 1, 112);
  for (std::size_t v = 0; v < 100; ++v) job.mesh.sdef.joints[v] = {3, 7};  // full blocks of a pair
  const asset::SdefVertices from = job.mesh.sdef;
  constexpr std::size_t kStep = 7;
  for (std::size_t v = 1; v < 100; v += kStep) {
    const std::size_t to = 300 + 2 * v;
    job.mesh.positions[to] = job.mesh.positions[v];
    job.mesh.normals[to] = job.mesh.normals[v];
    job.mesh.tangents[to] = job.mesh.tangents[v];
    job.mesh.sdef.joints[to] = from.joints[v];
    job.mesh.sdef.weights[to] = from.weights[v];
    job.mesh.sdef.centers[to] = from.centers[v];
    job.mesh.sdef.r0[to] = from.r0[v];
    job.mesh.sdef.r1[to] = from.r1[v];
  }
  // 114 vertices of one pair: seven blocks, and two left over for a block of many pairs.
  job.palette = test::RandomPalette(30, JointKind::kScaled, 113);
  for (const SdefRotation rotation : kRotations) {
    job.settings.sdef.rotation = rotation;
    Check(job, "copies");
    const Shape shape = Run(job);
    for (std::size_t v = 1; v < 100; v += kStep) {
      EXPECT_EQ(shape.positions[300 + 2 * v], shape.positions[v]) << v;
      EXPECT_EQ(shape.normals[300 + 2 * v], shape.normals[v]) << v;
      EXPECT_EQ(shape.tangents[300 + 2 * v], shape.tangents[v]) << v;
    }
  }
}

TEST(SdefThreads, EveryCountGivesTheSameBits) {
  const auto cases = test::CpuCases();
  if (cases.empty()) GTEST_SKIP() << "this build has no CPU backend";
  for (const SdefRotation rotation : kRotations) {
    Job job;
    job.mesh = test::RandomRig({12000, 40, 4, 1, true, true, 1}, 121);
    test::AddRandomSdef(job.mesh, 40, 0.5, 1, 122);
    job.palette = test::RandomPalette(40, JointKind::kNasty, 123);
    job.morph_weights = {0.5f};
    job.settings.sdef.rotation = rotation;
    const auto plan = test::PlanOf(job);
    ASSERT_TRUE(plan.ok());
    for (test::BackendCase backend : cases) {
      const std::uint64_t one = test::DigestOfShape(test::DeformPlanned(backend, *plan, job));
      for (const int threads : {2, 7}) {
        backend.options.threads = threads;
        EXPECT_EQ(test::DigestOfShape(test::DeformPlanned(backend, *plan, job)), one)
            << backend.name << " " << threads << " threads";
      }
    }
  }
}

}  // namespace
}  // namespace flexor::deform
