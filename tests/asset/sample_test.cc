#include "flexor/asset/sample.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flexor/asset/weights.h"
#include "flexor/math/palette_split.h"

#include "asset/sample_checks.h"

namespace flexor::asset {
namespace {

using test::BlendLinear;
using ::testing::HasSubstr;

Character Make(std::string_view name) {
  Result<Character> made = MakeSample(name);
  EXPECT_TRUE(made.ok()) << made.error().ToString();
  return std::move(made).value();
}

class EverySample : public ::testing::TestWithParam<std::string_view> {};
std::vector<std::string_view> SampleNames() {
  std::vector<std::string_view> names;
  for (const SampleInfo& sample : Samples()) names.push_back(sample.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(, EverySample, ::testing::ValuesIn(SampleNames()),
                         [](const auto& p) { return std::string(p.param); });

TEST_P(EverySample, IsMadeAlikeTwice) {
  EXPECT_EQ(test::DigestOfSample(Make(GetParam())), test::DigestOfSample(Make(GetParam())));
}

TEST_P(EverySample, HasUnitNormalsThatPointOutwards) {
  const Character c = Make(GetParam());
  for (const Mesh& mesh : c.meshes) {
    ASSERT_EQ(mesh.normals.size(), mesh.vertex_count());
    ASSERT_EQ(mesh.texcoords.size(), mesh.vertex_count());
    for (const Vec3f n : mesh.normals) {
      EXPECT_NEAR(Length(Cast<double>(n)), 1.0, 2e-6);
    }
    EXPECT_GT(test::SignedVolume(mesh.positions, mesh.triangles), 0);
    // A face and the normals of its corners look the same way.
    for (std::size_t t = 0; t < mesh.triangles.size(); t += 3) {
      const std::uint32_t* k = &mesh.triangles[t];
      const Vec3d a = Cast<double>(mesh.positions[k[0]]), b = Cast<double>(mesh.positions[k[1]]),
                  d = Cast<double>(mesh.positions[k[2]]);
      const Vec3d face = Cross(b - a, d - a);
      ASSERT_GT(Length(face), 1e-12) << "triangle " << t / 3;
      const Vec3d sum = Cast<double>(mesh.normals[k[0]]) + Cast<double>(mesh.normals[k[1]]) +
                        Cast<double>(mesh.normals[k[2]]);
      ASSERT_GT(Dot(face, sum), 0) << "triangle " << t / 3;
    }
  }
}

TEST_P(EverySample, EveryVertexIsUsed) {
  const Character c = Make(GetParam());
  for (const Mesh& mesh : c.meshes) {
    std::set<std::uint32_t> used(mesh.triangles.begin(), mesh.triangles.end());
    EXPECT_EQ(used.size(), mesh.vertex_count());
  }
}

TEST_P(EverySample, RestPoseIsTheRestShape) {
  const Character c = Make(GetParam());
  std::vector<Mat34d> world;
  pose::ComputeWorld(c, pose::RestPose(c), world);
  for (const MeshInstance& instance : c.instances) {
    pose::Palette palette;
    pose::ComputePalette(c, instance, world, palette);
    for (const Mat34d& m : palette) {
      const PaletteSplit split = SplitGramSchmidt(m, 1e-12);
      EXPECT_EQ(split.kind, SplitKind::kRigid);
      EXPECT_NEAR(split.rotation.w, 1, 1e-12);
      EXPECT_LT(Length(m.translation), 1e-12);
    }
  }
}

TEST_P(EverySample, ClipsStayFiniteAndMoveSomething) {
  const Character c = Make(GetParam());
  ASSERT_FALSE(c.clips.empty());
  for (std::uint32_t k = 0; k < c.clips.size(); ++k) {
    EXPECT_FALSE(c.clips[k].name.empty());
    double moved = 0;
    for (int frame = 0; frame / c.clips[k].frames_per_second <= c.clips[k].end_time; frame += 3) {
      const auto points = BlendLinear(c, k, frame / c.clips[k].frames_per_second);
      for (std::size_t v = 0; v < points.size(); ++v) {
        ASSERT_TRUE(IsFinite(points[v]));
        moved = std::max(moved, Length(points[v] - Cast<double>(c.meshes[0].positions[v])));
      }
    }
    EXPECT_GT(moved, 0.05) << c.clips[k].name;
  }
}

TEST_P(EverySample, WeightsSumToOneUnlessTheSampleIsAboutThat) {
  for (const Mesh& mesh : Make(GetParam()).meshes) {
    WeightReport report;
    RepairWeights(mesh.influences, {}, &report);
    const std::uint64_t odd = report.normalized + report.clamped + report.merged + report.zero_sum;
    EXPECT_EQ(odd != 0, GetParam() == "shear");
  }
}

TEST(MakeSample, ListsTheNamesOnAWrongOne) {
  const auto wrong = MakeSample("cube");
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().code, ErrorCode::kInvalidArgument);
  for (const SampleInfo& info : Samples()) {
    EXPECT_THAT(wrong.error().message, HasSubstr(std::string(info.name)));
    EXPECT_FALSE(info.summary.empty());
  }
}

double MeanEdgeRatio(const Mesh& mesh, const std::vector<Vec3d>& moved) {
  double sum = 0;
  for (std::size_t t = 0; t < mesh.triangles.size(); t += 3) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = mesh.triangles[t + k], b = mesh.triangles[t + (k + 1) % 3];
      sum += Length(moved[b] - moved[a]) /
             Length(Cast<double>(mesh.positions[b]) - Cast<double>(mesh.positions[a]));
    }
  }
  return sum / static_cast<double>(mesh.triangles.size());
}

TEST(Twist, IsTheRigThatTheNumbersWereMeasuredOn) {
  const Character c = Make("twist");
  const Mesh& mesh = c.meshes[0];
  EXPECT_EQ(mesh.vertex_count(), 60u);
  EXPECT_EQ(mesh.triangles.size(), 288u);
  EXPECT_EQ(c.skins[0].joints.size(), 2u);
  EXPECT_EQ(c.clips[0].end_time, 2.0);
  EXPECT_EQ(c.clips[0].channels[0].times.back(), 2.0);
  for (const Vec3f p : mesh.positions) {
    EXPECT_NEAR(std::sqrt(p.x * p.x + p.z * p.z), 0.5f, 1e-7f);
  }
}

// At the last frame the joint stands at half a turn, from which linear blending loses the ring in
// the middle and dual quaternions turn it by a quarter: the published numbers follow.
TEST(Twist, GivesThePublishedNumbersAtHalfATurn) {
  const Character c = Make("twist");
  const Mesh& mesh = c.meshes[0];
  const std::vector<Vec3d> linear = BlendLinear(c, 0, 60 / 30.0);
  EXPECT_NEAR(MeanEdgeRatio(mesh, linear), 0.950067, 1e-6);
  for (std::size_t v = 24; v < 36; ++v) {
    EXPECT_LT(std::sqrt(linear[v].x * linear[v].x + linear[v].z * linear[v].z), 1e-15);
  }

  pose::Pose pose = pose::RestPose(c);
  pose::SampleClip(c.clips[0], 60 / 30.0, pose);
  std::vector<Mat34d> world;
  pose::ComputeWorld(c, pose, world);
  pose::Palette palette;
  pose::ComputePalette(c, c.instances[0], world, palette);
  const PaletteSplit lower = SplitGramSchmidt(palette[0]), upper = SplitGramSchmidt(palette[1]);
  EXPECT_EQ(upper.kind, SplitKind::kRigid);
  // Zero, and not negative zero or noise: whoever asks for the sign gets the same answer.
  EXPECT_EQ(Dot(lower.rotation, upper.rotation), 0.0);
  EXPECT_FALSE(std::signbit(Dot(lower.rotation, upper.rotation)));
  std::vector<Vec3d> dual;
  for (std::size_t v = 0; v < mesh.vertex_count(); ++v) {
    // On this rig every rotation is about the axis and nothing moves along it.
    double w = 0;
    for (std::uint32_t i = mesh.influences.offsets[v]; i < mesh.influences.offsets[v + 1]; ++i) {
      if (mesh.influences.joints[i] == 1) w = static_cast<double>(mesh.influences.weights[i]);
    }
    const Quatd q = Normalized(lower.rotation * (1 - w) + upper.rotation * w);
    dual.push_back(Rotate(q, Cast<double>(mesh.positions[v])));
  }
  EXPECT_NEAR(MeanEdgeRatio(mesh, dual), 1.051186, 1e-6);
}

TEST(Twist, TurnsEvenlyAboutPlusY) {
  const Character c = Make("twist");
  for (int frame = 0; frame <= 60; ++frame) {
    pose::Pose pose = pose::RestPose(c);
    pose::SampleClip(c.clips[0], frame / 30.0, pose);
    const Quatd q = pose.locals[1].rotation;
    const double degrees = 2 * std::atan2(q.y, q.w) * 180 / std::acos(-1.0);
    EXPECT_NEAR(degrees, 3.0 * frame, 2e-5) << frame;
  }
}

TEST(Shear, HoldsEveryKindOfTrouble) {
  const Character c = Make("shear");
  const Mesh& mesh = c.meshes[0];
  EXPECT_EQ(test::OpenEdges(mesh.triangles), 0u);
  WeightReport report;
  RepairWeights(mesh.influences, {}, &report);
  EXPECT_EQ(report.normalized, 32u);
  EXPECT_EQ(report.zero_sum, 4u);
  EXPECT_EQ(report.max_influences, 6u);

  std::size_t residual = 0, degenerate = 0, mirrored = 0, sheared = 0;
  pose::Pose pose = pose::RestPose(c);
  pose::SampleClip(c.clips[0], 1, pose);
  std::vector<Mat34d> world;
  pose::ComputeWorld(c, pose, world);
  pose::Palette palette;
  pose::ComputePalette(c, c.instances[0], world, palette);
  for (const Mat34d& m : palette) {
    const PaletteSplit split = SplitGramSchmidt(m);
    residual += split.kind == SplitKind::kResidual;
    degenerate += split.kind == SplitKind::kDegenerate;
    mirrored += Determinant(m.linear) < -1e-3;
    sheared += split.kind == SplitKind::kResidual && std::abs(Dot(m.linear.x, m.linear.y)) > 0.05;
  }
  EXPECT_GE(residual, 3u);
  EXPECT_GE(degenerate, 1u);
  EXPECT_GE(mirrored, 1u);
  EXPECT_GE(sheared, 1u);
}

}  // namespace
}  // namespace flexor::asset
