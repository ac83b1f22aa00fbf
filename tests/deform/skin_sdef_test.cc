#include "flexor/deform/skin_sdef.h"

#include <array>
#include <cmath>
#include <numbers>

#include "deform/every_backend.h"
#include "support/spherical.h"

namespace flexor::deform {
namespace {

using asset::SkinningMethod;
using test::About;
using test::IsNear;
using test::Job;
using test::OneSpherical;
using test::Scaling;
using test::Sdef;
using test::Shape;
using test::Translation;
using test::Turn;
using test::Xyz;

const double kHalf = std::sqrt(0.5);

class SkinSdefTest : public EveryBackend {
 protected:
  Shape Bend(const asset::Mesh& mesh, std::vector<Mat34d> palette,
             SdefRotation rotation = SdefRotation::kSlerp) const {
    Job job;
    job.mesh = mesh;
    job.palette = std::move(palette);
    job.settings.sdef.rotation = rotation;
    return Run(job);
  }
};
FLEXOR_ON_EVERY_BACKEND(SkinSdefTest);

/// The vertex of which every implementation's answer is known.
const Sdef kKnown{{0, 1}, 0.6f, {0, 1, 0}, {0, 0.8f, 0.1f}, {0, 1.3f, -0.05f}};
const Vec3f kKnownPoint{0.2f, 1.1f, 0.05f};
std::vector<Mat34d> KnownPose() {
  return {Translation({0.1, 0, 0}), About({0, 1, 0}, Turn({0, 0, 1}, 90))};
}

TEST_P(SkinSdefTest, TheKnownVertex) {
  const asset::Mesh mesh = OneSpherical(kKnownPoint, kKnown);
  const Shape slerp = Bend(mesh, KnownPose());
  EXPECT_THAT(slerp.positions[0], IsNear(Vec3d{0.1030248736, 1.1384587499, 0.05}, 2e-7));
  // Two fifths of a quarter turn.
  const double angle = 0.4 * std::numbers::pi / 2;
  EXPECT_THAT(Xyz(slerp.tangents[0]), IsNear(Vec3d{std::cos(angle), std::sin(angle), 0}, 2e-7));
  EXPECT_THAT(slerp.normals[0], IsNear(Vec3d{0, 0, 1}, 2e-7));
  EXPECT_EQ(slerp.tangents[0].w, 1.0f);
  EXPECT_THAT(Bend(mesh, KnownPose(), SdefRotation::kNlerp).positions[0],
              IsNear(Vec3d{0.1046543491, 1.1376043198, 0.05}, 2e-7));
  EXPECT_THAT(RunVertex(mesh, KnownPose(), SkinningMethod::kLinear).positions[0],
              IsNear(Vec3d{0.14, 1.14, 0.05}, 2e-7));
}

TEST_P(SkinSdefTest, ThreeMethodsGiveThreeAnswers) {
  // Joint 1 turns by 90 degrees about (0, 1, 0). Approximating this by dual quaternions, or leaving
  // it linear, shows.
  const asset::Mesh mesh =
      OneSpherical({0.5f, 1, 0}, {{0, 1}, 0.5f, {0, 1, 0}, {0, 0.5f, 0}, {0, 1.5f, 0}});
  const std::vector<Mat34d> pose{{}, About({0, 1, 0}, Turn({0, 0, 1}, 90))};
  // The centre lands 1/4 of (R0' - R1') / 2 less its image from itself.
  const Vec3d expected{0.5 * kHalf - 0.125, 1 + 0.5 * kHalf - 0.125, 0};
  EXPECT_THAT(Bend(mesh, pose).positions[0], IsNear(expected, 2e-7));
  EXPECT_THAT(Bend(mesh, pose).positions[0], IsNear(Vec3d{0.22855, 1.22855, 0}, 6e-6));
  EXPECT_THAT(RunVertex(mesh, pose, SkinningMethod::kLinear).positions[0],
              IsNear(Vec3d{0.25, 1.25, 0}, 1e-6));
  EXPECT_THAT(RunVertex(mesh, pose, SkinningMethod::kDualQuaternion).positions[0],
              IsNear(Vec3d{0.35355, 1.35355, 0}, 6e-6));
  // Half way the chord and the arc meet.
  EXPECT_THAT(Bend(mesh, pose, SdefRotation::kNlerp).positions[0], IsNear(expected, 2e-7));
}

/// Reference points whose weighted mean is far from the centre.
const Sdef kUneven{{0, 1}, 0.5f, {0, 1, 0}, {3, 0, 0}, {0, 0, 7}};

TEST_P(SkinSdefTest, TheRestPoseIsExact) {
  for (const auto rotation : {SdefRotation::kSlerp, SdefRotation::kNlerp}) {
    for (const Sdef& sdef : {kKnown, kUneven}) {
      const Shape shape =
          Bend(OneSpherical({0.123456f, 1.7f, -3.3333f}, sdef), std::vector<Mat34d>(2), rotation);
      EXPECT_EQ(shape.positions[0], (Vec3f{0.123456f, 1.7f, -3.3333f}));
      EXPECT_EQ(shape.normals[0], (Vec3f{0, 0, 1}));
      EXPECT_EQ(shape.tangents[0], (Vec4f{1, 0, 0, 1}));
    }
  }
}

TEST_P(SkinSdefTest, OneRigidMotionMovesRigidly) {
  const Mat34d motion = Translation({1, 2, 3}) * Turn({0.3, -1, 0.5}, 40);
  for (const auto rotation : {SdefRotation::kSlerp, SdefRotation::kNlerp}) {
    const Shape shape =
        Bend(OneSpherical({0.5f, 1, 0.25f}, kUneven), std::vector<Mat34d>(2, motion), rotation);
    EXPECT_THAT(shape.positions[0], IsNear(TransformPoint(motion, Vec3d{0.5, 1, 0.25}), 1e-6));
    EXPECT_THAT(shape.normals[0], IsNear(motion.linear.z, 1e-6));
    EXPECT_THAT(Xyz(shape.tangents[0]), IsNear(motion.linear.x, 1e-6));
  }
}

TEST_P(SkinSdefTest, AllWeightOnOneJointIsThatJoint) {
  std::mt19937 random(41);
  for (int i = 0; i < 20; ++i) {
    const std::vector<Mat34d> pose{test::RandomRigid(random), test::RandomRigid(random)};
    for (const float weight : {1.0f, 0.0f}) {
      Sdef sdef = kUneven;
      sdef.weight = weight;
      const Shape shape = Bend(OneSpherical({0.5f, 1, 0.25f}, sdef), pose);
      const Mat34d& m = pose[weight == 1.0f ? 0 : 1];
      EXPECT_THAT(shape.positions[0], IsNear(TransformPoint(m, Vec3d{0.5, 1, 0.25}), 3e-6));
      EXPECT_THAT(shape.normals[0], IsNear(m.linear.z, 1e-6));
    }
  }
}

TEST_P(SkinSdefTest, LengthsScaleWithTheUnit) {
  // The units of MMD: 0.08 metres each.
  const double unit = 0.08;
  const auto scaled = [&](const Vec3f& v) { return Cast<float>(Cast<double>(v) * unit); };
  const Sdef sdef{kKnown.joints, kKnown.weight, scaled(kKnown.center), scaled(kKnown.r0),
                  scaled(kKnown.r1)};
  std::vector<Mat34d> pose = KnownPose();
  for (Mat34d& m : pose) m.translation *= unit;
  EXPECT_THAT(Bend(OneSpherical(scaled(kKnownPoint), sdef), pose).positions[0],
              IsNear(Vec3d{0.1030248736, 1.1384587499, 0.05} * unit, 2e-8));
}

TEST_P(SkinSdefTest, TurningTheWorldTurnsTheResult) {
  // Half a turn about Y, as readers of these files do; and any other.
  for (const Mat34d& by : {Turn({0, 1, 0}, 180), Turn({1, 2, -1}, 77)}) {
    const auto turned = [&](const Vec3f& v) {
      return Cast<float>(TransformPoint(by, Cast<double>(v)));
    };
    const Sdef sdef{kKnown.joints, kKnown.weight, turned(kKnown.center), turned(kKnown.r0),
                    turned(kKnown.r1)};
    std::vector<Mat34d> pose = KnownPose();
    for (Mat34d& m : pose) m = by * m * Inverse(by);
    EXPECT_THAT(Bend(OneSpherical(turned(kKnownPoint), sdef), pose).positions[0],
                IsNear(TransformPoint(by, Vec3d{0.1030248736, 1.1384587499, 0.05}), 4e-7));
  }
}

TEST_P(SkinSdefTest, WhichJointComesFirstPlaysNoPart) {
  std::mt19937 random(43);
  for (int i = 0; i < 20; ++i) {
    const std::vector<Mat34d> pose{test::RandomRigid(random), test::RandomRigid(random)};
    Sdef swapped = kKnown;
    std::swap(swapped.joints[0], swapped.joints[1]);
    std::swap(swapped.r0, swapped.r1);
    swapped.weight = 1 - kKnown.weight;
    for (const auto rotation : {SdefRotation::kSlerp, SdefRotation::kNlerp}) {
      const Shape a = Bend(OneSpherical(kKnownPoint, kKnown), pose, rotation);
      const Shape b = Bend(OneSpherical(kKnownPoint, swapped), pose, rotation);
      EXPECT_THAT(b.positions[0], IsNear(a.positions[0], 1e-6));
      EXPECT_THAT(b.normals[0], IsNear(a.normals[0], 1e-6));
    }
  }
}

TEST_P(SkinSdefTest, TurnsTheShortWayRound) {
  // Quaternions of -100 and 170 degrees are stored on different sides: the mean is -145.
  const Sdef sdef{{0, 1}, 0.5f, {}, {}, {}};
  const Mat34d a = Turn({0, 0, 1}, -100), b = Turn({0, 0, 1}, 170);
  for (const auto& pose : {std::vector{a, b}, std::vector{b, a}}) {
    for (const auto rotation : {SdefRotation::kSlerp, SdefRotation::kNlerp}) {
      EXPECT_THAT(Bend(OneSpherical({1, 0, 0}, sdef), pose, rotation).positions[0],
                  IsNear(Turn({0, 0, 1}, -145).linear.x, 1e-6));
    }
  }
}

TEST_P(SkinSdefTest, HalfTurnsGoTheWayOfTheStoredSignWhateverTheNoise) {
  const Sdef sdef{{0, 1}, 0.5f, {}, {}, {}};
  for (const double noise : {-1e-5, -1e-7, 0.0, 1e-7, 1e-5}) {
    const Shape shape = Bend(OneSpherical({1, 0, 0}, sdef), {{}, Turn({0, 1, 0}, 180 + noise)});
    EXPECT_THAT(shape.positions[0], IsNear(Vec3d{0, 0, -1}, 1e-6)) << noise;
  }
}

TEST_P(SkinSdefTest, SmallAnglesKeepTheirDigits) {
  // From where slerp divides by nearly zero up to where fallbacks of others set in: the vertex is
  // a metre from its centre, so that it moves by the angle.
  for (const double degrees : {1e-7, 1e-5, 1e-3, 0.05, 1.0, 3.6, 3.7}) {
    Sdef sdef{{0, 1}, 0.3f, {}, {}, {}};
    const Shape shape = Bend(OneSpherical({1, 0, 0}, sdef), {{}, Turn({0, 0, 1}, degrees)});
    const double angle = 0.7 * degrees * std::numbers::pi / 180;
    EXPECT_NEAR(static_cast<double>(shape.positions[0].y), std::sin(angle), 3e-7 * angle + 1e-9)
        << degrees;
    EXPECT_NEAR(static_cast<double>(shape.positions[0].x), std::cos(angle), 1e-7) << degrees;
  }
}

TEST_P(SkinSdefTest, AVertexAtItsCentreIsStillSpherical) {
  // The weight type is the file's to say: what looks like a linear vertex lands elsewhere.
  const Sdef sdef{{0, 1}, 0.5f, {0, 1, 0}, {0, 0.5f, 0}, {0, 1.5f, 0}};
  const asset::Mesh mesh = OneSpherical({0, 1, 0}, sdef);
  const std::vector<Mat34d> pose{{}, About({0, 1, 0}, Turn({0, 0, 1}, 90))};
  EXPECT_THAT(Bend(mesh, pose).positions[0], IsNear(Vec3d{-0.125, 0.875, 0}, 1e-6));
  EXPECT_THAT(RunVertex(mesh, pose, SkinningMethod::kLinear).positions[0],
              IsNear(Vec3d{0, 1, 0}, 1e-6));
  // The same with a centre on x = 0, y = 0 or z = 0, which some take for a mark of linear ones.
  for (const Vec3f at : {Vec3f{0, 2, 3}, Vec3f{1, 0, 3}, Vec3f{1, 2, 0}}) {
    const Sdef on_plane{{0, 1}, 0.5f, at, at, at};
    const std::vector<Mat34d> turned{{}, About(Cast<double>(at), Turn({0, 0, 1}, 90))};
    const Vec3f p = at + Vec3f{1, 0, 0};
    EXPECT_THAT(Bend(OneSpherical(p, on_plane), turned).positions[0],
                IsNear(Cast<double>(at) + Vec3d{kHalf, kHalf, 0}, 1e-6));
  }
}

TEST_P(SkinSdefTest, WeightsBeyondOneGoFurther) {
  // Weights are used as they are: w0 = -1 turns twice as far as joint 1, w0 = 2 as far back.
  for (const auto& [weight, degrees] : {std::pair{-1.0f, 60.0}, {2.0f, -30.0}, {-4.0f, 150.0}}) {
    const Sdef sdef{{0, 1}, weight, {}, {}, {}};
    const Shape shape = Bend(OneSpherical({1, 0, 0}, sdef), {{}, Turn({0, 0, 1}, 30)});
    EXPECT_THAT(shape.positions[0], IsNear(Turn({0, 0, 1}, degrees).linear.x, 1e-6)) << weight;
    EXPECT_THAT(Xyz(shape.tangents[0]), IsNear(Turn({0, 0, 1}, degrees).linear.x, 1e-6)) << weight;
  }
  // And a shift of joint 1 by one metre moves a centre of weight w1 = 3 by three.
  const Sdef sdef{{0, 1}, -2.0f, {}, {}, {}};
  EXPECT_THAT(Bend(OneSpherical({1, 0, 0}, sdef), {{}, Translation({0, 1, 0})}).positions[0],
              IsNear(Vec3d{1, 3, 0}, 1e-6));
}

TEST_P(SkinSdefTest, OneJointTwiceIsThatJoint) {
  const Sdef sdef{{1, 1}, 0.25f, {0, 1, 0}, {3, 0, 0}, {0, 0, 7}};
  const Mat34d motion = Translation({1, 2, 3}) * Turn({1, 1, 0}, 70);
  EXPECT_THAT(Bend(OneSpherical({0.5f, 1, 0.25f}, sdef), {{}, motion}).positions[0],
              IsNear(TransformPoint(motion, Vec3d{0.5, 1, 0.25}), 1e-6));
}

TEST_P(SkinSdefTest, ScaleMovesTheCentreOnly) {
  // What the formula says and the header warns of.
  const Sdef sdef{{0, 1}, 0.5f, {0, 1, 0}, {0, 1, 0}, {0, 1, 0}};
  const std::vector<Mat34d> pose(2, Scaling({3, 3, 3}));
  EXPECT_THAT(Bend(OneSpherical({0.5f, 1, 0}, sdef), pose).positions[0],
              IsNear(Vec3d{0.5, 3, 0}, 1e-6));
}

TEST_P(SkinSdefTest, SingularJointsGiveFiniteResults) {
  const Mat34d zero{{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, {7, 8, 9}};
  const Mat34d flat = Turn({0, 0, 1}, 90) * Scaling({1, 0, 1});
  const Mat34d mirrored = Scaling({-1, 1, 1});
  const Mat34d huge = Scaling({1e12, 1e12, 1e12});
  for (const Mat34d& a : {zero, flat, mirrored, huge}) {
    for (const Mat34d& b : {zero, flat, mirrored, Mat34d{}}) {
      for (const auto rotation : {SdefRotation::kSlerp, SdefRotation::kNlerp}) {
        const Shape shape = Bend(OneSpherical(kKnownPoint, kKnown), {a, b}, rotation);
        EXPECT_TRUE(IsFinite(shape.positions[0]));
        EXPECT_NEAR(Length(Cast<double>(shape.normals[0])), 1, 1e-6);
        EXPECT_NEAR(Length(Cast<double>(Xyz(shape.tangents[0]))), 1, 1e-6);
      }
    }
  }
  // Without a basis a joint turns nothing, and its centre goes where the matrix sends it.
  EXPECT_THAT(
      Bend(OneSpherical({1, 1, 0}, {{0, 1}, 0.5f, {0, 1, 0}, {0, 1, 0}, {0, 1, 0}}), {zero, zero})
          .positions[0],
      IsNear(Vec3d{8, 8, 9}, 1e-5));
}

TEST_P(SkinSdefTest, MorphsActBeforeIt) {
  Job job{OneSpherical(kKnownPoint, kKnown), KnownPose(), {}, {0.5f}, {}};
  asset::Morph morph;
  morph.vertices = {0};
  morph.positions = {{0.4f, -0.2f, 0.1f}};
  morph.normals = {{2, 0, -2}};
  job.mesh.morphs = {morph};
  const Shape morphed = Run(job);
  const asset::Mesh moved = OneSpherical(kKnownPoint + Vec3f{0.2f, -0.1f, 0.05f}, kKnown);
  EXPECT_THAT(morphed.positions[0], IsNear(Bend(moved, KnownPose()).positions[0], 2e-7));
  // (0, 0, 1) + (1, 0, -1), then turned by 36 degrees.
  const double angle = 0.4 * std::numbers::pi / 2;
  EXPECT_THAT(morphed.normals[0], IsNear(Vec3d{std::cos(angle), std::sin(angle), 0}, 1e-6));
}

TEST_P(SkinSdefTest, AnOutputOriginKeepsDigitsFarAway) {
  const Vec3d far{1000, 20, -700};
  Job job{OneSpherical(kKnownPoint, kKnown), KnownPose(), {}, {}, far};
  for (Mat34d& m : job.palette) m.translation += far;
  EXPECT_THAT(Run(job).positions[0], IsNear(Vec3d{0.1030248736, 1.1384587499, 0.05}, 3e-7));
}

TEST_P(SkinSdefTest, ZeroNormalsStayZero) {
  asset::Mesh mesh = OneSpherical(kKnownPoint, kKnown);
  mesh.normals = {{0, 0, 0}};
  const Shape shape = Bend(mesh, KnownPose());
  EXPECT_EQ(shape.normals[0], Vec3f{});
  EXPECT_EQ(shape.report.singular_normal_matrices, 0u);
}

TEST(SkinSdef, OneCallOnArrays) {
  const std::array<Vec3f, 2> positions{kKnownPoint, Vec3f{0.5f, 1, 0}};
  const std::array<Vec3f, 2> normals{Vec3f{0, 0, 1}, Vec3f{1, 0, 0}};
  const std::array<std::array<std::uint32_t, 2>, 2> joints{{{0, 1}, {1, 1}}};
  const std::array<float, 2> weights{0.6f, 0.5f};
  const std::array<Vec3f, 2> centers{kKnown.center, Vec3f{0, 1, 0}};
  const std::array<Vec3f, 2> r0{kKnown.r0, Vec3f{0, 1, 0}}, r1{kKnown.r1, Vec3f{0, 1, 0}};
  const std::vector<Mat34d> palette = KnownPose();
  const SdefInputs in{positions, normals, {}, joints, weights, centers, r0, r1, palette};
  std::array<Vec3f, 2> out, out_normals;
  const auto report = SkinSdef(in, {out, out_normals, {}});
  ASSERT_TRUE(report.ok()) << report.error().ToString();
  EXPECT_THAT(out[0], IsNear(Vec3d{0.1030248736, 1.1384587499, 0.05}, 2e-7));
  EXPECT_THAT(out[1], IsNear(Vec3d{0, 1.5, 0}, 2e-7));
  EXPECT_THAT(out_normals[1], IsNear(Vec3d{0, 1, 0}, 2e-7));
  ASSERT_TRUE(SkinSdef(in, {out, out_normals, {}}, SdefRotation::kNlerp).ok());
  EXPECT_THAT(out[0], IsNear(Vec3d{0.1046543491, 1.1376043198, 0.05}, 2e-7));

  SdefInputs less = in;
  less.centers = less.centers.first(1);
  const auto refused = SkinSdef(less, {out, out_normals, {}});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kShapeMismatch);
  EXPECT_THAT(refused.error().message,
              testing::AllOf(testing::HasSubstr("1 centres"), testing::HasSubstr("2 spherical")));

  EXPECT_TRUE(SkinSdef({}, {}).ok());
}

}  // namespace
}  // namespace flexor::deform
