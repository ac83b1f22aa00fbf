// Every SIMD target against the reference, within what the headers promise, over random rigs of
// every kind; and the reference against itself where the numbers get hard.
#include "deform/differential.h"

#include "deform/every_backend.h"

namespace flexor::deform {
namespace {

using test::BackendCase;
using test::Job;
using test::JointKind;
using test::Shape;

constexpr JointKind kKinds[] = {JointKind::kRigid, JointKind::kUniform, JointKind::kScaled,
                                JointKind::kNasty};

class DifferentialTest : public EveryBackend {
 protected:
  void Check(const Job& job, const std::string& what) {
    const auto plan = test::PlanOf(job);
    ASSERT_TRUE(plan.ok()) << plan.error().ToString();
    const Differences found = CompareWithReference(GetParam(), *plan, job);
    for (const std::string& fault : found.faults) ADD_FAILURE() << what << ": " << fault;
    EXPECT_LE(found.left_out * 50, job.mesh.vertex_count() + 50)
        << what << ": too many left out to mean much";
    worst_.position = std::max(worst_.position, found.position);
    worst_.normal = std::max(worst_.normal, found.normal);
    worst_.tangent = std::max(worst_.tangent, found.tangent);
    worst_.compared += found.compared;
  }
  void TearDown() override {
    RecordProperty("worst_position_part", std::to_string(worst_.position));
    RecordProperty("worst_normal_part", std::to_string(worst_.normal));
    RecordProperty("worst_tangent_part", std::to_string(worst_.tangent));
    EXPECT_GT(worst_.compared, 0u);
  }
  Differences worst_;
};
FLEXOR_ON_EVERY_BACKEND(DifferentialTest);

TEST_P(DifferentialTest, EveryCombinationOfMethodAndArrays) {
  std::uint32_t seed = 100;
  for (const auto& method : test::MethodCases()) {
    for (const JointKind kind : kKinds) {
      for (const bool normals : {false, true}) {
        for (const bool tangents : {false, true}) {
          for (const std::size_t morphs : {0u, 3u}) {
            Job job;
            job.mesh = test::RandomRig({150, 12, 4, morphs, normals, tangents, 2}, ++seed);
            job.palette = test::RandomPalette(12, kind, ++seed);
            if (morphs > 0) job.morph_weights = {0.7f, -0.4f, 0.0f};
            Check(test::WithMethod(job, method),
                  method.name + " kind " + std::to_string(static_cast<int>(kind)));
          }
        }
      }
    }
  }
}

TEST_P(DifferentialTest, EveryVertexCount) {
  for (const std::size_t vertices : {0u, 1u, 2u, 15u, 16u, 17u, 63u, 64u, 65u, 255u, 257u, 4097u}) {
    for (const auto& method : test::MethodCases()) {
      Job job;
      job.mesh =
          test::RandomRig({vertices, 9, 4, 2, true, true, 1}, static_cast<std::uint32_t>(vertices));
      job.palette = test::RandomPalette(9, JointKind::kNasty, 3);
      job.morph_weights = {1, 0.5f};
      if (vertices == 0) {
        const auto plan = test::PlanOf(job);
        ASSERT_TRUE(plan.ok());
        EXPECT_TRUE(test::DeformPlanned(GetParam(), *plan, job).positions.empty());
        continue;
      }
      Check(test::WithMethod(job, method), method.name);
    }
  }
}

TEST_P(DifferentialTest, EveryInfluenceAndJointCount) {
  const struct {
    std::size_t joints, influences;
  } shapes[] = {{1, 1}, {2, 2}, {3, 3}, {5, 5}, {8, 8}, {40, 12}, {300, 4}, {70000, 4}, {64, 33}};
  std::uint32_t seed = 500;
  for (const auto& [joints, influences] : shapes) {
    for (const auto& method : test::MethodCases()) {
      Job job;
      job.mesh = test::RandomRig({130, joints, influences, 0, true, false, 1}, ++seed);
      job.palette = test::RandomPalette(joints, JointKind::kNasty, ++seed);
      Check(test::WithMethod(job, method), method.name + " joints " + std::to_string(joints));
    }
  }
}

TEST_P(DifferentialTest, PreparedOrder) {
  for (const auto& method : test::MethodCases()) {
    Job job;
    job.mesh = test::RandomRig({1000, 25, 4, 2, true, true, 1}, 71);
    job.palette = test::RandomPalette(25, JointKind::kScaled, 72);
    job.morph_weights = {1, 1};
    job.order = OutputOrder::kPrepared;
    Check(test::WithMethod(job, method), method.name);
  }
}

TEST_P(DifferentialTest, RawWeights) {
  for (const auto& method : test::MethodCases()) {
    if (method.name != "lbs") continue;  // dual quaternions promise nothing for other sums
    Job job;
    job.mesh = test::RandomRig({300, 10, 4, 0, true, true, 1}, 81);
    for (float& weight : job.mesh.influences.weights) weight *= 0.7f;
    job.palette = test::RandomPalette(10, JointKind::kScaled, 82);
    job.settings.weights = asset::WeightPolicy::Raw();
    Check(test::WithMethod(job, method), method.name);
  }
}

TEST_P(DifferentialTest, FarFromTheOrigin) {
  // A character of two metres, a kilometre away: with the output origin beside it, it keeps the
  // digits that it has at home. The promise shrinks with the origin, so this is the test of it.
  const Vec3d far{1000, 20, -700};
  for (const auto& method : test::MethodCases()) {
    Job job;
    job.mesh = test::RandomRig({500, 20, 4, 0, true, true, 2}, 91);
    job.palette = test::RandomPalette(20, JointKind::kUniform, 92);
    for (Mat34d& m : job.palette) m.translation += far;
    job.output_origin = far;
    Check(test::WithMethod(job, method), method.name + " with an output origin");
    job.output_origin = {};
    Check(test::WithMethod(job, method), method.name + " without");
  }
}

TEST_P(DifferentialTest, SmallAndLargeUnits) {
  for (const double unit : {1e-3, 1.0, 12.5, 100.0, 1e4}) {
    for (const auto& method : test::MethodCases()) {
      Job job;
      job.mesh = test::RandomRig({200, 10, 4, 1, true, true, unit}, 95);
      job.palette = test::RandomPalette(10, JointKind::kScaled, 96, 180, unit);
      job.morph_weights = {0.5f};
      Check(test::WithMethod(job, method), method.name + " unit " + std::to_string(unit));
    }
  }
}

TEST(Threads, EveryCountGivesTheSameBits) {
  const auto cases = test::CpuCases();
  if (cases.empty()) GTEST_SKIP() << "this build has no CPU backend";
  for (const auto& method : test::MethodCases()) {
    Job job;
    job.mesh = test::RandomRig({40000, 40, 4, 2, true, true, 1}, 61);
    job.palette = test::RandomPalette(40, JointKind::kNasty, 62);
    job.morph_weights = {0.5f, 0.25f};
    job = test::WithMethod(job, method);
    for (const OutputOrder order : {OutputOrder::kCaller, OutputOrder::kPrepared}) {
      job.order = order;
      const auto plan = test::PlanOf(job);
      ASSERT_TRUE(plan.ok());
      for (BackendCase backend : cases) {
        const Shape one = test::DeformPlanned(backend, *plan, job);
        for (const int threads : {2, 7}) {
          backend.options.threads = threads;
          const Shape several = test::DeformPlanned(backend, *plan, job);
          EXPECT_EQ(test::DigestOfShape(several), test::DigestOfShape(one))
              << backend.name << " " << method.name << " " << threads << " threads";
          EXPECT_EQ(several.report.flips, one.report.flips);
          EXPECT_EQ(several.report.singular_normal_matrices, one.report.singular_normal_matrices);
        }
      }
    }
  }
}

}  // namespace
}  // namespace flexor::deform
