#include <gtest/gtest.h>

#include "flexor/render/image.h"

#include "render/shapes.h"

namespace flexor::render {
namespace {

constexpr std::uint32_t kBlack = 0x000000FF;

// How many pixels are not white.
int Inked(const Image& image) {
  int count = 0;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) count += At(image, x, y) != Rgba{255, 255, 255, 255};
  }
  return count;
}

TEST(Text, WidthsAreThoseOfTheFont) {
  // DejaVu Sans: an em of 2048 units, in which 'i' advances 569, 'm' 1995 and '0' 1303.
  EXPECT_EQ(TextWidth(2048 / 4, "i"), 143);  // 569 / 4 rounded up
  EXPECT_EQ(TextWidth(2048 / 4, "m"), 499);
  EXPECT_EQ(TextWidth(2048 / 4, "0"), 326);
  EXPECT_EQ(TextWidth(2048 / 4, "00"), 652);
  EXPECT_EQ(TextWidth(20, ""), 0);
  EXPECT_EQ(TextWidth(0, "text"), 0);
  EXPECT_EQ(TextWidth(-5, "text"), 0);
  EXPECT_LT(TextWidth(100, "AV"), TextWidth(100, "A") + TextWidth(100, "V"));  // kerned
}

TEST(Text, DrawnWidthIsTheWidthForetold) {
  for (const std::string_view text : {"frame 12", "Ångström — μ≥½", "ねこ", "a\xFF\xC3", "\t|"}) {
    for (const int size : {9, 18, 57}) {
      Image image = Filled(700, 80, {255, 255, 255, 255});
      EXPECT_EQ(DrawText(image, 3, 3, size, kBlack, text), TextWidth(size, text)) << text;
      EXPECT_GT(Inked(image), 0) << text;
    }
  }
}

TEST(Text, StaysWithinItsLineAndWidth) {
  Image image = Filled(400, 60, {255, 255, 255, 255});
  const int width = DrawText(image, 20, 15, 24, kBlack, "dpqlkjf|(");
  const int height = TextHeight(24);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      if (At(image, x, y) == Rgba{255, 255, 255, 255}) continue;
      EXPECT_GE(x, 18);
      EXPECT_LE(x, 20 + width + 1);
      EXPECT_GE(y, 13);
      EXPECT_LE(y, 15 + height + 2);
    }
  }
}

TEST(Text, JapaneseIsDrawn) {
  // Kana, kanji, full-width and half-width forms, as names of bones have them; all as wide as high.
  for (const char* character : {"ね", "ネ", "腕", "捩", "足", "親", "Ｄ", "、"}) {
    EXPECT_EQ(TextWidth(40, character), 40) << character;
  }
  Image image = Filled(60, 60, {255, 255, 255, 255});
  DrawText(image, 5, 5, 40, kBlack, "口");
  int ink = 0;
  for (std::size_t i = 0; i < image.rgba.size(); i += 4) ink += image.rgba[i] < 128 ? 1 : 0;
  EXPECT_GT(ink, 200);
  EXPECT_LT(ink, 900);
  // It stands on the line of the letters beside it.
  EXPECT_EQ(TextWidth(40, "A口"), TextWidth(40, "A") + 40);
}

TEST(Text, CharactersTheFontsLackBecomeBoxes) {
  Image image = Filled(60, 60, {255, 255, 255, 255});
  EXPECT_EQ(DrawText(image, 5, 5, 40, kBlack, "한"), 25);
  // An outline: ink at the sides, none in the middle.
  EXPECT_EQ(At(image, 9, 20).r, 0);
  EXPECT_EQ(At(image, 17, 20).r, 255);
  EXPECT_EQ(At(image, 25, 20).r, 0);
}

TEST(Text, BytesThatAreNoUtf8BecomeTheReplacementCharacter) {
  const int replacement = TextWidth(32, "\xEF\xBF\xBD");
  EXPECT_GT(replacement, 0);
  EXPECT_EQ(TextWidth(32, "\xFF"), replacement);              // no lead byte
  EXPECT_EQ(TextWidth(32, "\xC0\xAF"), 2 * replacement);      // longer than needed
  EXPECT_EQ(TextWidth(32, "\xED\xA0\x80"), 3 * replacement);  // a surrogate
  EXPECT_EQ(TextWidth(32, "\xE3\x81"), 2 * replacement);      // cut off
}

TEST(Text, IsClippedToThePicture) {
  Image image = Filled(20, 20, {255, 255, 255, 255});
  for (const auto& [x, y] : {std::pair{-1000, 5}, std::pair{5, -1000}, std::pair{1000, 5},
                             std::pair{5, 1000}, std::pair{2000000000, 2000000000}}) {
    DrawText(image, x, y, 16, kBlack, "text");
  }
  EXPECT_EQ(Inked(image), 0);
  DrawText(image, -8, -4, 32, kBlack, "W");
  EXPECT_GT(Inked(image), 0);
  Image nothing;
  EXPECT_EQ(DrawText(nothing, 0, 0, 16, kBlack, "text"), TextWidth(16, "text"));
}

TEST(Text, ColourAndAlphaAreKept) {
  Image image = Filled(60, 60, {255, 255, 255, 255});
  DrawText(image, 0, 0, 64, 0xFF000080, "\xE2\x96\x88");  // full block
  EXPECT_EQ(At(image, 20, 30), (Rgba{255, 127, 127, 255}));
  Image clear = Filled(60, 60, {0, 0, 0, 0});
  DrawText(clear, 0, 0, 64, 0x3366CC80, "\xE2\x96\x88");
  EXPECT_EQ(At(clear, 20, 30), (Rgba{0x33, 0x66, 0xCC, 0x80}));
}

}  // namespace
}  // namespace flexor::render
