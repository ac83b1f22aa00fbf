#include "flexor/bake/compare_page.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "flexor/asset/sample.h"

#include "bake/svg_plot.h"

namespace flexor::bake {
namespace {

using testing::HasSubstr;
using testing::Not;

CompareSettings Settings(const asset::Character& character, const FrameRange& range) {
  CompareSettings settings;
  settings.methods = {*ParseMethodChoice("lbs", {}), *ParseMethodChoice("dqs", {})};
  settings.clip = 0;
  settings.times = *ListTimes(&character.clips[0], range, 30);
  settings.ring = RingChoice{};
  return settings;
}

asset::Character Twist() { return std::move(asset::MakeSample("twist")).value(); }

std::string NumbersIn(const std::string& page) {
  const std::string open = "<script type=\"application/json\" id=\"numbers\">";
  const std::size_t begin = page.find(open) + open.size();
  return page.substr(begin, page.find("</script>", begin) - begin);
}

TEST(ComparePage, NeedsNothingFromOutside) {
  const asset::Character character = Twist();
  const auto comparison = CompareMethods(character, Settings(character, {0, 60, 15}));
  ASSERT_TRUE(comparison.ok());
  const std::string page = ComparePage(*comparison, {}, "flexor test");
  for (const char* outside : {"http://", "https://", "<link", "@import", "url(", "src=\"/"}) {
    EXPECT_THAT(page, Not(HasSubstr(outside)));
  }
  EXPECT_THAT(page, HasSubstr("<svg"));
  EXPECT_THAT(page, HasSubstr("prefers-color-scheme: dark"));
  EXPECT_THAT(page, HasSubstr("flexor test"));
  EXPECT_THAT(page, HasSubstr("500 mm"));
  EXPECT_EQ(nlohmann::json::parse(NumbersIn(page))["frames"].size(), 5u);
}

TEST(ComparePage, NamesOutOfFilesCannotBreakOut) {
  asset::Character character = Twist();
  const std::string nasty = "</script><script>alert('x')</script><!-- \"&\xff";
  character.name = nasty;
  character.clips[0].name = nasty;
  character.instances[0].name = nasty;
  character.source.path = nasty;
  const auto comparison = CompareMethods(character, Settings(character, {0, 60, 60}));
  ASSERT_TRUE(comparison.ok());
  const std::string page = ComparePage(*comparison, {}, nasty);
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, Not(HasSubstr("<!-- \"")));
  EXPECT_THAT(page, Not(HasSubstr("\xff")));
  EXPECT_THAT(page, HasSubstr("&lt;/script&gt;&lt;script&gt;alert(&#39;x&#39;)"));
  const auto numbers = nlohmann::json::parse(NumbersIn(page));
  EXPECT_THAT(numbers["character"].get<std::string>(), HasSubstr("</script><script>alert('x')"));
}

TEST(ComparePage, OneFrameAndOneMethodMakeAPageToo) {
  const asset::Character character = Twist();
  CompareSettings settings = Settings(character, {60, 60, 1});
  settings.methods.resize(1);
  settings.ring.reset();
  const auto comparison = CompareMethods(character, settings);
  ASSERT_TRUE(comparison.ok());
  const std::string page = ComparePage(*comparison, {}, "t");
  EXPECT_THAT(page, Not(HasSubstr("<svg")));
  EXPECT_THAT(page, HasSubstr("frame 60"));
  EXPECT_THAT(page, HasSubstr("of the rest volume"));
}

TEST(ComparePage, PicturesAreInside) {
  if (!CanDraw()) GTEST_SKIP() << "this build draws no pictures";
  const asset::Character character = Twist();
  CompareSettings settings = Settings(character, {0, 60, 15});
  settings.rows = 2;
  const auto comparison = CompareMethods(character, settings);
  ASSERT_TRUE(comparison.ok());
  PictureChoice choice;
  choice.width = 96;
  choice.height = 64;
  const auto pictures = DrawComparison(character, settings, *comparison, choice);
  ASSERT_TRUE(pictures.ok()) << pictures.error().ToString();
  ASSERT_EQ(pictures->rows.size(), 2u);
  EXPECT_EQ(pictures->rows[0].time.frame, 0);
  EXPECT_EQ(pictures->rows[1].time.frame, 60);
  EXPECT_EQ(pictures->worst_row, 1u);
  EXPECT_EQ(pictures->rows[1].methods.size(), 2u);
  ASSERT_EQ(pictures->rows[1].heat.size(), 1u);
  EXPECT_EQ(pictures->rows[1].heat[0].label, "lbs - dqs");
  EXPECT_GE(pictures->heat_max_mm, 499.999);
  EXPECT_LE(pictures->heat_max_mm, 600);
  // At rest both methods give the same points, so the pictures are the same.
  EXPECT_EQ(pictures->rows[0].methods[0].png, pictures->rows[0].methods[1].png);
  EXPECT_NE(pictures->rows[1].methods[0].png, pictures->rows[1].methods[1].png);
  const std::string page = ComparePage(*comparison, *pictures, "t");
  std::size_t images = 0;
  for (std::size_t at = page.find("data:image/png;base64,iVBORw0KGgo"); at != page.npos;
       at = page.find("data:image/png;base64,iVBORw0KGgo", at + 1)) {
    ++images;
  }
  EXPECT_EQ(images, 3u + 2 * 3);  // the large ones and two rows of three
}

TEST(PlotSvg, ScalesToItsDataAndLeavesGaps) {
  Plot plot{"t", "x", "y", {}, 1.0, false};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  plot.series.push_back({"a", 0, false, {0, 1, 2, 3}, {2, nan, 4, 5}});
  const std::string svg = PlotSvg(plot);
  EXPECT_THAT(svg, HasSubstr("frame 3: 5<"));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  // Two pens down: before and after the gap.
  const std::size_t first = svg.find("d=\"M");
  ASSERT_NE(first, svg.npos);
  EXPECT_EQ(svg.find('M', first + 4), svg.find("M", svg.find("M", first) + 1));
}

TEST(PlotSvg, LevelDataAndNoDataAreDrawnToo) {
  for (const std::vector<double>& values :
       {std::vector<double>{}, {0}, {1, 1, 1}, {-3e-9, 3e-9}, {1e12, 1e12 + 1}}) {
    Plot plot{"t", "x", "y", {}, std::nullopt, false};
    PlotSeries series{"a", 1, true, {}, {}};
    for (std::size_t i = 0; i < values.size(); ++i) {
      series.x.push_back(static_cast<double>(i));
      series.y.push_back(values[i]);
    }
    plot.series.push_back(series);
    const std::string svg = PlotSvg(plot);
    EXPECT_THAT(svg, Not(HasSubstr("inf")));
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
    EXPECT_LT(svg.size(), 8000u);
  }
}

TEST(ShortNumber, IsShortAndExactEnough) {
  EXPECT_EQ(ShortNumber(0), "0");
  EXPECT_EQ(ShortNumber(1234567), "1234567");
  EXPECT_EQ(ShortNumber(0.5), "0.5");
  EXPECT_EQ(ShortNumber(12.34567), "12.35");
  EXPECT_EQ(ShortNumber(-0.001234567), "-0.001235");
  EXPECT_EQ(ShortNumber(1e-7), "1e-07");
  EXPECT_EQ(ShortNumber(std::numeric_limits<double>::quiet_NaN()), "n/a");
}

TEST(RoundUp, FindsTheNextStep) {
  EXPECT_DOUBLE_EQ(RoundUp125(3), 5);
  EXPECT_DOUBLE_EQ(RoundUp125(0.2), 0.2);
  EXPECT_DOUBLE_EQ(RoundUp125(51), 100);
  EXPECT_DOUBLE_EQ(RoundUpScale(51), 60);
  EXPECT_DOUBLE_EQ(RoundUpScale(0), 1);
  EXPECT_DOUBLE_EQ(RoundUpScale(8.1), 10);
}

}  // namespace
}  // namespace flexor::bake
