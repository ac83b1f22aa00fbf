// Results inside an engine's own vertices: strided views of every kind hold what packed ones do,
// and nothing beside them is touched.
#include "flexor/deform/output_view.h"

#include <cstring>

#include "deform/every_backend.h"
#include "support/spherical.h"

namespace flexor::deform {
namespace {

using test::Job;
using test::JointKind;
using testing::AllOf;
using testing::HasSubstr;

/// Where the streams lie in a vertex of an interleaved buffer, in bytes.
struct VertexForm {
  const char* name;
  std::size_t stride, position, normal, tangent;
};
constexpr VertexForm kForms[] = {{"position normal texcoord", 48, 0, 12, 32},
                                 {"texcoord position normal", 48, 8, 20, 32},
                                 {"normal position", 44, 12, 0, 28},
                                 {"position colour normal", 52, 0, 16, 36},
                                 {"nothing but streams", 40, 0, 12, 24}};

class OutputViewTest : public EveryBackend {
 protected:
  void SetUp() override {
    auto backend = CreateBackend(GetParam().kind, GetParam().options);
    ASSERT_TRUE(backend.ok());
    backend_ = std::move(*backend);
  }

  test::Shape Packed(const Job& job) const { return Run(job); }

  /// Runs into a buffer of a form and holds it against the packed results.
  void ExpectSame(const Job& job, const VertexForm& form, bool normals, bool tangents,
                  OutputOrder order) {
    const auto plan = test::PlanOf(job);
    ASSERT_TRUE(plan.ok());
    const auto prepared = test::Prepared(*backend_, *plan, order);
    const std::size_t vertices = plan->vertex_count();
    test::Shape packed;
    packed.positions.resize(vertices);
    packed.normals.resize(vertices);
    packed.tangents.resize(vertices);
    Scratch scratch;
    const FrameInputs in{job.palette, job.morph_weights, {}};
    ASSERT_TRUE(
        backend_->Run(*prepared, in, {packed.positions, packed.normals, packed.tangents}, scratch)
            .ok());
    // Four bytes before the first vertex, so that the buffer starts on no boundary but a float's.
    std::vector<std::byte> buffer(vertices * form.stride + 4, std::byte{0xa5});
    std::byte* const first = buffer.data() + 4;
    OutputViews out;
    out.positions = OutputView<Vec3f>::Strided(first + form.position, vertices, form.stride);
    if (normals) {
      out.normals = OutputView<Vec3f>::Strided(first + form.normal, vertices, form.stride);
    }
    if (tangents) {
      out.tangents = OutputView<Vec4f>::Strided(first + form.tangent, vertices, form.stride);
    }
    const auto report = backend_->Run(*prepared, in, out, scratch);
    ASSERT_TRUE(report.ok()) << report.error().ToString();
    std::vector<std::byte> expected(vertices * form.stride + 4, std::byte{0xa5});
    for (std::size_t v = 0; v < vertices; ++v) {
      std::byte* const vertex = expected.data() + 4 + v * form.stride;
      std::memcpy(vertex + form.position, &packed.positions[v], sizeof(Vec3f));
      if (normals) std::memcpy(vertex + form.normal, &packed.normals[v], sizeof(Vec3f));
      if (tangents) std::memcpy(vertex + form.tangent, &packed.tangents[v], sizeof(Vec4f));
    }
    EXPECT_TRUE(buffer == expected)
        << form.name << (normals ? " with normals" : "") << (tangents ? " with tangents" : "");
  }

