#include "flexor/deform/bounds.h"

#include "deform/every_backend.h"
#include "support/spherical.h"

namespace flexor::deform {
namespace {

using asset::SkinningMethod;
using test::Job;
using test::JointKind;
using test::Scaling;
using test::Shape;
using testing::HasSubstr;

Job Cube(std::vector<Mat34d> palette) {
  Job job;
  std::vector<test::Run> runs;
  for (const float x : {-1.0f, 1.0f}) {
    for (const float y : {-1.0f, 1.0f}) {
      for (const float z : {-1.0f, 1.0f}) {
        job.mesh.positions.push_back({x, y, z});
        runs.push_back({{x < 0 ? 0u : 1u, 1.0f}});
      }
    }
  }
  job.mesh.influences = test::InfluencesOf(runs);
  job.palette = std::move(palette);
  job.settings.method = SkinningMethod::kLinear;
  return job;
}

Aabbd BoxOf(const Job& job, double max_morph_weight = 1) {
  const auto plan = test::PlanOf(job);
  EXPECT_TRUE(plan.ok());
  const auto bounds = JointBoxBounds::Build(*plan, max_morph_weight);
  EXPECT_TRUE(bounds.ok()) << bounds.error().ToString();
  return bounds->Compute(job.palette);
}

TEST(ExactBounds, OfPoints) {
  EXPECT_TRUE(ExactBounds({}).empty());
  const std::vector<Vec3f> points{{1, 5, -1}, {-2, 0, 3}};
  const Aabbf box = ExactBounds(points);
  EXPECT_EQ(box.min, (Vec3f{-2, 0, -1}));
  EXPECT_EQ(box.max, (Vec3f{1, 5, 3}));
}

TEST(JointBoxBounds, FollowAJointThatGrows) {
  // One joint of a cube scaled by 50 at run time.
  const Aabbd box = BoxOf(Cube({Scaling({50, 50, 50}), {}}));
  EXPECT_THAT(box.min, test::IsNear(Vec3d{-50, -50, -50}, 2e-3));
  EXPECT_THAT(box.max, test::IsNear(Vec3d{1, 50, 50}, 2e-3));
}

TEST(JointBoxBounds, AreTightForOneJoint) {
  const Aabbd box = BoxOf(Cube({{}, {}}));
  EXPECT_THAT(box.min, test::IsNear(Vec3d{-1, -1, -1}, 3e-5));
  EXPECT_THAT(box.max, test::IsNear(Vec3d{1, 1, 1}, 3e-5));
}

TEST(JointBoxBounds, RefuseWhatTheyCannotProve) {
  Job job = Cube({{}, {}});
  const auto error_of = [&](double max_weight = 1) {
    const auto plan = test::PlanOf(job);
    EXPECT_TRUE(plan.ok());
    const auto bounds = JointBoxBounds::Build(*plan, max_weight);
    EXPECT_FALSE(bounds.ok());
    return bounds.ok() ? Error{} : bounds.error();
  };
  EXPECT_EQ(error_of(-1).code, ErrorCode::kInvalidArgument);
  job.settings.method = SkinningMethod::kDualQuaternion;
  EXPECT_THAT(error_of().message, HasSubstr("method dqs"));
  job.settings.method = std::nullopt;
  job.mesh.dqs_weights.assign(8, 0);
  job.mesh.dqs_weights[3] = 0.5f;
  EXPECT_THAT(error_of().message, HasSubstr("method mixed"));
  job.mesh.dqs_weights.clear();
  job.settings.weights = asset::WeightPolicy::Raw();
  EXPECT_THAT(error_of().message, HasSubstr("not normalised"));
  job.settings.weights = {};
  job.settings.weights.clamp_negative = false;
  job.mesh.influences = test::InfluencesOf(std::vector<test::Run>(8, {{0, 1.5f}, {1, -0.5f}}));
  EXPECT_THAT(error_of().message, HasSubstr("below zero"));
}

// A vertex without weight stays where it is, or goes to the origin, whatever the joints do; where
// it stays, its morphs still move it.
TEST(JointBoxBounds, HoldVerticesWithoutWeight) {
  Job job = Cube({test::Translation({100, 0, 0}), test::Translation({100, 0, 0})});
  job.mesh.positions.push_back({0, -40, 3});
  job.mesh.influences.offsets.push_back(job.mesh.influences.offsets.back());
  Aabbd box = BoxOf(job);
  EXPECT_THAT(box.min, test::IsNear(Vec3d{0, -40, -1}, 2e-3));
  EXPECT_THAT(box.max, test::IsNear(Vec3d{101, 1, 3}, 2e-3));

  job.mesh.morphs.resize(1);
  job.mesh.morphs[0].vertices = {8};
  job.mesh.morphs[0].positions = {{0, 5, -10}};
  box = BoxOf(job, 2);
  EXPECT_THAT(box.min, test::IsNear(Vec3d{0, -50, -17}, 2e-3));
  EXPECT_THAT(box.max, test::IsNear(Vec3d{101, 1, 23}, 2e-3));

  job.settings.weights.zero = asset::ZeroWeightPolicy::kCollapse;
  box = BoxOf(job, 2);
  EXPECT_THAT(box.min, test::IsNear(Vec3d{0, -1, -1}, 2e-3));
  EXPECT_THAT(box.max, test::IsNear(Vec3d{101, 1, 1}, 2e-3));

  // No joint follows this mesh: what holds it is the vertex's own box, with its own margin.
  Job alone;
  alone.mesh = test::MeshOf({{3, 4000, 0}}, {{}});
  alone.palette.resize(1);
  alone.settings.method = SkinningMethod::kLinear;
  const Aabbd around = BoxOf(alone);
  EXPECT_TRUE(around.Contains(Vec3d{3, 4000.01, 0}));
  EXPECT_FALSE(around.Contains(Vec3d{3, 4000.1, 0}));
}

TEST(JointBoxBounds, NothingInNothingOut) {
  Job job;
  job.palette.resize(3);
  EXPECT_TRUE(BoxOf(job).empty());
}

class BoundsTest : public EveryBackend {};
FLEXOR_ON_EVERY_BACKEND(BoundsTest);

TEST_P(BoundsTest, ContainEveryPointOfEveryPose) {
  std::mt19937 random(7);
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const auto kind = static_cast<JointKind>(seed % 4);
    Job job;
    job.mesh = test::RandomRig({300, 12, 1 + seed % 6, 3, false, false, 1}, 300 + seed);
    job.palette = test::RandomPalette(12, kind, 400 + seed, 180, seed % 3 == 0 ? 500 : 1);
    job.settings.method = SkinningMethod::kLinear;
    for (int m = 0; m < 3; ++m) {
      job.morph_weights.push_back(static_cast<float>(static_cast<int>(random() % 201) - 100) / 100);
    }
    if (seed % 5 == 0) {  // some vertices without weight
      for (std::size_t i = 0; i < 40; ++i) job.mesh.influences.weights[i] = 0;
      job.settings.weights.zero = seed % 2 == 0 ? asset::ZeroWeightPolicy::kPassThrough
                                                : asset::ZeroWeightPolicy::kCollapse;
    }
    const Aabbd box = BoxOf(job);
    const Shape shape = Run(job);
    for (const Vec3f& p : shape.positions) {
      EXPECT_TRUE(box.Contains(Cast<double>(p))) << seed << ": " << p.x << " " << p.y << " " << p.z;
    }
    // Not only safe: joined over joints it stays within what the joints could reach.
    const Aabbf exact = ExactBounds(shape.positions);
    EXPECT_LE(box.Extent(), 8 * static_cast<double>(exact.Extent()) + 8);
  }
}

TEST_P(BoundsTest, ContainEverySphericalPoint) {
  std::mt19937 random(8);
  double loosest = 0;
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const auto kind = static_cast<JointKind>(seed % 4);
    Job job;
    job.mesh = test::RandomRig({300, 12, 1 + seed % 4, 3, false, false, 1}, 500 + seed);
    test::AddRandomSdef(job.mesh, 12, seed % 2 == 0 ? 1 : 0.3, 1, 600 + seed);
    job.palette = test::RandomPalette(12, kind, 700 + seed, 180, seed % 3 == 0 ? 500 : 1);
    if (seed % 7 == 0) {  // small beside what the vertices turn about
      for (Mat34d& m : job.palette) m = m * Scaling({1e-3, 1e-3, 1e-3});
    }
    for (int m = 0; m < 3; ++m) {
      job.morph_weights.push_back(static_cast<float>(static_cast<int>(random() % 201) - 100) / 100);
    }
    const Aabbd box = BoxOf(job);
    const Shape shape = Run(job);
    for (const Vec3f& p : shape.positions) {
      EXPECT_TRUE(box.Contains(Cast<double>(p))) << seed << ": " << p.x << " " << p.y << " " << p.z;
    }
    const Aabbf exact = ExactBounds(shape.positions);
    loosest = std::max(loosest, box.Extent() / static_cast<double>(exact.Extent()));
  }
  EXPECT_LT(loosest, 6);
}

