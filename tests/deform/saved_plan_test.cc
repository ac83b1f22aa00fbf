// Plans and prepared plans as bytes: equal results after a load, and no harm from bytes of any
// kind.
#include "flexor/deform/saved_plan.h"

#include <array>
#include <cmath>
#include <functional>

#include <gmock/gmock.h>

#include "deform/cpu/layout_bytes.h"
#include "deform/every_backend.h"
#include "deform/plan_data.h"
#include "support/allocation_count.h"
#include "support/saved_plans.h"
#include "support/spherical.h"

namespace flexor::deform {
namespace {

using test::Job;
using testing::HasSubstr;

/// Every method in one mesh, morphs, tangents, a vertex without weight, several windows or one.
Job EveryMethod(std::size_t vertices, std::uint32_t seed) {
  Job job;
  job.mesh = test::RandomRig({vertices, 9, 4, 2, true, true, 1}, seed);
  test::AddRandomSdef(job.mesh, 9, 0.2, 1, seed + 1);
  job.mesh.dqs_weights.assign(vertices, 0.5f);
  for (std::size_t v = 0; v < vertices / 2; ++v) {
    job.mesh.dqs_weights[v] = v % 2 == 0 ? 0.0f : 1.0f;
  }
  job.palette = test::RandomPalette(9, test::JointKind::kNasty, seed + 2);
  job.morph_weights = {0.5f, 1};
  return job;
}

std::unique_ptr<Backend> BackendOf(const test::BackendCase& one) {
  auto backend = CreateBackend(one.kind, one.options);
  EXPECT_TRUE(backend.ok());
  return std::move(*backend);
}

struct Frame {
  std::vector<Vec3f> positions, normals;
  std::vector<Vec4f> tangents;
  bool operator==(const Frame&) const = default;
};

Frame RunFrame(const Backend& backend, const PreparedPlan& prepared, const Job& job) {
  Frame out;
  const DeformPlan& plan = prepared.plan();
  out.positions.resize(plan.vertex_count());
  if (plan.has_normals()) out.normals.resize(plan.vertex_count());
  if (plan.has_tangents()) out.tangents.resize(plan.vertex_count());
  Scratch scratch;
  const auto report = backend.Run(prepared, {job.palette, job.morph_weights, {}},
                                  {out.positions, out.normals, out.tangents}, scratch);
  EXPECT_TRUE(report.ok()) << (report.ok() ? "" : report.error().ToString());
  return out;
}

class SavedPlan : public EveryBackend {
 protected:
  void SetUp() override { backend_ = BackendOf(GetParam()); }

  std::vector<std::byte> Saved(const Job& job, std::uint64_t key = 0) const {
    const auto plan = test::PlanOf(job);
    EXPECT_TRUE(plan.ok());
    auto bytes = SavePrepared(*backend_, *test::Prepared(*backend_, *plan, job.order), key);
    EXPECT_TRUE(bytes.ok());
    return std::move(*bytes);
  }

