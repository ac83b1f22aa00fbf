#include "flexor/deform/morph_accumulate.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "deform/every_backend.h"

namespace flexor::deform {
namespace {

using asset::SkinningMethod;
using test::IsNear;
using test::Job;
using test::OneVertex;
using test::Shape;
using test::Turn;
using test::Xyz;

asset::Morph MorphOf(std::vector<Vec3f> positions, std::vector<Vec3f> normals = {},
                     std::vector<Vec3f> tangents = {}, std::vector<std::uint32_t> vertices = {}) {
  return {"smile", std::move(vertices), std::move(positions), std::move(normals),
          std::move(tangents)};
}

class MorphAccumulateTest : public EveryBackend {};
FLEXOR_ON_EVERY_BACKEND(MorphAccumulateTest);

TEST_P(MorphAccumulateTest, ActsBeforeSkinning) {
  Job job{OneVertex({1, 0, 0}, {{0, 1.0f}}), {Turn({0, 0, 1}, 90)}, {}, {1.0f}, {}};
  job.mesh.morphs = {MorphOf({{0, 1, 0}})};
  for (const SkinningMethod method : {SkinningMethod::kLinear, SkinningMethod::kDualQuaternion}) {
    job.settings.method = method;
    EXPECT_THAT(Run(job).positions[0], IsNear(Vec3d{-1, 1, 0}, 1e-6));
  }
}

TEST_P(MorphAccumulateTest, NormalsTakeNormalOffsetsOnly) {
  // Positions a kilometre off must not leak into normals.
  Job job{OneVertex({1000, 0, 0}, {{0, 1.0f}}, {0, 0, 1}), {{}}, {}, {1.0f}, {}};
  job.mesh.morphs = {MorphOf({{500, 0, 0}}, {{0, 0.1f, 0}})};
  EXPECT_THAT(Run(job).normals[0], IsNear(Vec3d{0, 0.0995037, 0.9950372}, 1e-6));
  // A true difference from one unit normal to another gives the other.
  job.mesh.morphs = {MorphOf({}, {{0, 1, -1}})};
  EXPECT_THAT(Run(job).normals[0], IsNear(Vec3d{0, 1, 0}, 1e-6));
  EXPECT_THAT(Run(job).positions[0], IsNear(Vec3d{1000, 0, 0}, 1e-3));
}

TEST_P(MorphAccumulateTest, AnyNumberAddsUpByWeight) {
  Job job{test::MeshOf({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, {{{0, 1.0f}}, {{0, 1.0f}}, {{0, 1.0f}}}),
          {{}},
          {},
          {0.5f, -2.0f, 0.0f, 3.0f},
          {}};
  job.mesh.morphs = {MorphOf({{2, 0, 0}, {0, 2, 0}, {0, 0, 2}}),       // dense
                     MorphOf({{0, 1, 0}, {1, 0, 0}}, {}, {}, {0, 2}),  // sparse
                     MorphOf({{9, 9, 9}, {9, 9, 9}, {9, 9, 9}}),       // weight 0
                     MorphOf({{0, 0, 1}}, {}, {}, {1})};
  const Shape shape = Run(job);
  EXPECT_THAT(shape.positions[0], IsNear(Vec3d{1, -2, 0}, 1e-6));
  EXPECT_THAT(shape.positions[1], IsNear(Vec3d{1, 1, 3}, 1e-6));
  EXPECT_THAT(shape.positions[2], IsNear(Vec3d{0, 0, 1}, 1e-6));
  // No weights at all is the same as zeros.
  job.morph_weights.clear();
  EXPECT_EQ(Run(job).positions, job.mesh.positions);
}

TEST_P(MorphAccumulateTest, TangentsKeepTheirHandedness) {
  Job job{OneVertex({0, 0, 0}, {{0, 1.0f}}, {0, 0, 1}, {1, 0, 0, -1}), {{}}, {}, {0.75f}, {}};
  job.mesh.morphs = {MorphOf({}, {}, {{0, 1, 0}})};
  const Shape shape = Run(job);
  EXPECT_THAT(Xyz(shape.tangents[0]), IsNear(Vec3d{0.8, 0.6, 0}, 1e-6));
  EXPECT_EQ(shape.tangents[0].w, -1.0f);
}

TEST_P(MorphAccumulateTest, CancelledNormalFallsBackToRest) {
  Job job{OneVertex({0, 0, 0}, {{0, 1.0f}}, {0, 0, 1}, {1, 0, 0, 1}), {{}}, {}, {1.0f}, {}};
  job.mesh.morphs = {MorphOf({}, {{0, 0, -1}}, {{-1, 0, 0}})};
  EXPECT_THAT(Run(job).normals[0], IsNear(Vec3d{0, 0, 1}, 1e-6));
  EXPECT_THAT(Xyz(Run(job).tangents[0]), IsNear(Vec3d{1, 0, 0}, 1e-6));
}

TEST_P(MorphAccumulateTest, LengthOfTheSumPlaysNoPart) {
  // A morphed normal three times too long still meets a singular matrix as one of unit length.
  Job job{OneVertex({0, 0, 0}, {{0, 1.0f}}, {0, 1, 0}), {test::Scaling({2, 1, 1})}, {}, {1.0f}, {}};
  job.mesh.morphs = {MorphOf({}, {{3, 2, 0}})};  // the sum is (3, 3, 0)
  EXPECT_THAT(Run(job).normals[0], IsNear(Vec3d{0.4472136, 0.8944272, 0}, 1e-6));
}

// Twenty morphs on at once, of every form that a layout may keep them in: all vertices, a run of
// them, one here and there, normals only. Vertices v and V-1-v are twins in all but their place.
TEST_P(MorphAccumulateTest, ManyOfAllKindsAddUpAndTwinsStayEqual) {
  constexpr std::size_t kVertices = 700, kMorphs = 20;
  const auto twin = [](std::size_t v) { return std::min(v, kVertices - 1 - v); };
  const auto offset = [&](std::size_t m, std::size_t v) {
    const double angle = 0.37 * static_cast<double>(twin(v)) + static_cast<double>(m);
    return Vec3d{std::sin(angle), std::cos(2 * angle), 0.5 * std::sin(3 * angle)};
  };
  const auto lists = [&](std::size_t m, std::size_t v) {
    const std::size_t t = twin(v);
    if (m % 4 == 0) return true;
    if (m % 4 == 2) return t % 13 == m % 13;
    return t > 10 * m && t < 10 * m + 40;
  };
  std::vector<Vec3f> positions;
  std::vector<std::vector<std::pair<std::uint32_t, float>>> influences;
  for (std::size_t v = 0; v < kVertices; ++v) {
    positions.push_back({0.01f * static_cast<float>(twin(v)), 1, 0});
    influences.push_back({{0, 1.0f}});
  }
  Job job{test::MeshOf(positions, influences), {{}}, {}, {}, {}};
  job.mesh.normals.assign(kVertices, Vec3f{0, 0, 1});
  std::vector<Vec3d> moved, turned;
  for (const Vec3f& p : positions) moved.push_back(Cast<double>(p));
  turned.assign(kVertices, Vec3d{0, 0, 1});
  for (std::size_t m = 0; m < kMorphs; ++m) {
    const float weight = 0.05f * static_cast<float>(m + 1) * (m % 3 == 0 ? -1.0f : 1.0f);
    job.morph_weights.push_back(weight);
    asset::Morph morph;
    for (std::size_t v = 0; v < kVertices; ++v) {
      if (!lists(m, v)) continue;
      const Vec3f d = Cast<float>(offset(m, v)), n = d * 0.02f;
      if (m % 4 != 0) morph.vertices.push_back(static_cast<std::uint32_t>(v));
      if (m % 4 != 3) morph.positions.push_back(d);
      morph.normals.push_back(n);
      if (m % 4 != 3) moved[v] += Cast<double>(d) * static_cast<double>(weight);
      turned[v] += Cast<double>(n) * static_cast<double>(weight);
    }
    job.mesh.morphs.push_back(std::move(morph));
  }
  for (const SkinningMethod method : {SkinningMethod::kLinear, SkinningMethod::kDualQuaternion}) {
    job.settings.method = method;
    const Shape shape = Run(job);
    for (std::size_t v = 0; v < kVertices; ++v) {
      ASSERT_THAT(shape.positions[v], IsNear(moved[v], 1e-5)) << v;
      ASSERT_THAT(shape.normals[v], IsNear(turned[v] / Length(turned[v]), 2e-6)) << v;
      ASSERT_EQ(shape.positions[v], shape.positions[kVertices - 1 - v]) << v;
      ASSERT_EQ(shape.normals[v], shape.normals[kVertices - 1 - v]) << v;
    }
  }
}

TEST(MorphAccumulate, OneCallOnAMesh) {
  asset::Mesh mesh = OneVertex({1, 0, 0}, {{3, 1.0f}}, {0, 0, 1});  // joints do not matter here
  mesh.morphs = {MorphOf({{0, 2, 0}}, {{0, 1, -1}})};
  std::array<Vec3f, 1> positions, normals;
  const std::array<float, 1> half{0.5f};
  const Status status = MorphAccumulate(mesh, half, {positions, normals, {}});
  ASSERT_TRUE(status.ok()) << status.error().ToString();
  EXPECT_THAT(positions[0], IsNear(Vec3d{1, 1, 0}, 1e-6));
  EXPECT_THAT(normals[0], IsNear(Vec3d{0, std::sqrt(0.5), std::sqrt(0.5)}, 1e-6));

  const std::array<float, 2> too_many{1, 1};
  const Status wrong = MorphAccumulate(mesh, too_many, {positions, normals, {}});
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().code, ErrorCode::kShapeMismatch);
}

}  // namespace
}  // namespace flexor::deform
