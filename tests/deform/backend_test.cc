#include "flexor/deform/backend.h"

#include <cmath>
#include <limits>

#include "deform/every_backend.h"

namespace flexor::deform {
namespace {

using test::Job;
using testing::AllOf;
using testing::HasSubstr;

TEST(Names, RoundTrip) {
  for (const auto kind : {BackendKind::kReference, BackendKind::kCpu}) {
    const auto parsed = ParseBackend(BackendName(kind));
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(*parsed, kind);
  }
  for (const auto method : {Method::kFile, Method::kLbs, Method::kDqs}) {
    const auto parsed = ParseMethod(MethodName(method));
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(*parsed, method);
  }
  for (const auto form : {DqsResidual::kVertex, DqsResidual::kOrigin, DqsResidual::kUsd}) {
    const auto parsed = ParseDqsResidual(DqsResidualName(form));
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(*parsed, form);
  }
}

TEST(Names, UnknownOnesListWhatThereIs) {
  const auto method = ParseMethod("linear");
  ASSERT_FALSE(method.ok());
  EXPECT_EQ(method.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(method.error().message, AllOf(HasSubstr("'linear'"), HasSubstr("file, lbs, dqs")));
  EXPECT_THAT(ParseBackend("gpu").error().message, HasSubstr("reference, cpu"));
  EXPECT_THAT(ParseDqsResidual("").error().message, HasSubstr("vertex, origin, usd"));
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
    job_.settings.method = Method::kDqs;
    auto backend = CreateBackend(GetParam().kind, GetParam().options);
    ASSERT_TRUE(backend.ok());
    backend_ = std::move(*backend);
    auto plan = test::PlanOf(job_);
    ASSERT_TRUE(plan.ok());
    plan_ = *plan;
    auto state = backend_->CreateState(plan_);
    ASSERT_TRUE(state.ok());
    state_ = std::move(*state);
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
    const auto result = backend_->Run(plan_, *state_, in, out);
    EXPECT_FALSE(result.ok());
    ExpectUntouched();
    return result.ok() ? Error{} : result.error();
  }

  Job job_;
  std::unique_ptr<Backend> backend_;
  DeformPlan plan_;
  std::unique_ptr<DeformState> state_;
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
    const auto report = backend_->Run(plan_, *state_, {palette, {}, origin}, Views());
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
  for (const Method method : {Method::kLbs, Method::kDqs}) {
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
  ASSERT_TRUE(backend_->Run(plan_, *state_, {job_.palette, {}, {}}, views).ok());
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

TEST_P(BackendTest, StatesOfOtherPlansAreRefused) {
  const auto other = test::PlanOf(job_);  // equal in everything, yet another plan
  ASSERT_TRUE(other.ok());
  const auto result = backend_->Run(*other, *state_, {job_.palette, {}, {}}, Views());
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
  ExpectUntouched();

  class Foreign : public DeformState {
  } foreign;
  const auto strange = backend_->Run(plan_, foreign, {job_.palette, {}, {}}, Views());
  ASSERT_FALSE(strange.ok());
  EXPECT_EQ(strange.error().code, ErrorCode::kInvalidArgument);
  ExpectUntouched();
}

TEST_P(BackendTest, OutputsThatAreNotWantedChangeNothing) {
  const FrameInputs in{job_.palette, job_.morph_weights, {}};
  ASSERT_TRUE(backend_->Run(plan_, *state_, in, Views()).ok());
  std::vector<Vec3f> positions(70), normals(70);
  ASSERT_TRUE(backend_->Run(plan_, *state_, in, {positions, {}, {}}).ok());
  EXPECT_EQ(positions, positions_);
  ASSERT_TRUE(backend_->Run(plan_, *state_, in, {positions, normals, {}}).ok());
  EXPECT_EQ(positions, positions_);
  EXPECT_EQ(normals, normals_);
  std::vector<Vec4f> tangents(70);
  ASSERT_TRUE(backend_->Run(plan_, *state_, in, {positions, {}, tangents}).ok());
  EXPECT_EQ(tangents, tangents_);
}

TEST_P(BackendTest, PlanOrderIsTheCallersOrderRearranged) {
  const test::Shape caller = Run(job_);
  Job plan_order = job_;
  plan_order.settings.order = OutputOrder::kPlan;
  const auto plan = test::PlanOf(plan_order);
  ASSERT_TRUE(plan.ok());
  const test::Shape moved = test::DeformPlanned(GetParam(), *plan, plan_order);
  for (std::size_t i = 0; i < 70; ++i) {
    const std::uint32_t v = plan->caller_from_plan()[i];
    EXPECT_EQ(moved.positions[i], caller.positions[v]);
    EXPECT_EQ(moved.normals[i], caller.normals[v]);
    EXPECT_EQ(moved.tangents[i], caller.tangents[v]);
  }
  EXPECT_EQ(moved.report.flips, caller.report.flips);
}

}  // namespace
}  // namespace flexor::deform
