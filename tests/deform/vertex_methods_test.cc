// What the wishes of file and user make of each vertex, and a method for one material: each vertex
// moves as it would if the whole mesh were skinned that way.
#include "deform/vertex_methods.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include <gmock/gmock.h>

#include "flexor/asset/sample.h"
#include "flexor/deform/plan.h"

#include "deform/every_backend.h"
#include "support/spherical.h"

namespace flexor::deform {
namespace {

using asset::SkinningMethod;
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
  mixed.settings.method = SkinningMethod::kLinear;
  mixed.settings.material_methods = {{1, SkinningMethod::kDualQuaternion},
                                     {2, std::nullopt},
                                     {asset::kNone, SkinningMethod::kDualQuaternion}};
  const std::optional<SkinningMethod> expected[] = {SkinningMethod::kLinear,
                                                    SkinningMethod::kDualQuaternion, std::nullopt,
                                                    SkinningMethod::kDualQuaternion};
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
    job.settings.method = SkinningMethod::kLinear;
    job.settings.material_methods = std::move(methods);
    return job;
  };
  const Shape linear = Run(with({}));
  const Shape dual = Run(with({{0, SkinningMethod::kDualQuaternion}}));
  EXPECT_NE(linear.positions[0], dual.positions[0]);
  const auto expect = [&](std::vector<MaterialMethod> methods, const Shape& shape) {
    const Shape got = Run(with(std::move(methods)));
    EXPECT_THAT(got.positions[0], test::IsNear(shape.positions[0], 1e-6));
  };
  expect({{1, SkinningMethod::kDualQuaternion}}, dual);
  expect({{0, SkinningMethod::kLinear}, {1, SkinningMethod::kDualQuaternion}}, dual);
  expect({{1, SkinningMethod::kDualQuaternion}, {0, SkinningMethod::kLinear}}, linear);
}

// One letter a vertex: Linear, Dual quaternion, Mixed, Spherical.
std::string Letters(const VertexMethods& methods, std::size_t count) {
  std::string out;
  for (std::size_t v = 0; v < count; ++v) out += "LDMS"[IndexOf(methods.column.At(v))];
  return out;
}

// Vertices 0 to 3 have the shares 0, 0.25, 0.75, 1; 4 and 5 a share and a centre, 5 a derived one.
TEST(ResolveMethods, TheMostSpecificWishHoldsWhereTheVertexHasWhatItTakes) {
  asset::Mesh mesh = test::RandomRig({.vertices = 6, .joints = 2}, 3);
  mesh.dqs_weights = {0, 0.25f, 0.75f, 1, 0.5f, 0.5f};
  test::AddSdef(mesh, 4, {.center = {4, 0, 0}});
  asset::Mesh derived_mesh;
  test::AddSdef(derived_mesh, 5, {.center = {5, 0, 0}});
  const asset::SdefVertices& derived = derived_mesh.sdef;
  const auto of = [&](std::optional<SkinningMethod> method, SdefMode mode = SdefMode::kOn) {
    DeformSettings settings;
    settings.method = method;
    settings.sdef.mode = mode;
    return Letters(ResolveMethods(mesh, derived, settings), 6);
  };
  EXPECT_EQ(of(std::nullopt), "LMMDSM");
  EXPECT_EQ(of(std::nullopt, SdefMode::kOff), "LMMDMM");
  EXPECT_EQ(of(std::nullopt, SdefMode::kAuthor), "LMMDSS");
  for (const SdefMode mode : {SdefMode::kOn, SdefMode::kOff, SdefMode::kAuthor}) {
    EXPECT_EQ(of(SkinningMethod::kLinear, mode), "LLLLLL");
    EXPECT_EQ(of(SkinningMethod::kDualQuaternion, mode), "DDDDDD");
    EXPECT_EQ(of(SkinningMethod::kMixed, mode), "LMMDMM");
    EXPECT_EQ(of(SkinningMethod::kSpherical, mode), "LLLLSS");
  }

  // Without shares the mesh's one wish is for all that have no centre.
  mesh.dqs_weights.clear();
  EXPECT_EQ(of(std::nullopt), "LLLLSL");
  EXPECT_EQ(of(SkinningMethod::kMixed), "LLLLLL");
  mesh.skinning = SkinningMethod::kDualQuaternion;
  EXPECT_EQ(of(std::nullopt), "DDDDSD");
  EXPECT_EQ(of(SkinningMethod::kLinear), "LLLLLL");
  mesh.skinning = SkinningMethod::kSpherical;
  EXPECT_EQ(of(std::nullopt), "LLLLSL");
  EXPECT_EQ(of(std::nullopt, SdefMode::kOff), "LLLLLL");
}

