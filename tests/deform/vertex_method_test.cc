// A method for one material: each vertex moves as it would if the whole mesh were skinned that way.
#include <algorithm>
#include <array>
#include <iterator>

#include <gmock/gmock.h>

#include "flexor/asset/sample.h"
#include "flexor/deform/plan.h"

#include "deform/every_backend.h"
#include "support/spherical.h"

namespace flexor::deform {
namespace {

using test::Job;
using test::Shape;
using testing::AllOf;
using testing::HasSubstr;

constexpr std::uint32_t kVertices = 150;

// Fifty triangles without shared vertices, then one that joins the first two materials. Materials
// in turn: 0, 1, 2, none.
Job FourMaterials() {
  Job job;
  job.mesh = test::RandomRig({.vertices = kVertices, .joints = 6, .morphs = 2}, 31);
  test::AddRandomSdef(job.mesh, 6, 0.4, 1, 32);
  for (std::uint32_t v = 0; v < kVertices; ++v) job.mesh.triangles.push_back(v);
  const std::array<std::uint32_t, 5> firsts{0, 36, 72, 108, kVertices};
  for (std::size_t i = 0; i + 1 < firsts.size(); ++i) {
    const std::int32_t material = i == 3 ? asset::kNone : static_cast<std::int32_t>(i);
    job.mesh.subsets.push_back({firsts[i], firsts[i + 1] - firsts[i], material});
  }
  job.palette = test::RandomPalette(6, test::JointKind::kScaled, 33);
  job.morph_weights = {0.5f, -1.0f};
  return job;
}

std::size_t GroupOf(std::size_t vertex) { return std::min<std::size_t>(vertex / 36, 3); }

class VertexMethod : public EveryBackend {};
FLEXOR_ON_EVERY_BACKEND(VertexMethod);

TEST_P(VertexMethod, IsThatOfTheMaterial) {
  Job mixed = FourMaterials();
  mixed.settings.method = Method::kLbs;
  mixed.settings.material_methods = {
      {1, Method::kDqs}, {2, Method::kFile}, {asset::kNone, Method::kDqs}};
  const Method expected[] = {Method::kLbs, Method::kDqs, Method::kFile, Method::kDqs};
  const Shape got = Run(mixed);
  double furthest = 0;
  for (std::size_t group = 0; group < std::size(expected); ++group) {
    Job whole = FourMaterials();
    whole.settings.method = expected[group];
    const Shape shape = Run(whole);
    for (std::size_t v = 0; v < kVertices; ++v) {
      if (GroupOf(v) != group) {
        furthest = std::max(furthest, test::DistanceOf(shape.positions[v], got.positions[v]));
        continue;
      }
      EXPECT_THAT(got.positions[v], test::IsNear(shape.positions[v], 1e-6 * test::ReachOf(whole)))
          << "vertex " << v;
      EXPECT_THAT(got.normals[v], test::IsNear(shape.normals[v], 2e-6)) << "vertex " << v;
    }
  }
  EXPECT_GT(furthest, 0.05);  // the methods are not all alike
}

TEST_P(VertexMethod, OfASharedVertexIsTheLastGiven) {
  const auto with = [](std::vector<MaterialMethod> methods) {
    Job job = FourMaterials();
    job.mesh.sdef = {};
    // Vertex 0 belongs to materials 0 and 1 now.
    job.mesh.triangles[36] = 0;
    job.settings.method = Method::kLbs;
    job.settings.material_methods = std::move(methods);
    return job;
  };
  const Shape linear = Run(with({}));
  const Shape dual = Run(with({{0, Method::kDqs}}));
  EXPECT_NE(linear.positions[0], dual.positions[0]);
  const auto expect = [&](std::vector<MaterialMethod> methods, const Shape& shape) {
    const Shape got = Run(with(std::move(methods)));
    EXPECT_THAT(got.positions[0], test::IsNear(shape.positions[0], 1e-6));
  };
  expect({{1, Method::kDqs}}, dual);
  expect({{0, Method::kLbs}, {1, Method::kDqs}}, dual);
  expect({{1, Method::kDqs}, {0, Method::kLbs}}, linear);
}

TEST(VertexMethodPlan, CountsSphericalVerticesOfTheirMaterialOnly) {
  Job job = FourMaterials();
  const asset::SdefVertices& sdef = job.mesh.sdef;
  const auto of_group = [&](std::size_t group) {
    return static_cast<std::size_t>(
        std::count_if(sdef.vertices.begin(), sdef.vertices.end(),
                      [&](std::uint32_t v) { return GroupOf(v) == group; }));
  };
  job.settings.material_methods = {{0, Method::kLbs}, {2, Method::kDqs}};
  EXPECT_EQ(test::PlanOf(job)->spherical_count(), sdef.size() - of_group(0) - of_group(2));
  job.settings.method = Method::kLbs;
  job.settings.material_methods = {{1, Method::kFile}};
  EXPECT_EQ(test::PlanOf(job)->spherical_count(), of_group(1));
  EXPECT_GT(of_group(1), 5u);
}

TEST(VertexMethodPlan, DerivesCentresForOneMaterial) {
  const asset::Character elbow = *asset::MakeSample("elbow");
  asset::Character two = elbow;
  two.materials.resize(2);
  auto& mesh = two.meshes[0];
  const std::uint32_t half = static_cast<std::uint32_t>(mesh.triangles.size() / 6 * 3);
  mesh.subsets = {{0, half, 0},
                  {half, static_cast<std::uint32_t>(mesh.triangles.size()) - half, 1}};
  DeformSettings settings;
  settings.method = Method::kLbs;
  settings.material_methods = {{1, Method::kSdef}};
  EXPECT_TRUE(DerivesSdef(settings));
  const std::size_t some = BuildDeformPlan(two, 0, settings)->spherical_count();
  settings.material_methods = {{0, Method::kSdef}, {1, Method::kSdef}};
  const std::size_t all = BuildDeformPlan(two, 0, settings)->spherical_count();
  EXPECT_GT(some, 0u);
  EXPECT_LT(some, all);
}

TEST(VertexMethodPlan, NamesAMaterialThatThereIsNot) {
  const asset::Character elbow = *asset::MakeSample("elbow");
  for (const std::int32_t material : {-2, 99}) {
    DeformSettings settings;
    settings.material_methods = {{material, Method::kDqs}};
    const auto plan = BuildDeformPlan(elbow, 0, settings);
    ASSERT_FALSE(plan.ok());
    EXPECT_EQ(plan.error().code, ErrorCode::kIndexOutOfRange);
    EXPECT_THAT(plan.error().message, AllOf(HasSubstr(std::to_string(material)),
                                            HasSubstr(std::to_string(elbow.materials.size()))));
  }
}

TEST(VertexMethodPlan, ChecksSubsetsOnce) {
  Job job = FourMaterials();
  job.mesh.subsets.back().index_count += 3;
  const auto plan = test::PlanOf(job);
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.error().code, ErrorCode::kIndexOutOfRange);
  EXPECT_THAT(plan.error().ToString(), AllOf(HasSubstr("subset 3"), HasSubstr("150")));
}

}  // namespace
}  // namespace flexor::deform
