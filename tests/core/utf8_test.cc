#include "flexor/core/utf8.h"

#include <gtest/gtest.h>

namespace flexor {
namespace {

constexpr const char* kGood[] = {"", "abc", "é", "ねこ", "😀", "\xf4\x8f\xbf\xbf"};
constexpr const char* kBad[] = {"\x80",
                                "\xc0\xaf",
                                "\xc1\xbf",
                                "\xe0\x80\x80",
                                "\xed\xa0\x80",
                                "\xf0\x80\x80\x80",
                                "\xf4\x90\x80\x80",
                                "\xf5\x80\x80\x80",
                                "\xe3\x81",
                                "a\xc3"};

TEST(Utf8, KnowsItsForms) {
  for (const char* good : kGood) {
    EXPECT_TRUE(IsUtf8(good)) << good;
    EXPECT_EQ(RepairedUtf8(good), good);
  }
  for (const char* bad : kBad) {
    EXPECT_FALSE(IsUtf8(bad)) << bad;
    std::size_t count = 0;
    const std::string repaired = RepairedUtf8(bad, &count);
    EXPECT_TRUE(IsUtf8(repaired)) << bad;
    EXPECT_GE(count, 1u) << bad;
  }
}

TEST(Utf8, EveryCodePointReadsBackAsItself) {
  for (std::uint32_t code = 0; code <= 0x10ffff; ++code) {
    if (code >= 0xd800 && code < 0xe000) continue;
    std::string text;
    AppendUtf8(text, code);
    ASSERT_EQ(Utf8SequenceLength(text), text.size()) << code;
    ASSERT_EQ(DecodeUtf8(text, text.size()), code);
    std::string_view rest = text;
    ASSERT_EQ(TakeUtf8(rest), code);
    ASSERT_TRUE(rest.empty());
  }
}

TEST(Utf8, ABadByteIsReplacedAloneAndCounted) {
  std::string_view text = "a\xe3\x81z";
  EXPECT_EQ(TakeUtf8(text), 'a');
  EXPECT_EQ(TakeUtf8(text), kReplacementCharacter);
  EXPECT_EQ(TakeUtf8(text), kReplacementCharacter);
  EXPECT_EQ(TakeUtf8(text), 'z');
  EXPECT_TRUE(text.empty());
  std::size_t bad = 0;
  EXPECT_EQ(RepairedUtf8("a\xe3\x81z", &bad), "a\xef\xbf\xbd\xef\xbf\xbdz");
  EXPECT_EQ(bad, 2u);
}

TEST(Utf8, APrefixCutsNoCharacter) {
  EXPECT_EQ(Utf8Prefix("ねこ", 6), "ねこ");
  EXPECT_EQ(Utf8Prefix("ねこ", 5), "ね");
  EXPECT_EQ(Utf8Prefix("ねこ", 3), "ね");
  EXPECT_EQ(Utf8Prefix("ねこ", 2), "");
  EXPECT_EQ(Utf8Prefix("abc", 2), "ab");
}

}  // namespace
}  // namespace flexor
