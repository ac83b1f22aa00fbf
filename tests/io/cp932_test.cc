#include <string>

#include <gtest/gtest.h>

#include "flexor/core/utf8.h"
#include "flexor/io/mmd/text_cp932.h"

namespace flexor::io::mmd {
namespace {

TEST(Cp932, DecodesWhatFilesHold) {
  EXPECT_EQ(DecodeCp932("Bone_1\r\n").text, "Bone_1\r\n");
  EXPECT_EQ(DecodeCp932("\x83\x5a\x83\x93\x83\x5e\x81\x5b").text, "センター");
  EXPECT_EQ(DecodeCp932("\x8d\xb6\x91\xab\x82\x68\x82\x6a").text, "左足ＩＫ");
  EXPECT_EQ(DecodeCp932("\x83\x7b\x83\x7c\x83\x7d").text, "ボポマ") << "second bytes { | }";
  EXPECT_EQ(DecodeCp932("\x83\x5c\x95\x5c").text, "ソ表") << "second byte backslash";
  EXPECT_EQ(DecodeCp932("\xb6\xc5\xdf").text, "ｶﾅﾟ");
  EXPECT_EQ(DecodeCp932("\x87\x40\xfa\x40\xee\xef").text, "①ⅰⅰ") << "NEC and IBM additions";
  EXPECT_EQ(DecodeCp932("\x81\x60\x81\x7c").text, "～－") << "as Windows has them";
  EXPECT_EQ(DecodeCp932("\xf0\x40").text, "\xee\x80\x80") << "private use begins at U+E000";
  EXPECT_EQ(DecodeCp932("\xf9\xfc").text, "\xee\x9d\x97") << "and ends at U+E757";
  EXPECT_EQ(DecodeCp932(std::string_view("a\0b", 3)).text, std::string("a\0b", 3));
  EXPECT_EQ(DecodeCp932("").text, "");
}

TEST(Cp932, BytesThatMeanNothingNeverStopIt) {
  const std::string kBad = "\xef\xbf\xbd";
  const auto expect = [&](std::string_view bytes, const std::string& text, std::size_t bad) {
    const Cp932Decoded decoded = DecodeCp932(bytes);
    EXPECT_EQ(decoded.text, text);
    EXPECT_EQ(decoded.bad_bytes, bad);
  };
  expect("\x83", kBad, 1);  // a name cut within a character
  expect("\x8d\xb6\x82", "左" + kBad, 2 - 1);
  expect("\x83\x20z", kBad + " z", 1);           // a second byte that is none is read on its own
  expect("\x85\x40", kBad + "@", 1);             // a row without characters
  expect("\x81\xad", kBad + "\xef\xbd\xad", 1);  // an empty cell: then a half-width kana
  expect("\x81\x7f", kBad + "\x7f", 1);
  expect("\xfc\x4c", kBad + "L", 1);  // past the last character
}

TEST(Cp932, EveryPairOfBytesComesBackOrMeansTheSame) {
  std::size_t pairs = 0, same = 0;
  for (int lead = 0x81; lead <= 0xfc; ++lead) {
    if (lead >= 0xa0 && lead < 0xe0) continue;
    for (int trail = 0x40; trail <= 0xfc; ++trail) {
      const std::string bytes{static_cast<char>(lead), static_cast<char>(trail)};
      const Cp932Decoded decoded = DecodeCp932(bytes);
      ASSERT_TRUE(IsUtf8(decoded.text));
      if (decoded.bad_bytes != 0) continue;
      ++pairs;
      const Cp932Encoded encoded = EncodeCp932(decoded.text);
      EXPECT_EQ(encoded.lost, 0u);
      if (encoded.bytes == bytes) {
        ++same;
      } else {
        EXPECT_EQ(DecodeCp932(encoded.bytes).text, decoded.text);
      }
    }
  }
  // 7724 characters of the table, 1880 private ones; 398 have bytes that are written otherwise.
  EXPECT_EQ(pairs, 9604u);
  EXPECT_EQ(pairs - same, 398u);
  for (int byte = 0; byte < 256; ++byte) {
    const std::string one(1, static_cast<char>(byte));
    const Cp932Decoded decoded = DecodeCp932(one);
    if (decoded.bad_bytes == 0) {
      EXPECT_EQ(EncodeCp932(decoded.text).bytes, one) << byte;
    }
  }
}

TEST(Cp932, EncodesWithAQuestionMarkForWhatItLacks) {
  const Cp932Encoded encoded = EncodeCp932("aé😀左\xff");
  EXPECT_EQ(encoded.bytes, "a??\x8d\xb6?");
  EXPECT_EQ(encoded.lost, 3u);
  EXPECT_EQ(EncodeCp932("①").bytes, "\x87\x40") << "of three ways the one that Windows writes";
  EXPECT_EQ(EncodeCp932("〜−").bytes, "\x81\x60\x81\x7c") << "near relatives";
}

TEST(Cp932, NamesMatchByTheirFirstFifteenBytes) {
  // Ten characters, cut in the middle of the eighth.
  const std::string ten = "左足首先左足首先左足";
  const std::string cut = MatchBytes(ten);
  EXPECT_EQ(cut.size(), 15u);
  EXPECT_EQ(cut, EncodeCp932(ten).bytes.substr(0, 15));
  EXPECT_EQ(DecodeCp932(cut).bad_bytes, 1u);
  EXPECT_EQ(MatchBytes("センター"), "\x83\x5a\x83\x93\x83\x5e\x81\x5b");
  EXPECT_EQ(CutForMatch("0123456789abcdefgh"), "0123456789abcde");
  EXPECT_EQ(CutForMatch(""), "");
}

}  // namespace
}  // namespace flexor::io::mmd