TEST(ResolveMethods, PayloadsGoByTheVerticesOfTheirMethod) {
  asset::Mesh mesh = test::RandomRig({.vertices = 6, .joints = 2}, 3);
  mesh.dqs_weights = {0.5f, 0.25f, 0, 0.75f, 0, 0.125f};
  test::AddSdef(mesh, 1, {.center = {1, 0, 0}});
  test::AddSdef(mesh, 4, {.center = {4, 0, 0}});
  const VertexMethods methods = ResolveMethods(mesh, {}, {});
  EXPECT_EQ(Letters(methods, 6), "MSLMSM");
  EXPECT_EQ(methods.payloads.mixed, (std::vector<float>{0.5f, 0.75f, 0.125f}));
  for (const std::size_t v : {1u, 4u}) {
    const auto& spherical = methods.payloads.spherical.vertices[methods.column.EntryOf(v)];
    EXPECT_EQ(spherical.center.x, static_cast<double>(v));
  }
  for (const std::size_t v : {0u, 3u, 5u}) {
    EXPECT_EQ(methods.payloads.mixed[methods.column.EntryOf(v)], mesh.dqs_weights[v]);
  }
  EXPECT_EQ(methods.column.counts, (std::array<std::uint32_t, 4>{1, 0, 3, 2}));
}

TEST(VertexMethodPlan, CountsSphericalVerticesOfTheirMaterialOnly) {
  Job job = FourMaterials();
  const asset::SdefVertices& sdef = job.mesh.sdef;
  const auto of_group = [&](std::size_t group) {
    return static_cast<std::size_t>(
        std::count_if(sdef.vertices.begin(), sdef.vertices.end(),
                      [&](std::uint32_t v) { return GroupOf(v) == group; }));
  };
  job.settings.material_methods = {{0, SkinningMethod::kLinear},
                                   {2, SkinningMethod::kDualQuaternion}};
  EXPECT_EQ(test::PlanOf(job)->vertex_count(SkinningMethod::kSpherical),
            sdef.size() - of_group(0) - of_group(2));
  job.settings.method = SkinningMethod::kLinear;
  job.settings.material_methods = {{1, std::nullopt}};
  EXPECT_EQ(test::PlanOf(job)->vertex_count(SkinningMethod::kSpherical), of_group(1));
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
  settings.method = SkinningMethod::kLinear;
  settings.material_methods = {{1, SkinningMethod::kSpherical}};
  EXPECT_TRUE(DependsOnBindPose(settings));
  const std::size_t some =
      BuildDeformPlan(two, 0, settings)->vertex_count(SkinningMethod::kSpherical);
  settings.material_methods = {{0, SkinningMethod::kSpherical}, {1, SkinningMethod::kSpherical}};
  const std::size_t all =
      BuildDeformPlan(two, 0, settings)->vertex_count(SkinningMethod::kSpherical);
  EXPECT_GT(some, 0u);
  EXPECT_LT(some, all);
}

TEST(VertexMethodPlan, NamesAMaterialThatThereIsNot) {
  const asset::Character elbow = *asset::MakeSample("elbow");
  for (const std::int32_t material : {-2, 99}) {
    DeformSettings settings;
    settings.material_methods = {{material, SkinningMethod::kDualQuaternion}};
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
