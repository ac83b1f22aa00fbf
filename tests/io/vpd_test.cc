#include "flexor/io/mmd/vpd.h"

#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flexor/io/mmd/text_cp932.h"

namespace flexor::io::mmd {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kBudget = 1 << 20;

/// As MikuMikuDance writes it, the names in CP932; ボ, ポ and マ have '{', '|' and '}' as second
/// bytes.
const std::string kPose =
    "Vocaloid Pose Data file\r\n"
    "\r\n"
    "\x8f\x89\x89\xb9.osm;\t\t// \x90\x65\r\n"
    "2;\t\t\t\t// \x91\x8d\r\n"
    "\r\n"
    "Bone0{\x83\x7b\x83\x7c\x83\x7d\r\n"
    "  1.000000,-2.500000,3.000000;\t\t\t\t// trans x,y,z\r\n"
    "  0.000000,0.500000,0.000000,0.866025;\t\t// Quaternion x,y,z,w\r\n"
    "}\r\n"
    "\r\n"
    "Bone1{\x83\x5a\x83\x93\x83\x5e\x81\x5b\r\n"
    "  0,0,0;\r\n"
    "  0,0,0,1;\r\n"
    "}\r\n";

Result<VpdPose> Parse(const std::string& text, Diagnostics& diagnostics) {
  MemoryBudget budget(kBudget);
  return ParseVpd(std::as_bytes(std::span(text)), budget, diagnostics);
}

std::string Text(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(Vpd, ReadsBonesWithBracesInTheirNames) {
  Diagnostics diagnostics;
  const auto pose = Parse(kPose, diagnostics);
  ASSERT_TRUE(pose.ok()) << pose.error().ToString();
  EXPECT_TRUE(diagnostics.entries().empty());
  EXPECT_EQ(pose->model_name, "初音.osm");
  EXPECT_EQ(pose->declared_bones, 2u);
  ASSERT_EQ(pose->bones.size(), 2u);
  EXPECT_EQ(pose->bones[0].name, "ボポマ");
  EXPECT_EQ(pose->bones[0].bytes, "\x83\x7b\x83\x7c\x83\x7d");
  EXPECT_EQ(pose->bones[0].translation, (Vec3f{1, -2.5f, 3}));
  EXPECT_EQ(pose->bones[0].rotation, (Quatf{0, 0.5f, 0, 0.866025f}));
  EXPECT_EQ(pose->bones[1].name, "センター");
  EXPECT_EQ(pose->bones[1].rotation, Quatf{});
}

TEST(Vpd, ReadsMorphsAndStrayText) {
  Diagnostics diagnostics;
  const auto pose = Parse(kPose +
                              "Morph0{\x82\xa0\n 0.25;\n}\n"
                              "what is this\n"
                              "Morph1{smile // a comment\n+1e-1; }",
                          diagnostics);
  ASSERT_TRUE(pose.ok()) << pose.error().ToString();
  ASSERT_EQ(pose->morphs.size(), 2u);
  EXPECT_EQ(pose->morphs[0].name, "あ");
  EXPECT_EQ(pose->morphs[0].weight, 0.25f);
  EXPECT_EQ(pose->morphs[1].name, "smile");
  EXPECT_EQ(pose->morphs[1].weight, 0.1f);
  ASSERT_EQ(diagnostics.entries().size(), 1u);
  EXPECT_EQ(diagnostics.entries()[0].code, "VPD_TEXT_IGNORED");
}

TEST(Vpd, ReadsUtf8WithAndWithoutItsMark) {
  const std::string text =
      "Vocaloid Pose Data file\n\nmodel.osm;\n1;\n\nBone0{左足ＩＫ\n0,0,0;\n0,0,0,1;\n}\n";
  for (const std::string& mark : {std::string(), std::string("\xef\xbb\xbf")}) {
    Diagnostics diagnostics;
    const auto pose = Parse(mark + text, diagnostics);
    ASSERT_TRUE(pose.ok()) << pose.error().ToString();
    EXPECT_TRUE(diagnostics.Contains("VPD_UTF8"));
    EXPECT_EQ(pose->bones[0].name, "左足ＩＫ");
    EXPECT_EQ(pose->bones[0].bytes, "\x8d\xb6\x91\xab\x82\x68\x82\x6a");
  }
}

TEST(Vpd, ReadsAllBonesWhateverTheCountSays) {
  for (const char* count : {"1", "3", "0", "4294967295"}) {
    std::string text = kPose;
    text.replace(text.find("2;"), 1, count);
    Diagnostics diagnostics;
    const auto pose = Parse(text, diagnostics);
    ASSERT_TRUE(pose.ok()) << pose.error().ToString();
    EXPECT_EQ(pose->bones.size(), 2u);
    EXPECT_EQ(std::to_string(pose->declared_bones), count);
    ASSERT_TRUE(diagnostics.Contains("VPD_COUNT_MISMATCH"));
  }
}

TEST(Vpd, EveryTruncationWithinABlockIsAnError) {
  std::size_t whole = 0;
  for (std::size_t length = 0; length < kPose.size(); ++length) {
    Diagnostics diagnostics;
    const auto pose = Parse(kPose.substr(0, length), diagnostics);
    if (pose.ok()) {
      // Only between blocks, and then the count does not fit; or behind the last brace.
      ++whole;
      EXPECT_TRUE(diagnostics.Contains("VPD_COUNT_MISMATCH") || pose->bones.size() == 2) << length;
      continue;
    }
    const Error& error = pose.error();
    EXPECT_TRUE(error.code == ErrorCode::kTruncated || error.code == ErrorCode::kUnknownFormat ||
                error.code == ErrorCode::kParse)
        << error.ToString();
    ASSERT_TRUE(error.place.byte_offset.has_value());
    EXPECT_LE(*error.place.byte_offset, length);
    EXPECT_THAT(error.message, HasSubstr("line "));
  }
  EXPECT_LT(whole, 40u);
}

TEST(Vpd, FaultsHaveLineAndPlace) {
  const struct {
    const char* from;
    const char* to;
    ErrorCode code;
    const char* element;
    const char* words;
  } cases[] = {
      {"Vocaloid", "vocaloid", ErrorCode::kUnknownFormat, "header", "line 1"},
      {".osm;", ".osm", ErrorCode::kParse, "header", "line 3: expected ';'"},
      {"2;", "two;", ErrorCode::kParse, "header", "line 4: expected the number"},
      {"-2.5", "x", ErrorCode::kParse, "bone 0", "line 7: expected a number"},
      {",0.866025;", ";", ErrorCode::kParse, "bone 0", "line 8: expected ','"},
      {"-2.5", "1e99", ErrorCode::kInvalidValue, "bone 0", "line 7: a number is too large"},
      {"-2.5", "nan", ErrorCode::kInvalidValue, "bone 0", "not finite"},
      {"1;\r\n}", "1;\r\n", ErrorCode::kTruncated, "bone 1", "expected '}'"}};
  for (const auto& c : cases) {
    std::string text = kPose;
    text.replace(text.find(c.from), std::string(c.from).size(), c.to);
    Diagnostics diagnostics;
    const auto pose = Parse(text, diagnostics);
    ASSERT_FALSE(pose.ok()) << c.words;
    EXPECT_EQ(pose.error().code, c.code) << pose.error().ToString();
    EXPECT_EQ(pose.error().place.element, c.element) << pose.error().ToString();
    EXPECT_THAT(pose.error().message, HasSubstr(c.words));
  }
}

TEST(Vpd, NumbersTooSmallForAFloatAreZero) {
  std::string text = kPose;
  text.replace(text.find("-2.500000"), 9, "-1e-60");
  Diagnostics diagnostics;
  const auto pose = Parse(text, diagnostics);
  ASSERT_TRUE(pose.ok()) << pose.error().ToString();
  EXPECT_EQ(pose->bones[0].translation, (Vec3f{1, 0, 3}));
}

TEST(Vpd, WritingAndReadingIsAFixedPoint) {
  VpdPose pose;
  pose.model_name = "初音.osm";
  pose.model_bytes = "\x8f\x89\x89\xb9.osm";
  pose.declared_bones = 2;
  pose.bones = {{"ボ", "\x83\x7b", {1e-7f, -1.0f / 3, 12345.678f}, {0.1f, 0.2f, 0.3f, -0.0f}},
                {"x", "x", {}, {0, 0, 0, std::numeric_limits<float>::denorm_min()}}};
  pose.morphs = {{"あ", "\x82\xa0", std::numeric_limits<float>::max()}};
  const auto bytes = WriteVpd(pose);
  ASSERT_TRUE(bytes.ok()) << bytes.error().ToString();
  Diagnostics diagnostics;
  const auto read = Parse(Text(*bytes), diagnostics);
  ASSERT_TRUE(read.ok()) << read.error().ToString();
  EXPECT_TRUE(diagnostics.entries().empty());
  EXPECT_EQ(*read, pose);
  EXPECT_TRUE(std::signbit(read->bones[0].rotation.w));
  EXPECT_EQ(*WriteVpd(*read), *bytes);
  EXPECT_THAT(Text(*bytes), HasSubstr("0.000000,0.000000,0.000000;\t"));
  // Names without bytes are encoded.
  pose.bones[0].bytes.clear();
  EXPECT_EQ(*WriteVpd(pose), *bytes);
}

TEST(Vpd, RefusesNamesThatCouldNotBeReadBack) {
  for (const char* name : {"a\nb", " a", "a ", "a //b", "//a", "a\x01"}) {
    VpdPose pose;
    pose.bones = {{name, name, {}, {}}};
    const auto bytes = WriteVpd(pose);
    ASSERT_FALSE(bytes.ok()) << name;
    EXPECT_EQ(bytes.error().code, ErrorCode::kInvalidValue);
    EXPECT_EQ(bytes.error().place.element, "bone 0");
  }
  VpdPose pose;
  pose.model_bytes = "a;b";
  EXPECT_FALSE(WriteVpd(pose).ok());
  pose.model_bytes = "a";
  pose.morphs = {{"m", "m", std::numeric_limits<float>::quiet_NaN()}};
  EXPECT_FALSE(WriteVpd(pose).ok());
}

TEST(Vpd, TheMemoryBudgetHolds) {
  MemoryBudget budget(100);
  Diagnostics diagnostics;
  const auto pose = ParseVpd(std::as_bytes(std::span(kPose)), budget, diagnostics);
  ASSERT_FALSE(pose.ok());
  EXPECT_EQ(pose.error().code, ErrorCode::kLimitExceeded);
}

}  // namespace
}  // namespace flexor::io::mmd
