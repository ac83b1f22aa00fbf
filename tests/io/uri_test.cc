#include "io/uri.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace flexor::io {
namespace {

std::string Text(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Result<Base64Bytes> Decode(std::string_view text, Base64Mode mode) {
  MemoryBudget budget(1 << 20);
  return DecodeBase64(text, mode, budget);
}

TEST(Base64Test, DecodesTheExamplesOfTheRfc) {
  const std::pair<const char*, const char*> examples[] = {{"", ""},
                                                          {"Zg==", "f"},
                                                          {"Zm8=", "fo"},
                                                          {"Zm9v", "foo"},
                                                          {"Zm9vYg==", "foob"},
                                                          {"Zm9vYmE=", "fooba"},
                                                          {"Zm9vYmFy", "foobar"}};
  for (const auto& [text, expected] : examples) {
    const auto decoded = Decode(text, Base64Mode::kStrict);
    ASSERT_TRUE(decoded.ok()) << text << ": " << decoded.error().ToString();
    EXPECT_EQ(Text(decoded->bytes), expected);
    EXPECT_EQ(decoded->irregularity, "");
  }
}

TEST(Base64Test, LenientForgivesAndSaysWhat) {
  const struct {
    const char* text;
    const char* expected;
    const char* said;
  } cases[] = {{"Zm9v\n YmFy", "foobar", "white space"},
               {"Zm8", "fo", "missing padding"},
               {"Zg", "f", "missing padding"},
               {"Zh==", "f", "bits that belong to no byte"},
               {"-_-_", "\xfb\xff\xbf", "the URL alphabet"}};
  for (const auto& c : cases) {
    EXPECT_FALSE(Decode(c.text, Base64Mode::kStrict).ok()) << c.text;
    const auto decoded = Decode(c.text, Base64Mode::kLenient);
    ASSERT_TRUE(decoded.ok()) << c.text << ": " << decoded.error().ToString();
    EXPECT_EQ(Text(decoded->bytes), c.expected);
    EXPECT_EQ(decoded->irregularity, c.said);
  }
}

TEST(Base64Test, RefusesWhatIsNoBase64) {
  for (const char* text :
       {"Zm9v!mFy", "A", "Zm9vY", "====", "Z===", "Zg=v", "Zg==Zg==", "Zg===", "Zm9v\xc3\xa4"}) {
    for (const Base64Mode mode : {Base64Mode::kStrict, Base64Mode::kLenient}) {
      const auto decoded = Decode(text, mode);
      ASSERT_FALSE(decoded.ok()) << text;
      EXPECT_EQ(decoded.error().code, ErrorCode::kParse);
    }
  }
  EXPECT_NE(Decode("Zm9v!mFy", Base64Mode::kStrict).error().message.find("'!' at character 4"),
            std::string::npos);
}

TEST(Base64Test, ChargesBeforeItDecodes) {
  MemoryBudget budget(100);
  EXPECT_EQ(DecodeBase64(std::string(200, 'A'), Base64Mode::kStrict, budget).error().code,
            ErrorCode::kLimitExceeded);
  EXPECT_EQ(budget.used(), 0u);
  EXPECT_TRUE(DecodeBase64(std::string(100, 'A'), Base64Mode::kStrict, budget).ok());
  EXPECT_GE(budget.used(), 75u);
}

TEST(DataUriTest, ReadsTypeAndPayload) {
  MemoryBudget budget(1 << 16);
  const auto base64 =
      DecodeDataUri("DATA:Image/PNG;charset=x;base64,Zm9v", Base64Mode::kStrict, budget);
  ASSERT_TRUE(base64.ok()) << base64.error().ToString();
  EXPECT_EQ(base64->media_type, "image/png");
  EXPECT_EQ(Text(base64->bytes), "foo");

  const auto percent = DecodeDataUri("data:text/plain,a%20b%2Bc", Base64Mode::kStrict, budget);
  ASSERT_TRUE(percent.ok());
  EXPECT_EQ(Text(percent->bytes), "a b+c");

  const auto encoded_digits =
      DecodeDataUri("data:;base64,%2B%2F%2b%2f", Base64Mode::kStrict, budget);
  ASSERT_TRUE(encoded_digits.ok());
  EXPECT_EQ(Text(encoded_digits->bytes), "\xfb\xff\xbf");

  EXPECT_EQ(DecodeDataUri("data:;base64", Base64Mode::kLenient, budget).error().code,
            ErrorCode::kParse);
}

TEST(ReferenceTest, NamesInsideTheFolder) {
  const std::pair<const char*, const char*> names[] = {
      {"a.bin", "a.bin"},
      {"./a.bin", "a.bin"},
      {"textures/../a.bin", "a.bin"},
      {"textures//wood.png", "textures/wood.png"},
      {"textures\\wood.png", "textures/wood.png"},
      {"a%20b%25.bin", "a b%.bin"},
      {"100%.bin", "100%.bin"},
      {"50%zz.bin", "50%zz.bin"},
      {"%E3%81%AD%E3%81%93.bin", "ねこ.bin"},
      {"ねこ модель.bin", "ねこ модель.bin"},
      {"..a/..b", "..a/..b"},
      {"a#1?.bin", "a#1?.bin"},
  };
  for (const auto& [uri, expected] : names) {
    const auto name = ResolveReference(uri, false);
    ASSERT_TRUE(name.ok()) << uri << ": " << name.error().ToString();
    EXPECT_EQ(*name, expected) << uri;
  }
}

TEST(ReferenceTest, EveryWayOutIsRefused) {
  for (const char* uri : {"../a.bin",
                          "a/../../b.bin",
                          "/etc/passwd",
                          "\\\\server\\share",
                          "..\\a.bin",
                          "C:\\a.bin",
                          "C:/a.bin",
                          "c:a.bin",
                          "%2e%2e/a.bin",
                          "..%2fa.bin",
                          "..%5Ca.bin",
                          "%2Fetc%2Fpasswd",
                          "C%3A/a.bin",
                          "./C:/a.bin",
                          ".%2FC%3A%5Ca.bin",
                          "a/%2e%2e/%2e%2e/b",
                          "file%3A///etc/passwd",
                          "file:///etc/passwd",
                          "http://x/y.bin",
                          "https:a.bin"}) {
    const auto name = ResolveReference(uri, false);
    ASSERT_FALSE(name.ok()) << uri << " gave " << *name;
    EXPECT_TRUE(name.error().code == ErrorCode::kInvalidValue ||
                name.error().code == ErrorCode::kUnsupportedFeature);
    EXPECT_NE(name.error().message.find(std::string(uri).substr(0, 3) == "\\\\s" ? "server" : uri),
              std::string::npos)
        << name.error().message;
  }
}

TEST(ReferenceTest, WaysOutMayBeAllowedButNotSchemesAndOddNames) {
  EXPECT_EQ(*ResolveReference("../a.bin", true), "../a.bin");
  EXPECT_EQ(*ResolveReference("../../x/../a.bin", true), "../../a.bin");
  EXPECT_EQ(*ResolveReference("/data/../a.bin", true), "/a.bin");
  EXPECT_EQ(*ResolveReference("/../a.bin", true), "/a.bin");
  EXPECT_EQ(ResolveReference("http://x/y.bin", true).error().code, ErrorCode::kUnsupportedFeature);
  for (const bool outside : {false, true}) {
    for (const std::string& uri :
         {std::string("a%00.bin"), std::string("a\nb.bin"), std::string("a%0Ab"),
          std::string("a\xff.bin"), std::string("%ff"), std::string("%c0%af"), std::string(""),
          std::string("."), std::string("a/.."), std::string("a%7f")}) {
      EXPECT_FALSE(ResolveReference(uri, outside).ok()) << uri;
    }
  }
}

}  // namespace
}  // namespace flexor::io
