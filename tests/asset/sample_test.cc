#include "flexor/asset/sample.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flexor/asset/weights.h"
#include "flexor/math/palette_split.h"

#include "asset/sample_checks.h"

namespace flexor::asset {
namespace {

using test::BlendLinear;
using ::testing::HasSubstr;

// Each sample is made once for all tests; they only read it.
const Character& Make(std::string_view name) {
  static std::map<std::string_view, Character>* const made =
      new std::map<std::string_view, Character>;
  if (!made->contains(name)) {
    Result<Character> sample = MakeSample(name);
    EXPECT_TRUE(sample.ok()) << sample.error().ToString();
    made->emplace(name, std::move(sample).value());
  }
  return made->at(name);
}

double DistanceBetween(const Vec3f& a, const Vec3f& b) {
  return Length(Cast<double>(a) - Cast<double>(b));
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
  const Result<Character> again = MakeSample(GetParam());
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(test::DigestOfSample(*again), test::DigestOfSample(Make(GetParam())));
}

TEST_P(EverySample, HasUnitNormalsThatPointOutwards) {
  const Character& c = Make(GetParam());
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
  const Character& c = Make(GetParam());
  for (const Mesh& mesh : c.meshes) {
    std::set<std::uint32_t> used(mesh.triangles.begin(), mesh.triangles.end());
    EXPECT_EQ(used.size(), mesh.vertex_count());
  }
}

TEST_P(EverySample, RestPoseIsTheRestShape) {
  const Character& c = Make(GetParam());
  std::vector<Mat34d> world;
  pose::ComputeModelSpace(c, pose::RestPose(c), world);
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
  const Character& c = Make(GetParam());
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
  const Character& c = Make("twist");
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
  const Character& c = Make("twist");
  const Mesh& mesh = c.meshes[0];
  const std::vector<Vec3d> linear = BlendLinear(c, 0, 60 / 30.0);
  EXPECT_NEAR(MeanEdgeRatio(mesh, linear), 0.950067, 1e-6);
  for (std::size_t v = 24; v < 36; ++v) {
    EXPECT_LT(std::sqrt(linear[v].x * linear[v].x + linear[v].z * linear[v].z), 1e-15);
  }

  pose::Pose pose = pose::RestPose(c);
  pose::SampleClip(c.clips[0], 60 / 30.0, pose);
  std::vector<Mat34d> world;
  pose::ComputeModelSpace(c, pose, world);
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
  const Character& c = Make("twist");
  for (int frame = 0; frame <= 60; ++frame) {
    pose::Pose pose = pose::RestPose(c);
    pose::SampleClip(c.clips[0], frame / 30.0, pose);
    const Quatd q = pose.locals[1].rotation;
    const double degrees = 2 * std::atan2(q.y, q.w) * 180 / std::acos(-1.0);
    EXPECT_NEAR(degrees, 3.0 * frame, 2e-5) << frame;
  }
}

TEST(Shear, HoldsEveryKindOfTrouble) {
  const Character& c = Make("shear");
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
  pose::ComputeModelSpace(c, pose, world);
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

// What the bytes of every sample are, whatever compiler or machine made them.
TEST(Samples, HaveKnownDigests) {
  const std::map<std::string_view, std::uint64_t> known = {
      {"twist", 0x33c09493289bb61cull}, {"shear", 0x3b5c9c46f35e7f85ull},
      {"elbow", 0xf5ed20947ec8b739ull}, {"figure", 0xf3a80a17222af8f6ull},
      {"sdef", 0xe9fa0cd1237c59dfull},
  };
  for (const SampleInfo& sample : Samples()) {
    EXPECT_EQ(test::DigestOfSample(Make(sample.name)), known.at(sample.name))
        << sample.name << " 0x" << std::hex << test::DigestOfSample(Make(sample.name));
  }
}

TEST(Elbow, IsOneClosedArmWithSmoothWeights) {
  const Character& c = Make("elbow");
  const Mesh& mesh = c.meshes[0];
  EXPECT_EQ(test::OpenEdges(mesh.triangles), 0u);
  EXPECT_GT(mesh.vertex_count(), 2000u);
  EXPECT_LT(mesh.vertex_count(), 4000u);
  // No holes and no handles: V - E + F = 2.
  EXPECT_EQ(mesh.vertex_count() - mesh.triangles.size() / 6, 2u);
  // From vertex to neighbour a weight changes little.
  const auto weight_of = [&](std::uint32_t v, std::uint32_t joint) {
    for (std::uint32_t i = mesh.influences.offsets[v]; i < mesh.influences.offsets[v + 1]; ++i) {
      if (mesh.influences.joints[i] == joint) return mesh.influences.weights[i];
    }
    return 0.0f;
  };
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const std::uint32_t a = mesh.triangles[t], b = mesh.triangles[t % 3 == 2 ? t - 2 : t + 1];
    for (std::uint32_t joint = 0; joint < 3; ++joint) {
      ASSERT_LT(std::abs(weight_of(a, joint) - weight_of(b, joint)), 0.3f);
    }
  }
}

TEST(Elbow, BendsAndTwistsByWhatItSays) {
  const Character& c = Make("elbow");
  ASSERT_EQ(c.clips.size(), 2u);
  EXPECT_EQ(c.clips[0].name, "bend");
  EXPECT_EQ(c.clips[1].name, "twist");
  for (const auto& [clip, axis, degrees] :
       {std::tuple{0u, Vec3d{0, 0, 1}, 130.0}, std::tuple{1u, Vec3d{1, 0, 0}, 160.0}}) {
    pose::Pose pose = pose::RestPose(c);
    pose::SampleClip(c.clips[clip], 60 / 30.0, pose);
    const Quatd expected = FromAxisAngle(axis, degrees * std::acos(-1.0) / 180);
    EXPECT_NEAR(std::abs(Dot(pose.locals[1].rotation, expected)), 1, 1e-7);
  }
}

TEST(Sdef, HasASphericalShoulderAndElbow) {
  const Character& c = Make("sdef");
  const Mesh& mesh = c.meshes[0];
  EXPECT_EQ(test::OpenEdges(mesh.triangles), 0u);
  EXPECT_EQ(mesh.vertex_count() - mesh.triangles.size() / 6, 2u);
  EXPECT_GT(mesh.vertex_count(), 1000u);
  EXPECT_LT(mesh.vertex_count(), 4000u);
  const SdefVertices& sdef = mesh.sdef;
  std::map<std::uint32_t, std::size_t> by_joint;
  for (std::size_t i = 0; i < sdef.size(); ++i) {
    ++by_joint[sdef.joints[i][1]];
    // Joint by joint of the chain, about the lower one's place; the same share of each as where
    // spherical vertices are off.
    ASSERT_EQ(sdef.joints[i][0] + 1, sdef.joints[i][1]);
    const Mat34d& joint_from_mesh = c.skins[0].joint_from_mesh[sdef.joints[i][1]];
    ASSERT_LT(Length(TransformPoint(joint_from_mesh, Cast<double>(sdef.centers[i]))), 1e-6);
    const std::uint32_t first = mesh.influences.offsets[sdef.vertices[i]];
    ASSERT_EQ(mesh.influences.offsets[sdef.vertices[i] + 1], first + 2);
    ASSERT_EQ(mesh.influences.joints[first], sdef.joints[i][0]);
    ASSERT_NEAR(mesh.influences.weights[first], sdef.weights[i], 1e-6f);
    // Reference points whose weighted mean is not the centre: leaving their correction out shows.
    ASSERT_NEAR(DistanceBetween(sdef.r0[i], sdef.r1[i]), 0.010, 1e-6);
  }
  EXPECT_GT(by_joint[1], 100u);
  EXPECT_GT(by_joint[2], 100u);
  // Every vertex of two joints is spherical.
  std::size_t two = 0;
  for (std::size_t v = 0; v < mesh.vertex_count(); ++v) {
    two += mesh.influences.offsets[v + 1] - mesh.influences.offsets[v] == 2;
  }
  EXPECT_EQ(two, sdef.size());
  ASSERT_EQ(c.clips.size(), 2u);
  EXPECT_EQ(c.clips[0].name, "bend");
  EXPECT_EQ(c.clips[0].end_time, 2.0);
}

class FigureTest : public ::testing::Test {
 protected:
  const Character& c = Make("figure");
  const Mesh& mesh = c.meshes[0];

