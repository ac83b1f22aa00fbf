#include "flexor/deform/prepare_job.h"

#include <set>

#include <gmock/gmock.h>

#include "flexor/asset/sample.h"
#include "flexor/deform/saved_plan.h"

namespace flexor::deform {
namespace {

class PrepareJobTest : public ::testing::Test {
 protected:
  void SetUp() override {
    static const Result<asset::Character> kFigure = asset::MakeSample("figure");
    ASSERT_TRUE(kFigure.ok());
    character_ = *kFigure;
    auto backend = CreateBackend(BackendKind::kCpu);
    ASSERT_TRUE(backend.ok());
    backend_ = std::move(*backend);
    job_.character = &character_;
  }

  PreparedByJob Run(std::span<const std::byte> cached = {}) const {
    auto out = job_.Run(*backend_, cached);
    EXPECT_TRUE(out.ok()) << (out.ok() ? "" : out.error().ToString());
    return std::move(*out);
  }

  asset::Character character_;
  std::unique_ptr<Backend> backend_;
  PrepareJob job_;
};

TEST_F(PrepareJobTest, TakesFromTheCacheWhatItKept) {
  const PreparedByJob first = Run();
  EXPECT_FALSE(first.from_cache);
  EXPECT_EQ(first.key, *job_.Key(*backend_));
  const auto bytes = SavePrepared(*backend_, *first.plan, first.key);
  ASSERT_TRUE(bytes.ok());
  const PreparedByJob second = Run(*bytes);
  EXPECT_TRUE(second.from_cache);
  EXPECT_EQ(*SavePrepared(*backend_, *second.plan, second.key), *bytes);
}

TEST_F(PrepareJobTest, WorksOutWhatTheCacheHasWrongOrOld) {
  const PreparedByJob first = Run();
  auto bytes = SavePrepared(*backend_, *first.plan, first.key);
  ASSERT_TRUE(bytes.ok());
  EXPECT_FALSE(Run(std::span(*bytes).first(bytes->size() - 1)).from_cache);
  auto damaged = *bytes;
  damaged[damaged.size() / 2] ^= std::byte{1};
  EXPECT_FALSE(Run(damaged).from_cache);
  EXPECT_FALSE(Run(*SavePrepared(*backend_, *first.plan, first.key + 1)).from_cache);
  EXPECT_FALSE(Run(*SavePlan(first.plan->plan(), first.key)).from_cache);
  character_.meshes[0].positions[0].x += 1;
  EXPECT_FALSE(Run(*bytes).from_cache);
}

TEST_F(PrepareJobTest, ItsKeyChangesWithAllThatTheResultDependsOn) {
  std::set<std::uint64_t> keys;
  const auto add = [&](const char* what) {
    const auto key = job_.Key(*backend_);
    ASSERT_TRUE(key.ok());
    EXPECT_TRUE(keys.insert(*key).second) << what;
  };
  add("as it is");
  job_.prepare.order = OutputOrder::kPrepared;
  add("order");
  job_.deform.method = asset::SkinningMethod::kDualQuaternion;
  add("method");
  job_.deform.dqs.residual = DqsResidual::kUsd;
  add("variant");
  job_.deform.weights.max_influences = 2;
  add("weights");
  asset::Mesh& mesh = character_.meshes[0];
  mesh.normals[3].y += 0.5f;
  add("normals");
  mesh.influences.weights[5] *= 0.5f;
  add("influences");
  mesh.morphs[0].positions[0].x += 1;
  add("morphs");
  mesh.dqs_weights.assign(mesh.vertex_count(), 0.5f);
  add("mixed weights");
  job_.deform.material_methods = {{asset::kNone, asset::SkinningMethod::kLinear}};
  add("method of a material");
  mesh.triangles.resize(mesh.triangles.size() - 3);
  add("faces, where materials matter");
  job_.deform.sdef.mode = SdefMode::kAuthor;
  add("derived centres");
  job_.deform.method = asset::SkinningMethod::kSpherical;
  ASSERT_TRUE(DependsOnBindPose(job_.deform));
  add("spherical");
  character_.skins[0].joint_from_mesh[1].translation.x += 1;
  add("bind pose, where centres are derived from it");
  character_.skins[0].joints.pop_back();
  add("joints");
  const auto reference = CreateBackend(BackendKind::kReference);
  EXPECT_TRUE(keys.insert(*job_.Key(**reference)).second) << "backend";
}

TEST_F(PrepareJobTest, SaysHowFarItIsAndStops) {
  std::vector<std::string> stages;
  std::uint64_t last = 0;
  const auto watch = [&](const Progress& now) {
    if (stages.empty() || stages.back() != now.stage) {
      stages.emplace_back(now.stage);
      last = 0;
    }
    EXPECT_GE(now.done, last);
    EXPECT_LE(now.done, now.total);
    EXPECT_EQ(now.total, character_.meshes[0].vertex_count());
    last = now.done;
    return true;
  };
  ASSERT_TRUE(job_.Run(*backend_, {}, watch).ok());
  EXPECT_THAT(stages, testing::ElementsAre("plan", "lay out"));
  for (const int calls : {0, 1, 2}) {
    int left = calls;
    const auto stop = [&](const Progress&) { return left-- > 0; };
    const auto stopped = job_.Run(*backend_, {}, stop);
    ASSERT_FALSE(stopped.ok()) << calls;
    EXPECT_EQ(stopped.error().code, ErrorCode::kCancelled);
  }
}

TEST_F(PrepareJobTest, RefusesWhatIsNotThere) {
  PrepareJob none;
  EXPECT_EQ(none.Key(*backend_).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(none.Run(*backend_).error().code, ErrorCode::kInvalidArgument);
  job_.instance = 9;
  EXPECT_EQ(job_.Key(*backend_).error().code, ErrorCode::kIndexOutOfRange);
  job_.instance = 0;
  character_.instances[0].skin = 7;
  EXPECT_EQ(job_.Run(*backend_).error().code, ErrorCode::kIndexOutOfRange);
}

}  // namespace
}  // namespace flexor::deform
