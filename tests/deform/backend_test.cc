#include "flexor/deform/backend.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

#include "flexor/deform/method_name.h"

#include "deform/every_backend.h"

namespace flexor::deform {
namespace {

using asset::SkinningMethod;
using test::Job;
using testing::AllOf;
using testing::HasSubstr;

TEST(Names, RoundTrip) {
  for (const auto kind : {BackendKind::kReference, BackendKind::kCpu}) {
    const auto parsed = ParseBackend(BackendName(kind));
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(*parsed, kind);
  }
}

TEST(Names, UnknownOnesListWhatThereIs) {
  EXPECT_THAT(ParseBackend("gpu").error().message, HasSubstr("reference, cpu"));
}

TEST(CreateBackend, RefusesWhatIsNotThere) {
  const auto simd_reference = CreateBackend(BackendKind::kReference, {1, "AVX2"});
  ASSERT_FALSE(simd_reference.ok());
  EXPECT_EQ(simd_reference.error().code, ErrorCode::kBackendMissing);
  EXPECT_THAT(simd_reference.error().message, HasSubstr("AVX2"));

  const auto unknown = CreateBackend(BackendKind::kCpu, {1, "MMX"});
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code, ErrorCode::kBackendMissing);

  const auto threads = CreateBackend(BackendKind::kReference, {-1, ""});
  ASSERT_FALSE(threads.ok());
  EXPECT_EQ(threads.error().code, ErrorCode::kInvalidArgument);

  const auto kind = CreateBackend(static_cast<BackendKind>(77));
  ASSERT_FALSE(kind.ok());
  EXPECT_EQ(kind.error().code, ErrorCode::kBackendMissing);
}

class BackendTest : public EveryBackend {
 protected:
  void SetUp() override {
    job_.mesh = test::RandomRig({70, 6, 4, 3, true, true, 1}, 21);
    job_.palette = test::RandomPalette(6, test::JointKind::kScaled, 22);
    job_.morph_weights = {0.5f, 0, 1};
    job_.settings.method = SkinningMethod::kDualQuaternion;
    auto backend = CreateBackend(GetParam().kind, GetParam().options);
    ASSERT_TRUE(backend.ok());
    backend_ = std::move(*backend);
    auto plan = test::PlanOf(job_);
    ASSERT_TRUE(plan.ok());
    plan_ = *plan;
    prepared_ = test::Prepared(*backend_, plan_);
    positions_.assign(70, {9, 9, 9});
    normals_.assign(70, {9, 9, 9});
    tangents_.assign(70, {9, 9, 9, 9});
  }

  OutputViews Views() { return {positions_, normals_, tangents_}; }

  void ExpectUntouched() const {
    for (const Vec3f& p : positions_) EXPECT_EQ(p, (Vec3f{9, 9, 9}));
    for (const Vec3f& n : normals_) EXPECT_EQ(n, (Vec3f{9, 9, 9}));
    for (const Vec4f& t : tangents_) EXPECT_EQ(t, (Vec4f{9, 9, 9, 9}));
  }

  /// Runs what must fail.
  Error FaultOf(const FrameInputs& in, const OutputViews& out) {
    const auto result = backend_->Run(*prepared_, in, out, scratch_);
    EXPECT_FALSE(result.ok());
    ExpectUntouched();
    return result.ok() ? Error{} : result.error();
  }

