#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/gltf/accessor.h"
#include "io/gltf/document.h"
#include "io/gltf/layout.h"
#include "support/gltf_builder.h"

namespace flexor::io::gltf {
namespace {

using test::GltfBuilder;
using test::Json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Parses what a builder holds and reads its accessors.
class Reading {
 public:
  explicit Reading(const GltfBuilder& builder, std::uint64_t memory = 1 << 20) : budget_(memory) {
    Json json = builder.json;
    json["buffers"][0]["byteLength"] = builder.bin.size();
    bin_ = builder.bin;
    auto parsed = json::Parse(json.dump(), {}, budget_);
    if (!parsed.ok()) {
      status = parsed.error();
      return;
    }
    document_ = std::move(*parsed);
    auto raw = ReadDocument(document_, budget_, diagnostics);
    if (!raw.ok()) {
      status = raw.error();
      return;
    }
    raw_ = std::move(*raw);
    sources_.bin = bin_;
    sources_.resources = &no_resources_;
    sources_.options = &options_;
    store_.emplace(raw_, sources_, budget_, diagnostics);
    reader_.emplace(raw_, *store_, budget_, diagnostics);
  }

  std::vector<float> Floats(std::uint32_t accessor) {
    if (!status.ok()) return {};
    auto values = reader_->Floats(accessor, "/use");
    if (!values.ok()) {
      status = values.error();
      return {};
    }
    return std::move(*values);
  }
  std::vector<std::uint32_t> Unsigned(std::uint32_t accessor) {
    if (!status.ok()) return {};
    std::vector<std::uint32_t> values(raw_.accessors[accessor].count *
                                      ComponentCount(raw_.accessors[accessor].type));
    Status read = reader_->Unsigned(accessor, "/use", values);
    if (!read.ok()) status = read.error();
    return values;
  }
  AccessorReader& reader() { return *reader_; }

  Status status;
  Diagnostics diagnostics;

