// The CPU layout: what shares a block, and that nothing is lost on the way.
#include <algorithm>
#include <numeric>
#include <set>

#include "deform/cpu/layout.h"
#include "deform/every_backend.h"
#include "deform/plan_data.h"

namespace flexor::deform {
namespace {

using asset::SkinningMethod;
using test::Job;

DeformPlan PlanOfRig(const test::RigShape& shape, SkinningMethod method,
                     asset::WeightPolicy weights = {}) {
  Job job;
  job.mesh = test::RandomRig(shape, 5);
  job.palette.resize(shape.joints);
  job.settings.method = method;
  job.settings.weights = weights;
  auto plan = test::PlanOf(job);
  EXPECT_TRUE(plan.ok());
  return *plan;
}

CpuLayout LayoutOf(const DeformPlan& plan, OutputOrder order = OutputOrder::kCaller) {
  return *BuildCpuLayout(plan.data(), order);
}

/// The output that a lane writes.
std::size_t OutputOf(const CpuLayout& layout, const CpuWindow& window, const CpuBlock& block,
                     std::size_t lane) {
  const std::uint16_t* const dst = layout.dst.data() + block.dst;
  const std::size_t in_window = block.store == BlockStore::kRun     ? dst[0] / 3u + lane
                                : block.store == BlockStore::kQuads ? dst[lane / 4] / 3u + lane % 4
                                                                    : dst[lane] / 3u;
  return window.first_vertex + in_window;
}

/// The weight that a lane of a block gives a joint.
float WeightOf(const CpuLayout& layout, const CpuBlock& block, std::size_t lane,
               std::uint32_t joint) {
  const float* const rows =
      layout.data.data() + (block.data + layout.geometry_rows()) * kBlockLanes;
  const std::uint32_t* const joints = layout.joints.data() + block.joints;
  float sum = 0;
  if (block.kind == BlockKind::kOne) return joints[0] == joint ? 1.0f : 0.0f;
  if (block.kind == BlockKind::kAny) {
    for (std::size_t j = 0; j < block.k; ++j) {
      if (joints[j * kBlockLanes + lane] == joint) sum += rows[j * kBlockLanes + lane];
    }
    return sum;
  }
  float first = 1;
  for (std::size_t j = 1; j < block.k; ++j) {
    const float weight = rows[(j - 1) * kBlockLanes + lane];
    first -= weight;
    if (joints[j] == joint) sum += weight;
  }
  return joints[0] == joint ? first : sum;
}

struct Shape {
  const char* name;
  test::RigShape rig;
};
const Shape kShapes[] = {{"few joints", {1000, 3, 2, 0, true, true, 1}},
                         {"many sets", {1000, 60, 4, 0, true, false, 1}},
                         {"many influences", {300, 40, 12, 0, false, false, 1}},
                         {"two windows of small", {5000, 8, 4, 0, true, false, 1}},
                         {"windows of large", {40000, 30, 4, 0, true, false, 1}},
                         {"one vertex", {1, 1, 1, 0, true, true, 1}},
                         {"one block and one", {17, 2, 2, 0, true, false, 1}}};

TEST(CpuLayout, EveryVertexIsInOneBlockAndWritesItsOwnPlace) {
  for (const Shape& shape : kShapes) {
    for (const SkinningMethod method : {SkinningMethod::kLinear, SkinningMethod::kDualQuaternion}) {
      for (const OutputOrder order : {OutputOrder::kCaller, OutputOrder::kPrepared}) {
        SCOPED_TRACE(shape.name);
        const DeformPlan plan = PlanOfRig(shape.rig, method);
        const CpuLayout layout = LayoutOf(plan, order);
        std::vector<int> writes(plan.vertex_count());
        std::size_t next = 0;
        for (const CpuWindow& window : layout.windows) {
          for (std::uint32_t b = window.blocks.front(); b < window.blocks.back(); ++b) {
            const CpuBlock& block = layout.blocks[b];
            ASSERT_EQ(block.first, next);
            ASSERT_GE(block.count, 1);
            for (std::size_t lane = 0; lane < kBlockLanes; ++lane) {
              const std::size_t real = std::min<std::size_t>(lane, block.count - 1u);
              const std::size_t at = OutputOf(layout, window, block, lane);
              const std::size_t vertex = layout.caller_from_plan[block.first + real];
              ASSERT_EQ(at, order == OutputOrder::kPrepared ? block.first + real : vertex);
              ASSERT_GE(at, window.first_vertex);
              ASSERT_LT(at, window.end_vertex);
              if (lane == real) ++writes[at];
            }
            next += block.count;
          }
        }
        EXPECT_TRUE(std::ranges::all_of(writes, [](int count) { return count == 1; }));
      }
    }
  }
}

TEST(CpuLayout, WeightsSumToOneExactlyAndAreThoseOfThePlan) {
  for (const Shape& shape : kShapes) {
    SCOPED_TRACE(shape.name);
    const DeformPlan plan = PlanOfRig(shape.rig, SkinningMethod::kLinear);
    const CpuLayout layout = LayoutOf(plan);
    const asset::Influences& influences = plan.influences();
    for (const CpuBlock& block : layout.blocks) {
      for (std::size_t lane = 0; lane < block.count; ++lane) {
        const std::uint32_t v = layout.caller_from_plan[block.first + lane];
        float sum = 0;
        for (std::size_t i = influences.offsets[v]; i < influences.offsets[v + 1]; ++i) {
          const float weight = WeightOf(layout, block, lane, influences.joints[i]);
          ASSERT_NEAR(weight, influences.weights[i], 2.5e-7) << "vertex " << v;
          sum += weight;
        }
        ASSERT_EQ(sum, 1.0f) << "vertex " << v;
      }
    }
  }
}

TEST(CpuLayout, NoBlockNamesAJointThatNoneOfItsVerticesUses) {
  const DeformPlan plan = PlanOfRig({1000, 60, 4, 0, true, false, 1}, SkinningMethod::kLinear);
  const CpuLayout layout = LayoutOf(plan);
  const asset::Influences& influences = plan.influences();
  for (const CpuBlock& block : layout.blocks) {
    std::set<std::uint32_t> used;
    for (std::size_t lane = 0; lane < block.count; ++lane) {
      const std::uint32_t v = layout.caller_from_plan[block.first + lane];
      for (std::size_t i = influences.offsets[v]; i < influences.offsets[v + 1]; ++i) {
        used.insert(influences.joints[i]);
      }
    }
    std::set<std::uint32_t> named;
    for (std::size_t j = 0; j < block.joint_entries(); ++j) {
      named.insert(layout.joints[block.joints + j]);
    }
    EXPECT_EQ(named, used);
  }
}

TEST(CpuLayout, EveryKindOfBlockOccurs) {
  const auto kinds = [](const DeformPlan& plan) {
    std::set<BlockKind> out;
    const CpuLayout layout = LayoutOf(plan);
    for (const CpuBlock& block : layout.blocks) out.insert(block.kind);
    return out;
  };
  EXPECT_EQ(kinds(PlanOfRig({1000, 3, 2, 0, true, true, 1}, SkinningMethod::kLinear)),
            (std::set<BlockKind>{BlockKind::kOne, BlockKind::kShared}));
  EXPECT_TRUE(kinds(PlanOfRig({1000, 300, 4, 0, true, true, 1}, SkinningMethod::kDualQuaternion))
                  .contains(BlockKind::kAny));
  // Weights as they are need a row for every joint, and a row for what their sum has over 1.
  const DeformPlan raw =
      PlanOfRig({100, 3, 2, 0, true, true, 1}, SkinningMethod::kLinear, asset::WeightPolicy::Raw());
  EXPECT_TRUE(LayoutOf(raw).raw_weights);
  EXPECT_EQ(kinds(raw), (std::set<BlockKind>{BlockKind::kShared}));
}

// The joint that leads is a matter of the weights alone: the order in which a file lists joints of
// equal weight plays no part, and none but a weight above zero leads.
TEST(CpuLayout, EqualWeightsAreLedByTheSmallestJoint) {
  const struct {
    test::Run run;
    std::uint32_t pivot;
  } cases[] = {{{{1, 0.5f}, {4, 0.5f}}, 1},
               {{{4, 0.5f}, {1, 0.5f}}, 1},
               {{{3, 0.25f}, {5, 0.375f}, {2, 0.375f}}, 2},
               {{{5, 0.375f}, {2, 0.375f}, {3, 0.25f}}, 2},
               {{{0, 0.25f}, {5, 0.75f}}, 5},
               {{{0, -0.5f}, {5, 1.5f}}, 5}};
  for (const auto& [run, pivot] : cases) {
    Job job;
    job.mesh = test::MeshOf({{1, 2, 3}}, {run});
    job.palette.resize(6);
    job.settings.method = SkinningMethod::kDualQuaternion;
    job.settings.weights.clamp_negative = false;
    const auto plan = test::PlanOf(job);
    ASSERT_TRUE(plan.ok());
    const CpuLayout& layout = LayoutOf(*plan);
    ASSERT_EQ(layout.pivots.size(), kBlockLanes);
    EXPECT_THAT(layout.pivots, testing::Each(pivot));
    std::uint64_t pairs = 0;
    for (const PivotPair& pair : layout.pairs) {
      EXPECT_EQ(pair.pivot, pivot);
      EXPECT_NE(pair.joint, pivot);
      pairs += pair.count;
    }
    EXPECT_EQ(pairs, run.size() - 1);
  }
}

TEST(CpuLayout, NeighboursOfOneSetAreStoredInRows) {
  Job job;
  std::vector<test::Run> runs(64, {{0, 0.5f}, {1, 0.5f}});
  for (std::size_t v = 32; v < 64; ++v) runs[v] = {{2, 1.0f}};
  for (std::size_t v = 34; v < 64; v += 8) runs[v] = {{0, 0.25f}, {2, 0.75f}};
  job.mesh = test::MeshOf(std::vector<Vec3f>(64), runs);
  job.palette.resize(3);
  const auto plan = test::PlanOf(job);
  ASSERT_TRUE(plan.ok());
  std::size_t rows = 0;
  const CpuLayout layout = LayoutOf(*plan);
  for (const CpuBlock& block : layout.blocks) {
    if (block.store == BlockStore::kRun) ++rows;
  }
  EXPECT_EQ(rows, 2u);  // vertices 0 to 31
  EXPECT_EQ(layout.facts.worst_joints_per_block, 2u);
}

TEST(CpuLayout, AMeshFarFromItsOriginIsLaidOutAboutItsCentre) {
  Job job;
  job.mesh = test::RandomRig({50, 3, 2, 0, true, true, 1}, 3);
  job.palette.resize(3);
  const auto near = test::PlanOf(job);
  ASSERT_TRUE(near.ok());
  EXPECT_EQ(LayoutOf(*near).center, Vec3d{});
  for (Vec3f& p : job.mesh.positions) p.x += 1024;
  const auto far_plan = test::PlanOf(job);
  ASSERT_TRUE(far_plan.ok());
  const CpuLayout far = LayoutOf(*far_plan);
  EXPECT_NEAR(far.center.x, 1024, 1);
  for (const CpuBlock& block : far.blocks) {
    for (std::size_t i = 0; i < 3 * kBlockLanes; ++i) {
      EXPECT_LE(std::abs(far.data[block.data * kBlockLanes + i]), 1);
    }
  }
}

TEST(CpuLayout, VerticesOfOneJointDoNotMixWithOthersAndFactsSayWhatIsThere) {
  Job job;
  job.mesh = test::MeshOf(std::vector<Vec3f>(3), {{{0, 1.0f}}, {{1, 1.0f}}, {{0, 1.0f}}});
  job.palette.resize(5);
  job.settings.method = SkinningMethod::kDualQuaternion;
  const auto plan = test::PlanOf(job);
  ASSERT_TRUE(plan.ok());
  const PreparedFacts facts = LayoutOf(*plan).facts;
  EXPECT_EQ(facts.blocks, 2u);
  EXPECT_EQ(facts.worst_joints_per_block, 1u);
  EXPECT_EQ(facts.mean_joints_per_block, 1);
  EXPECT_GE(facts.bytes, 2 * 3 * kBlockLanes * sizeof(float));
}

}  // namespace
}  // namespace flexor::deform