  Job job_;
  std::unique_ptr<Backend> backend_;
  DeformPlan plan_;
  std::shared_ptr<const PreparedPlan> prepared_;
  Scratch scratch_;
  std::vector<Vec3f> positions_, normals_;
  std::vector<Vec4f> tangents_;
};
FLEXOR_ON_EVERY_BACKEND(BackendTest);

TEST_P(BackendTest, SaysWhatItIs) {
  const BackendInfo info = backend_->Info();
  EXPECT_EQ(info.kind, GetParam().kind);
  EXPECT_EQ(info.simd_target, GetParam().options.simd_target);
  EXPECT_EQ(info.threads, 1);
}

TEST_P(BackendTest, SizesThatDoNotFit) {
  std::vector<Mat34d> short_palette(5);
  Error error = FaultOf({short_palette, job_.morph_weights, {}}, Views());
  EXPECT_EQ(error.code, ErrorCode::kShapeMismatch);
  EXPECT_THAT(error.message, AllOf(HasSubstr("palette"), HasSubstr("5"), HasSubstr("6")));

  const std::vector<float> weights(4);
  error = FaultOf({job_.palette, weights, {}}, Views());
  EXPECT_EQ(error.code, ErrorCode::kShapeMismatch);
  EXPECT_THAT(error.message, AllOf(HasSubstr("morph weights"), HasSubstr("4"), HasSubstr("3")));

  OutputViews views = Views();
  views.positions = std::span(positions_).first(69);
  error = FaultOf({job_.palette, {}, {}}, views);
  EXPECT_EQ(error.code, ErrorCode::kShapeMismatch);
  EXPECT_THAT(error.message, AllOf(HasSubstr("positions"), HasSubstr("69"), HasSubstr("70")));

  views = Views();
  views.normals = std::span(normals_).first(1);
  EXPECT_EQ(FaultOf({job_.palette, {}, {}}, views).code, ErrorCode::kShapeMismatch);
  views = Views();
  views.tangents = std::span(tangents_).first(1);
  EXPECT_EQ(FaultOf({job_.palette, {}, {}}, views).code, ErrorCode::kShapeMismatch);
}

TEST_P(BackendTest, NumbersThatAreNotFinite) {
  std::vector<Mat34d> palette = job_.palette;
  palette[4].linear.z.x = std::numeric_limits<double>::quiet_NaN();
  Error error = FaultOf({palette, {}, {}}, Views());
  EXPECT_EQ(error.code, ErrorCode::kInvalidValue);
  EXPECT_THAT(error.place.element, HasSubstr("joint 4"));

  std::vector<float> weights = job_.morph_weights;
  weights[1] = std::numeric_limits<float>::infinity();
  error = FaultOf({job_.palette, weights, {}}, Views());
  EXPECT_EQ(error.code, ErrorCode::kInvalidValue);
  EXPECT_THAT(error.place.element, HasSubstr("morph 1"));

  const Vec3d nowhere{0, std::numeric_limits<double>::infinity(), 0};
  EXPECT_EQ(FaultOf({job_.palette, {}, nowhere}, Views()).code, ErrorCode::kInvalidValue);
}

TEST_P(BackendTest, NumbersBeyondAFloatAreCounted) {
  const auto count = [&](const std::vector<Mat34d>& palette, const Vec3d& origin) {
    const auto report = backend_->Run(*prepared_, {palette, {}, origin}, Views(), scratch_);
    EXPECT_TRUE(report.ok());
    return report.ok() ? report->joints_beyond_float : 99;
  };
  EXPECT_EQ(count(job_.palette, {}), 0u);
  std::vector<Mat34d> palette = job_.palette;
  palette[2].translation.y = -3.5e38;
  EXPECT_EQ(count(palette, {}), 1u);
  palette[5].linear.x.z = 1e200;
  EXPECT_EQ(count(palette, {}), 2u);
  // Each fits, their difference does not; and the other way round.
  palette = job_.palette;
  palette[3].translation.x = 3e38;
  EXPECT_EQ(count(palette, {}), 0u);
  EXPECT_EQ(count(palette, {-3e38, 0, 0}), 1u);
  for (Mat34d& m : palette) m.translation.z += 1e39;
  EXPECT_EQ(count(palette, {}), 6u);
  EXPECT_EQ(count(palette, {0, 0, 1e39}), 0u);
}

TEST_P(BackendTest, PositionsBeyondAFloatAreInfiniteOnEveryBackend) {
  for (const SkinningMethod method : {SkinningMethod::kLinear, SkinningMethod::kDualQuaternion}) {
    for (const DqsResidual residual : {DqsResidual::kVertex, DqsResidual::kOrigin}) {
      // Far from its origin and moved farther: no matrix is beyond a float, every position is.
      asset::Mesh mesh = test::OneVertex({2e38f, 1, 2}, {{0, 0.5f}, {1, 0.5f}});
      std::vector<Mat34d> palette(2);
      for (Mat34d& m : palette) m.translation.x = 3e38;
      const test::Shape shape = RunVertex(mesh, palette, method, residual);
      EXPECT_TRUE(std::isinf(shape.positions[0].x)) << MethodName(method);
      // Without the motion it is where it was.
      palette.assign(2, {});
      const Vec3f still = RunVertex(mesh, palette, method, residual).positions[0];
      EXPECT_FLOAT_EQ(still.x, 2e38f);
      EXPECT_FLOAT_EQ(still.y, 1);
      EXPECT_FLOAT_EQ(still.z, 2);
    }
  }
}

TEST_P(BackendTest, ExactPositionsComeFromDoubleOnly) {
  std::vector<Vec3d> exact(70);
  OutputViews views = Views();
  views.exact_positions = exact;
  if (GetParam().kind == BackendKind::kCpu) {
    EXPECT_EQ(FaultOf({job_.palette, {}, {}}, views).code, ErrorCode::kInvalidArgument);
    return;
  }
  ASSERT_TRUE(backend_->Run(*prepared_, {job_.palette, {}, {}}, views, scratch_).ok());
  bool any_finer = false;
  for (std::size_t v = 0; v < 70; ++v) {
    EXPECT_EQ(Cast<float>(exact[v]), positions_[v]);
    any_finer = any_finer || !(Cast<double>(positions_[v]) == exact[v]);
  }
  EXPECT_TRUE(any_finer);
  positions_.assign(70, {9, 9, 9});
  normals_.assign(70, {9, 9, 9});
  tangents_.assign(70, {9, 9, 9, 9});
  views.exact_positions = std::span(exact).first(69);
  EXPECT_EQ(FaultOf({job_.palette, {}, {}}, views).code, ErrorCode::kShapeMismatch);
}

TEST_P(BackendTest, PlansOfOtherBackendsAndNoPlanAreRefused) {
  const BackendKind other =
      GetParam().kind == BackendKind::kCpu ? BackendKind::kReference : BackendKind::kCpu;
  const auto backend = CreateBackend(other);
  ASSERT_TRUE(backend.ok());
  const auto foreign = test::Prepared(**backend, plan_);
  const auto result = backend_->Run(*foreign, {job_.palette, {}, {}}, Views(), scratch_);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(result.error().message, HasSubstr(std::string(BackendName(GetParam().kind))));
  ExpectUntouched();
  EXPECT_EQ(backend_->CreateScratch(*foreign).error().code, ErrorCode::kInvalidArgument);

  DeformJob none;
  none.in = {job_.palette, {}, {}};
  none.out = Views();
  const Status status = backend_->Run({&none, 1}, scratch_);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(status.error().message, HasSubstr("no plan"));
  ExpectUntouched();
}

TEST_P(BackendTest, PlansAndScratchMadeByDefaultAreHarmless) {
  const auto prepared = test::Prepared(*backend_, DeformPlan());
  EXPECT_EQ(prepared->facts().blocks, 0u);
  EXPECT_TRUE(prepared->caller_from_output().empty());
  Scratch scratch;
  EXPECT_TRUE(backend_->Run(*prepared, {}, {}, scratch).ok());
  EXPECT_TRUE(backend_->Run(std::span<DeformJob>(), scratch).ok());
  ASSERT_TRUE(backend_->Run(*prepared_, {job_.palette, {}, {}}, Views(), scratch).ok());
  scratch = Scratch();
  ASSERT_TRUE(backend_->Run(*prepared_, {job_.palette, {}, {}}, Views(), scratch).ok());
}

TEST_P(BackendTest, ScratchOfOtherBackendsAndPlansChangesNoResult) {
  const test::Shape alone = Run(job_);
  Job large = job_;
  large.mesh = test::RandomRig({900, 9, 6, 1, true, true, 1}, 23);
  large.palette = test::RandomPalette(9, test::JointKind::kNasty, 24);
  large.morph_weights = {1};
  const auto large_plan = test::PlanOf(large);
  ASSERT_TRUE(large_plan.ok());
  for (const BackendKind other : {BackendKind::kReference, BackendKind::kCpu}) {
    const auto backend = CreateBackend(other);
    ASSERT_TRUE(backend.ok());
    const auto prepared = test::Prepared(**backend, *large_plan);
    std::vector<Vec3f> positions(900);
    Scratch scratch;
    ASSERT_TRUE((*backend)
                    ->Run(*prepared, {large.palette, large.morph_weights, {}}, {positions}, scratch)
                    .ok());
    ASSERT_TRUE(
        backend_->Run(*prepared_, {job_.palette, job_.morph_weights, {}}, Views(), scratch).ok());
    EXPECT_EQ(positions_, alone.positions);
    EXPECT_EQ(normals_, alone.normals);
    EXPECT_EQ(tangents_, alone.tangents);
  }
}

TEST_P(BackendTest, ACrowdIsDeformedAsEachOneAlone) {
  // Many small meshes, a few of several windows, and an empty one, in one call.
  struct One {
    Job job;
    std::shared_ptr<const PreparedPlan> prepared;
    test::Shape alone, shape;
  };
  std::vector<One> crowd(13);
  std::vector<DeformJob> jobs;
  for (std::size_t i = 0; i < crowd.size(); ++i) {
    One& one = crowd[i];
    const auto seed = static_cast<std::uint32_t>(500 + i);
    const std::size_t vertices = i == 4 ? 0 : i == 7 ? 9000 : 50 + 37 * i;
    one.job.mesh = test::RandomRig({vertices, 5 + i, 4, i % 3, true, i % 2 == 0, 1}, seed);
    one.job.palette = test::RandomPalette(5 + i, test::JointKind::kNasty, seed);
    one.job.morph_weights.assign(i % 3, 0.75f);
    one.job.settings.method =
        i % 2 == 0 ? SkinningMethod::kDualQuaternion : SkinningMethod::kLinear;
    const auto plan = test::PlanOf(one.job);
    ASSERT_TRUE(plan.ok());
    one.prepared = test::Prepared(*backend_, *plan);
    one.alone = Run(one.job);
    one.shape = one.alone;
    for (Vec3f& p : one.shape.positions) p = {9, 9, 9};
    jobs.push_back({one.prepared.get(),
                    {one.job.palette, one.job.morph_weights, {}},
                    {one.shape.positions, one.shape.normals, one.shape.tangents},
                    {}});
  }
  auto scratch = backend_->CreateScratch(jobs);
  ASSERT_TRUE(scratch.ok());
  ASSERT_TRUE(backend_->Run(jobs, *scratch).ok());
  for (std::size_t i = 0; i < crowd.size(); ++i) {
    EXPECT_EQ(test::DigestOfShape(crowd[i].shape), test::DigestOfShape(crowd[i].alone)) << i;
    EXPECT_EQ(jobs[i].report.flips, crowd[i].alone.report.flips) << i;
    EXPECT_EQ(jobs[i].report.non_rigid_joints, crowd[i].alone.report.non_rigid_joints) << i;
    EXPECT_EQ(jobs[i].report.singular_normal_matrices,
              crowd[i].alone.report.singular_normal_matrices)
        << i;
  }
}

TEST_P(BackendTest, NoJobIsBegunWhenOneOfThemIsWrong) {
  std::vector<Vec3f> other(70, {9, 9, 9});
  std::vector<Mat34d> palette = job_.palette;
  std::vector<DeformJob> jobs(2);
  for (DeformJob& job : jobs) {
    job.plan = prepared_.get();
    job.in = {palette, {}, {}};
    job.report.flips = 77;
  }
  jobs[0].in.palette = job_.palette;
  jobs[0].out = Views();
  jobs[1].out.positions = other;
  const auto expect_error = [&](ErrorCode code) {
    const Status status = backend_->Run(jobs, scratch_);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, code);
    EXPECT_THAT(status.error().place.element, HasSubstr("job 1"));
    ExpectUntouched();
    EXPECT_EQ(jobs[0].report.flips, 77u);
  };
  palette[3].translation.x = std::numeric_limits<double>::infinity();
  expect_error(ErrorCode::kInvalidValue);
  palette = job_.palette;
  jobs[1].out.positions = std::span(other).first(69);
  expect_error(ErrorCode::kShapeMismatch);
  jobs[1].plan = nullptr;
  expect_error(ErrorCode::kInvalidArgument);
}

