#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "flexor/render/image.h"

#include "render/shapes.h"

namespace flexor::render {
namespace {

constexpr Rgba kRed{200, 0, 0, 255}, kGreen{0, 200, 0, 255}, kBlue{0, 0, 200, 255};

// The box that holds every pixel of exactly that colour.
struct Box {
  int left = 1 << 30, top = 1 << 30, right = -1, bottom = -1;
  int width() const { return right - left + 1; }
  int height() const { return bottom - top + 1; }
};

Box Find(const Image& image, Rgba color) {
  Box box;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      if (At(image, x, y) != color) continue;
      box = {std::min(box.left, x), std::min(box.top, y), std::max(box.right, x),
             std::max(box.bottom, y)};
    }
  }
  return box;
}

TEST(ContactSheet, KeepsEveryPictureWholeInReadingOrder) {
  const std::vector<Image> pictures{Filled(100, 80, kRed), Filled(100, 80, kGreen),
                                    Filled(100, 80, kBlue)};
  const std::vector<std::string_view> labels{"lbs", "dqs"};
  const auto sheet = ContactSheet(pictures, labels, "figure", 2);
  ASSERT_TRUE(sheet.ok()) << sheet.error().ToString();
  const Box red = Find(*sheet, kRed), green = Find(*sheet, kGreen), blue = Find(*sheet, kBlue);
  for (const Box& box : {red, green, blue}) {
    EXPECT_EQ(box.width(), 100);
    EXPECT_EQ(box.height(), 80);
  }
  EXPECT_EQ(red.top, green.top);
  EXPECT_GT(green.left, red.right + 1);
  EXPECT_EQ(blue.left, red.left);
  EXPECT_GT(blue.top, red.bottom + 1);
  EXPECT_EQ(At(*sheet, 0, 0).a, 255);
  // Something is written above the first two and nothing above the third.
  const auto written_above = [&](const Box& box) {
    for (int y = box.top - 12; y < box.top; ++y) {
      for (int x = box.left; x <= box.right; ++x) {
        if (At(*sheet, x, y).r < 128) return true;
      }
    }
    return false;
  };
  EXPECT_TRUE(written_above(red));
  EXPECT_TRUE(written_above(green));
  EXPECT_FALSE(written_above(blue));
}

TEST(ContactSheet, ChoosesColumnsForASquareSheet) {
  const std::vector<Image> nine(9, Filled(50, 50, kRed));
  const auto sheet = ContactSheet(nine, {}, "", 0);
  ASSERT_TRUE(sheet.ok());
  EXPECT_EQ(sheet->width, sheet->height);
  // Pictures twice as wide as high: four of them in one column are as high as two are wide.
  const std::vector<Image> wide(4, Filled(100, 50, kRed));
  const auto stacked = ContactSheet(wide, {}, "", 0);
  ASSERT_TRUE(stacked.ok());
  EXPECT_LT(stacked->width, 2 * 120);
  const auto row = ContactSheet(wide, {}, "", 100);
  ASSERT_TRUE(row.ok());
  EXPECT_GT(row->width, 400);
  EXPECT_LT(row->height, 100);
}

TEST(ContactSheet, LongLabelsAreCutAtTheirCell) {
  const std::vector<Image> pictures{Filled(60, 40, kRed), Filled(60, 40, kGreen)};
  const std::string label(200, 'w'),
      japanese = "\xE3\x81\xAD\xE3\x81\x93 a very long name of a model";
  const std::vector<std::string_view> labels{label};
  const auto cut = ContactSheet(pictures, labels, japanese, 2);
  ASSERT_TRUE(cut.ok());
  // Nothing is written above the second picture or right of it.
  const Box green = Find(*cut, kGreen);
  for (int y = green.top - 10; y < green.top; ++y) {
    for (int x = green.left; x < cut->width; ++x) EXPECT_GT(At(*cut, x, y).r, 200);
  }
}

TEST(ContactSheet, CellsTakeTheLargestPicture) {
  const std::vector<Image> pictures{Filled(30, 80, kRed), Filled(90, 20, kGreen)};
  const auto sheet = ContactSheet(pictures, {}, "", 2);
  ASSERT_TRUE(sheet.ok());
  EXPECT_EQ(Find(*sheet, kRed).width(), 30);
  EXPECT_EQ(Find(*sheet, kGreen).width(), 90);
  EXPECT_EQ(Find(*sheet, kGreen).left - Find(*sheet, kRed).left, 90 + 4);
}

TEST(ContactSheet, TransparencyShowsThePaper) {
  const std::vector<Image> pictures{Filled(40, 40, {0, 0, 0, 0})};
  const auto sheet = ContactSheet(pictures, {}, "", 1);
  ASSERT_TRUE(sheet.ok());
  EXPECT_EQ(At(*sheet, sheet->width / 2, sheet->height / 2), At(*sheet, 0, 0));
}

TEST(ContactSheet, RefusesWhatHasNoMeaning) {
  EXPECT_EQ(ContactSheet({}, {}, "t", 1).error().code, ErrorCode::kInvalidArgument);
  std::vector<Image> broken{Filled(4, 4, kRed)};
  broken[0].rgba.resize(3);
  EXPECT_EQ(ContactSheet(broken, {}, "t", 1).error().code, ErrorCode::kInvalidArgument);
  const std::vector<Image> many(600, Filled(64, 1, kRed));
  EXPECT_EQ(ContactSheet(many, {}, "t", 600).error().code, ErrorCode::kLimitExceeded);
}

}  // namespace
}  // namespace flexor::render