 private:
  MemoryBudget budget_;
  json::Document document_;
  RawDocument raw_;
  std::vector<std::byte> bin_;
  ResourceFn no_resources_;
  LoadOptions options_;
  Sources sources_;
  std::optional<BufferStore> store_;
  std::optional<AccessorReader> reader_;
};

TEST(SpanFitsTest, HoldsAtTheEdgesAndNeverOverflows) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  EXPECT_TRUE(SpanFits(0, 12, 1, 12, 12));
  EXPECT_FALSE(SpanFits(1, 12, 1, 12, 12));
  EXPECT_TRUE(SpanFits(0, 16, 3, 12, 44));  // the last element needs no padding after it
  EXPECT_FALSE(SpanFits(0, 16, 3, 12, 43));
  EXPECT_TRUE(SpanFits(12, 12, 0, 12, 12));  // nothing fits at the end
  EXPECT_FALSE(SpanFits(13, 12, 0, 12, 12));
  EXPECT_FALSE(SpanFits(0, kMax, 2, 4, 100));
  EXPECT_FALSE(SpanFits(0, 4, kMax, 4, kMax - 1));
  EXPECT_FALSE(SpanFits(kMax, 4, 2, 4, 100));
  EXPECT_FALSE(SpanFits(4, kMax / 2, 4, 4, kMax));
  EXPECT_EQ(SpanBytes(12, 100, 12), 1200u);
  EXPECT_EQ(SpanBytes(kMax, 3, 12), kMax);
}

TEST(LayoutTest, MatrixColumnsStartOnMultiplesOfFour) {
  EXPECT_EQ(PackedStride(ComponentType::kUint8, ElementType::kMat2), 8u);
  EXPECT_EQ(PackedStride(ComponentType::kUint8, ElementType::kMat3), 12u);
  EXPECT_EQ(PackedStride(ComponentType::kUint16, ElementType::kMat3), 24u);
  EXPECT_EQ(PackedStride(ComponentType::kFloat, ElementType::kMat3), 36u);
  EXPECT_EQ(PackedStride(ComponentType::kUint8, ElementType::kVec3), 3u);
  EXPECT_EQ(ElementExtent(ComponentType::kUint8, ElementType::kMat2), 6u);
  EXPECT_EQ(ElementExtent(ComponentType::kUint8, ElementType::kMat3), 11u);
  EXPECT_EQ(ElementExtent(ComponentType::kUint16, ElementType::kMat3), 22u);
}

TEST(AccessorTest, NormalizedIntegersAreFractionsOfTheirLargest) {
  GltfBuilder b;
  b.Accessor<std::uint8_t>("SCALAR", {0, 51, 255}, true);
  b.Accessor<std::int8_t>("SCALAR", {-128, -127, 127}, true);
  b.Accessor<std::uint16_t>("SCALAR", {0, 13107, 65535}, true);
  b.Accessor<std::int16_t>("SCALAR", {-32768, -32767, 32767}, true);
  b.Accessor<std::int16_t>("SCALAR", {-32768, 7});
  Reading r(b);
  EXPECT_THAT(r.Floats(0), ElementsAre(0.0f, 0.2f, 1.0f));
  EXPECT_THAT(r.Floats(1), ElementsAre(-1.0f, -1.0f, 1.0f));
  EXPECT_THAT(r.Floats(2), ElementsAre(0.0f, 0.2f, 1.0f));
  EXPECT_THAT(r.Floats(3), ElementsAre(-1.0f, -1.0f, 1.0f));
  EXPECT_THAT(r.Floats(4), ElementsAre(-32768.0f, 7.0f));
  EXPECT_TRUE(r.status.ok()) << r.status.error().ToString();
}

// A view without byteStride is tightly packed, for every size of element.
TEST(AccessorTest, NoStrideMeansPacked) {
  GltfBuilder b;
  b.Accessor<std::uint8_t>("VEC4", {1, 2, 3, 4, 5, 6, 7, 8});
  b.Accessor<std::uint8_t>("VEC3", {1, 2, 3, 4, 5, 6});
  Reading r(b);
  EXPECT_THAT(r.Unsigned(0), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_THAT(r.Floats(1), ElementsAre(1, 2, 3, 4, 5, 6));
}

// The same joint numbers tight, interleaved, as bytes and as shorts.
TEST(AccessorTest, ReadsByComponentTypeAndStride) {
  GltfBuilder b;
  std::vector<std::uint8_t> interleaved(2 * 20, 0xee);
  for (std::uint8_t k = 0; k < 4; ++k) {
    interleaved[12 + k] = k;
    interleaved[32 + k] = static_cast<std::uint8_t>(10 + k);
  }
  const std::size_t view = b.View(interleaved, 20);
  b.Append("accessors", {{"bufferView", view},
                         {"byteOffset", 12},
                         {"componentType", 5121},
                         {"count", 2},
                         {"type", "VEC4"}});
  b.Accessor<std::uint16_t>("VEC4", {0, 1, 2, 3, 10, 11, 12, 300});
  Reading r(b);
  EXPECT_THAT(r.Unsigned(0), ElementsAre(0, 1, 2, 3, 10, 11, 12, 13));
  EXPECT_THAT(r.Unsigned(1), ElementsAre(0, 1, 2, 3, 10, 11, 12, 300));
}

TEST(AccessorTest, SkipsThePaddingOfMatrixColumns) {
  GltfBuilder b;
  // Two MAT3 of bytes: three columns of three numbers and one byte of padding. The last byte of
  // padding is not there.
  std::vector<std::uint8_t> bytes = {1,  2,  3,  99, 4,  5,  6,  99, 7,  8,  9, 99,
                                     11, 12, 13, 99, 14, 15, 16, 99, 17, 18, 19};
  b.Append(
      "accessors",
      {{"bufferView", b.View(bytes)}, {"componentType", 5121}, {"count", 2}, {"type", "MAT3"}});
  std::vector<std::uint16_t> shorts = {1, 2, 3, 99, 4, 5, 6, 99, 7, 8, 9};
  b.Append(
      "accessors",
      {{"bufferView", b.View(shorts)}, {"componentType", 5123}, {"count", 1}, {"type", "MAT3"}});
  Reading r(b);
  EXPECT_THAT(r.Floats(0),
              ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18, 19));
  EXPECT_THAT(r.Floats(1), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9));
}

