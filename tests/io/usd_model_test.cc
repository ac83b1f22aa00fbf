// Paths, texts, values and edits of lists, as layers hold them.

#include <bit>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/usd/layer.h"

namespace flexor::io::usd {
namespace {

using testing::ElementsAre;

struct Tables {
  MemoryBudget budget{1 << 20};
  PathTable paths{budget};
  Path Parse(std::string_view text) { return paths.Parse(text, paths.root()).value(); }
  Token T(std::string_view text) { return paths.Intern(text); }
};

TEST(UsdToken, EqualTextsAreOneToken) {
  Tables t;
  EXPECT_EQ(t.T("points"), t.T(std::string("points")));
  EXPECT_FALSE(t.T("points") == t.T("normals"));
  EXPECT_EQ(t.T("").text(), "");
  EXPECT_EQ(t.T(""), Token());
  EXPECT_TRUE(t.paths.tokens().Find("absent").empty());
  const std::string large(100000, 'x');
  EXPECT_EQ(t.T(large).text(), large);
}

TEST(UsdToken, StopsAtTheBudget) {
  MemoryBudget budget(1000);
  TokenTable tokens(budget);
  EXPECT_TRUE(tokens.Intern(std::string(2000, 'x')).empty());
  EXPECT_EQ(tokens.status().error().code, ErrorCode::kLimitExceeded);
}

TEST(UsdPath, SaysWhatItIs) {
  Tables t;
  EXPECT_TRUE(t.Parse("/").IsRoot());
  const Path prim = t.Parse("/A/B");
  EXPECT_TRUE(prim.IsPrim());
  EXPECT_EQ(prim.name(), "B");
  EXPECT_EQ(prim.parent(), t.Parse("/A"));
  EXPECT_EQ(prim.prim_names(), 2u);
  const Path property = t.Parse("/A/B.skel:joints");
  EXPECT_TRUE(property.IsProperty());
  EXPECT_EQ(property.name(), "skel:joints");
  EXPECT_EQ(property.prim(), prim);
  EXPECT_TRUE(property.HasPrefix(t.Parse("/A")));
  EXPECT_TRUE(property.HasPrefix(property));
  EXPECT_FALSE(prim.HasPrefix(property));
  EXPECT_FALSE(t.Parse("/AB").HasPrefix(t.Parse("/A")));
  EXPECT_TRUE(Path().empty());
  EXPECT_TRUE(t.paths.Child(Path(), t.T("A")).empty());
  EXPECT_TRUE(t.paths.Child(property, t.T("A")).empty());
}

TEST(UsdPath, WritesWhatItRead) {
  Tables t;
  for (const char* text : {"/", "/A", "/A/B.c", "/A.x:y:z", "/A{v=one}", "/A{v=one}B", "/A{v=}",
                           "/A{v=one}{w=.two-2|3}B/C.d", "/\xC3\xA9t\xC3\xA9/_1"}) {
    EXPECT_EQ(t.Parse(text).ToString(), text);
  }
  EXPECT_EQ(t.Parse("/A{ v = one }B").ToString(), "/A{v=one}B");
}

TEST(UsdPath, StartsRelativeOnesAtTheAnchor) {
  Tables t;
  const Path anchor = t.Parse("/A/B");
  const auto at = [&](std::string_view text) { return t.paths.Parse(text, anchor)->ToString(); };
  EXPECT_EQ(at("C"), "/A/B/C");
  EXPECT_EQ(at("../C"), "/A/C");
  EXPECT_EQ(at("../../C.x"), "/C.x");
  EXPECT_EQ(at(".x"), "/A/B.x");
  EXPECT_EQ(at("."), "/A/B");
  EXPECT_EQ(at(".."), "/A");
  EXPECT_EQ(at("../.x"), "/A.x");
  EXPECT_EQ(at("../.."), "/");
}

TEST(UsdPath, RefusesWhatIsNone) {
  Tables t;
  for (const char* text :
       {"",        "./x",        "//",     "/A/",    "/A//B",     "/A B",     "/1A",
        "/a/../b", "../a/../b",  "/A.",    "/A.b:",  "/A.:b",     "/A..b",    "/.x",
        "/{v=a}",  "/A{v}",      "/A{v=a", "/A{=a}", "/A{v=a b}", "/A/{v=a}", "/A{v=a}/B",
        "/A.b/C",  "../../../C", "../",    "...",    "/A:b",      "/A\x01",   "/A\xff"}) {
    const auto parsed = t.paths.Parse(text, t.Parse("/A/B"));
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.error().code, ErrorCode::kParse) << text;
  }
  EXPECT_EQ(t.paths.Parse("/A.b[/T].x", {}).error().code, ErrorCode::kUnsupportedFeature);
  EXPECT_FALSE(t.paths.Parse("A", {}).ok());
  EXPECT_EQ(t.paths.Parse("/" + std::string(1025, 'a'), {}).error().code,
            ErrorCode::kLimitExceeded);
}

TEST(UsdPath, HasABoundedLength) {
  Tables t;
  std::string text;
  for (std::size_t i = 0; i < PathTable::kMaxLength; ++i) text += "/a";
  EXPECT_EQ(t.Parse(text).length(), PathTable::kMaxLength);
  EXPECT_EQ(t.paths.Parse(text + "/a", {}).error().code, ErrorCode::kLimitExceeded);
  EXPECT_FALSE(t.paths.status().ok());
}

TEST(UsdPath, MovesToAnotherPlace) {
  Tables t;
  const auto moved = [&](const char* path, const char* from, const char* to) {
    return t.paths.ReplacePrefix(t.Parse(path), t.Parse(from), t.Parse(to)).ToString();
  };
  EXPECT_EQ(moved("/A/B.c", "/A", "/X/Y"), "/X/Y/B.c");
  EXPECT_EQ(moved("/A", "/A", "/X"), "/X");
  EXPECT_EQ(moved("/AB", "/A", "/X"), "/AB");
  EXPECT_EQ(moved("/A{v=a}B", "/A{v=a}", "/X"), "/X/B");
  EXPECT_EQ(moved("/A/B", "/A", "/X{v=a}"), "/X{v=a}B");
  EXPECT_EQ(moved("/A/B", "/", "/X"), "/X/A/B");
  EXPECT_EQ(t.paths.WithoutVariants(t.Parse("/A{v=a}{w=b}B{x=c}C.d")).ToString(), "/A/B/C.d");
}

TEST(UsdHalf, IsReadExactlyAndRoundedToTheNearest) {
  EXPECT_EQ(ToFloat(Half{0x3C00}), 1.0f);
  EXPECT_EQ(ToFloat(Half{0xC000}), -2.0f);
  EXPECT_EQ(ToFloat(Half{0x7BFF}), 65504.0f);
  EXPECT_EQ(ToFloat(Half{0x0001}), 0x1p-24f);
  EXPECT_TRUE(std::signbit(ToFloat(Half{0x8000})));
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const Half half{static_cast<std::uint16_t>(bits)};
    if (std::isnan(ToFloat(half))) continue;
    ASSERT_EQ(ToHalf(ToFloat(half)), half) << bits;
    // Between two neighbours the nearer one wins, and in the middle the even one.
    const Half next{static_cast<std::uint16_t>(bits + 1)};
    if ((bits & 0x7FFF) >= 0x7BFF) continue;
    const float a = ToFloat(half), b = ToFloat(next);
    ASSERT_EQ(ToHalf(a + (b - a) / 2), (bits & 1) ? next : half) << bits;
    ASSERT_EQ(ToHalf(a + (b - a) * 0.4375f), half) << bits;
    ASSERT_EQ(ToHalf(a + (b - a) * 0.5625f), next) << bits;
  }
  EXPECT_EQ(ToHalf(65519.9f).bits, 0x7BFF);
  EXPECT_EQ(ToHalf(65520.0f).bits, 0x7C00);
  EXPECT_EQ(ToHalf(-1e30f).bits, 0xFC00);
  EXPECT_TRUE(std::isnan(ToFloat(ToHalf(std::numeric_limits<float>::quiet_NaN()))));
}

