#include "flexor/deform/skin_lbs.h"

#include <array>
#include <cmath>
#include <random>

#include "deform/every_backend.h"

namespace flexor::deform {
namespace {

using asset::SkinningMethod;
using test::About;
using test::IsNear;
using test::Job;
using test::MeshOf;
using test::OneVertex;
using test::Scaling;
using test::Shape;
using test::Translation;
using test::Turn;
using test::Xyz;

const double kHalf = std::sqrt(0.5);
const float kHalfF = static_cast<float>(kHalf);

class SkinLbsTest : public EveryBackend {
 protected:
  Shape Lbs(const asset::Mesh& mesh, std::vector<Mat34d> palette) const {
    return RunVertex(mesh, std::move(palette), SkinningMethod::kLinear);
  }
};
FLEXOR_ON_EVERY_BACKEND(SkinLbsTest);

TEST_P(SkinLbsTest, OneInfluenceFollowsItsJoint) {
  const Mat34d joint = About({0, 1, 0}, Turn({0, 0, 1}, 90));
  const Shape shape = Lbs(OneVertex({0, 2, 0}, {{0, 1.0f}}, {0, 1, 0}, {1, 0, 0, -1}), {joint});
  EXPECT_THAT(shape.positions[0], IsNear(Vec3d{-1, 1, 0}, 1e-6));
  EXPECT_THAT(shape.normals[0], IsNear(Vec3d{-1, 0, 0}, 1e-6));
  EXPECT_THAT(Xyz(shape.tangents[0]), IsNear(Vec3d{0, 1, 0}, 1e-6));
  EXPECT_EQ(shape.tangents[0].w, -1.0f);
}

TEST_P(SkinLbsTest, WeightsBlendMatrices) {
  // 0.75 still, 0.25 turned by 90 degrees: the mean of both images, not a turn.
  const Shape shape =
      Lbs(OneVertex({1, 0, 0}, {{0, 0.75f}, {1, 0.25f}}), {{}, Turn({0, 0, 1}, 90)});
  EXPECT_THAT(shape.positions[0], IsNear(Vec3d{0.75, 0.25, 0}, 1e-6));
}

TEST_P(SkinLbsTest, TwistCollapsesTheRing) {
  Job job{test::TwistTube(), {{}, Turn({0, 1, 0}, 180)}, {}, {}, {}};
  job.settings.method = SkinningMethod::kLinear;
  const Shape shape = Run(job);
  for (std::size_t v = test::kTwistRing; v < test::kTwistRing + 12; ++v) {
    EXPECT_THAT(shape.positions[v], IsNear(Vec3d{0, 0, 0}, 1e-7)) << v;
  }
}

TEST_P(SkinLbsTest, NormalsUnderScale) {
  const auto normal_of = [&](const Vec3d& scale, const Vec3f& normal) {
    return Lbs(OneVertex({0, 0, 0}, {{0, 1.0f}}, normal), {Scaling(scale)}).normals[0];
  };
  EXPECT_THAT(normal_of({2, 1, 1}, {kHalfF, kHalfF, 0}),
              IsNear(Vec3d{0.4472136, 0.8944272, 0}, 1e-6));
  EXPECT_THAT(normal_of({0, 1, 1}, {kHalfF, kHalfF, 0}), IsNear(Vec3d{1, 0, 0}, 1e-6));
  EXPECT_THAT(normal_of({1e-3, 1e-3, 1e-3}, {0, 1, 0}), IsNear(Vec3d{0, 1, 0}, 1e-6));
  EXPECT_THAT(normal_of({1e3, 1e3, 1e3}, {0, 1, 0}), IsNear(Vec3d{0, 1, 0}, 1e-6));
}

TEST_P(SkinLbsTest, SingularIsAMatterOfProportion) {
  // Tiny and huge matrices are as good as others.
  for (const double size : {1e-7, 1e-3, 1e3, 1e7}) {
    const Shape shape = Lbs(OneVertex({0, 0, 0}, {{0, 1.0f}}, {kHalfF, kHalfF, 0}),
                            {Scaling(Vec3d{2, 1, 1} * size)});
    EXPECT_THAT(shape.normals[0], IsNear(Vec3d{0.4472136, 0.8944272, 0}, 1e-6)) << size;
    EXPECT_EQ(shape.report.singular_normal_matrices, 0u) << size;
  }
  // A matrix that is flat but for noise does not mirror, whatever the sign of the noise.
  for (const double noise : {-1e-9, 0.0, 1e-9}) {
    const Shape shape =
        Lbs(OneVertex({0, 0, 0}, {{0, 1.0f}}, {1, 0, 0}, {0, 1, 0, 1}), {Scaling({noise, 1, 1})});
    EXPECT_THAT(shape.normals[0], IsNear(Vec3d{1, 0, 0}, 1e-6)) << noise;
    EXPECT_EQ(shape.tangents[0].w, 1.0f) << noise;
  }
}

TEST_P(SkinLbsTest, NormalsStayPerpendicularUnderShear) {
  // Any matrix, also mirrored ones: the image of the surface is spanned by the images of two
  // tangents, and the normal must be perpendicular to both.
  std::mt19937 random(3);
  for (const Mat34d& m : test::RandomPalette(60, test::JointKind::kNasty, 17)) {
    const Vec3d n = test::RandomRigid(random).linear.x;
    const Vec3d t = Normalized(Cross(n, Vec3d{0.3, -0.5, 0.8}));
    const Shape shape = Lbs(OneVertex({0, 0, 0}, {{0, 1.0f}}, Cast<float>(n)), {m});
    if (shape.report.singular_normal_matrices > 0) continue;
    const Vec3d out = Cast<double>(shape.normals[0]);
    EXPECT_NEAR(Dot(out, m.linear * t), 0, 1e-5);
    EXPECT_NEAR(Dot(out, m.linear * Cross(n, t)), 0, 1e-5);
    EXPECT_NEAR(Length(out), 1, 1e-6);
  }
}

TEST_P(SkinLbsTest, MirroredNormalsStayOutside) {
  // A sphere under a mirror image: the outward side of a point is still away from the centre.
  for (const Vec3f n : {Vec3f{1, 0, 0}, Vec3f{0, 1, 0}, Vec3f{0, kHalfF, -kHalfF}}) {
    const Shape shape = Lbs(OneVertex(n, {{0, 1.0f}}, n), {Scaling({-1, 1, 1})});
    EXPECT_THAT(shape.normals[0], IsNear(shape.positions[0], 1e-6));
    EXPECT_EQ(shape.report.singular_normal_matrices, 0u);
  }
}

TEST_P(SkinLbsTest, BitangentsFollowTheSurface) {
  // bitangent = w cross(normal, tangent) must lie on the side of the image of the rest bitangent,
  // mirrored or not; for a mirror image without shear it is that image.
  std::mt19937 random(5);
  for (int i = 0; i < 40; ++i) {
    const Mat3d frame = test::RandomRigid(random).linear;
    const float w = i % 2 == 0 ? 1.0f : -1.0f;
    const Vec3d bitangent = Cross(frame.z, frame.x) * static_cast<double>(w);
    const Vec3f t = Cast<float>(frame.x);
    const asset::Mesh mesh =
        OneVertex({0, 0, 0}, {{0, 1.0f}}, Cast<float>(frame.z), {t.x, t.y, t.z, w});
    const Mat34d turn = test::RandomRigid(random);
    for (const Vec3d scale :
         {Vec3d{1, 1, 1}, Vec3d{-1, 1, 1}, Vec3d{2, 0.5, 3}, Vec3d{2, -1, 0.5}}) {
      const Mat34d m = turn * Scaling(scale);
      const Shape shape = Lbs(mesh, {m});
      const Vec3d out =
          Cross(Cast<double>(shape.normals[0]), Cast<double>(Xyz(shape.tangents[0]))) *
          static_cast<double>(shape.tangents[0].w);
      const Vec3d image = Normalized(m.linear * bitangent);
      EXPECT_GT(Dot(out, image), 0.05);
      if (Dot(scale, scale) == 3) {
        EXPECT_THAT(out, IsNear(image, 1e-6));
      }
    }
  }
}

TEST_P(SkinLbsTest, SingularMatricesGiveFiniteUnitNormals) {
  // The flattened normal: scale (0, 1, 1) leaves a normal along Y no direction by the cofactor.
  const Shape flat = Lbs(OneVertex({1, 1, 1}, {{0, 1.0f}}, {0, 1, 0}), {Scaling({0, 1, 1})});
  EXPECT_THAT(flat.normals[0], IsNear(Vec3d{0, 1, 0}, 1e-6));
  EXPECT_EQ(flat.report.singular_normal_matrices, 1u);

  // Half a turn at equal weights: a matrix of rank 1. The pivot is joint 0, which turns by 30.
  const Shape twist = Lbs(OneVertex({1, 0, 0}, {{1, 0.5f}, {0, 0.5f}}, {1, 0, 0}, {0, 0, 1, 1}),
                          {Turn({0, 1, 0}, 30), Turn({0, 1, 0}, 210)});
  EXPECT_THAT(twist.normals[0], IsNear(Vec3d{std::cos(M_PI / 6), 0, -0.5}, 1e-5));
  EXPECT_THAT(Xyz(twist.tangents[0]), IsNear(Vec3d{0.5, 0, std::cos(M_PI / 6)}, 1e-5));
  EXPECT_EQ(twist.report.singular_normal_matrices, 1u);

  const Shape zero = Lbs(OneVertex({1, 2, 3}, {{0, 1.0f}}, {0, 1, 0}, {1, 0, 0, 1}),
                         {{{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, {7, 8, 9}}});
  EXPECT_EQ(zero.positions[0], (Vec3f{7, 8, 9}));
  EXPECT_THAT(zero.normals[0], IsNear(Vec3d{0, 1, 0}, 1e-6));
  EXPECT_THAT(Xyz(zero.tangents[0]), IsNear(Vec3d{1, 0, 0}, 1e-6));
  EXPECT_EQ(zero.report.singular_normal_matrices, 1u);
}

TEST_P(SkinLbsTest, NormalsWithoutDirectionStayZeroAndAreNotCounted) {
  const Shape shape =
      Lbs(OneVertex({1, 0, 0}, {{0, 1.0f}}, {0, 0, 0}, {0, 0, 0, 1}), {Turn({0, 0, 1}, 90)});
  EXPECT_EQ(shape.normals[0], Vec3f{});
  EXPECT_EQ(Xyz(shape.tangents[0]), Vec3f{});
  EXPECT_EQ(shape.report.singular_normal_matrices, 0u);
}

TEST_P(SkinLbsTest, NormalsComeBackWithUnitLength) {
  const Shape shape =
      Lbs(OneVertex({1, 0, 0}, {{0, 1.0f}}, {0, 3, 4}, {0.5f, 0, 0, 1}), {Translation({1, 0, 0})});
  EXPECT_THAT(shape.normals[0], IsNear(Vec3d{0, 0.6, 0.8}, 1e-6));
  EXPECT_THAT(Xyz(shape.tangents[0]), IsNear(Vec3d{1, 0, 0}, 1e-6));
}

TEST_P(SkinLbsTest, RawWeightsScaleAndNormalisedOnesDoNot) {
  Job job{OneVertex({0, 0, 0}, {{0, 0.4f}, {1, 0.1f}}), {}, {}, {}, {}};
  job.palette = {Translation({0, 1, 0}), Translation({0, 1, 0})};
  job.settings.method = SkinningMethod::kLinear;
  EXPECT_THAT(Run(job).positions[0], IsNear(Vec3d{0, 1, 0}, 1e-6));
  job.settings.weights = asset::WeightPolicy::Raw();
  EXPECT_THAT(Run(job).positions[0], IsNear(Vec3d{0, 0.5, 0}, 1e-6));
  // The origin is taken off the result, whatever the weights sum to.
  job.output_origin = {10, 20, 30};
  EXPECT_THAT(Run(job).positions[0], IsNear(Vec3d{-10, -19.5, -30}, 4e-6));
}

TEST_P(SkinLbsTest, ManyInfluencesAndHighJointNumbers) {
  // 100 influences, joints up to 70,000: wider than 16 bits.
  test::Run run;
  std::vector<Mat34d> palette(70001);
  for (std::uint32_t k = 0; k < 100; ++k) {
    const std::uint32_t joint = k == 99 ? 70000 : 700 * k;
    run.push_back({joint, 0.01f});
    palette[joint] = Translation({static_cast<double>(k), 0, 0});
  }
  const Shape shape = Lbs(OneVertex({0.25f, 0, 0}, run), palette);
  EXPECT_THAT(shape.positions[0], IsNear(Vec3d{49.75, 0, 0}, 1e-4));
}

TEST(SkinLbs, OneCallOnArrays) {
  const std::array<Vec3f, 2> positions{Vec3f{1, 0, 0}, Vec3f{0, 1, 0}};
  const std::array<Vec3f, 2> normals{Vec3f{1, 0, 0}, Vec3f{0, 1, 0}};
  const std::array<std::uint32_t, 4> joints{0, 1, 1, 0};
  const std::array<float, 4> weights{0.5f, 0.5f, 1, 0};
  const std::array<Mat34d, 2> palette{Mat34d{}, Turn({0, 0, 1}, 90)};
  std::array<Vec3f, 2> out_positions, out_normals;
  SkinInputs in{positions, normals, {}, 2, joints, weights, palette, {}};
  const auto report = SkinLbs(in, {out_positions, out_normals, {}});
  ASSERT_TRUE(report.ok()) << report.error().ToString();
  EXPECT_THAT(out_positions[0], IsNear(Vec3d{0.5, 0.5, 0}, 1e-6));
  EXPECT_THAT(out_positions[1], IsNear(Vec3d{-1, 0, 0}, 1e-6));
  EXPECT_THAT(out_normals[0], IsNear(Vec3d{kHalf, kHalf, 0}, 1e-6));

  in.weights = std::span(weights).first(3);
  const auto wrong = SkinLbs(in, {out_positions, out_normals, {}});
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().code, ErrorCode::kShapeMismatch);
  EXPECT_THAT(wrong.error().message,
              testing::AllOf(testing::HasSubstr("3 weights"), testing::HasSubstr("make 4")));
}

TEST(SkinLbs, OneCallNamesAJointThatIsNotThere) {
  const std::array<Vec3f, 1> positions{Vec3f{1, 0, 0}};
  const std::array<std::uint32_t, 1> joints{7};
  const std::array<float, 1> weights{0};  // even where its weight is zero
  const std::array<Mat34d, 2> palette{};
  std::array<Vec3f, 1> out{Vec3f{5, 5, 5}};
  const auto result = SkinLbs({positions, {}, {}, 1, joints, weights, palette, {}}, {out, {}, {}});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kIndexOutOfRange);
  EXPECT_EQ(out[0], (Vec3f{5, 5, 5}));
}

TEST(SkinLbs, NoVertices) {
  const auto report = SkinLbs({}, {});
  EXPECT_TRUE(report.ok());
}

}  // namespace
}  // namespace flexor::deform