Json Sparse(std::size_t indices_view, int indices_type, std::size_t values_view, int count) {
  return {{"count", count},
          {"indices", {{"bufferView", indices_view}, {"componentType", indices_type}}},
          {"values", {{"bufferView", values_view}}}};
}

// Sparse values over a base view, and over nothing, which means over zeros.
TEST(AccessorTest, SparseWithAndWithoutBase) {
  GltfBuilder b;
  const std::size_t base = b.Floats("VEC2", {1, 2, 3, 4, 5, 6});
  b.json["accessors"][base]["sparse"] =
      Sparse(b.View(std::vector<std::uint8_t>{1}), 5121, b.View(std::vector<float>{30, 40}), 1);
  b.Append("accessors", {{"componentType", 5126},
                         {"count", 4},
                         {"type", "SCALAR"},
                         {"sparse", Sparse(b.View(std::vector<std::uint16_t>{0, 3}), 5123,
                                           b.View(std::vector<float>{7, 8}), 2)}});
  b.Append("accessors", {{"componentType", 5126}, {"count", 2}, {"type", "SCALAR"}});
  Reading r(b);
  EXPECT_THAT(r.Floats(0), ElementsAre(1, 2, 30, 40, 5, 6));
  EXPECT_THAT(r.Floats(1), ElementsAre(7, 0, 0, 8));
  EXPECT_THAT(r.Floats(2), ElementsAre(0, 0));
  EXPECT_TRUE(r.status.ok());
}

// Sparse values are packed whatever the stride of the base view; a view of exactly their
// size is enough.
TEST(AccessorTest, SparseValuesArePackedEvenWhenTheBaseIsNot) {
  GltfBuilder b;
  std::vector<float> wide(8 * 3, 0);  // stride 32, three elements
  const std::size_t view = b.View(wide, 32);
  const std::size_t values = b.View(std::vector<float>{1, 2, 3, 4, 5, 6});
  b.Append("accessors",
           {{"bufferView", view},
            {"componentType", 5126},
            {"count", 3},
            {"type", "VEC3"},
            {"sparse", Sparse(b.View(std::vector<std::uint32_t>{0, 2}), 5125, values, 2)}});
  ASSERT_EQ(b.json["bufferViews"][values]["byteLength"], 24);
  Reading r(b);
  EXPECT_THAT(r.Floats(0), ElementsAre(1, 2, 3, 0, 0, 0, 4, 5, 6));
  EXPECT_TRUE(r.status.ok());

  b.json["bufferViews"][values]["byteLength"] = 23;
  Reading short_view(b);
  ASSERT_FALSE(short_view.status.ok());
  EXPECT_EQ(short_view.status.error().code, ErrorCode::kShapeMismatch);
  EXPECT_EQ(short_view.status.error().place.element, "/accessors/0/sparse/values");
}

TEST(AccessorTest, SparseIndicesMustExistAndShouldRise) {
  GltfBuilder b;
  const std::size_t values = b.View(std::vector<float>{7, 8});
  Json accessor = {{"componentType", 5126}, {"count", 4}, {"type", "SCALAR"}};
  accessor["sparse"] = Sparse(b.View(std::vector<std::uint8_t>{1, 4}), 5121, values, 2);
  b.Append("accessors", accessor);
  accessor["sparse"] = Sparse(b.View(std::vector<std::uint8_t>{2, 2}), 5121, values, 2);
  b.Append("accessors", accessor);
  Reading r(b);
  EXPECT_THAT(r.Floats(1), ElementsAre(0, 0, 8, 0));
  EXPECT_TRUE(r.diagnostics.Contains("ACCESSOR_SPARSE_INDICES_NON_INCREASING"));
  r.Floats(0);
  ASSERT_FALSE(r.status.ok());
  EXPECT_EQ(r.status.error().code, ErrorCode::kIndexOutOfRange);
  EXPECT_THAT(r.status.error().message, HasSubstr("element 4 of only 4"));
}

