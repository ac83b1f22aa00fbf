// The CPU backend as such: targets side by side, frames that allocate nothing, threads, and
// vertices that leave the float path.
#include "deform/cpu/cpu_backend.h"

#include <atomic>
#include <thread>

#include "deform/every_backend.h"
#include "deform/plan_data.h"
#include "support/allocation_count.h"
#include "support/spherical.h"

namespace flexor::deform {
namespace {

using asset::SkinningMethod;
using test::BackendCase;
using test::Job;
using test::JointKind;
using test::Shape;

TEST(CpuBackend, TargetsRunSideBySide) {
  const std::vector<std::string> targets = SimdTargets();
  ASSERT_FALSE(targets.empty());
  Job job;
  job.mesh = test::RandomRig({300, 10, 4, 0, true, true, 1}, 1);
  job.palette = test::RandomPalette(10, JointKind::kRigid, 2);
  std::vector<std::unique_ptr<Backend>> backends;
  for (const std::string& target : targets) {
    auto backend = CreateBackend(BackendKind::kCpu, {1, target});
    ASSERT_TRUE(backend.ok());
    backends.push_back(std::move(*backend));
  }
  for (std::size_t i = 0; i < targets.size(); ++i) {
    EXPECT_EQ(backends[i]->Info().simd_target, targets[i]);
  }
  // The default is the best.
  const auto best = CreateBackend(BackendKind::kCpu);
  ASSERT_TRUE(best.ok());
  EXPECT_EQ((*best)->Info().simd_target, targets.front());
}

TEST(CpuBackend, AMissingTargetNamesThoseThereAre) {
  const auto missing = CreateBackend(BackendKind::kCpu, {1, "AVX9"});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kBackendMissing);
  EXPECT_THAT(missing.error().message, testing::HasSubstr("'AVX9'"));
  EXPECT_THAT(missing.error().message, testing::HasSubstr(SimdTargets().front()));
}

TEST(CpuBackend, AFrameAllocatesNothing) {
  for (const auto& method : test::MethodCases()) {
    Job job;
    job.mesh = test::RandomRig({3000, 40, 4, 3, true, true, 1}, 7);
    test::AddRandomSdef(job.mesh, 40, 0.3, 1, 9);
    job.palette = test::RandomPalette(40, JointKind::kNasty, 8);
    job.morph_weights = {1, 0.5f, 0.25f};
    job = test::WithMethod(job, method);
    const auto plan = test::PlanOf(job);
    ASSERT_TRUE(plan.ok());
    const auto backend = CreateBackend(BackendKind::kCpu, {1, ""});
    ASSERT_TRUE(backend.ok());
    const auto prepared = test::Prepared(**backend, *plan);
    auto scratch = (*backend)->CreateScratch(*prepared);
    ASSERT_TRUE(scratch.ok());
    std::vector<Vec3f> positions(3000), normals(3000);
    std::vector<Vec4f> tangents(3000);
    const FrameInputs in{job.palette, job.morph_weights, {}};
    const OutputViews out{positions, normals, tangents};
    const std::size_t before = test::AllocationCount();
    for (int frame = 0; frame < 3; ++frame) {
      ASSERT_TRUE((*backend)->Run(*prepared, in, out, *scratch).ok());
    }
    EXPECT_EQ(test::AllocationCount(), before) << method.name;
  }
}

TEST(CpuBackend, ACrowdAllocatesNothing) {
  std::vector<Job> rigs(5);
  std::vector<std::shared_ptr<const PreparedPlan>> plans;
  const auto backend = CreateBackend(BackendKind::kCpu, {1, "", {}});
  ASSERT_TRUE(backend.ok());
  std::vector<std::vector<Vec3f>> outputs;
  std::vector<DeformJob> jobs;
  for (std::size_t i = 0; i < rigs.size(); ++i) {
    const std::size_t vertices = 400 + 700 * i;
    rigs[i].mesh = test::RandomRig({vertices, 8 + i, 4, 1, true, true, 1}, 40);
    rigs[i].palette = test::RandomPalette(8 + i, JointKind::kNasty, 41);
    rigs[i].settings.method =
        i % 2 == 0 ? SkinningMethod::kDualQuaternion : SkinningMethod::kLinear;
    const auto plan = test::PlanOf(rigs[i]);
    ASSERT_TRUE(plan.ok());
    plans.push_back(test::Prepared(**backend, *plan));
    outputs.emplace_back(vertices);
    jobs.push_back({plans.back().get(), {rigs[i].palette, {}, {}}, {outputs.back(), {}, {}}, {}});
  }
  auto scratch = (*backend)->CreateScratch(jobs);
  ASSERT_TRUE(scratch.ok());
  const std::size_t before = test::AllocationCount();
  for (int frame = 0; frame < 3; ++frame) ASSERT_TRUE((*backend)->Run(jobs, *scratch).ok());
  EXPECT_EQ(test::AllocationCount(), before);
}

TEST(CpuBackend, ACallersJobSystemGivesTheSameBits) {
  // Threads of the caller's own that take tasks from a counter, as engines do.
  std::atomic<std::size_t> calls = 0, tasks = 0;
  BackendOptions options;
  options.run_tasks = [&](std::size_t count, FunctionRef<void(std::size_t)> task) {
    ++calls;
    tasks += count;
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
      for (std::size_t i; (i = next++) < count;) task(i);
    };
    std::vector<std::jthread> pool;
    for (int t = 0; t < 3; ++t) pool.emplace_back(work);
    work();
  };
  const auto own = CreateBackend(BackendKind::kCpu, {1, "", {}});
  const auto theirs = CreateBackend(BackendKind::kCpu, options);
  ASSERT_TRUE(own.ok() && theirs.ok());
  for (const auto& method : test::MethodCases()) {
    Job job;
    job.mesh = test::RandomRig({40000, 40, 4, 2, true, true, 1}, 61);
    job.palette = test::RandomPalette(40, JointKind::kNasty, 62);
    job.morph_weights = {0.5f, 0.25f};
    job = test::WithMethod(job, method);
    const auto plan = test::PlanOf(job);
    ASSERT_TRUE(plan.ok());
    const auto prepared = test::Prepared(**own, *plan);
    std::vector<std::uint64_t> digests;
    for (const Backend* const backend : {own->get(), theirs->get()}) {
      Shape shape{
          std::vector<Vec3f>(40000), std::vector<Vec3f>(40000), std::vector<Vec4f>(40000), {}, {}};
      Scratch scratch;
      ASSERT_TRUE(backend
                      ->Run(*prepared, {job.palette, job.morph_weights, {}},
                            {shape.positions, shape.normals, shape.tangents}, scratch)
                      .ok());
      digests.push_back(test::DigestOfShape(shape));
    }
    EXPECT_EQ(digests[0], digests[1]) << method.name;
  }
  EXPECT_GT(calls, 0u);
  EXPECT_GT(tasks, calls);
}

