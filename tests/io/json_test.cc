#include <string>

#include <gtest/gtest.h>

#include "io/json/access.h"
#include "io/json/parse.h"

namespace flexor::io::json {
namespace {

constexpr std::uint64_t kPlenty = 64u << 20;

Result<Document> ParseText(std::string_view text, std::uint32_t depth = 64,
                           std::uint64_t budget_bytes = kPlenty) {
  MemoryBudget budget(budget_bytes);
  return Parse(text, {.max_depth = depth, .path = "file.gltf", .base_offset = 20}, budget);
}

TEST(JsonParse, KeepsEveryKindOfValue) {
  const auto document = ParseText(
      R"({"a":[1,-2,2.5,true,false,null,"x\u00e9\ud83d\ude00"],"b":{"c":{}},"":[[],[[]]]})");
  ASSERT_TRUE(document.ok()) << document.error().ToString();
  const Value expected =
      Value::parse(R"({"a":[1,-2,2.5,true,false,null,"xé😀"],"b":{"c":{}},"":[[],[[]]]})");
  EXPECT_EQ(document->root, expected);
  EXPECT_EQ(document->duplicate_key_count, 0u);
  EXPECT_FALSE(document->byte_order_mark);
}

TEST(JsonParse, AcceptsAnyRootValueAndByteOrderMark) {
  EXPECT_EQ(ParseText(" 3 ")->root, Value(3));
  EXPECT_EQ(ParseText("null")->root, Value(nullptr));
  const auto marked = ParseText("\xEF\xBB\xBF{\"a\":1}");
  ASSERT_TRUE(marked.ok());
  EXPECT_TRUE(marked->byte_order_mark);
  EXPECT_EQ(marked->root["a"], 1);
}

TEST(JsonParse, ReportsDuplicateKeysByPointerAndKeepsTheLast) {
  const auto document = ParseText(
      R"({"nodes":[{"mesh":1},{"mesh":1,"mesh":{"deep":[1]},"a/b":0,"a/b":2}],"nodes":3})");
  ASSERT_TRUE(document.ok());
  EXPECT_EQ(document->duplicate_key_count, 3u);
  EXPECT_EQ(document->duplicate_keys,
            (std::vector<std::string>{"/nodes/1/mesh", "/nodes/1/a~1b", "/nodes"}));
  EXPECT_EQ(document->root, Value::parse(R"({"nodes":3})"));

  std::string many = "{\"k\":0";
  for (int i = 0; i < 1000; ++i) many += ",\"k\":" + std::to_string(i);
  const auto crowded = ParseText(many + "}");
  ASSERT_TRUE(crowded.ok());
  EXPECT_EQ(crowded->duplicate_key_count, 1000u);
  EXPECT_EQ(crowded->duplicate_keys.size(), Document::kMaxDuplicateKeys);
  EXPECT_EQ(crowded->root["k"], 999);
}

TEST(JsonParse, SaysLineColumnByteAndPointerOfABreak) {
  const auto broken = ParseText("{\n  \"é\": [1, {\"x\": 1 2}]\n}");
  ASSERT_FALSE(broken.ok());
  const Error& error = broken.error();
  EXPECT_EQ(error.code, ErrorCode::kParse);
  EXPECT_NE(error.message.find("line 2, column 20"), std::string::npos) << error.message;
  EXPECT_EQ(error.place.element, "/é/1/x");
  EXPECT_EQ(error.place.path, "file.gltf");
  EXPECT_EQ(error.place.byte_offset, 20u + 22u);
}

TEST(JsonParse, SaysWhenTheTextEndsTooEarly) {
  for (const std::string_view text : {"", "{", "[1,", "{\"a\"", "{\"a\":", "\"abc", "tru", "  "}) {
    const auto broken = ParseText(text);
    ASSERT_FALSE(broken.ok()) << text;
    EXPECT_EQ(broken.error().code, ErrorCode::kParse) << text;
    EXPECT_NE(broken.error().message.find("ends too early"), std::string::npos)
        << text << ": " << broken.error().message;
  }
}

TEST(JsonParse, RefusesWhatIsNotJson) {
  for (const std::string_view text :
       {"{} x", "[1,]", "{a:1}", "// c\n1", "[NaN]", "[01]", "['a']", "\"\xff\"", "\"\xc3\"",
        "[\"\\ud800\"]", "{\"a\":1,}", "\"tab\tinside\"", "]"}) {
    const auto broken = ParseText(text);
    ASSERT_FALSE(broken.ok()) << text;
    EXPECT_EQ(broken.error().code, ErrorCode::kParse) << text;
    EXPECT_NE(broken.error().message.find("line "), std::string::npos) << text;
    EXPECT_TRUE(broken.error().place.byte_offset.has_value());
    for (const char c : broken.error().message) {
      EXPECT_TRUE(c >= ' ' && c <= '~') << broken.error().message;
    }
  }
}

TEST(JsonParse, TurnsNumbersBeyondADoubleIntoInfinitiesAndNamesThem) {
  const auto document = ParseText(R"({"a":[1e309, 2, -1e400],"b":{"c/d":12e500},"e":1e308})");
  ASSERT_TRUE(document.ok()) << document.error().ToString();
  EXPECT_EQ(document->infinities, (std::vector<std::string>{"/a/0", "/a/2", "/b/c~1d"}));
  EXPECT_EQ(document->root["a"][0], std::numeric_limits<double>::infinity());
  EXPECT_EQ(document->root["a"][1], 2);
  EXPECT_EQ(document->root["a"][2], -std::numeric_limits<double>::infinity());
  EXPECT_EQ(document->root["b"]["c/d"], std::numeric_limits<double>::infinity());
  EXPECT_EQ(document->root["e"], 1e308);
  EXPECT_FALSE(FiniteNumber(document->root["a"][0]).has_value());

  std::string many = "[1e999";
  for (int i = 0; i < 20; ++i) many += ",1e999";
  const auto refused = ParseText(many + "]");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kParse);
  EXPECT_EQ(refused.error().place.element, "/16");
  EXPECT_NE(refused.error().message.find("larger than a double"), std::string::npos);
}

TEST(JsonParse, HoldsTheDepthLimitExactly) {
  const auto nested = [](int depth) {
    return std::string(static_cast<std::size_t>(depth), '[') +
           std::string(static_cast<std::size_t>(depth), ']');
  };
  EXPECT_TRUE(ParseText(nested(64)).ok());
  const auto deep = ParseText(nested(65));
  ASSERT_FALSE(deep.ok());
  EXPECT_EQ(deep.error().code, ErrorCode::kLimitExceeded);
  EXPECT_NE(deep.error().message.find("64"), std::string::npos);
  EXPECT_EQ(deep.error().place.element.substr(0, 6), "/0/0/0");
  EXPECT_EQ(ParseText(std::string(2000000, '[')).error().code, ErrorCode::kLimitExceeded);
  std::string objects;
  for (int i = 0; i < 100; ++i) objects += "{\"a\":";
  EXPECT_EQ(ParseText(objects).error().code, ErrorCode::kLimitExceeded);
}

TEST(JsonParse, ChargesEveryValueToTheBudget) {
  std::string zeros = "[0";
  for (int i = 0; i < 999999; ++i) zeros += ",0";
  zeros += "]";
  const auto refused = ParseText(zeros, 64, 16u << 20);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kLimitExceeded);
  EXPECT_NE(refused.error().message.find(std::to_string(16u << 20)), std::string::npos);

