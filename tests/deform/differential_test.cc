// Every SIMD target against the reference, within what the headers promise, over random rigs of
// every kind; and the reference against itself where the numbers get hard.
#include "deform/every_backend.h"
#include "deform/tolerance.h"

namespace flexor::deform {
namespace {

using test::BackendCase;
using test::Job;
using test::JointKind;
using test::Shape;

constexpr JointKind kKinds[] = {JointKind::kRigid, JointKind::kUniform, JointKind::kScaled,
                                JointKind::kNasty};

/// The largest faults of a shape, in parts of what is allowed: 1 is the limit.
struct Faults {
  double position = 0, normal = 0, tangent = 0;
  std::size_t compared = 0;
};

Faults Compare(const BackendCase& backend, const Job& job, const std::string& what) {
  const auto plan = test::PlanOf(job);
  EXPECT_TRUE(plan.ok());
  const Shape expected =
      test::InCallersOrder(test::DeformPlanned(test::BackendCases().front(), *plan, job));
  const Shape got = test::InCallersOrder(test::DeformPlanned(backend, *plan, job));
  const std::vector<Promise> promises = PromisesOf(*plan, job);
  Faults faults;
  std::size_t skipped = 0;
  for (std::size_t i = 0; i < promises.size(); ++i) {
    const Promise& promise = promises[i];
    if (promise.at_threshold) {
      ++skipped;
      continue;
    }
    ++faults.compared;
    const auto measure = [&](auto a, auto b, double allowed, double& worst) {
      const double part = test::DistanceOf(a, b) / allowed;
      worst = std::max(worst, part);
      EXPECT_LE(part, 1.0) << what << ", vertex " << i << " of " << promises.size();
    };
    // Half an ulp of the narrowing on top of what the kernels may lose.
    const double narrowing = 6e-8 * Length(Cast<double>(expected.positions[i]));
    measure(got.positions[i], expected.positions[i], promise.position + narrowing, faults.position);
    if (!expected.normals.empty()) {
      measure(got.normals[i], expected.normals[i], promise.normal, faults.normal);
    }
    if (!expected.tangents.empty()) {
      measure(test::Xyz(got.tangents[i]), test::Xyz(expected.tangents[i]), promise.tangent,
              faults.tangent);
      EXPECT_EQ(got.tangents[i].w, expected.tangents[i].w) << what << ", vertex " << i;
    }
  }
  EXPECT_EQ(got.report.non_rigid_joints, expected.report.non_rigid_joints) << what;
  EXPECT_EQ(got.report.degenerate_joints, expected.report.degenerate_joints) << what;
  EXPECT_NEAR(static_cast<double>(got.report.flips), static_cast<double>(expected.report.flips),
              static_cast<double>(skipped))
      << what;
  EXPECT_NEAR(static_cast<double>(got.report.singular_normal_matrices),
              static_cast<double>(expected.report.singular_normal_matrices),
              static_cast<double>(skipped))
      << what;
  EXPECT_LE(skipped * 50, promises.size() + 50) << what << ": too many left out to mean much";
  return faults;
}

class DifferentialTest : public EveryBackend {
 protected:
  void Check(const Job& job, const std::string& what) {
    const Faults faults = Compare(GetParam(), job, what);
    worst_.position = std::max(worst_.position, faults.position);
    worst_.normal = std::max(worst_.normal, faults.normal);
    worst_.tangent = std::max(worst_.tangent, faults.tangent);
    worst_.compared += faults.compared;
  }
  void TearDown() override {
    RecordProperty("worst_position_part", std::to_string(worst_.position));
    RecordProperty("worst_normal_part", std::to_string(worst_.normal));
    RecordProperty("worst_tangent_part", std::to_string(worst_.tangent));
    EXPECT_GT(worst_.compared, 0u);
  }
  Faults worst_;
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