TEST_P(BackendTest, OutputsThatAreNotWantedChangeNothing) {
  const FrameInputs in{job_.palette, job_.morph_weights, {}};
  ASSERT_TRUE(backend_->Run(*prepared_, in, Views(), scratch_).ok());
  std::vector<Vec3f> positions(70), normals(70);
  ASSERT_TRUE(backend_->Run(*prepared_, in, {positions, {}, {}}, scratch_).ok());
  EXPECT_EQ(positions, positions_);
  ASSERT_TRUE(backend_->Run(*prepared_, in, {positions, normals, {}}, scratch_).ok());
  EXPECT_EQ(positions, positions_);
  EXPECT_EQ(normals, normals_);
  std::vector<Vec4f> tangents(70);
  ASSERT_TRUE(backend_->Run(*prepared_, in, {positions, {}, tangents}, scratch_).ok());
  EXPECT_EQ(tangents, tangents_);
}

TEST_P(BackendTest, PreparedOrderIsTheCallersOrderRearranged) {
  const test::Shape caller = Run(job_);
  EXPECT_TRUE(caller.caller_from_output.empty());
  Job prepared_order = job_;
  prepared_order.order = OutputOrder::kPrepared;
  const test::Shape moved = Run(prepared_order);
  std::vector<std::uint32_t> sorted = moved.caller_from_output;
  std::ranges::sort(sorted);
  for (std::uint32_t v = 0; v < 70; ++v) ASSERT_EQ(sorted[v], v);
  const test::Shape back = test::InCallersOrder(moved);
  EXPECT_EQ(back.positions, caller.positions);
  EXPECT_EQ(back.normals, caller.normals);
  EXPECT_EQ(back.tangents, caller.tangents);
  EXPECT_EQ(moved.report.flips, caller.report.flips);
}