// A number that is none is an error with its place.
TEST(AccessorTest, RefusesNumbersThatAreNotFinite) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    GltfBuilder b;
    b.Floats("VEC3", {0, 1, 2, 3, bad, 5});
    Reading r(b);
    r.Floats(0);
    ASSERT_FALSE(r.status.ok());
    EXPECT_EQ(r.status.error().code, ErrorCode::kInvalidValue);
    EXPECT_EQ(r.status.error().place.element, "/use");
    EXPECT_THAT(r.status.error().message, HasSubstr("element 1, component 1 of accessor 0"));
  }
}

// 12 bytes, VEC3 float, count 100.
TEST(AccessorTest, AccessorLongerThanItsView) {
  GltfBuilder b;
  b.Floats("VEC3", {1, 2, 3});
  b.json["accessors"][0]["count"] = 100;
  Reading r(b);
  ASSERT_FALSE(r.status.ok());
  EXPECT_EQ(r.status.error().code, ErrorCode::kShapeMismatch);
  EXPECT_EQ(r.status.error().place.element, "/accessors/0");
  EXPECT_THAT(r.status.error().message, HasSubstr("1200 bytes"));
  EXPECT_THAT(r.status.error().message, HasSubstr("only 12"));
}

TEST(AccessorTest, ViewLongerThanItsBufferAndOddStrides) {
  const auto error = [](auto change) {
    GltfBuilder b;
    b.Floats("VEC3", {1, 2, 3, 4, 5, 6});
    change(b.json);
    Reading r(b);
    return r.status.ok() ? Error{} : r.status.error();
  };
  EXPECT_EQ(error([](Json& j) { j["bufferViews"][0]["byteLength"] = 25; }).place.element,
            "/bufferViews/0");
  EXPECT_EQ(error([](Json& j) { j["bufferViews"][0]["byteOffset"] = 9007199254740991; }).code,
            ErrorCode::kShapeMismatch);
  EXPECT_EQ(error([](Json& j) { j["bufferViews"][0]["byteStride"] = 0; }).place.element,
            "/bufferViews/0/byteStride");
  EXPECT_THAT(error([](Json& j) { j["bufferViews"][0]["byteStride"] = 8; }).message,
              HasSubstr("stride of 8, less than the 12 bytes"));
  EXPECT_EQ(error([](Json& j) { j["accessors"][0]["count"] = -1; }).place.element,
            "/accessors/0/count");
  EXPECT_EQ(error([](Json& j) { j["accessors"][0]["count"] = 9007199254740991; }).code,
            ErrorCode::kShapeMismatch);
  EXPECT_EQ(error([](Json& j) { j["accessors"][0]["bufferView"] = 1; }).code,
            ErrorCode::kIndexOutOfRange);
  EXPECT_EQ(error([](Json& j) { j["accessors"][0]["byteOffset"] = 16; }).code,
            ErrorCode::kShapeMismatch);
}

TEST(AccessorTest, TypesFromTheFutureAreAnErrorOnlyWhereUsed) {
  GltfBuilder b;
  b.Append("accessors", {{"componentType", 5130}, {"count", 1}, {"type", "MAT5"}});
  Reading r(b);
  ASSERT_TRUE(r.status.ok());
  EXPECT_TRUE(r.diagnostics.Contains("VALUE_NOT_IN_LIST"));
  const Status use = r.reader().Expect(0, "/use", {ElementType::kVec3}, kAnyNumber);
  ASSERT_FALSE(use.ok());
  EXPECT_EQ(use.error().place.element, "/use");
}

TEST(AccessorTest, ZerosOfAnAbsentViewAreChargedBeforeTheyAreMade) {
  GltfBuilder b;
  b.Append("accessors", {{"componentType", 5126}, {"count", 4000000000}, {"type", "MAT4"}});
  Reading r(b, 64 << 20);
  ASSERT_TRUE(r.status.ok());
  r.Floats(0);
  ASSERT_FALSE(r.status.ok());
  EXPECT_EQ(r.status.error().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(r.status.error().place.element, "/use");
}

}  // namespace
}  // namespace flexor::io::gltf