  // The weight of a joint on every vertex.
  std::vector<float> WeightsOf(std::string_view joint) const {
    const std::uint32_t wanted = *FindNode(c, joint);
    std::vector<float> weights(mesh.vertex_count(), 0.0f);
    for (std::size_t v = 0; v < weights.size(); ++v) {
      for (std::uint32_t i = mesh.influences.offsets[v]; i < mesh.influences.offsets[v + 1]; ++i) {
        if (c.skins[0].joints[mesh.influences.joints[i]] == wanted) {
          weights[v] = mesh.influences.weights[i];
        }
      }
    }
    return weights;
  }
};

TEST_F(FigureTest, IsAClosedPersonOfTheRightSize) {
  EXPECT_GT(mesh.vertex_count(), 18000u);
  EXPECT_LT(mesh.vertex_count(), 22000u);
  EXPECT_GE(c.skins[0].joints.size(), 58u);
  EXPECT_LE(c.skins[0].joints.size(), 66u);
  EXPECT_EQ(test::OpenEdges(mesh.triangles), 0u);
  // The body and eight pieces of the face, each a ball without handles.
  EXPECT_EQ(mesh.vertex_count() - mesh.triangles.size() / 6, 2u * 8u);
  Vec3f low = mesh.positions[0], high = low;
  for (const Vec3f p : mesh.positions) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  EXPECT_NEAR(low.y, 0, 0.02);
  EXPECT_NEAR(high.y, 1.71, 0.02);
  EXPECT_NEAR(low.x, -high.x, 0.01);
  std::set<std::string> names;
  for (const Node& node : c.nodes) EXPECT_TRUE(names.insert(node.name).second) << node.name;
}

TEST_F(FigureTest, LooksAlongPlusZWithItsLeftAtPlusX) {
  EXPECT_GT(c.nodes[*FindNode(c, "thigh_L")].rest.translation.x, 0.05);
  EXPECT_LT(c.nodes[*FindNode(c, "thigh_R")].rest.translation.x, -0.05);
  EXPECT_GT(c.nodes[*FindNode(c, "toes_L")].rest.translation.z, 0.05);
  EXPECT_GT(c.nodes[*FindNode(c, "eye_L")].rest.translation.z, 0.05);
}

// Weights flow along the skin, not through the air: legs, arms and torso keep apart.
TEST_F(FigureTest, WeightsDoNotLeakAcrossGaps) {
  for (const char* joint : {"shin_L", "foot_L", "toes_L"}) {
    const std::vector<float> weights = WeightsOf(joint);
    for (std::size_t v = 0; v < weights.size(); ++v) {
      ASSERT_TRUE(weights[v] == 0 || mesh.positions[v].x > 0) << joint << " " << v;
    }
  }
  const std::vector<float> hips = WeightsOf("hips"), thigh = WeightsOf("thigh_R"),
                           spine = WeightsOf("spine");
  for (const char* joint : {"hand_R", "index_1_R", "forearm_twist_R"}) {
    const std::vector<float> weights = WeightsOf(joint);
    for (std::size_t v = 0; v < weights.size(); ++v) {
      if (weights[v] == 0) continue;
      ASSERT_LT(mesh.positions[v].x, -0.3f) << joint;
      ASSERT_EQ(hips[v] + thigh[v] + spine[v], 0.0f) << joint;
    }
  }
  // Fingers beside each other share nothing beyond the knuckles.
  const std::vector<float> index = WeightsOf("index_3_L"), middle = WeightsOf("middle_3_L");
  for (std::size_t v = 0; v < index.size(); ++v) {
    ASSERT_TRUE(index[v] <= 0.5f || middle[v] == 0) << v;
  }
  std::uint32_t most = 0;
  for (std::size_t v = 0; v < mesh.vertex_count(); ++v) {
    most = std::max(most, mesh.influences.offsets[v + 1] - mesh.influences.offsets[v]);
  }
  EXPECT_GE(most, 4u);
  EXPECT_LE(most, 6u);
}

TEST_F(FigureTest, MorphsAreSparseAndLocal) {
  std::vector<std::string> names;
  for (const Morph& morph : mesh.morphs) {
    names.push_back(morph.name);
    EXPECT_GT(morph.vertices.size(), 50u) << morph.name;
    EXPECT_LT(morph.vertices.size(), mesh.vertex_count() / 4) << morph.name;
    ASSERT_EQ(morph.normals.size(), morph.vertices.size());
    for (std::size_t i = 0; i < morph.vertices.size(); ++i) {
      // At full weight the normal is still a unit vector.
      const Vec3d n =
          Cast<double>(mesh.normals[morph.vertices[i]]) + Cast<double>(morph.normals[i]);
      ASSERT_NEAR(Length(n), 1, 1e-5);
    }
  }
  EXPECT_THAT(names, ::testing::ElementsAre("breathe", "belly", "flex", "smile", "brows_up"));
}

TEST_F(FigureTest, WalkLoopsAndStaysOnTheGround) {
  const std::uint32_t walk = *FindClip(c, "walk");
  EXPECT_EQ(c.clips[walk].frames_per_second, 30);
  EXPECT_NEAR(c.clips[walk].end_time, 2, 1e-12);
  const auto first = BlendLinear(c, walk, 0), last = BlendLinear(c, walk, 2);
  for (std::size_t v = 0; v < first.size(); ++v) ASSERT_LT(Length(first[v] - last[v]), 1e-6);
  double left_front = -1, left_back = 1;
  for (int frame = 0; frame <= 60; frame += 2) {
    double lowest = 1;
    for (const Vec3d p : BlendLinear(c, walk, frame / 30.0)) lowest = std::min(lowest, p.y);
    EXPECT_NEAR(lowest, 0, 0.03) << frame;
    pose::Pose pose = pose::RestPose(c);
    pose::SampleClip(c.clips[walk], frame / 30.0, pose);
    std::vector<Mat34d> world;
    pose::ComputeModelSpace(c, pose, world);
    const double z = world[*FindNode(c, "foot_L")].translation.z;
    left_front = std::max(left_front, z);
    left_back = std::min(left_back, z);
  }
  EXPECT_GT(left_front, 0.2);
  EXPECT_LT(left_back, -0.2);
}

TEST_F(FigureTest, WaveRaisesTheRightHandAndSmiles) {
  const std::uint32_t wave = *FindClip(c, "wave");
  pose::Pose pose = pose::RestPose(c);
  pose::SampleClip(c.clips[wave], 1, pose);
  EXPECT_EQ(pose.morph_weights[0][3], 1.0f);
  std::vector<Mat34d> world;
  pose::ComputeModelSpace(c, pose, world);
  EXPECT_GT(world[*FindNode(c, "hand_R")].translation.y, 1.6);
  EXPECT_LT(world[*FindNode(c, "hand_L")].translation.y, 1.1);
}

}  // namespace
}  // namespace flexor::asset