TEST(UsdValue, GivesBackExactlyWhatItHolds) {
  Tables t;
  const Value scalar = Value::Of(Vec3f{1, 2, 3});
  EXPECT_EQ(scalar.type(), ValueType::kVec3f);
  EXPECT_EQ(*scalar.Get<Vec3f>(), (Vec3f{1, 2, 3}));
  EXPECT_EQ(scalar.Get<Vec3d>(), nullptr);
  EXPECT_TRUE(scalar.Array<Vec3f>().empty());
  EXPECT_EQ(scalar.GetOr(7), 7);

  RowMatrix4d matrix;
  matrix.m[3][0] = 5;
  EXPECT_EQ(*Value::Of(matrix).Get<RowMatrix4d>(), matrix);

  const Value array = Value::ArrayOf(std::vector<float>{1, 2});
  EXPECT_THAT(array.Array<float>(), ElementsAre(1, 2));
  EXPECT_EQ(array.Get<float>(), nullptr);
  EXPECT_EQ(array.count(), 2u);

  EXPECT_EQ(Value::Of(String{t.T("text")}).text(), "text");
  EXPECT_EQ(Value::Of(AssetPath{t.T("a.png")}).text(), "a.png");
  EXPECT_EQ(Value::Of(1.0f).text(), "");
  EXPECT_TRUE(Value().empty());
  EXPECT_TRUE(Value::Block().IsBlock());
}

TEST(UsdValue, ComparesByBits) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(Value::Of(nan), Value::Of(nan));
  EXPECT_FALSE(Value::Of(0.0) == Value::Of(-0.0));
  EXPECT_FALSE(Value::Of(1) == Value::Of(1u));
  EXPECT_EQ(Value::ArrayOf(std::vector<int>{1}), Value::ArrayOf(std::vector<int>{1}));
  EXPECT_FALSE(Value::ArrayOf(std::vector<int>{1}) == Value::Of(1));
}

