// The published truths of the twist, on every backend: half a turn about the axis of a tube of five
// rings, weights 1/2 and 1/2 in the middle.
#include <algorithm>
#include <cmath>

#include "deform/every_backend.h"

namespace flexor::deform {
namespace {

using asset::SkinningMethod;
using test::Job;
using test::Shape;

class TwistTest : public EveryBackend {
 protected:
  Shape Twist(SkinningMethod method, double degrees) const {
    Job job{test::TwistTube(), {{}, test::Turn({0, 1, 0}, degrees)}, {}, {}, {}};
    job.settings.method = method;
    return Run(job);
  }

  static double SmallestRingRadius(const Shape& shape) {
    double smallest = 1e9;
    for (std::size_t v = test::kTwistRing; v < test::kTwistRing + 12; ++v) {
      const Vec3d p = Cast<double>(shape.positions[v]);
      smallest = std::min(smallest, std::hypot(p.x, p.z));
    }
    return smallest;
  }

  struct Ratios {
    double min = 1e9, mean = 0, max = 0;
    std::size_t count = 0;
  };
  static Ratios EdgeRatios(const Shape& shape) {
    const asset::Mesh mesh = test::TwistTube();
    Ratios out;
    for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
      const std::uint32_t a = mesh.triangles[i];
      const std::uint32_t b = mesh.triangles[i - i % 3 + (i + 1) % 3];
      const double ratio = test::DistanceOf(shape.positions[a], shape.positions[b]) /
                           test::DistanceOf(mesh.positions[a], mesh.positions[b]);
      out.min = std::min(out.min, ratio);
      out.max = std::max(out.max, ratio);
      out.mean += ratio;
      ++out.count;
    }
    out.mean /= static_cast<double>(out.count);
    return out;
  }
};
FLEXOR_ON_EVERY_BACKEND(TwistTest);

TEST_P(TwistTest, RingRadius) {
  EXPECT_NEAR(SmallestRingRadius(Twist(SkinningMethod::kLinear, 180)) / 0.5, 0.0, 1e-6);
  EXPECT_NEAR(SmallestRingRadius(Twist(SkinningMethod::kDualQuaternion, 180)) / 0.5, 1.0, 1e-6);
  // A quarter turn is not yet a collapse: cos 45 degrees.
  EXPECT_NEAR(SmallestRingRadius(Twist(SkinningMethod::kLinear, 90)) / 0.5, std::sqrt(0.5), 1e-6);
  EXPECT_NEAR(SmallestRingRadius(Twist(SkinningMethod::kDualQuaternion, 90)) / 0.5, 1.0, 1e-6);
}

TEST_P(TwistTest, MeanEdgeRatios) {
  const Ratios lbs = EdgeRatios(Twist(SkinningMethod::kLinear, 180));
  EXPECT_EQ(lbs.count, 288u);
  EXPECT_NEAR(lbs.mean, 0.950067, 1e-6);
  EXPECT_NEAR(lbs.min, 0.0, 1e-6);
  EXPECT_NEAR(lbs.max, 1.1180, 5e-5);
  const Ratios dqs = EdgeRatios(Twist(SkinningMethod::kDualQuaternion, 180));
  EXPECT_NEAR(dqs.mean, 1.051186, 1e-6);
  EXPECT_NEAR(dqs.min, 1.0, 1e-6);
  EXPECT_NEAR(dqs.max, 1.2247, 5e-5);
}

TEST_P(TwistTest, RingPairsKeepTheirDistances) {
  const asset::Mesh mesh = test::TwistTube();
  const Shape shape = Twist(SkinningMethod::kDualQuaternion, 180);
  std::size_t pairs = 0;
  for (std::size_t a = test::kTwistRing; a < test::kTwistRing + 12; ++a) {
    for (std::size_t b = a + 1; b < test::kTwistRing + 12; ++b, ++pairs) {
      const double ratio = test::DistanceOf(shape.positions[a], shape.positions[b]) /
                           test::DistanceOf(mesh.positions[a], mesh.positions[b]);
      EXPECT_NEAR(ratio, 1.0, 2.5e-7);
    }
  }
  EXPECT_EQ(pairs, 66u);
}

TEST_P(TwistTest, NormalsOfTheRing) {
  // Under dual quaternions they turn with the ring; linear blending leaves them no direction.
  const Shape dqs = Twist(SkinningMethod::kDualQuaternion, 180);
  const Shape lbs = Twist(SkinningMethod::kLinear, 180);
  for (std::size_t v = test::kTwistRing; v < test::kTwistRing + 12; ++v) {
    EXPECT_THAT(dqs.normals[v], test::IsNear(dqs.positions[v] * 2.0f, 1e-6));
    EXPECT_NEAR(Length(Cast<double>(lbs.normals[v])), 1.0, 1e-6);
  }
  EXPECT_EQ(dqs.report.singular_normal_matrices, 0u);
  EXPECT_EQ(lbs.report.singular_normal_matrices, 12u);
}

TEST_P(TwistTest, RestIsRest) {
  const asset::Mesh mesh = test::TwistTube();
  for (const SkinningMethod method : {SkinningMethod::kLinear, SkinningMethod::kDualQuaternion}) {
    EXPECT_EQ(Twist(method, 0).positions, mesh.positions);
  }
}

}  // namespace
}  // namespace flexor::deform