TEST(CpuBackend, FramesDoNotRememberEachOther) {
  // A frame with morphs, then one without, then the first again.
  Job job;
  job.mesh = test::RandomRig({500, 12, 4, 4, true, true, 1}, 17);
  job.palette = test::RandomPalette(12, JointKind::kScaled, 18);
  const auto plan = test::PlanOf(job);
  ASSERT_TRUE(plan.ok());
  for (const BackendCase& backend : test::CpuCases()) {
    Job morphed = job;
    morphed.morph_weights = {1, -1, 0.5f, 0};
    const Shape alone = test::DeformPlanned(backend, *plan, job);
    const auto cpu = CreateBackend(backend.kind, backend.options);
    ASSERT_TRUE(cpu.ok());
    const auto prepared = test::Prepared(**cpu, *plan);
    Scratch scratch;
    Shape shape = alone;
    const OutputViews out{shape.positions, shape.normals, shape.tangents};
    ASSERT_TRUE(
        (*cpu)->Run(*prepared, {job.palette, morphed.morph_weights, {}}, out, scratch).ok());
    EXPECT_NE(shape.positions, alone.positions);
    ASSERT_TRUE((*cpu)->Run(*prepared, {job.palette, {}, {}}, out, scratch).ok());
    EXPECT_EQ(test::DigestOfShape(shape), test::DigestOfShape(alone)) << backend.name;
  }
}

