// Binary layers: tables, values, and what is refused.

#include <bit>
#include <cstring>
#include <limits>

#include "io/usd_support.h"
#include "support/crate_builder.h"

namespace flexor::io::usd {
namespace {

using test::CrateBuilder;
using test::CrateWithAttributes;
using test::Raw;
using test::ReadUsdBytes;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint64_t kSmallBudget = 64u << 20;

/// Decodes everything; gives the first error.
Status LoadAll(const PrimSpec& prim, MemoryBudget& budget) {
  for (const PropertySpec* property : prim.properties) {
    FLEXOR_TRY(property->default_value.Load(budget));
    for (std::size_t i = 0; property->samples && i < property->samples->size(); ++i) {
      FLEXOR_TRY(property->samples->Load(i, budget));
    }
  }
  for (const PrimSpec* child : prim.children) FLEXOR_TRY(LoadAll(*child, budget));
  return {};
}

/// The default value of /A.x0, of a type that means nothing here.
Value ReadValue(std::uint64_t code, CrateBuilder builder = {}) {
  auto read = ReadUsdBytes(CrateWithAttributes({{"float", code}}, std::move(builder)).Bytes());
  EXPECT_TRUE(read.ok()) << read.error.ToString();
  auto value = read.Property("/A.x0").default_value.Load(*read.budget);
  EXPECT_TRUE(value.ok()) << value.error().ToString();
  return value.ok() ? *value : Value();
}

Error ValueError(std::uint64_t code, CrateBuilder builder = {}) {
  auto read = ReadUsdBytes(CrateWithAttributes({{"float", code}}, std::move(builder)).Bytes());
  if (!read.ok()) return read.error;
  auto value = read.Property("/A.x0").default_value.Load(*read.budget);
  EXPECT_FALSE(value.ok());
  return value.ok() ? Error{} : value.error();
}

void ExpectRefused(const CrateBuilder& builder, ErrorCode code) {
  const auto read = ReadUsdBytes(builder.Bytes());
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error.code, code) << read.error.ToString();
  EXPECT_EQ(read.error.place.path, "a.usd");
  EXPECT_TRUE(read.error.place.byte_offset || !read.error.place.element.empty())
      << read.error.ToString();
}

TEST(Usdc, AnEmptyLayer) {
  const auto read = ReadUsdBytes(CrateBuilder().Bytes());
  ASSERT_TRUE(read.ok()) << read.error.ToString();
  EXPECT_TRUE(read.layer->root().children.empty());
  EXPECT_TRUE(read.diagnostics.entries().empty());
}

TEST(Usdc, PrimsAndPropertiesInTheOrderOfTheirLists) {
  CrateBuilder builder = CrateWithAttributes(
      {{"int", CrateBuilder::Inlined(3, 5)}, {"token", CrateBuilder::Inlined(11, 0)}});
  // The specs the other way round: parents last.
  std::reverse(builder.specs.begin(), builder.specs.end());
  auto read = ReadUsdBytes(builder.Bytes());
  ASSERT_TRUE(read.ok()) << read.error.ToString();
  EXPECT_EQ(read.Prim("/A").specifier, Specifier::kDef);
  EXPECT_EQ(read.Prim("/A").type_name, "Mesh");
  ASSERT_EQ(read.Prim("/A").properties.size(), 2u);
  EXPECT_EQ(read.Prim("/A").properties[0]->name(), "x0");
  EXPECT_EQ(read.Default("/A.x0"), Value::Of(5));
  EXPECT_EQ(read.Default("/A.x1").text(), ";-)");
  EXPECT_TRUE(read.diagnostics.entries().empty());
}

TEST(Usdc, SmallScalarsStandInTheirCodes) {
  const auto inlined = CrateBuilder::Inlined;
  EXPECT_EQ(ReadValue(inlined(1, 1)), Value::Of(true));
  EXPECT_EQ(ReadValue(inlined(2, 200)), Value::Of(std::uint8_t{200}));
  EXPECT_EQ(ReadValue(inlined(3, 0xFFFFFFFE)), Value::Of(-2));
  EXPECT_EQ(ReadValue(inlined(4, 0xFFFFFFFE)), Value::Of(0xFFFFFFFEu));
  EXPECT_EQ(ReadValue(inlined(5, 0xFFFFFFFE)), Value::Of(std::int64_t{-2}));
  EXPECT_EQ(ReadValue(inlined(6, 0xFFFFFFFE)), Value::Of(std::uint64_t{0xFFFFFFFE}));
  EXPECT_EQ(ReadValue(inlined(7, 0x3C00)), Value::Of(Half{0x3C00}));
  EXPECT_EQ(ReadValue(inlined(8, std::bit_cast<std::uint32_t>(0.1f))), Value::Of(0.1f));
  EXPECT_EQ(ReadValue(inlined(9, std::bit_cast<std::uint32_t>(0.25f))), Value::Of(0.25));
  // float3 (1, 2, 3) and negative components, which are signed.
  EXPECT_EQ(ReadValue(0x4018000000030201), Value::Of(Vec3f{1, 2, 3}));
  EXPECT_EQ(ReadValue(inlined(24, 0x8001FF)), Value::Of(Vec3f{-1, 1, -128}));
  EXPECT_EQ(ReadValue(inlined(21, 0x4000BC00)), Value::Of(Vec2h{Half{0xBC00}, Half{0x4000}}));
  EXPECT_EQ(ReadValue(inlined(29, 0xFF000102)),
            Value::Of(Vec4h{Half{0x4000}, Half{0x3C00}, Half{0}, Half{0xBC00}}));
  EXPECT_EQ(ReadValue(inlined(27, 0x04FE0201)), Value::Of(Vec4d{1, 2, -2, 4}));
  EXPECT_EQ(ReadValue(inlined(26, 0xFF0201)), Value::Of(Vec3i{1, 2, -1}));
  EXPECT_EQ(ReadValue(inlined(13, 0xFF02)), Value::Of(RowMatrix2d{{{2, 0}, {0, -1}}}));
  EXPECT_TRUE(ReadValue(inlined(51, 0)).IsBlock());
  EXPECT_TRUE(ReadValue(inlined(31, 0)).dictionary()->entries.empty());
}

TEST(Usdc, LargeScalarsStandElsewhere) {
  CrateBuilder builder;
  const std::uint64_t at = builder.Add(Raw(1.5, 2.5, 3.5, 4.5), 1);
  EXPECT_EQ(ReadValue(CrateBuilder::Code(9, at), builder), Value::Of(1.5));
  EXPECT_EQ(ReadValue(CrateBuilder::Code(23, at), builder), Value::Of(Vec3d{1.5, 2.5, 3.5}));
  EXPECT_EQ(ReadValue(CrateBuilder::Code(16, at), builder), Value::Of(Quatd{1.5, 2.5, 3.5, 4.5}));
  EXPECT_EQ(ReadValue(CrateBuilder::Code(56, at), builder), Value::Of(TimeCode{1.5}));
  EXPECT_EQ(ValueError(CrateBuilder::Code(9, 1ull << 40), builder).code, ErrorCode::kTruncated);
}

TEST(Usdc, ArraysAreLookedAtWhereTheyLie) {
  CrateBuilder builder;
  const std::string floats = Raw(std::uint64_t{3}, 1.0f, 2.0f, 3.0f);
  const std::uint64_t aligned = builder.Add(floats);
  const std::uint64_t odd = builder.Add("?" + floats) + 1;
  MemoryBudget budget(1 << 20);
  for (const std::uint64_t at : {aligned, odd}) {
    EXPECT_THAT(ReadValue(CrateBuilder::Array(8, at), builder).Array<float>(),
                ElementsAre(1, 2, 3));
    // A packed array this short is not packed, whatever it says.
    EXPECT_THAT(ReadValue(CrateBuilder::Packed(8, at), builder).Array<float>(),
                ElementsAre(1, 2, 3));
  }
  EXPECT_TRUE(ReadValue(CrateBuilder::Array(24, 0)).IsArrayOf<Vec3f>());
  const std::uint64_t bools = builder.Add(Raw(std::uint64_t{3}) + std::string("\x00\x01\x07", 3));
  EXPECT_THAT(ReadValue(CrateBuilder::Array(1, bools), builder).Array<bool>(),
              ElementsAre(false, true, true));
  auto read = ReadUsdBytes(
      CrateWithAttributes({{"float[]", CrateBuilder::Array(8, aligned)}}, builder).Bytes());
  const std::uint64_t before = read.budget->used();
  EXPECT_EQ(read.Default("/A.x0").count(), 3u);
  EXPECT_EQ(read.budget->used(), before);  // a view costs nothing
}

TEST(Usdc, AValueOutlivesItsLayer) {
  Value value;
  {
    CrateBuilder builder;
    const std::uint64_t at = builder.Add(Raw(std::uint64_t{2}, 1.0f, 2.0f));
    value = ReadValue(CrateBuilder::Array(8, at), builder);
  }
  EXPECT_THAT(value.Array<float>(), ElementsAre(1, 2));
}

TEST(Usdc, TextsAreTokensOrStrings) {
  CrateBuilder builder;
  const std::uint32_t token = builder.Token("tok");
  const std::uint32_t string = builder.String("str");
  const std::uint64_t tokens = builder.Add(Raw(std::uint64_t{2}, token, token));
  const std::uint64_t strings = builder.Add(Raw(std::uint64_t{1}, string));
  auto read = ReadUsdBytes(CrateWithAttributes({{"string", CrateBuilder::Inlined(10, string)},
                                                {"asset", CrateBuilder::Inlined(12, token)},
                                                {"token[]", CrateBuilder::Array(11, tokens)},
                                                {"asset[]", CrateBuilder::Array(12, strings)},
                                                {"string[]", CrateBuilder::Array(10, strings)}},
                                               builder)
                               .Bytes());
  ASSERT_TRUE(read.ok()) << read.error.ToString();
  EXPECT_EQ(read.Default("/A.x0").text(), "str");
  EXPECT_EQ(read.Default("/A.x1").text(), "tok");
  EXPECT_EQ(read.Default("/A.x2").Array<Token>()[1], "tok");
  EXPECT_EQ(read.Default("/A.x3").Array<AssetPath>()[0].text, "str");
  EXPECT_EQ(read.Default("/A.x4").Array<String>()[0].text, "str");
  EXPECT_EQ(ValueError(CrateBuilder::Inlined(11, 999)).code, ErrorCode::kIndexOutOfRange);
  EXPECT_EQ(ValueError(CrateBuilder::Inlined(10, 0)).code, ErrorCode::kIndexOutOfRange);
}

TEST(Usdc, PackedIntegers) {
  CrateBuilder builder;
  std::vector<std::uint32_t> numbers;
  std::vector<std::uint64_t> large;
  for (std::uint32_t i = 0; i < 20; ++i) {
    numbers.push_back(i * i - 50);
    large.push_back(0xFFFFFFFFFFull * i - 7);
  }
  const std::uint64_t small_at =
      builder.Add(Raw(std::uint64_t{20}) + test::PackedIntegers(numbers));
  const std::uint64_t large_at =
      builder.Add(Raw(std::uint64_t{20}) + test::PackedIntegers64(large));
  const Value ints = ReadValue(CrateBuilder::Packed(3, small_at), builder);
  ASSERT_EQ(ints.count(), 20u);
  EXPECT_EQ(ints.Array<std::int32_t>()[0], -50);
  EXPECT_EQ(ints.Array<std::int32_t>()[19], 19 * 19 - 50);
  EXPECT_EQ(ReadValue(CrateBuilder::Packed(4, small_at), builder).Array<std::uint32_t>()[0],
            0u - 50u);
  EXPECT_EQ(ReadValue(CrateBuilder::Packed(6, large_at), builder).Array<std::uint64_t>()[19],
            large[19]);
  EXPECT_EQ(ReadValue(CrateBuilder::Packed(5, large_at), builder).Array<std::int64_t>()[0], -7);
  EXPECT_EQ(ValueError(CrateBuilder::Packed(24, small_at), builder).code, ErrorCode::kParse);
}

TEST(Usdc, IntegersInEveryWidthOfDelta) {
  // The common delta 2, then one delta each of 8, 16 and 32 bits.
  const std::string content = Raw(std::int32_t{2}) + "\xE4" + std::string(3, '\0') +
                              Raw(std::int8_t{-3}, std::int16_t{-300}, std::int32_t{70000});
  std::string packed = test::PackedBytes(content);
  CrateBuilder builder;
  const std::uint64_t at =
      builder.Add(Raw(std::uint64_t{16}, std::uint64_t{packed.size()}) + packed);
  const Value value = ReadValue(CrateBuilder::Packed(3, at), builder);
  ASSERT_EQ(value.count(), 16u);
  EXPECT_THAT(value.Array<std::int32_t>().first(5), ElementsAre(2, -1, -301, 69699, 69701));
  // A byte too few, a byte too many.
  for (const std::string& other : {content.substr(0, content.size() - 1), content + "x"}) {
    packed = test::PackedBytes(other);
    CrateBuilder broken;
    const std::uint64_t broken_at =
        broken.Add(Raw(std::uint64_t{16}, std::uint64_t{packed.size()}) + packed);
    EXPECT_EQ(ValueError(CrateBuilder::Packed(3, broken_at), broken).code, ErrorCode::kParse);
  }
}

TEST(Usdc, PackedReals) {
  CrateBuilder builder;
  std::vector<std::uint32_t> numbers(16);
  for (std::uint32_t i = 0; i < 16; ++i) numbers[i] = i - 8;
  const std::uint64_t whole =
      builder.Add(Raw(std::uint64_t{16}) + "i" + test::PackedIntegers(numbers));
  for (std::uint32_t i = 0; i < 16; ++i) numbers[i] = i % 3;
  const std::uint64_t table =
      builder.Add(Raw(std::uint64_t{16}) + "t" + Raw(std::uint32_t{3}, 0.5f, 1.5f, -2.5f) +
                  test::PackedIntegers(numbers));
  EXPECT_EQ(ReadValue(CrateBuilder::Packed(8, whole), builder).Array<float>()[0], -8.0f);
  EXPECT_EQ(ReadValue(CrateBuilder::Packed(9, whole), builder).Array<double>()[15], 7.0);
  EXPECT_EQ(ReadValue(CrateBuilder::Packed(7, whole), builder).Array<Half>()[0], ToHalf(-8));
  EXPECT_THAT(ReadValue(CrateBuilder::Packed(8, table), builder).Array<float>().first(4),
              ElementsAre(0.5f, 1.5f, -2.5f, 0.5f));
  numbers[5] = 3;
  const std::uint64_t beyond =
      builder.Add(Raw(std::uint64_t{16}) + "t" + Raw(std::uint32_t{3}, 0.5f, 1.5f, -2.5f) +
                  test::PackedIntegers(numbers));
  EXPECT_EQ(ValueError(CrateBuilder::Packed(8, beyond), builder).code, ErrorCode::kIndexOutOfRange);
  const std::uint64_t other =
      builder.Add(Raw(std::uint64_t{16}) + "z" + test::PackedIntegers(numbers));
  EXPECT_EQ(ValueError(CrateBuilder::Packed(8, other), builder).code, ErrorCode::kParse);
}

TEST(Usdc, AnArrayThatClaimsTooMuchIsRefused) {
  CrateBuilder builder;
  const std::uint64_t raw = builder.Add(Raw(std::uint64_t{1} << 61, 1.0));
  EXPECT_EQ(ValueError(CrateBuilder::Array(9, raw), builder).code, ErrorCode::kTruncated);
  const std::uint64_t packed = builder.Add(Raw(std::uint64_t{1} << 31) + std::string(1024, 'x'));
  EXPECT_EQ(ValueError(CrateBuilder::Packed(3, packed), builder).code, ErrorCode::kTruncated);
  // As much as the bytes could hold, and more than the budget: 1020 integers to a byte.
  const std::uint64_t large = builder.Add(Raw(std::uint64_t{1} << 26) + std::string(80000, 'x'));
  EXPECT_EQ(ValueError(CrateBuilder::Packed(3, large), builder).code, ErrorCode::kLimitExceeded);
}

TEST(Usdc, Dictionaries) {
  CrateBuilder builder;
  const std::uint32_t a = builder.String("a"), b = builder.String("b");
  // Each value: the way to its code, counted from here, which stands right behind.
  const std::string inner = Raw(std::uint64_t{1}, a, std::int64_t{8}, CrateBuilder::Inlined(3, 7));
  const std::uint64_t inner_at = builder.Add(inner);
  const std::uint64_t at =
      builder.Add(Raw(std::uint64_t{2}, b, std::int64_t{8}, CrateBuilder::Code(31, inner_at), a,
                      std::int64_t{8}, CrateBuilder::Inlined(8, 0x3F800000)));
  const Value value = ReadValue(CrateBuilder::Code(31, at), builder);
  ASSERT_NE(value.dictionary(), nullptr);
  ASSERT_EQ(value.dictionary()->entries.size(), 2u);
  EXPECT_EQ(value.dictionary()->entries[0].second, Value::Of(1.0f));
  EXPECT_EQ(value.dictionary()->entries[1].second.dictionary()->entries[0].second, Value::Of(7));
}

TEST(Usdc, ADictionaryInsideItselfIsRefused) {
  CrateBuilder builder;
  const std::uint32_t a = builder.String("a");
  const std::uint64_t at = builder.Add("");
  builder.Add(Raw(std::uint64_t{2}, a, std::int64_t{8}, CrateBuilder::Code(31, at), a,
                  std::int64_t{8}, CrateBuilder::Code(31, at)));
  EXPECT_EQ(ValueError(CrateBuilder::Code(31, at), builder).code, ErrorCode::kLimitExceeded);
}

TEST(Usdc, UnknownTypesAreKeptUntilAskedFor) {
  auto read = ReadUsdBytes(CrateWithAttributes({{"float", CrateBuilder::Code(200, 88)},
                                                {"double", CrateBuilder::Code(59, 88)},
                                                {"int[]", CrateBuilder::Array(3, 88) | 1ull << 60},
                                                {"int", CrateBuilder::Inlined(3, 1)}})
                               .Bytes());
  ASSERT_TRUE(read.ok()) << read.error.ToString();
  for (const char* path : {"/A.x0", "/A.x1", "/A.x2"}) {
    EXPECT_EQ(read.Property(path).default_value.type(), ValueType::kUnsupported);
    EXPECT_EQ(read.Property(path).default_value.Load(*read.budget).error().code,
              ErrorCode::kUnsupportedFeature);
  }
  EXPECT_EQ(read.Default("/A.x3"), Value::Of(1));
}

TEST(Usdc, FieldsOfTheWrongTypeAreIgnoredAloud) {
  CrateBuilder builder = CrateWithAttributes({{"int", CrateBuilder::Inlined(3, 1)}});
  const std::uint32_t set = builder.Set({{"specifier", CrateBuilder::Inlined(3, 0)},
                                         {"typeName", CrateBuilder::Inlined(3, 0)},
                                         {"active", CrateBuilder::Inlined(8, 0)},
                                         {"references", CrateBuilder::Code(34, 90)},
                                         {"kind", CrateBuilder::Inlined(11, 9999)},
                                         {"customData", CrateBuilder::Code(31, 1ull << 40)}});
  builder.specs[1].field_set = set;
  auto read = ReadUsdBytes(builder.Bytes());
  ASSERT_TRUE(read.ok()) << read.error.ToString();
  std::uint64_t ignored = 0;
  for (const Diagnostic& diagnostic : read.diagnostics.entries()) {
    EXPECT_EQ(diagnostic.where, "/A");
    if (diagnostic.code == "USD_FIELD_IGNORED") ignored += diagnostic.count;
  }
  EXPECT_EQ(ignored, 6u);
  EXPECT_TRUE(read.Prim("/A").metadata.entries.empty());
}

TEST(Usdc, NumbersOfMetadataMayHaveAnotherWidth) {
  CrateBuilder builder = CrateWithAttributes({{"int", CrateBuilder::Inlined(3, 1)}});
  builder.specs[2].field_set = builder.Set({{"weight", CrateBuilder::Inlined(9, 0x3F000000)},
                                            {"elementSize", CrateBuilder::Inlined(3, 4)}});
  auto read = ReadUsdBytes(builder.Bytes());
  ASSERT_TRUE(read.ok()) << read.error.ToString();
  EXPECT_EQ(read.Property("/A.x0").metadata.GetOr("weight", 0.0f), 0.5f);
  EXPECT_EQ(read.Property("/A.x0").metadata.GetOr("elementSize", 0), 4);
}

/// Samples of x0 with these times and codes.
CrateBuilder WithSamples(const std::vector<double>& times,
                         const std::vector<std::uint64_t>& codes) {
  CrateBuilder builder = CrateWithAttributes({{"float", CrateBuilder::Inlined(8, 0)}});
  std::string time_bytes = Raw(std::uint64_t{times.size()});
  for (const double time : times) time_bytes += Raw(time);
  const std::uint64_t times_at = builder.Add(time_bytes);
  std::string bytes = Raw(std::int64_t{8}, CrateBuilder::Code(48, times_at), std::int64_t{8},
                          std::uint64_t{codes.size()});
  for (const std::uint64_t code : codes) bytes += Raw(code);
  builder.specs[2].field_set =
      builder.Set({{"timeSamples", CrateBuilder::Code(46, builder.Add(bytes))}});
  return builder;
}

TEST(Usdc, TimeSamples) {
  const std::uint64_t one = CrateBuilder::Inlined(8, 0x3F800000);
  const std::uint64_t block = CrateBuilder::Inlined(51, 0);
  auto read = ReadUsdBytes(WithSamples({1, 2, 4}, {one, block, one}).Bytes());
  ASSERT_TRUE(read.ok()) << read.error.ToString();
  const TimeSamples& samples = *read.Property("/A.x0").samples;
  EXPECT_THAT(samples.times(), ElementsAre(1, 2, 4));
  EXPECT_TRUE(samples.IsBlock(1));
  EXPECT_TRUE(samples.AreSame(0, 2));
  EXPECT_EQ(*samples.Load(2, *read.budget), Value::Of(1.0f));
  const double inf = std::numeric_limits<double>::infinity();
  ExpectRefused(WithSamples({1, 2, 3}, {one, one}), ErrorCode::kShapeMismatch);
  ExpectRefused(WithSamples({2, 1}, {one, one}), ErrorCode::kInvalidValue);
  ExpectRefused(WithSamples({1, 1}, {one, one}), ErrorCode::kInvalidValue);
  ExpectRefused(WithSamples({1, inf}, {one, one}), ErrorCode::kInvalidValue);
  ExpectRefused(WithSamples({1, std::numeric_limits<double>::quiet_NaN()}, {one, one}),
                ErrorCode::kInvalidValue);
  ExpectRefused(WithSamples({1, 2}, {one, CrateBuilder::Inlined(3, 1)}), ErrorCode::kParse);
}

TEST(Usdc, ListsOfPathsAndReferences) {
  CrateBuilder builder = CrateWithAttributes({{"int", CrateBuilder::Inlined(3, 1)}});
  const std::uint32_t asset = builder.String("b.usd");
  const std::uint64_t references = builder.Add(Raw(std::uint8_t{32}, std::uint64_t{1}, asset,
                                                   std::uint32_t{1}, 10.0, 2.0, std::uint64_t{0}));
  const std::uint64_t targets =
      builder.Add(Raw(std::uint8_t{3}, std::uint64_t{1}, std::uint32_t{2}));
  const std::uint64_t names =
      builder.Add(Raw(std::uint8_t{32}, std::uint64_t{1}, builder.Token("SkelBindingAPI")));
  const std::uint64_t selections = builder.Add(Raw(std::uint64_t{1}, asset, asset));
  builder.specs[1].field_set =
      builder.Set({{"references", CrateBuilder::Code(35, references)},
                   {"apiSchemas", CrateBuilder::Code(32, names)},
                   {"variantSelection", CrateBuilder::Code(45, selections)}});
  builder.specs[2].field_set = builder.Set({{"targetPaths", CrateBuilder::Code(34, targets)}});
  builder.specs[2].type = 8;
  auto read = ReadUsdBytes(builder.Bytes());
  ASSERT_TRUE(read.ok()) << read.error.ToString();
  const Reference& reference = read.Prim("/A").references->prepended.at(0);
  EXPECT_EQ(reference.asset, "b.usd");
  EXPECT_EQ(reference.prim.ToString(), "/A");
  EXPECT_EQ(reference.time, (LayerOffset{10, 2}));
  EXPECT_EQ(reference.custom_data, nullptr);
  EXPECT_EQ(read.Prim("/A").api_schemas->prepended.at(0), "SkelBindingAPI");
  EXPECT_EQ(read.Prim("/A").selections.at(0).variant, "b.usd");
  EXPECT_TRUE(read.Property("/A.x0").is_relationship);
  EXPECT_EQ(read.Property("/A.x0").targets->explicit_items.at(0).ToString(), "/A.x0");
  EXPECT_EQ(read.Property("/A.x0").variability, Variability::kUniform);
}

TEST(Usdc, BrokenTablesAreRefused) {
  const CrateBuilder good = CrateWithAttributes({{"int", CrateBuilder::Inlined(3, 1)}});
  ASSERT_TRUE(ReadUsdBytes(good.Bytes()).ok());
  CrateBuilder bad = good;
  bad.token_count = 1ull << 60;
  ExpectRefused(bad, ErrorCode::kTruncated);
  bad = good;
  bad.token_count = 100;
  ExpectRefused(bad, ErrorCode::kTruncated);
  bad = good;
  bad.path_count = 65'000'000;
  ExpectRefused(bad, ErrorCode::kTruncated);
  bad = good;
  bad.strings = {999};
  ExpectRefused(bad, ErrorCode::kIndexOutOfRange);
  bad = good;
  bad.fields[0].token = 999;
  ExpectRefused(bad, ErrorCode::kIndexOutOfRange);
  bad = good;
  bad.field_sets[bad.specs[1].field_set] = 999;
  ExpectRefused(bad, ErrorCode::kIndexOutOfRange);
  bad = good;
  bad.field_sets.back() = 0;
  ExpectRefused(bad, ErrorCode::kParse);
  bad = good;
  ++bad.specs[1].field_set;
  ExpectRefused(bad, ErrorCode::kIndexOutOfRange);
  for (const std::uint32_t type : {0u, 12u, 0xFFFFFFFFu}) {
    bad = good;
    bad.specs[1].type = type;
    ExpectRefused(bad, ErrorCode::kParse);
  }
  bad = good;
  bad.specs[1].type = 1;  // an attribute where a prim is
  ExpectRefused(bad, ErrorCode::kParse);
  bad = good;
  bad.specs[1].path = 999;
  ExpectRefused(bad, ErrorCode::kIndexOutOfRange);
  bad = good;
  bad.specs[1].path = 0;
  ExpectRefused(bad, ErrorCode::kParse);
}

TEST(Usdc, BrokenTreesOfPathsAreRefused) {
  const CrateBuilder good = CrateWithAttributes({{"int", CrateBuilder::Inlined(3, 1)}});
  const auto with = [&](std::size_t item, CrateBuilder::PathItem path) {
    CrateBuilder bad = good;
    bad.path_items[item] = path;
    return bad;
  };
  const auto a = static_cast<std::int32_t>(CrateBuilder(good).Token("A"));
  ExpectRefused(with(1, {1, a, 1}), ErrorCode::kParse);
  ExpectRefused(with(1, {1, a, -3}), ErrorCode::kParse);
  ExpectRefused(with(1, {1, a, 2}), ErrorCode::kParse);   // past the end
  ExpectRefused(with(1, {1, a, 0}), ErrorCode::kParse);   // the property becomes a sibling: 2 roots
  ExpectRefused(with(1, {1, a, -2}), ErrorCode::kParse);  // the property is never reached
  ExpectRefused(with(0, {0, 0, 0}), ErrorCode::kParse);   // a root with siblings
  ExpectRefused(with(1, {0, a, -1}), ErrorCode::kParse);  // two items for one path
  ExpectRefused(with(1, {7, a, -1}), ErrorCode::kIndexOutOfRange);
  ExpectRefused(with(1, {1, 999, -1}), ErrorCode::kIndexOutOfRange);
  ExpectRefused(with(1, {1, std::numeric_limits<std::int32_t>::min(), -1}),
                ErrorCode::kIndexOutOfRange);
  ExpectRefused(with(1, {1, 0, -1}), ErrorCode::kParse);  // ";-)" names no prim
  CrateBuilder twice = CrateWithAttributes(
      {{"int", CrateBuilder::Inlined(3, 1)}, {"int", CrateBuilder::Inlined(3, 2)}});
  twice.path_items[3].element = twice.path_items[2].element;
  ExpectRefused(twice, ErrorCode::kParse);
  CrateBuilder deep;
  deep.path_items = {{0, 0, -1}};
  const auto name = static_cast<std::int32_t>(deep.Token("a"));
  for (std::uint32_t i = 1; i < 1000; ++i) deep.path_items.push_back({i, name, -1});
  deep.path_items.back().jump = -2;
  deep.path_count = deep.path_items.size();
  ExpectRefused(deep, ErrorCode::kLimitExceeded);
}

TEST(Usdc, HeadersAreChecked) {
  const std::vector<std::byte> good = CrateBuilder().Bytes();
  for (std::size_t size = 8; size < 88; ++size) {
    EXPECT_EQ(
        ReadUsdBytes({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)}).error.code,
        ErrorCode::kUnknownFormat);
  }
  CrateBuilder newer;
  newer.version[1] = 15;
  const auto refused = ReadUsdBytes(newer.Bytes());
  EXPECT_EQ(refused.error.code, ErrorCode::kUnsupportedFeature);
  EXPECT_THAT(refused.error.message, HasSubstr("0.15.0"));
  newer.version[0] = 1;
  EXPECT_EQ(ReadUsdBytes(newer.Bytes()).error.code, ErrorCode::kUnsupportedFeature);
  for (const std::uint64_t at :
       {std::uint64_t{0}, std::uint64_t{87}, ~std::uint64_t{0}, std::uint64_t{good.size()}}) {
    std::vector<std::byte> bad = good;
    std::memcpy(bad.data() + 16, &at, sizeof(at));
    EXPECT_EQ(ReadUsdBytes(bad).error.code, ErrorCode::kTruncated) << at;
  }
}