  std::unique_ptr<Backend> backend_;
};
FLEXOR_ON_EVERY_BACKEND(OutputViewTest);

TEST_P(OutputViewTest, InterleavedVerticesHoldWhatPackedOnesDo) {
  for (const auto& method : test::MethodCases()) {
    Job job;
    job.mesh = test::RandomRig({700, 14, 4, 2, true, true, 1}, 3);
    test::AddRandomSdef(job.mesh, 14, 0.2, 1, 4);
    job.palette = test::RandomPalette(14, JointKind::kNasty, 5);
    job.morph_weights = {0.5f, 1};
    job = test::WithMethod(job, method);
    for (const VertexForm& form : kForms) {
      for (const bool normals : {true, false}) {
        for (const bool tangents : {true, false}) {
          ExpectSame(job, form, normals, tangents, OutputOrder::kCaller);
        }
      }
    }
    ExpectSame(job, kForms[0], true, true, OutputOrder::kPrepared);
  }
}

TEST_P(OutputViewTest, LargeMeshesAndRowsOfNeighbours) {
  // Windows of a large mesh, asked for ahead of time; runs of equal influences, which packed
  // results are stored by.
  Job job;
  std::vector<test::Run> runs;
  std::vector<Vec3f> positions;
  for (std::size_t v = 0; v < 34000; ++v) {
    const auto joint = static_cast<std::uint32_t>(v / 1000 % 6);
    runs.push_back(v % 50 < 40 ? test::Run{{joint, 0.5f}, {joint + 1, 0.5f}}
                               : test::Run{{joint, 1.0f}});
    positions.push_back({static_cast<float>(v % 97), static_cast<float>(v % 89), 1});
  }
  job.mesh = test::MeshOf(positions, runs);
  job.mesh.normals.assign(34000, {0, 1, 0});
  job.mesh.tangents.assign(34000, {1, 0, 0, -1});
  job.palette = test::RandomPalette(7, JointKind::kRigid, 6);
  job.settings.method = asset::SkinningMethod::kLinear;
  if (GetParam().kind == BackendKind::kReference) GTEST_SKIP() << "it has neither";
  for (const VertexForm& form : kForms) {
    ExpectSame(job, form, true, true, OutputOrder::kCaller);
    ExpectSame(job, form, true, false, OutputOrder::kCaller);
  }
}

TEST_P(OutputViewTest, WhatCannotBeWrittenIsRefused) {
  Job job;
  job.mesh = test::RandomRig({40, 3, 2, 0, true, true, 1}, 8);
  job.palette.resize(3);
  const auto plan = test::PlanOf(job);
  ASSERT_TRUE(plan.ok());
  const auto prepared = test::Prepared(*backend_, *plan);
  std::vector<std::byte> buffer(40 * 64, std::byte{0x11});
  Scratch scratch;
  const auto error_of = [&](const OutputView<Vec3f>& positions, const OutputView<Vec4f>& tangents) {
    OutputViews out;
    out.positions = positions;
    out.tangents = tangents;
    const auto report = backend_->Run(*prepared, {job.palette, {}, {}}, out, scratch);
    EXPECT_FALSE(report.ok());
    for (const std::byte b : buffer) EXPECT_EQ(b, std::byte{0x11});
    return report.ok() ? Error{} : report.error();
  };
  using Points = OutputView<Vec3f>;
  using Tangents = OutputView<Vec4f>;
  const Points good = Points::Strided(buffer.data(), 40, 32);

  Error error = error_of(Points::Strided(buffer.data(), 40, 8), {});
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, AllOf(HasSubstr("positions"), HasSubstr("8 bytes"), HasSubstr("12")));
  EXPECT_EQ(error_of(Points::Strided(buffer.data(), 40, 18), {}).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(error_of(Points::Strided(buffer.data() + 2, 40, 32), {}).code,
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(error_of(Points::Strided(buffer.data(), 39, 32), {}).code, ErrorCode::kShapeMismatch);
  EXPECT_EQ(error_of(good, Tangents::Strided(buffer.data() + 12, 40, 12)).code,
            ErrorCode::kInvalidArgument);

  error = error_of(Points::OnDevice({7, 256}, 40, 32), {});
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, HasSubstr("device"));
  EXPECT_EQ(error_of(good, Tangents::OnDevice({7, 0}, 40, 16)).code, ErrorCode::kInvalidArgument);
}

TEST(OutputView, SaysWhatItIs) {
  std::vector<Vec3f> points(3, {1, 2, 3});
  OutputView<Vec3f> view = points;
  EXPECT_EQ(view.size(), 3u);
  EXPECT_TRUE(view.packed());
  EXPECT_FALSE(view.on_device());
  EXPECT_EQ(view.data(), points.data());
  view[2] = {7, 8, 9};
  EXPECT_EQ(points[2], (Vec3f{7, 8, 9}));
  view = OutputView<Vec3f>::Strided(points.data(), 2, 24);
  EXPECT_FALSE(view.packed());
  EXPECT_EQ(&view[1], &points[2]);
  view = OutputView<Vec3f>::OnDevice({5, 64}, 2, 24);
  EXPECT_TRUE(view.on_device());
  EXPECT_EQ(view.device().handle, 5u);
  EXPECT_EQ(view.device().byte_offset, 64u);
  EXPECT_TRUE(OutputView<Vec3f>().empty());
}

}  // namespace
}  // namespace flexor::deform