TEST(CpuBackend, AJointBeyondFloatsLeavesOtherVerticesAlone) {
  // Vertices that share a block with one that follows a joint whose matrix no float can hold.
  Job job;
  std::vector<test::Run> runs;
  std::vector<Vec3f> positions;
  for (std::size_t v = 0; v < 16; ++v) {
    runs.push_back(v == 9 ? test::Run{{0, 0.5f}, {2, 0.5f}} : test::Run{{0, 0.5f}, {1, 0.5f}});
    positions.push_back({static_cast<float>(v), 1, 2});
  }
  job.mesh = test::MeshOf(positions, runs);
  job.mesh.normals.assign(16, {0, 0, 1});
  job.palette.assign(3, {});
  job.palette[2] = test::Scaling({1e200, 1e200, 1e200});
  for (const BackendCase& backend : test::CpuCases()) {
    const Shape shape = test::Deform(backend, job);
    for (std::size_t v = 0; v < 16; ++v) {
      if (v == 9) continue;
      EXPECT_EQ(shape.positions[v], positions[v]) << backend.name;
      EXPECT_EQ(shape.normals[v], (Vec3f{0, 0, 1})) << backend.name;
    }
    EXPECT_THAT(shape.normals[9], test::IsNear(Vec3f{0, 0, 1}, 1e-6));
  }
}

TEST(CpuBackend, ScalesOutOfAFloatsComfortKeepTheirNormals) {
  for (const double scale : {1e-15, 1e-9, 1e-4, 1e4, 1e9, 1e15}) {
    Job job;
    job.mesh = test::RandomRig({40, 4, 3, 0, true, true, 1}, 31);
    job.palette = test::RandomPalette(4, JointKind::kScaled, 32, 30);
    const Shape at_one = test::Deform(test::BackendCases().front(), job);
    for (Mat34d& m : job.palette) m.linear = m.linear * scale;
    for (const BackendCase& backend : test::CpuCases()) {
      const Shape shape = test::Deform(backend, job);
      for (std::size_t v = 0; v < 40; ++v) {
        EXPECT_THAT(shape.normals[v], test::IsNear(at_one.normals[v], 2e-5)) << scale;
        EXPECT_THAT(test::Xyz(shape.tangents[v]), test::IsNear(test::Xyz(at_one.tangents[v]), 2e-5))
            << scale;
      }
      EXPECT_EQ(shape.report.singular_normal_matrices, 0u);
    }
  }
}

TEST(CpuBackend, CountsFlipsWhateverSignsAreStored) {
  // A chain in which neighbours agree only when every second one is turned, and a ring of joints
  // that cannot all agree.
  for (const std::size_t joints : {2u, 3u, 8u}) {
    Job job;
    std::vector<test::Run> runs;
    std::vector<Vec3f> positions;
    for (std::size_t v = 0; v < 200; ++v) {
      const auto a = static_cast<std::uint32_t>(v % joints);
      const auto b = static_cast<std::uint32_t>((v + 1) % joints);
      runs.push_back({{a, 0.6f}, {b, 0.4f}});
      positions.push_back({0.01f * static_cast<float>(v), 1, 0});
    }
    job.mesh = test::MeshOf(positions, runs);
    job.mesh.normals.assign(200, {0, 1, 0});
    job.settings.method = SkinningMethod::kDualQuaternion;
    for (std::size_t j = 0; j < joints; ++j) {
      job.palette.push_back(test::Turn({0, 0, 1}, 100.0 * static_cast<double>(j)));
    }
    const Shape expected = test::Deform(test::BackendCases().front(), job);
    for (const BackendCase& backend : test::CpuCases()) {
      const Shape shape = test::Deform(backend, job);
      EXPECT_EQ(shape.report.flips, expected.report.flips);
      for (std::size_t v = 0; v < 200; ++v) {
        EXPECT_THAT(shape.positions[v], test::IsNear(expected.positions[v], 5e-6));
        EXPECT_THAT(shape.normals[v], test::IsNear(expected.normals[v], 5e-6));
      }
    }
  }
}

}  // namespace
}  // namespace flexor::deform
