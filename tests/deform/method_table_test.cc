// What holds for every row of the method table, whichever there are.
#include "deform/method_table.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>

#include "flexor/asset/character.h"
#include "flexor/deform/plan.h"

#include "deform/every_backend.h"
#include "support/spherical.h"

namespace flexor::deform {
namespace {

using asset::SkinningMethod;
using test::Job;
using test::JointKind;
using test::Shape;

constexpr std::uint32_t kVertices = 700;
constexpr std::uint32_t kJoints = 12;

/// A mesh whose vertices have what every method takes. Every vertex has a triangle of its own, and
/// the triangles of every n-th vertex a material of their own, n the number of methods.
Job ReadyForAll(JointKind kind, std::uint32_t seed) {
  Job job;
  job.mesh = test::RandomRig(
      {.vertices = kVertices, .joints = kJoints, .max_influences = 4, .morphs = 2}, seed);
  test::AddRandomSdef(job.mesh, kJoints, 1.1, 1, seed + 1);
  asset::Influences& influences = job.mesh.influences;
  for (std::uint32_t v = 0; v < kVertices; ++v) {
    if (v % 50 < asset::kSkinningMethods) {  // some of each method without weight
      std::fill(influences.weights.begin() + influences.offsets[v],
                influences.weights.begin() + influences.offsets[v + 1], 0.0f);
    }
    job.mesh.dqs_weights.push_back(0.125f + 0.25f * static_cast<float>(v % 4));
  }
  for (std::size_t m = 0; m < asset::kSkinningMethods; ++m) {
    const auto first = static_cast<std::uint32_t>(job.mesh.triangles.size());
    for (auto v = static_cast<std::uint32_t>(m); v < kVertices; v += asset::kSkinningMethods) {
      job.mesh.triangles.insert(job.mesh.triangles.end(), 3, v);
    }
    const auto end = static_cast<std::uint32_t>(job.mesh.triangles.size());
    job.mesh.subsets.push_back({first, end - first, static_cast<std::int32_t>(m)});
  }
  job.palette = test::RandomPalette(kJoints, kind, seed + 2);
  job.morph_weights = {0.5f, -1.0f};
  return job;
}

SkinningMethod MethodOf(std::size_t vertex) {
  return MethodTable()[vertex % asset::kSkinningMethods].method;
}

void SkinByMaterial(Job& job) {
  for (const MethodRow& row : MethodTable()) {
    job.settings.material_methods.push_back(
        {static_cast<std::int32_t>(IndexOf(row.method)), row.method});
  }
}

/// The plan of the job's mesh on a chain of joints: spherical centres may be derived there.
Result<DeformPlan> PlanOnJoints(const Job& job) {
  asset::Character character;
  character.meshes = {job.mesh};
  character.nodes.resize(kJoints);
  character.skins.resize(1);
  character.skins[0].joint_from_mesh.resize(kJoints);
  for (std::uint32_t j = 0; j < kJoints; ++j) {
    character.nodes[j].parent = static_cast<std::int32_t>(j) - 1;
    character.skins[0].joints.push_back(j);
  }
  character.materials.resize(asset::kSkinningMethods);
  character.instances.resize(1);
  character.instances[0].skin = 0;
  return BuildDeformPlan(character, 0, job.settings);
}

class MethodTableTest : public EveryBackend {
 protected:
  /// Each method alone and all in one mesh, to the bit.
  void ExpectVerticesAlone(const Job& job) const {
    Job together = job;
    SkinByMaterial(together);
    const auto plan_together = PlanOnJoints(together);
    ASSERT_TRUE(plan_together.ok()) << plan_together.error().ToString();
    const Shape mixed = test::DeformPlanned(GetParam(), *plan_together, together);
    for (const MethodRow& row : MethodTable()) {
      Job alone = job;
      alone.settings.method = row.method;
      const auto plan = PlanOnJoints(alone);
      ASSERT_TRUE(plan.ok()) << plan.error().ToString();
      ASSERT_EQ(plan->vertex_count(row.method), kVertices) << row.name;
      const Shape shape = test::DeformPlanned(GetParam(), *plan, alone);
      for (std::size_t v = 0; v < kVertices; ++v) {
        if (MethodOf(v) != row.method) continue;
        ASSERT_EQ(shape.positions[v], mixed.positions[v]) << row.name << ", vertex " << v;
        ASSERT_EQ(shape.normals[v], mixed.normals[v]) << row.name << ", vertex " << v;
        ASSERT_EQ(shape.tangents[v], mixed.tangents[v]) << row.name << ", vertex " << v;
      }
    }
  }
};
FLEXOR_ON_EVERY_BACKEND(MethodTableTest);

TEST_P(MethodTableTest, AVertexDoesNotDependOnTheMethodsOfOthers) {
  for (const JointKind kind : {JointKind::kRigid, JointKind::kUniform, JointKind::kScaled}) {
    for (const DqsResidual residual :
         {DqsResidual::kVertex, DqsResidual::kOrigin, DqsResidual::kUsd}) {
      SCOPED_TRACE(static_cast<int>(kind));
      SCOPED_TRACE(DqsResidualName(residual));
      Job job = ReadyForAll(kind, 41);
      job.settings.dqs.residual = residual;
      ExpectVerticesAlone(job);
    }
  }
}

TEST_P(MethodTableTest, NorWithRawWeightsOrInPlanOrder) {
  Job job = ReadyForAll(JointKind::kScaled, 43);
  job.settings.weights = asset::WeightPolicy::Raw();
  job.settings.sdef.rotation = SdefRotation::kNlerp;
  ExpectVerticesAlone(job);
  job.settings.weights = {};
  job.settings.weights.zero = asset::ZeroWeightPolicy::kCollapse;
  job.morph_weights = {};
  ExpectVerticesAlone(job);
}

TEST(MethodTableRows, AreCompleteAndHaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const MethodRow& row : MethodTable()) {
    EXPECT_EQ(&RowOf(row.method), &row);
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_NE(row.reference, nullptr) << row.name;
    EXPECT_NE(row.kernel, nullptr) << row.name;
    EXPECT_NE(row.needs, 0u) << row.name;
    EXPECT_NE(row.layout.joints, nullptr) << row.name;
    EXPECT_EQ(row.layout.payload == nullptr, row.layout.payload_rows == nullptr) << row.name;
    if (row.layout.names == BlockNames::kPayload) {
      EXPECT_NE(row.layout.payload, nullptr) << row.name;
    }
  }
}

TEST(MethodTableRows, AMeshOfOneMethodNeedsNoColumn) {
  for (const MethodRow& row : MethodTable()) {
    Job job = ReadyForAll(JointKind::kRigid, 47);
    job.settings.method = row.method;
    const auto plan = PlanOnJoints(job);
    ASSERT_TRUE(plan.ok());
    const PlanData& data = plan->data();
    EXPECT_TRUE(data.methods.methods.empty()) << row.name;
    EXPECT_TRUE(data.methods.entries.empty()) << row.name;
    EXPECT_EQ(data.methods.At(kVertices - 1), row.method);
    EXPECT_EQ(data.methods.EntryOf(kVertices - 1), kVertices - 1);
    EXPECT_EQ(data.needs, row.needs) << row.name;
  }
}

}  // namespace
}  // namespace flexor::deform