TEST(JointBoxBounds, ARestingSphericalVertexIsHeldByItsDistanceFromTheCentre) {
  // Nothing is known about where the vertex turns to, only how far it is from its centre.
  Job job;
  job.mesh = test::OneSpherical({3, 4, 0}, {{0, 1}, 0.5f, {0, 4, 0}, {0, 4, 0}, {0, 4, 0}});
  job.palette.resize(2);
  const Aabbd box = BoxOf(job);
  EXPECT_THAT(box.min, test::IsNear(Vec3d{-3, 1, -3}, 2e-4));
  EXPECT_THAT(box.max, test::IsNear(Vec3d{3, 7, 3}, 2e-4));
  job.mesh.sdef.weights[0] = 1.5f;
  const auto plan = test::PlanOf(job);
  ASSERT_TRUE(plan.ok());
  const auto refused = JointBoxBounds::Build(*plan);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("outside 0 to 1"));
}

TEST_P(BoundsTest, EdgesOfTheProof) {
  // Points that lie on the box itself, where narrowing to float alone leads outside: the float next
  // to 1.1 is larger.
  for (const double offset : {0.1, 1e4 + 0.1, -3e3 - 0.7}) {
    const Mat34d by = test::Translation({offset, offset, offset});
    const Job job = Cube({by, by});
    const Aabbd box = BoxOf(job);
    for (const Vec3f& p : Run(job).positions) EXPECT_TRUE(box.Contains(Cast<double>(p))) << offset;
  }
  EXPECT_GT(static_cast<double>(1.1f), 1.1);
}

}  // namespace
}  // namespace flexor::deform