TEST_P(BackendTest, TrianglesFollowTheOrderOfOutputs) {
  std::vector<std::uint32_t> triangles;
  for (std::uint32_t v = 0; v + 2 < 70; ++v) {
    for (const std::uint32_t corner : {v, v + 1, v + 2}) triangles.push_back(corner);
  }
  const auto same = OutputIndices(*prepared_, triangles);
  ASSERT_TRUE(same.ok());
  EXPECT_EQ(*same, triangles);
  const auto prepared = test::Prepared(*backend_, plan_, OutputOrder::kPrepared);
  const auto moved = OutputIndices(*prepared, triangles);
  ASSERT_TRUE(moved.ok());
  ASSERT_EQ(moved->size(), triangles.size());
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    ASSERT_EQ(prepared->caller_from_output()[(*moved)[i]], triangles[i]);
  }
  triangles[7] = 70;
  const auto beyond = OutputIndices(*prepared, triangles);
  ASSERT_FALSE(beyond.ok());
  EXPECT_EQ(beyond.error().code, ErrorCode::kIndexOutOfRange);
  EXPECT_THAT(beyond.error().ToString(), AllOf(HasSubstr("index 7"), HasSubstr("70")));
}

TEST_P(BackendTest, WindowsRunByHandInAnyOrder) {
  Job large = job_;
  large.mesh = test::RandomRig({9000, 6, 4, 3, true, true, 1}, 21);
  const auto large_plan = test::PlanOf(large);
  ASSERT_TRUE(large_plan.ok());
  const auto prepared = test::Prepared(*backend_, *large_plan);
  const test::Shape alone = Run(large);
  const test::Shape small = Run(job_);
  test::Shape shape = alone;
  for (Vec3f& p : shape.positions) p = {9, 9, 9};
  std::vector<DeformJob> jobs(2);
  jobs[0] = {prepared_.get(), {job_.palette, job_.morph_weights, {}}, Views(), {}};
  jobs[1] = {prepared.get(),
             {large.palette, large.morph_weights, {}},
             {shape.positions, shape.normals, shape.tangents},
             {}};
  const auto windows = backend_->Begin(jobs, scratch_);
  ASSERT_TRUE(windows.ok());
  ASSERT_EQ(*windows, prepared_->windows().size() + prepared->windows().size());
  ASSERT_GE(prepared->windows().size(), 2u);
  ExpectUntouched();
  // Backwards, each on a thread of its own; the last one asks for more than there are.
  std::vector<std::thread> threads;
  for (std::size_t w = *windows; w-- > 1;) {
    threads.emplace_back(
        [&, w] { backend_->RunWindows(scratch_, w, w + (w + 1 == *windows ? 9 : 1)); });
  }
  for (std::thread& thread : threads) thread.join();
  ExpectUntouched();  // the window of the small one has not run
  backend_->RunWindows(scratch_, 0, 1);
  std::vector<DeformJob> few(1);
  EXPECT_EQ(backend_->End(few, scratch_).error().code, ErrorCode::kInvalidArgument);
  ASSERT_TRUE(backend_->End(jobs, scratch_).ok());
  EXPECT_EQ(test::DigestOfShape(shape), test::DigestOfShape(alone));
  EXPECT_EQ(positions_, small.positions);
  EXPECT_EQ(jobs[1].report.flips, alone.report.flips);
  EXPECT_EQ(jobs[1].report.singular_normal_matrices, alone.report.singular_normal_matrices);
  EXPECT_EQ(jobs[0].report.flips, small.report.flips);
}