  std::unique_ptr<Backend> backend_;
};
FLEXOR_ON_EVERY_BACKEND(SavedPlan);

TEST_P(SavedPlan, GivesTheSameBits) {
  for (const std::size_t vertices : {0u, 1u, 63u, 64u, 65u, 4097u}) {
    for (const OutputOrder order : {OutputOrder::kCaller, OutputOrder::kPrepared}) {
      Job job = EveryMethod(vertices, 7);
      job.order = order;
      const auto plan = test::PlanOf(job);
      ASSERT_TRUE(plan.ok());
      const auto prepared = test::Prepared(*backend_, *plan, order);
      const auto bytes = SavePrepared(*backend_, *prepared, 42);
      ASSERT_TRUE(bytes.ok());
      EXPECT_EQ(*SavedPlanKey(*bytes), 42u);
      const auto loaded = LoadPrepared(*backend_, *bytes);
      ASSERT_TRUE(loaded.ok()) << loaded.error().ToString();
      EXPECT_EQ(RunFrame(*backend_, **loaded, job), RunFrame(*backend_, *prepared, job));
      EXPECT_EQ((*loaded)->order(), order);
      EXPECT_EQ((*loaded)->facts().blocks, prepared->facts().blocks);
      const auto before = prepared->caller_from_output(), after = (*loaded)->caller_from_output();
      EXPECT_TRUE(std::equal(before.begin(), before.end(), after.begin(), after.end()));
      // A second save is the first: nothing was lost on the way.
      EXPECT_EQ(*SavePrepared(*backend_, **loaded, 42), *bytes);
      const auto alone = LoadPlan(*bytes);
      ASSERT_TRUE(alone.ok());
      EXPECT_EQ(RunFrame(*backend_, *test::Prepared(*backend_, *alone, order), job),
                RunFrame(*backend_, *prepared, job));
    }
  }
}

TEST_P(SavedPlan, KeepsWhatASettingChose) {
  for (const test::MethodCase& method : test::MethodCases()) {
    Job job;
    job.mesh = test::RandomRig({200, 5, 4, 1, true, false, 1}, 3);
    job.palette = test::RandomPalette(5, test::JointKind::kScaled, 4);
    job.morph_weights = {0.25f};
    job = test::WithMethod(job, method);
    job.settings.weights = asset::WeightPolicy::Raw();
    const auto plan = test::PlanOf(job);
    ASSERT_TRUE(plan.ok());
    const auto bytes = SavePlan(*plan);
    ASSERT_TRUE(bytes.ok());
    const auto loaded = LoadPlan(*bytes);
    ASSERT_TRUE(loaded.ok()) << loaded.error().ToString();
    EXPECT_EQ(loaded->settings().method, plan->settings().method) << method.name;
    EXPECT_EQ(loaded->settings().dqs.residual, plan->settings().dqs.residual);
    EXPECT_FALSE(loaded->settings().weights.normalize);
    EXPECT_EQ(loaded->weight_report().max_influences, plan->weight_report().max_influences);
    EXPECT_EQ(RunFrame(*backend_, *test::Prepared(*backend_, *loaded), job),
              RunFrame(*backend_, *test::Prepared(*backend_, *plan), job))
        << method.name;
  }
}

TEST_P(SavedPlan, RefusesEveryTruncation) {
  const std::vector<std::byte> whole = Saved(EveryMethod(18, 9));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    std::vector<std::byte> part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    const auto cut = LoadPrepared(*backend_, part);
    ASSERT_FALSE(cut.ok()) << size;
    EXPECT_EQ(cut.error().code, ErrorCode::kTruncated) << size;
    test::Reseal(part);
    EXPECT_FALSE(LoadPrepared(*backend_, part).ok()) << size;
  }
  std::vector<std::byte> longer = whole;
  longer.push_back({});
  EXPECT_FALSE(LoadPrepared(*backend_, longer).ok());
  test::Reseal(longer);
  EXPECT_FALSE(LoadPrepared(*backend_, longer).ok());
}

TEST_P(SavedPlan, IsHarmlessWithAnyByteChanged) {
  for (const OutputOrder order : {OutputOrder::kCaller, OutputOrder::kPrepared}) {
    Job job = EveryMethod(18, 9);
    job.order = order;
    const std::vector<std::byte> whole = Saved(job);
    std::vector<std::byte> changed = whole;
    std::size_t refused = 0;
    for (std::size_t i = 0; i < whole.size(); ++i) {
      constexpr std::array<unsigned char, 3> kBits{0x01, 0x80, 0xff};
      changed[i] = whole[i] ^ std::byte{kBits[i % 3]};
      if (i >= test::kSavedSizeAt) {
        EXPECT_FALSE(LoadPrepared(*backend_, changed).ok()) << i;  // by its checksum
      }
      test::Reseal(changed);
      refused += test::LoadAndRun(*backend_, changed) ? 0 : 1;
      changed[i] = whole[i];
    }
    // Bytes of numbers may be anything; those of counts, indices and choices may not.
    EXPECT_GT(refused, whole.size() / 8);
  }
}

// Any eight bytes that become a huge number: counts among them.
TEST_P(SavedPlan, TakesNoMoreMemoryThanItsBytesSay) {
  if (!test::CanFailAllocations()) GTEST_SKIP() << "allocations are not counted here";
  const std::vector<std::byte> whole = Saved(EveryMethod(18, 9));
  for (std::size_t at = test::kSavedBodyAt; at + 8 <= whole.size(); ++at) {
    std::vector<std::byte> changed = whole;
    for (std::size_t i = 4; i < 7; ++i) changed[at + i] = std::byte{0xff};
    test::Reseal(changed);
    const std::size_t before = test::LiveBytes();
    test::ResetPeakBytes();
    static_cast<void>(LoadPrepared(*backend_, changed).ok());
    ASSERT_LT(test::PeakBytes() - before, 8 * whole.size() + 8192) << at;
  }
}

TEST_P(SavedPlan, NamesWhatIsWrong) {
  const auto refuse = [&](std::vector<std::byte> bytes, ErrorCode code, const char* words) {
    const auto loaded = LoadPrepared(*backend_, bytes);
    ASSERT_FALSE(loaded.ok()) << words;
    EXPECT_EQ(loaded.error().code, code) << words;
    EXPECT_THAT(loaded.error().message, HasSubstr(words));
  };
  const std::vector<std::byte> whole = Saved(EveryMethod(10, 1));
  refuse({}, ErrorCode::kTruncated, "0 bytes where 40 are needed");
  std::vector<std::byte> other = whole;
  other[0] = std::byte{'F'};
  refuse(other, ErrorCode::kParse, "no saved plan");
  other = whole;
  other[8] = std::byte{9};
  refuse(other, ErrorCode::kUnsupportedFeature, "version 9; this build reads version 1");
  other = whole;
  other.back() ^= std::byte{1};
  refuse(other, ErrorCode::kParse, "checksum");
  const auto plan = test::PlanOf(EveryMethod(10, 1));
  refuse(*SavePlan(*plan), ErrorCode::kInvalidArgument, "prepare the plan of LoadPlan");
}

TEST(SavedPlanOnce, OfOneBackendIsNotOfTheOther) {
  const auto reference = CreateBackend(BackendKind::kReference);
  const auto cpu = CreateBackend(BackendKind::kCpu);
  ASSERT_TRUE(reference.ok() && cpu.ok());
  const auto plan = test::PlanOf(EveryMethod(10, 1));
  const auto prepared = test::Prepared(**reference, *plan);
  EXPECT_EQ(SavePrepared(**cpu, *prepared).error().code, ErrorCode::kInvalidArgument);
  const auto bytes = SavePrepared(**reference, *prepared);
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(LoadPrepared(**cpu, *bytes).error().code, ErrorCode::kInvalidArgument);
}

// A layout is of no SIMD target in particular.
TEST(SavedPlanOnce, OfOneTargetRunsOnEveryOther) {
  const Job job = EveryMethod(200, 5);
  const auto plan = test::PlanOf(job);
  std::vector<std::byte> first;
  for (const test::BackendCase& one : test::CpuCases()) {
    const auto backend = BackendOf(one);
    const auto prepared = test::Prepared(*backend, *plan);
    const auto bytes = SavePrepared(*backend, *prepared);
    ASSERT_TRUE(bytes.ok());
    if (first.empty()) first = *bytes;
    EXPECT_EQ(*bytes, first) << one.name;
    const auto loaded = LoadPrepared(*backend, first);
    ASSERT_TRUE(loaded.ok());
    EXPECT_EQ(RunFrame(*backend, **loaded, job), RunFrame(*backend, *prepared, job)) << one.name;
  }
}

// What no checksum knows: each part that kernels rely on, out of range by one.
TEST(CheckCpuLayout, RefusesWhatKernelsCannotRun) {
  const auto plan = test::PlanOf(EveryMethod(200, 5));
  ASSERT_TRUE(plan.ok());
  const PlanData& data = plan->data();
  const auto joints = static_cast<std::uint32_t>(data.joint_count);
  const struct {
    const char* what;
    std::function<void(CpuLayout&)> change;
  } cases[] = {
      {"a vertex twice", [](CpuLayout& l) { l.caller_from_plan[0] = l.caller_from_plan[1]; }},
      {"a vertex beyond the last", [](CpuLayout& l) { l.caller_from_plan[3] = 200; }},
      {"one vertex too few", [](CpuLayout& l) { l.caller_from_plan.pop_back(); }},
      {"a block of 17", [](CpuLayout& l) { l.blocks[0].count = 17; }},
      {"an empty block", [](CpuLayout& l) { l.blocks[0].count = 0; }},
      {"rows beyond the last",
       [](CpuLayout& l) { l.blocks.back().data = static_cast<std::uint32_t>(l.data.size() / 16); }},
      {"a list beyond the last",
       [](CpuLayout& l) { l.blocks[0].joints = static_cast<std::uint32_t>(l.joints.size()); }},
      {"a joint beyond the last", [&](CpuLayout& l) { l.joints[l.blocks[0].joints] = joints + 1; }},
      {"no joints", [](CpuLayout& l) { l.blocks[0].k = 0; }},
      {"offsets beyond the last",
       [](CpuLayout& l) { l.blocks[0].dst = static_cast<std::uint32_t>(l.dst.size()); }},
      {"an offset of another vertex", [](CpuLayout& l) { l.dst[l.blocks[0].dst] += 3; }},
      {"a lane beyond the last",
       [](CpuLayout& l) {
         for (CpuBlock& block : l.blocks) {
           if (block.count < kBlockLanes) block.exact = 0x8000;
         }
       }},
      {"a window without its last vertex", [](CpuLayout& l) { --l.windows.back().end_vertex; }},
      {"a window of other blocks", [](CpuLayout& l) { ++l.windows[0].blocks[1]; }},
      {"no room for tangents", [](CpuLayout& l) { l.tangents.pop_back(); }},
      {"no normals", [](CpuLayout& l) { l.has_normals = false; }},
      {"one pivot too few", [](CpuLayout& l) { l.pivots.pop_back(); }},
      {"a pivot beyond the last", [&](CpuLayout& l) { l.pivots[5] = joints + 1; }},
      {"a pair beyond the last", [&](CpuLayout& l) { l.pairs[0].joint = joints; }},
      {"a morph too few", [](CpuLayout& l) { l.morphs.morphs.pop_back(); }},
      {"rows of a morph off their alignment", [](CpuLayout& l) { l.morphs.morphs[0].rows += 1; }},
      {"rows of a morph beyond the last",
       [](CpuLayout& l) { l.morphs.rows.resize(l.morphs.rows.size() - 1); }},
      {"a block beyond its stretch", [](CpuLayout& l) { l.morphs.starts[0].mask |= 1u << 9; }},
      {"a morph that starts elsewhere", [](CpuLayout& l) { ++l.morphs.starts[1].first; }},
      {"a vertex of another stretch",
       [](CpuLayout& l) {
         for (MorphRows& rows : l.morphs.morphs) {
           if (!rows.lanes.empty()) rows.lanes.back() = 0xffffffffu;
         }
       }},
      {"a stretch too long", [](CpuLayout& l) { l.morphs.stretches[0].end += 1; }},
      {"a window of other stretches", [](CpuLayout& l) { ++l.morphs.of_window[0]; }},
      {"a centre that is no number", [](CpuLayout& l) { l.center.x = NAN; }},
  };
  const auto layout = BuildCpuLayout(data, OutputOrder::kCaller);
  ASSERT_TRUE(layout.ok());
  EXPECT_TRUE(CheckCpuLayout(*layout, data).ok());
  for (const auto& one : cases) {
    CpuLayout changed = *layout;
    one.change(changed);
    const Status status = CheckCpuLayout(changed, data);
    ASSERT_FALSE(status.ok()) << one.what;
    EXPECT_EQ(status.error().code, ErrorCode::kParse) << one.what;
    EXPECT_FALSE(status.error().message.empty());
  }
}

}  // namespace
}  // namespace flexor::deform
