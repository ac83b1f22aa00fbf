// What must hold for any rig, whatever the numbers: no reference data needed.
#include <algorithm>
#include <numeric>

#include "deform/every_backend.h"

namespace flexor::deform {
namespace {

using asset::SkinningMethod;
using test::IsNear;
using test::Job;
using test::JointKind;
using test::MethodCase;
using test::Shape;
using test::Xyz;

class InvariantsTest : public EveryBackend {
 protected:
  static Job RandomJob(JointKind kind, std::uint32_t seed, std::size_t morphs = 0) {
    Job job;
    job.mesh = test::RandomRig({200, 10, 5, morphs, true, true, 1}, seed);
    job.palette = test::RandomPalette(10, kind, seed + 1);
    job.morph_weights.assign(morphs, 0.5f);
    return job;
  }

  /// `got` must be `expected` moved by a rigid motion.
  static void ExpectMoved(const Shape& got, const Shape& expected, const Mat34d& by,
                          double tolerance, const std::string& what) {
    for (std::size_t v = 0; v < expected.positions.size(); ++v) {
      EXPECT_THAT(got.positions[v],
                  IsNear(TransformPoint(by, Cast<double>(expected.positions[v])), tolerance))
          << what << " position " << v;
      EXPECT_THAT(got.normals[v], IsNear(by.linear * Cast<double>(expected.normals[v]), 3e-5))
          << what << " normal " << v;
      EXPECT_THAT(Xyz(got.tangents[v]),
                  IsNear(by.linear * Cast<double>(Xyz(expected.tangents[v])), 3e-5))
          << what << " tangent " << v;
      EXPECT_EQ(got.tangents[v].w, expected.tangents[v].w) << what << " handedness " << v;
    }
  }
};
FLEXOR_ON_EVERY_BACKEND(InvariantsTest);

const Mat34d kMotion = test::Translation({0.7, -0.4, 1.1}) * test::Turn({1, 2, -1}, 77);

TEST_P(InvariantsTest, BindPoseReturnsTheRestMesh) {
  for (const MethodCase& method : test::MethodCases()) {
    Job job = RandomJob(JointKind::kRigid, 1);
    job.palette.assign(10, {});  // exactly the identity
    const Shape shape = Run(test::WithMethod(job, method));
    EXPECT_EQ(shape.positions, job.mesh.positions) << method.name;  // to the bit
    ExpectMoved(shape, {job.mesh.positions, job.mesh.normals, job.mesh.tangents, {}}, {}, 0,
                method.name);
    EXPECT_EQ(shape.report.flips, 0u);
    EXPECT_EQ(shape.report.non_rigid_joints, 0u);
    EXPECT_EQ(shape.report.singular_normal_matrices, 0u);
  }
}

TEST_P(InvariantsTest, OneRigidMotionMovesAll) {
  for (const MethodCase& method : test::MethodCases()) {
    Job job = RandomJob(JointKind::kRigid, 3);
    job.palette.assign(10, kMotion);
    const Shape shape = Run(test::WithMethod(job, method));
    ExpectMoved(shape, {job.mesh.positions, job.mesh.normals, job.mesh.tangents, {}}, kMotion, 2e-6,
                method.name);
  }
}

TEST_P(InvariantsTest, MovingTheCharacterMovesTheResult) {
  // The character stands elsewhere: every palette entry is moved after what it did before.
  for (const MethodCase& method : test::MethodCases()) {
    for (const JointKind kind : {JointKind::kRigid, JointKind::kUniform, JointKind::kScaled}) {
      const Job job = test::WithMethod(RandomJob(kind, 5, 2), method);
      Job moved = job;
      for (Mat34d& m : moved.palette) m = kMotion * m;
      ExpectMoved(Run(moved), Run(job), kMotion, 1e-5, method.name);
    }
  }
}

TEST_P(InvariantsTest, AKilometreAwayNothingChanges) {
  // With the output origin beside the character its shape is the one it has at home; float weights,
  // which sum to 1 only within rounding, would already move it by a twentieth of a millimetre.
  const Vec3d far{1000, 20, -700};
  for (const MethodCase& method : test::MethodCases()) {
    const Job job = test::WithMethod(RandomJob(JointKind::kScaled, 25), method);
    Job away = job;
    for (Mat34d& m : away.palette) m.translation += far;
    away.output_origin = far;
    ExpectMoved(Run(away), Run(job), {}, 2e-6 * test::ReachOf(job), method.name);
  }
}

TEST_P(InvariantsTest, MovingMeshSpaceMovesTheResult) {
  // A constant added to points, rests and poses alike: palettes become shifted conjugates.
  const Mat34d by = test::Translation({3, -2, 5});
  for (const MethodCase& method : test::MethodCases()) {
    const bool about_origin = method.settings.dqs.residual != DqsResidual::kVertex;
    for (const JointKind kind : {JointKind::kRigid, JointKind::kUniform, JointKind::kScaled}) {
      // About the origin, scale breaks this, by design: skin_dqs.h.
      if (about_origin && kind != JointKind::kRigid) continue;
      const Job job = test::WithMethod(RandomJob(kind, 7), method);
      Job moved = job;
      for (Vec3f& p : moved.mesh.positions) p = Cast<float>(TransformPoint(by, Cast<double>(p)));
      for (Mat34d& m : moved.palette) m = by * m * Inverse(by);
      ExpectMoved(Run(moved), Run(job), by, 6e-5, method.name);
    }
  }
}

TEST_P(InvariantsTest, TurningMeshSpaceTurnsTheResult) {
  const Mat34d by = test::Turn({1, 2, -1}, 77);
  for (const MethodCase& method : test::MethodCases()) {
    for (const JointKind kind : {JointKind::kRigid, JointKind::kUniform, JointKind::kScaled}) {
      // Gram-Schmidt depends on the axes when scale is uneven; the polar form does not.
      const bool gram_schmidt =
          method.mixed || (method.settings.method == SkinningMethod::kDualQuaternion &&
                           method.settings.dqs.residual != DqsResidual::kUsd);
      if (gram_schmidt && kind == JointKind::kScaled) continue;
      const Job job = test::WithMethod(RandomJob(kind, 9), method);
      Job turned = job;
      for (Vec3f& p : turned.mesh.positions) p = Cast<float>(by.linear * Cast<double>(p));
      for (Vec3f& n : turned.mesh.normals) n = Cast<float>(by.linear * Cast<double>(n));
      for (Vec4f& t : turned.mesh.tangents) {
        const Vec3f xyz = Cast<float>(by.linear * Cast<double>(Xyz(t)));
        t = {xyz.x, xyz.y, xyz.z, t.w};
      }
      for (Mat34d& m : turned.palette) m = by * m * Inverse(by);
      ExpectMoved(Run(turned), Run(job), by, 2e-5, method.name);
    }
  }
}

TEST_P(InvariantsTest, OrderOfInfluencesPlaysNoPart) {
  for (const MethodCase& method : test::MethodCases()) {
    Job job = test::WithMethod(RandomJob(JointKind::kScaled, 11), method);
    // Half of the vertices get equal weights, so that the pivot is a tie.
    asset::Influences& in = job.mesh.influences;
    for (std::size_t v = 0; v < 100; ++v) {
      for (std::size_t i = in.offsets[v]; i < in.offsets[v + 1]; ++i) in.weights[i] = 0.5f;
    }
    Job reversed = job;
    asset::Influences& out = reversed.mesh.influences;
    for (std::size_t v = 0; v < 200; ++v) {
      std::reverse(out.joints.begin() + out.offsets[v], out.joints.begin() + out.offsets[v + 1]);
      std::reverse(out.weights.begin() + out.offsets[v], out.weights.begin() + out.offsets[v + 1]);
    }
    const Shape a = Run(job), b = Run(reversed);
    ExpectMoved(b, a, {}, 1e-6 * test::ReachOf(job), method.name);
    EXPECT_EQ(a.report.flips, b.report.flips);
  }
}

TEST_P(InvariantsTest, SplitInfluencesAreOne) {
  for (const MethodCase& method : test::MethodCases()) {
    const Job job = test::WithMethod(RandomJob(JointKind::kScaled, 13), method);
    std::vector<test::Run> runs(200);
    const asset::Influences& in = job.mesh.influences;
    for (std::size_t v = 0; v < 200; ++v) {
      for (std::size_t i = in.offsets[v]; i < in.offsets[v + 1]; ++i) {
        runs[v].push_back({in.joints[i], in.weights[i] / 2});
      }
      runs[v].push_back({in.joints[in.offsets[v]], in.weights[in.offsets[v]] / 2});
      for (std::size_t i = in.offsets[v] + 1; i < in.offsets[v + 1]; ++i) {
        runs[v].push_back({in.joints[i], in.weights[i] / 2});
      }
    }
    Job split = job;
    split.mesh.influences = test::InfluencesOf(runs);
    const Shape a = Run(job), b = Run(split);
    ExpectMoved(b, a, {}, 1e-6 * test::ReachOf(job), method.name);
    EXPECT_EQ(a.report.flips, b.report.flips);
  }
}

TEST_P(InvariantsTest, OneInfluenceIsTheSameByEveryMethod) {
  for (const JointKind kind : {JointKind::kRigid, JointKind::kScaled, JointKind::kNasty}) {
    Job job;
    job.mesh = test::RandomRig({200, 12, 1, 0, true, true, 1}, 15);
    job.palette = test::RandomPalette(12, kind, 16);
    const Shape lbs = Run(test::WithMethod(job, test::MethodCases()[0]));
    for (const MethodCase& method : test::MethodCases()) {
      Job other = test::WithMethod(job, method);
      const bool usd = method.settings.dqs.residual == DqsResidual::kUsd;
      const Shape shape = Run(other);
      for (std::size_t v = 0; v < 200; ++v) {
        // OpenUSD leaves singular joints out, so the form named after it does too.
        const Mat34d& m = job.palette[job.mesh.influences.joints[v]];
        if (usd && std::abs(Determinant(m.linear)) < 1e-9) continue;
        EXPECT_THAT(shape.positions[v], IsNear(lbs.positions[v], 1e-6 * test::ReachOf(job)))
            << method.name << " " << v;
        EXPECT_NEAR(Length(Cast<double>(shape.normals[v])), 1, 1e-6);
        if (std::abs(Determinant(m.linear)) < 1e-9) continue;  // directions may be fallbacks there
        EXPECT_THAT(shape.normals[v], IsNear(lbs.normals[v], 1e-5)) << method.name << " " << v;
        EXPECT_THAT(Xyz(shape.tangents[v]), IsNear(Xyz(lbs.tangents[v]), 1e-5)) << method.name;
        EXPECT_EQ(shape.tangents[v].w, lbs.tangents[v].w) << method.name << " " << v;
      }
    }
  }
}

TEST_P(InvariantsTest, FramesRememberNothing) {
  for (const MethodCase& method : test::MethodCases()) {
    Job job = test::WithMethod(RandomJob(JointKind::kScaled, 17, 2), method);
    const auto plan = test::PlanOf(job);
    ASSERT_TRUE(plan.ok());
    const auto backend = CreateBackend(GetParam().kind, GetParam().options);
    ASSERT_TRUE(backend.ok());
    const auto prepared = test::Prepared(**backend, *plan);
    Scratch scratch;
    const auto digest_of = [&](std::uint32_t frame) {
      const auto palette = test::RandomPalette(
          10, frame % 2 == 0 ? JointKind::kNasty : JointKind::kRigid, 1000 + frame);
      const std::vector<float> weights{static_cast<float>(frame % 3), 0.5f};
      Shape shape{
          std::vector<Vec3f>(200), std::vector<Vec3f>(200), std::vector<Vec4f>(200), {}, {}};
      EXPECT_TRUE((*backend)
                      ->Run(*prepared, {palette, weights, {}},
                            {shape.positions, shape.normals, shape.tangents}, scratch)
                      .ok());
      return test::DigestOfShape(shape);
    };
    std::vector<std::uint64_t> forwards;
    for (std::uint32_t frame = 0; frame < 8; ++frame) forwards.push_back(digest_of(frame));
    for (std::uint32_t frame = 8; frame-- > 0;) {
      EXPECT_EQ(digest_of(frame), forwards[frame]) << method.name << " frame " << frame;
    }
  }
}

TEST_P(InvariantsTest, CoLocatedVerticesStayCoLocated) {
  // Copies of the first vertices at the far end of the mesh, with the influences in another order:
  // seams must not open, not by a bit.
  for (const MethodCase& method : test::MethodCases()) {
    if (method.mixed) continue;  // shares go by vertex number there
    Job job = RandomJob(JointKind::kScaled, 19);
    std::vector<test::Run> runs;
    const asset::Influences in = job.mesh.influences;
    for (std::size_t v = 0; v < 200; ++v) {
      test::Run run;
      for (std::size_t i = in.offsets[v]; i < in.offsets[v + 1]; ++i) {
        run.push_back({in.joints[i], in.weights[i]});
      }
      runs.push_back(run);
    }
    for (std::size_t v = 0; v < 50; ++v) {
      runs.push_back(runs[v]);
      job.mesh.positions.push_back(job.mesh.positions[v]);
      job.mesh.normals.push_back(job.mesh.normals[v]);
      job.mesh.tangents.push_back(job.mesh.tangents[v]);
    }
    job.mesh.influences = test::InfluencesOf(runs);
    const Shape shape = Run(test::WithMethod(job, method));
    for (std::size_t v = 0; v < 50; ++v) {
      EXPECT_EQ(shape.positions[200 + v], shape.positions[v]) << method.name << " " << v;
      EXPECT_EQ(shape.normals[200 + v], shape.normals[v]) << method.name << " " << v;
    }
  }
}

TEST_P(InvariantsTest, ResultsScaleWithUnits) {
  // Centimetres and the units of MMD: lengths scale, directions stay.
  for (const MethodCase& method : test::MethodCases()) {
    for (const double unit : {100.0, 12.5, 0.001}) {
      const Job job = test::WithMethod(RandomJob(JointKind::kScaled, 23, 2), method);
      Job scaled = job;
      const auto scale = [&](Vec3f& v) { v = Cast<float>(Cast<double>(v) * unit); };
      for (Vec3f& p : scaled.mesh.positions) scale(p);
      for (asset::Morph& morph : scaled.mesh.morphs) {
        for (Vec3f& p : morph.positions) scale(p);
      }
      for (Mat34d& m : scaled.palette) m.translation *= unit;
      const Shape a = Run(job), b = Run(scaled);
      for (std::size_t v = 0; v < 200; ++v) {
        EXPECT_THAT(Cast<double>(b.positions[v]) / unit,
                    IsNear(a.positions[v], 4e-6 * test::ReachOf(job)))
            << method.name << " " << v;
        EXPECT_THAT(b.normals[v], IsNear(a.normals[v], 3e-5)) << method.name << " " << v;
      }
    }
  }
}

}  // namespace
}  // namespace flexor::deform
