// Palettes of floats in the forms that engines have them in.
#include "flexor/deform/palette_view.h"

#include <limits>

#include "deform/every_backend.h"

namespace flexor::deform {
namespace {

using test::Job;
using testing::AllOf;
using testing::HasSubstr;

std::vector<float> Rows34(const std::vector<Mat34d>& palette) {
  std::vector<float> out;
  for (const Mat34d& m : palette) {
    for (std::size_t r = 0; r < 3; ++r) {
      for (const Vec3d& column : {m.linear.x, m.linear.y, m.linear.z, m.translation}) {
        out.push_back(static_cast<float>(column[r]));
      }
    }
  }
  return out;
}

std::vector<float> Columns44(const std::vector<Mat34d>& palette) {
  std::vector<float> out;
  for (const Mat34d& m : palette) {
    for (const Vec3d& column : {m.linear.x, m.linear.y, m.linear.z, m.translation}) {
      for (std::size_t r = 0; r < 3; ++r) out.push_back(static_cast<float>(column[r]));
      out.push_back(&column == &m.translation ? 1.0f : 0.0f);
    }
    out.back() = 1.0f;
  }
  return out;
}

class PaletteViewTest : public EveryBackend {
 protected:
  void SetUp() override {
    job_.mesh = test::RandomRig({150, 9, 4, 1, true, true, 1}, 31);
    job_.palette = test::RandomPalette(9, test::JointKind::kNasty, 32);
    job_.morph_weights = {0.5f};
    // What a float holds, so that every form is the same palette.
    for (Mat34d& m : job_.palette) m = Cast<double>(Cast<float>(m));
    auto backend = CreateBackend(GetParam().kind, GetParam().options);
    ASSERT_TRUE(backend.ok());
    backend_ = std::move(*backend);
  }

  Result<FrameReport> RunWith(const PaletteView& palette, test::Shape& shape) {
    const auto plan = test::PlanOf(job_);
    EXPECT_TRUE(plan.ok());
    const auto prepared = test::Prepared(*backend_, *plan);
    shape.positions.assign(150, {});
    shape.normals.assign(150, {});
    shape.tangents.assign(150, {});
    Scratch scratch;
    return backend_->Run(*prepared, {palette, job_.morph_weights, {}},
                         {shape.positions, shape.normals, shape.tangents}, scratch);
  }

  Job job_;
  std::unique_ptr<Backend> backend_;
};
FLEXOR_ON_EVERY_BACKEND(PaletteViewTest);

TEST_P(PaletteViewTest, EveryFormGivesTheSameBits) {
  for (const auto& method : test::MethodCases()) {
    job_ = test::WithMethod(job_, method);
    test::Shape expected, rows, columns;
    const auto wide = RunWith(job_.palette, expected);
    const std::vector<float> rows34 = Rows34(job_.palette), columns44 = Columns44(job_.palette);
    const auto report = RunWith(PaletteView::Rows34(rows34), rows);
    ASSERT_TRUE(wide.ok() && report.ok());
    ASSERT_TRUE(RunWith(PaletteView::Columns44(columns44), columns).ok());
    EXPECT_EQ(test::DigestOfShape(rows), test::DigestOfShape(expected)) << method.name;
    EXPECT_EQ(test::DigestOfShape(columns), test::DigestOfShape(expected)) << method.name;
    EXPECT_EQ(report->non_rigid_joints, wide->non_rigid_joints);
    EXPECT_EQ(report->flips, wide->flips);
  }
}

TEST_P(PaletteViewTest, SizesAndNumbersThatDoNotFit) {
  test::Shape shape;
  std::vector<float> rows = Rows34(job_.palette), columns = Columns44(job_.palette);
  rows.pop_back();
  auto result = RunWith(PaletteView::Rows34(rows), shape);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kShapeMismatch);
  rows = Rows34(job_.palette);
  rows.push_back(0);
  result = RunWith(PaletteView::Rows34(rows), shape);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kShapeMismatch);
  EXPECT_THAT(result.error().message, AllOf(HasSubstr("109"), HasSubstr("108")));

  rows.pop_back();
  rows[12 * 4 + 7] = std::numeric_limits<float>::infinity();
  result = RunWith(PaletteView::Rows34(rows), shape);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kInvalidValue);
  EXPECT_THAT(result.error().place.element, HasSubstr("joint 4"));

  columns[16 * 6 + 15] = 1.000002f;  // what products of floats leave
  EXPECT_TRUE(RunWith(PaletteView::Columns44(columns), shape).ok());
  for (const std::size_t entry : {3u, 7u, 11u, 15u}) {
    std::vector<float> projective = Columns44(job_.palette);
    projective[16 * 6 + entry] += 0.01f;
    result = RunWith(PaletteView::Columns44(projective), shape);
    ASSERT_FALSE(result.ok()) << entry;
    EXPECT_EQ(result.error().code, ErrorCode::kInvalidValue);
    EXPECT_THAT(result.error().ToString(), AllOf(HasSubstr("joint 6"), HasSubstr("0 0 0 1")));
  }
}

TEST(PaletteView, SaysWhatItIs) {
  EXPECT_TRUE(PaletteView().empty());
  const std::vector<Mat34d> palette(3);
  EXPECT_EQ(PaletteView(palette).size(), 3u);
  EXPECT_EQ(PaletteView(palette).form(), PaletteForm::kDouble);
  const std::vector<float> numbers(48);
  EXPECT_EQ(PaletteView::Rows34(numbers).size(), 4u);
  EXPECT_EQ(PaletteView::Columns44(numbers).size(), 3u);
}

}  // namespace
}  // namespace flexor::deform