TEST_P(BackendTest, WindowsThatAreLeftOutLeaveTheirVerticesAlone) {
  Job large = job_;
  large.mesh = test::RandomRig({9000, 6, 4, 3, true, true, 1}, 21);
  const auto large_plan = test::PlanOf(large);
  ASSERT_TRUE(large_plan.ok());
  const auto prepared = test::Prepared(*backend_, *large_plan);
  const test::Shape alone = Run(large);
  std::vector<Vec3f> positions(9000, {9, 9, 9});
  DeformJob job{prepared.get(), {large.palette, large.morph_weights, {}}, {positions, {}, {}}, {}};
  ASSERT_TRUE(backend_->Begin({&job, 1}, scratch_).ok());
  backend_->RunWindows(scratch_, 1, 2);
  ASSERT_TRUE(backend_->End({&job, 1}, scratch_).ok());
  const VertexWindow window = prepared->windows()[1];
  EXPECT_EQ(prepared->windows()[0].first, 0u);
  EXPECT_EQ(prepared->windows()[0].end, window.first);
  EXPECT_EQ(prepared->windows().back().end, 9000u);
  for (std::uint32_t v = 0; v < 9000; ++v) {
    const bool inside = v >= window.first && v < window.end;
    ASSERT_EQ(positions[v], inside ? alone.positions[v] : (Vec3f{9, 9, 9})) << v;
  }
  // Nothing is under way any more.
  backend_->RunWindows(scratch_, 0, 99);
  Scratch never;
  backend_->RunWindows(never, 0, 99);
  EXPECT_EQ(positions[0], (Vec3f{9, 9, 9}));
}

}  // namespace
}  // namespace flexor::deform