  MemoryBudget budget(2 * kPlenty);
  const auto held = Parse(zeros, {}, budget);
  ASSERT_TRUE(held.ok());
  EXPECT_GE(budget.used(), 1000000u * sizeof(Value));

  MemoryBudget small(1000);
  const std::string long_string = "[\"" + std::string(2000, 'x') + "\"]";
  EXPECT_EQ(Parse(long_string, {}, small).error().code, ErrorCode::kLimitExceeded);
  const std::string long_key = "{\"" + std::string(2000, 'x') + "\":0}";
  EXPECT_EQ(Parse(long_key, {}, small).error().code, ErrorCode::kLimitExceeded);
}

TEST(JsonPointer, EscapesAndJoins) {
  EXPECT_EQ(JoinPointer("/a", "m~n/o"), "/a/m~0n~1o");
  EXPECT_EQ(JoinPointer("", std::uint64_t{12}), "/12");
  EXPECT_EQ(JoinPointer("/a", ""), "/a/");
}

TEST(JsonAccess, TakesOnlyExactUnsignedIntegers) {
  const Value value = Value::parse(
      R"({"zero":0,"two":2.0,"half":1.5,"minus":-1,"minus_zero":-0.0,"text":"1","big":9007199254740991,
          "too_big":9007199254740992,"huge":18446744073709551615,"huge_float":1e300,"flag":true,
          "nothing":null,"list":[1]})");
  const Ref ref(value, "/nodes/3");
  EXPECT_EQ(*ref.RequireUnsigned("zero"), 0u);
  EXPECT_EQ(*ref.RequireUnsigned("two"), 2u);
  EXPECT_EQ(*ref.RequireUnsigned("minus_zero"), 0u);
  EXPECT_EQ(*ref.RequireUnsigned("big"), kMaxExactInteger);
  for (const char* key :
       {"half", "minus", "text", "too_big", "huge", "huge_float", "flag", "nothing", "list"}) {
    const auto refused = ref.FindUnsigned(key);
    ASSERT_FALSE(refused.ok()) << key;
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidValue);
    EXPECT_EQ(refused.error().place.element, "/nodes/3/" + std::string(key));
  }
  EXPECT_NE(ref.FindUnsigned("half").error().message.find("1.5"), std::string::npos);
  EXPECT_EQ(*ref.FindUnsigned("two", 2), 2u);
  EXPECT_FALSE(ref.FindUnsigned("two", 1).ok());
  EXPECT_EQ(*ref.FindUnsigned("absent"), std::nullopt);
  EXPECT_EQ(ref.RequireUnsigned("absent").error().place.element, "/nodes/3");
}