TEST(UsdValue, EveryKindWithArraysHasItsSize) {
  for (int i = static_cast<int>(ValueType::kBool); i <= static_cast<int>(ValueType::kVec4i); ++i) {
    const auto type = static_cast<ValueType>(i);
    WithElementType(type, [&](auto element) {
      EXPECT_EQ(kValueTypeOf<decltype(element)>, type);
      EXPECT_EQ(sizeof(element), Info(type).bytes) << Info(type).name;
    });
    const auto name = FindTypeName(Info(type).name);
    ASSERT_TRUE(name.has_value()) << Info(type).name;
    EXPECT_EQ(name->type, type);
  }
}

TEST(UsdValue, TypeNamesKnowRolesArraysAndOldSpellings) {
  EXPECT_EQ(FindTypeName("point3f[]")->type, ValueType::kVec3f);
  EXPECT_TRUE(FindTypeName("point3f[]")->is_array);
  EXPECT_EQ(FindTypeName("PointFloat")->name, "point3f");
  EXPECT_EQ(FindTypeName("PointFloat")->role, "Point");
  EXPECT_FALSE(FindTypeName("opaque").has_value());
  EXPECT_FALSE(FindTypeName("float[][]").has_value());
  EXPECT_FALSE(FindTypeName("dictionary").has_value());
}

TEST(UsdValue, DictionariesAreSortedByName) {
  Tables t;
  Dictionary dictionary;
  dictionary.Set(t.T("b"), Value::Of(1));
  dictionary.Set(t.T("a"), Value::Of(2));
  dictionary.Set(t.T("b"), Value::Of(3));
  ASSERT_EQ(dictionary.entries.size(), 2u);
  EXPECT_EQ(dictionary.entries[0].first, "a");
  EXPECT_EQ(*dictionary.Find("b"), Value::Of(3));
  EXPECT_EQ(dictionary.Find("c"), nullptr);
  const Value value = Value::OfDictionary(std::make_shared<Dictionary>(dictionary));
  EXPECT_EQ(value, Value::OfDictionary(std::make_shared<Dictionary>(dictionary)));
}

std::vector<int> Applied(std::vector<int> list, const ListOp<int>& op) {
  op.ApplyTo(list);
  return list;
}

TEST(UsdListOp, AppliesItsEditsInOrder) {
  // X Y Z Q are 1 2 3 4.
  ListOp<int> op;
  op.added = {4, 1, 3};
  op.ordered = {3, 1};
  EXPECT_THAT(Applied({1, 2}, op), ElementsAre(3, 1, 2, 4));
  op = {};
  op.prepended = {1, 2};
  op.appended = {1};
  EXPECT_THAT(Applied({}, op), ElementsAre(2, 1));
  op = {};
  op.prepended = {1, 2};
  op.deleted = {1};
  EXPECT_THAT(Applied({}, op), ElementsAre(1, 2));
  EXPECT_THAT(Applied({3, 1}, op), ElementsAre(1, 2, 3));
  op = {};
  op.is_explicit = true;
  op.explicit_items = {5, 6, 5};
  op.prepended = {1};
  EXPECT_THAT(Applied({1, 2}, op), ElementsAre(5, 6));
}

TEST(UsdListOp, ReorderTakesFollowersAlong) {
  ListOp<int> op;
  op.ordered = {5, 9, 2};
  EXPECT_THAT(Applied({1, 2, 3, 4, 5, 6}, op), ElementsAre(1, 5, 6, 2, 3, 4));
}

TEST(UsdLayer, FindsWhatWasAdded) {
  MemoryBudget budget(1 << 20);
  auto paths = std::make_shared<PathTable>(budget);
  Layer layer("a.usda", paths);
  const Path root = paths->root();
  const Path a = paths->Child(root, paths->Intern("A"));
  const Path variant = paths->Variant(a, paths->Intern("v"), paths->Intern("one"));
  const Path points = paths->Property(a, paths->Intern("points"));
  ASSERT_TRUE(layer.AddPrim(a).ok());
  ASSERT_TRUE(layer.AddPrim(variant).ok());
  ASSERT_TRUE(layer.AddProperty(points).ok());
  EXPECT_EQ(layer.root().children.size(), 1u);
  const PrimSpec* prim = layer.FindPrim(a);
  ASSERT_NE(prim, nullptr);
  EXPECT_EQ(prim->name(), "A");
  EXPECT_EQ(prim->properties.front(), layer.FindProperty(points));
  EXPECT_EQ(prim->FindVariantSet(paths->Intern("v"))->variants.front()->name(), "one");
  EXPECT_EQ(prim->FindVariantSet(paths->Intern("w")), nullptr);
  EXPECT_EQ(layer.FindPrim(points), nullptr);
  EXPECT_EQ(layer.FindPrim(paths->Child(a, paths->Intern("B"))), nullptr);
}

}  // namespace
}  // namespace flexor::io::usd
