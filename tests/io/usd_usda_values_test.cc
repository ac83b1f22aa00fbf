// Values in text layers.

#include <cmath>
#include <limits>

#include "io/usd_support.h"

namespace flexor::io::usd {
namespace {

using test::ReadInPrim;
using testing::ElementsAre;

constexpr double kInf = std::numeric_limits<double>::infinity();

/// The value of "TYPE x = TEXT"; empty when it is refused.
Value Read(std::string_view type, std::string_view text) {
  auto read = ReadInPrim(std::string(type) + " x = " + std::string(text));
  if (!read.ok()) {
    EXPECT_EQ(read.error.code, ErrorCode::kParse) << read.error.ToString();
    return {};
  }
  // Texts go away with the table: numbers only.
  return read.Default("/A.x");
}

bool IsRefused(std::string_view type, std::string_view text) { return Read(type, text).empty(); }

std::string Text(std::string_view type, std::string_view text) {
  auto read = ReadInPrim(std::string(type) + " x = " + std::string(text));
  return read.ok() ? std::string(read.Default("/A.x").text()) : "refused";
}

TEST(UsdaValues, Integers) {
  EXPECT_EQ(Read("int", "007"), Value::Of(7));
  EXPECT_EQ(Read("int", "-0"), Value::Of(0));
  EXPECT_EQ(Read("int", "-2147483648"), Value::Of(std::numeric_limits<std::int32_t>::min()));
  EXPECT_EQ(Read("uint64", "18446744073709551615"),
            Value::Of(std::numeric_limits<std::uint64_t>::max()));
  EXPECT_EQ(Read("int64", "-9223372036854775808"),
            Value::Of(std::numeric_limits<std::int64_t>::min()));
  EXPECT_EQ(Read("int", "1.0"), Value::Of(1));
  EXPECT_EQ(Read("int", "2e3"), Value::Of(2000));
  EXPECT_EQ(Read("uchar", "255"), Value::Of(std::uint8_t{255}));
  for (const char* text : {"1.5", "2147483648", "-2147483649", "+1", "0x10", "1_000", "1a", "inf",
                           "--1", "", "\"1\"", "1e10"}) {
    EXPECT_TRUE(IsRefused("int", text)) << text;
  }
  EXPECT_TRUE(IsRefused("uint", "-1"));
  EXPECT_TRUE(IsRefused("uchar", "256"));
  EXPECT_TRUE(IsRefused("int64", "9223372036854775808"));
  EXPECT_TRUE(IsRefused("uint64", "18446744073709551616"));
}

TEST(UsdaValues, Reals) {
  EXPECT_EQ(Read("double", "1."), Value::Of(1.0));
  EXPECT_EQ(Read("double", ".5"), Value::Of(0.5));
  EXPECT_EQ(Read("double", "-.5"), Value::Of(-0.5));
  EXPECT_EQ(Read("double", "1E+5"), Value::Of(1e5));
  EXPECT_EQ(Read("double", "1e-5"), Value::Of(1e-5));
  EXPECT_EQ(Read("double", "-0"), Value::Of(-0.0));
  EXPECT_EQ(Read("double", "inf"), Value::Of(kInf));
  EXPECT_EQ(Read("double", "-inf"), Value::Of(-kInf));
  EXPECT_TRUE(std::isnan(Read("double", "nan").GetOr(0.0)));
  EXPECT_EQ(Read("double", "\"-inf\""), Value::Of(-kInf));
  EXPECT_EQ(Read("double", "1e400"), Value::Of(kInf));
  EXPECT_EQ(Read("double", "-1e400"), Value::Of(-kInf));
  EXPECT_EQ(Read("double", "1e-400"), Value::Of(0.0));
  EXPECT_EQ(Read("double", "1e99999999999999999999"), Value::Of(kInf));
  EXPECT_EQ(Read("double", "1e-99999999999999999999"), Value::Of(0.0));
  EXPECT_EQ(Read("double", "0.000001e400"), Value::Of(kInf));
  EXPECT_EQ(Read("double", "1000000e-400"), Value::Of(0.0));
  EXPECT_EQ(Read("double", "0e400"), Value::Of(0.0));
  EXPECT_EQ(Read("float", "1e39"), Value::Of(static_cast<float>(kInf)));
  EXPECT_EQ(Read("float", "3.4028235e38"), Value::Of(std::numeric_limits<float>::max()));
  EXPECT_EQ(Read("float", "0.1"), Value::Of(0.1f));
  EXPECT_EQ(Read("half", "70000"), Value::Of(Half{0x7C00}));
  EXPECT_EQ(Read("half", "1e-30"), Value::Of(Half{0}));
  EXPECT_EQ(Read("half", "0.5"), Value::Of(Half{0x3800}));
  EXPECT_EQ(Read("timecode", "12"), Value::Of(TimeCode{12}));
  for (const char* text : {"-nan", "+1", "1..2", "1.5.2", "1e", ".", "-", "\"3\"", "infinity",
                           "true", "0x1p3", "1f"}) {
    EXPECT_TRUE(IsRefused("double", text)) << text;
  }
}

TEST(UsdaValues, Booleans) {
  for (const char* text : {"true", "TRUE", "yes", "1", "2", "0.5", "\"yes\"", "\"1\""}) {
    EXPECT_EQ(Read("bool", text), Value::Of(true)) << text;
  }
  for (const char* text : {"false", "No", "0", "\"false\"", "\"0\""}) {
    EXPECT_EQ(Read("bool", text), Value::Of(false)) << text;
  }
  EXPECT_TRUE(IsRefused("bool", "on"));
  EXPECT_TRUE(IsRefused("bool", "\"on\""));
  EXPECT_THAT(Read("bool[]", "[true, 0, yes]").Array<bool>(), ElementsAre(true, false, true));
}

TEST(UsdaValues, Texts) {
  EXPECT_EQ(Text("string", "'a'"), "a");
  EXPECT_EQ(Text("string", "\"\""), "");
  EXPECT_EQ(Text("string", "''''''"), "");
  EXPECT_EQ(Text("string", "\"\"\"a \"b\" 'c'\nd\"\"\""), "a \"b\" 'c'\nd");
  EXPECT_EQ(Text("string", "'''a\\'''"), "refused");
  EXPECT_EQ(Text("string", "'''a\\''''"), "a'");
  EXPECT_EQ(Text("string", R"("\a\b\f\n\r\t\v\\\'\"")"), "\a\b\f\n\r\t\v\\'\"");
  EXPECT_EQ(Text("string", R"("\x41\x4\101\0601\z\u0041")"),
            "A\x04"
            "A01zu0041");
  EXPECT_EQ(Text("string", "\"\xC3\xA9\""), "\xC3\xA9");
  EXPECT_EQ(Text("string", R"("\xc3\xa9")"), "\xC3\xA9");
  EXPECT_EQ(Text("string", R"("\xc3")"), "refused");
  EXPECT_EQ(Text("string", R"("\0")"), "refused");
  EXPECT_EQ(Text("string", R"("\777")"), "refused");
  EXPECT_EQ(Text("string", "\"a\nb\""), "refused");
  EXPECT_EQ(Text("string", "\"a\\\nb\""), "refused");
  EXPECT_EQ(Text("string", "a"), "refused");
  EXPECT_EQ(Text("string", "@a@"), "refused");
  EXPECT_EQ(Text("token", "\"a\""), "a");
  EXPECT_EQ(Text("token", "a"), "refused");
  EXPECT_EQ(Text("pathExpression", "\"/A//B\""), "/A//B");
  EXPECT_TRUE(IsRefused("token[]", "[\"a\", b]"));
}

TEST(UsdaValues, AssetPaths) {
  EXPECT_EQ(Text("asset", "@@"), "");
  EXPECT_EQ(Text("asset", "@a b\\c#d//e@"), "a b\\c#d//e");
  EXPECT_EQ(Text("asset", "@@@a@b@@@"), "a@b");
  EXPECT_EQ(Text("asset", "@@@a@@b@@@"), "a@@b");
  EXPECT_EQ(Text("asset", R"(@@@a\@@@b@@@)"), "a@@@b");
  EXPECT_EQ(Text("asset", "@@@a@@@@"), "a@");
  EXPECT_EQ(Text("asset", "@a\x01@"), "refused");
  EXPECT_EQ(Text("asset", "@a\x7F@"), "refused");
  EXPECT_EQ(Text("asset", "@a\xC2\x80@"), "refused");
  EXPECT_EQ(Text("asset", "@a\nb@"), "refused");
  EXPECT_EQ(Text("asset", "@@@a"), "refused");
  EXPECT_EQ(Text("asset", "\"a\""), "refused");
}

TEST(UsdaValues, Tuples) {
  EXPECT_EQ(Read("float3", "(1, 2, 3)"), Value::Of(Vec3f{1, 2, 3}));
  EXPECT_EQ(Read("float3", "( 1,\n 2, 3\n,)"), Value());
  EXPECT_EQ(Read("float3", "(\n 1,\n 2,\n 3,\n)"), Value::Of(Vec3f{1, 2, 3}));
  EXPECT_EQ(Read("int2", "(-1, 2)"), Value::Of(Vec2i{-1, 2}));
  EXPECT_EQ(Read("half4", "(1, 2, 3, 4)"),
            Value::Of(Vec4h{Half{0x3C00}, Half{0x4000}, Half{0x4200}, Half{0x4400}}));
  for (const char* text : {"(1, 2)", "(1, 2, 3, 4)", "1", "[1, 2, 3]", "(1, 2, (3))", "(1 2 3)",
                           "(1\n, 2, 3)", "()", "(1,,3)"}) {
    EXPECT_TRUE(IsRefused("float3", text)) << text;
  }
}

TEST(UsdaValues, QuaternionsSayTheRealPartFirst) {
  EXPECT_EQ(Read("quatf", "(1, 2, 3, 4)"), Value::Of(Quatf{2, 3, 4, 1}));
  EXPECT_EQ(Read("quatd", "(1, 0, 0, 0)"), Value::Of(Quatd{0, 0, 0, 1}));
  EXPECT_EQ(Read("quath", "(1, 0, 0, 0)"), Value::Of(Quath{}));
}

TEST(UsdaValues, MatricesAreNestedTuples) {
  EXPECT_EQ(Read("matrix2d", "( (1, 2), (3, 4) )"), Value::Of(RowMatrix2d{{{1, 2}, {3, 4}}}));
  RowMatrix4d translated;
  for (int i = 0; i < 4; ++i) translated.m[i][i] = 1;
  translated.m[3][0] = 5;
  EXPECT_EQ(Read("matrix4d", "((1,0,0,0),(0,1,0,0),(0,0,1,0),(5,0,0,1))"), Value::Of(translated));
  EXPECT_TRUE(IsRefused("matrix2d", "(1, 2, 3, 4)"));
  EXPECT_TRUE(IsRefused("matrix2d", "((1, 2), (3, 4), (5, 6))"));
}

TEST(UsdaValues, Arrays) {
  EXPECT_THAT(Read("int[]", "[1, 2, 3]").Array<int>(), ElementsAre(1, 2, 3));
  EXPECT_THAT(Read("float2[]", "[(1, 2), (3, 4)]").Array<Vec2f>(),
              ElementsAre(Vec2f{1, 2}, Vec2f{3, 4}));
  EXPECT_TRUE(Read("int[]", "[]").IsArrayOf<int>());
  EXPECT_TRUE(Read("int[]", "None").IsBlock());
  for (const char* text : {"1", "[[1, 2]]", "[None]", "[1, \"2\"]", "[1 2]", "(1, 2)"}) {
    EXPECT_TRUE(IsRefused("int[]", text)) << text;
  }
  EXPECT_TRUE(IsRefused("int", "[1]"));
}

TEST(UsdaValues, EveryTypeCanBeReadAsArray) {
  for (int i = static_cast<int>(ValueType::kBool); i <= static_cast<int>(ValueType::kVec4i); ++i) {
    const auto type = static_cast<ValueType>(i);
    auto read = ReadInPrim(std::string(Info(type).name) + "[] x = []");
    ASSERT_TRUE(read.ok()) << read.error.ToString();
    EXPECT_EQ(read.Default("/A.x").type(), type);
    EXPECT_TRUE(read.Default("/A.x").is_array());
  }
}

TEST(UsdaValues, Dictionaries) {
  auto read = test::ReadUsda(
      "(\n customLayerData = {\n int a = 1; string \"b:c d\" = \"x\"\n dictionary e = {\n float[] "
      "f = [1, 2]\n"
      " }\n double3 def = (1, 2, 3)\n int a = 2\n }\n)\n");
  ASSERT_TRUE(read.ok()) << read.error.ToString();
  const Dictionary& data = *read.layer->root().metadata.Find("customLayerData")->dictionary();
  EXPECT_EQ(*data.Find("a"), Value::Of(2));
  EXPECT_EQ(data.Find("b:c d")->text(), "x");
  EXPECT_THAT(data.Find("e")->dictionary()->Find("f")->Array<float>(), ElementsAre(1, 2));
  EXPECT_EQ(*data.Find("def"), Value::Of(Vec3d{1, 2, 3}));
  EXPECT_EQ(data.entries.size(), 4u);
  for (const char* text : {"{ int a = 1, int b = 2 }", "{ foo a = 1 }", "{ int a = None }",
                           "{ int a:b = 1 }", "{ a = 1 }", "{ int a = 1 int b = 2 }", "{ int a }",
                           "{ int[ a = 1 }", "{ dictionary[] a = [] }", "1"}) {
    EXPECT_FALSE(test::ReadUsda("( customLayerData = " + std::string(text) + " )\n").ok()) << text;
  }
}

}  // namespace
}  // namespace flexor::io::usd