TEST(Usdc, BadTextIsRepairedAloud) {
  CrateBuilder builder;
  builder.Token("a\xFFz");
  const auto read = ReadUsdBytes(builder.Bytes());
  ASSERT_TRUE(read.ok()) << read.error.ToString();
  EXPECT_TRUE(read.diagnostics.Contains("USD_TEXT_REPAIRED"));
}

TEST(Usdc, OrphansAndUnlistedChildrenAreReported) {
  CrateBuilder builder = CrateWithAttributes({{"int", CrateBuilder::Inlined(3, 1)}});
  CrateBuilder orphaned = builder;
  orphaned.specs.erase(orphaned.specs.begin() + 1);
  auto read = ReadUsdBytes(orphaned.Bytes());
  ASSERT_TRUE(read.ok()) << read.error.ToString();
  EXPECT_TRUE(read.diagnostics.Contains("USD_SPEC_DROPPED"));
  EXPECT_TRUE(read.diagnostics.Contains("USD_CHILDREN_DISAGREE"));
}

// Every cut and many damages of a layer with everything in it: an error or a layer, within the
// budget.
TEST(Usdc, DamageNeverDoesHarm) {
  CrateBuilder builder;
  const std::uint32_t a = builder.String("a");
  std::vector<std::uint32_t> numbers(40, 7);
  const std::uint64_t ints = builder.Add(Raw(std::uint64_t{40}) + test::PackedIntegers(numbers));
  const std::uint64_t table = builder.Add(Raw(std::uint64_t{40}) + "t" + Raw(std::uint32_t{8}) +
                                          std::string(32, 'f') + test::PackedIntegers(numbers));
  const std::uint64_t points = builder.Add(Raw(std::uint64_t{1}, 1.0f, 2.0f, 3.0f));
  const std::uint64_t dictionary =
      builder.Add(Raw(std::uint64_t{1}, a, std::int64_t{8}, CrateBuilder::Inlined(3, 7)));
  const std::uint64_t list = builder.Add(Raw(std::uint8_t{32}, std::uint64_t{1}, a));
  builder = CrateWithAttributes({{"int[]", CrateBuilder::Packed(3, ints)},
                                 {"float[]", CrateBuilder::Packed(8, table)},
                                 {"point3f[]", CrateBuilder::Array(24, points)},
                                 {"string", CrateBuilder::Inlined(10, a)},
                                 {"matrix4d", CrateBuilder::Inlined(15, 0x01010101)}},
                                builder);
  builder.specs[0].field_set = builder.Set({{"customLayerData", CrateBuilder::Code(31, dictionary)},
                                            {"primChildren", builder.fields[0].code},
                                            {"clipSets", CrateBuilder::Code(33, list)}});
  const std::vector<std::byte> good = builder.Bytes();
  const auto use = [&](std::vector<std::byte> bytes) {
    auto read = ReadUsdBytes(std::move(bytes), "a.usd", kSmallBudget);
    if (!read.ok()) {
      EXPECT_FALSE(read.error.message.empty());
      EXPECT_NE(read.error.code, ErrorCode::kInternal) << read.error.ToString();
      return false;
    }
    const auto loaded = LoadAll(read.layer->root(), *read.budget);
    EXPECT_TRUE(loaded.ok() || loaded.error().code != ErrorCode::kInternal);
    return loaded.ok();
  };
  ASSERT_TRUE(use(good));
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(use({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)})) << size;
  }
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const std::byte other :
         {std::byte{0}, std::byte{0xFF}, ~good[i], good[i] ^ std::byte{1}}) {
      std::vector<std::byte> bad = good;
      bad[i] = other;
      use(std::move(bad));
    }
  }
}

}  // namespace
}  // namespace flexor::io::usd