TEST(JsonAccess, TakesOtherTypesOnlyAsTheyAre) {
  const Value value =
      Value::parse(R"({"n":-2.5,"s":"x","b":true,"a":[1,2.5,-3],"bad":[1,"2"],"o":{"k":1}})");
  const Ref ref(value, "");
  EXPECT_EQ(*ref.RequireNumber("n"), -2.5);
  EXPECT_EQ(ref.RequireNumber("s").error().place.element, "/s");
  EXPECT_EQ(*ref.RequireString("s"), "x");
  EXPECT_FALSE(ref.RequireString("n").ok());
  EXPECT_EQ(*ref.FindBool("b"), true);
  EXPECT_FALSE(ref.FindBool("n").ok());
  EXPECT_EQ(*ref.RequireNumbers("a"), (std::vector<double>{1, 2.5, -3}));
  EXPECT_EQ(ref.RequireNumbers("a", 3)->size(), 3u);
  const auto short_by_one = ref.RequireNumbers("a", 4);
  ASSERT_FALSE(short_by_one.ok());
  EXPECT_NE(short_by_one.error().message.find('4'), std::string::npos);
  EXPECT_NE(short_by_one.error().message.find('3'), std::string::npos);
  EXPECT_EQ(ref.RequireNumbers("bad").error().place.element, "/bad/1");
  EXPECT_EQ(ref.RequireObject("o")->RequireUnsigned("k").value(), 1u);
  EXPECT_EQ(ref.RequireObject("o")->pointer(), "/o");
  EXPECT_EQ(ref.RequireArray("a")->At(1).pointer(), "/a/1");
  EXPECT_EQ(*ref.RequireArray("a")->At(1).AsNumber(), 2.5);
  EXPECT_FALSE(ref.RequireArray("o").ok());
  EXPECT_FALSE(ref.RequireObject("a").ok());
  EXPECT_EQ(ref.RequireArray("a")->RequireNumber("k").error().place.element, "/a");
}

TEST(JsonAccess, DescribesValuesShortly) {
  EXPECT_EQ(Describe(Value(0.1)), "0.1");
  EXPECT_EQ(Describe(Value::parse("[1,2]")), "an array of 2 values");
  EXPECT_EQ(Describe(Value("abc")), "the string \"abc\"");
  const std::string cut = Describe(Value(std::string(39, 'x') + "éééé"));
  EXPECT_EQ(cut, "the string \"" + std::string(39, 'x') + "…\"");
}

}  // namespace
}  // namespace flexor::io::json
