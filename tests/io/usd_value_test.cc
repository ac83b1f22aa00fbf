// What value an attribute has at which time, and how times of layers relate.

#include <cmath>
#include <numbers>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/usd/attribute.h"
#include "io/usd/interpolate.h"
#include "support/usd_files.h"

namespace flexor::test {
namespace {

using io::usd::Between;
using io::usd::Value;
using ::testing::ElementsAre;

UsdFiles Root(std::string_view text) {
  UsdFiles files;
  files.Add("root.usda", text);
  return files;
}

constexpr std::string_view kSamples = "double x.timeSamples = { 0: 0, 10: 10 }\n";

std::string Prim(const std::string& name, std::string_view body, std::string_view metadata = "") {
  return "def \"" + name + "\" (" + std::string(metadata) + ") {\n" + std::string(body) + "\n}\n";
}

TEST(UsdTime, OffsetsScaleThenShift) {
  UsdFiles files = Root(Prim("A", "", "references = @r.usda@</R> (offset = 10; scale = 2)"));
  files.Add("r.usda", Prim("R", kSamples));
  ComposedStage stage(files);
  ASSERT_TRUE(stage.ok()) << stage.error().ToString();
  EXPECT_THAT(stage.Times("/A.x"), ElementsAre(10, 30));
  EXPECT_EQ(stage.At("/A.x", 20), 5);
}

TEST(UsdTime, RatesOfLayersAreReconciledAfterTheOffset) {
  UsdFiles files = Root("(\n timeCodesPerSecond = 24\n)\n" +
                        Prim("A", "", "references = @r.usda@</R> (offset = 10; scale = 2)"));
  files.Add("r.usda", "(\n timeCodesPerSecond = 48\n)\n" + Prim("R", kSamples));
  ComposedStage stage(files);
  ASSERT_TRUE(stage.ok()) << stage.error().ToString();
  EXPECT_THAT(stage.Times("/A.x"), ElementsAre(10, 20));
}

TEST(UsdTime, ChainsOfSublayers) {
  UsdFiles files =
      Root("(\n timeCodesPerSecond = 24\n subLayers = [@sub.usda@ (offset = 10)]\n)\n");
  files.Add(
      "sub.usda",
      "(\n timeCodesPerSecond = 48\n subLayers = [@inner.usda@ (offset = 4; scale = 3)]\n)\n" +
          Prim("Middle", kSamples) + Prim("Arc", "", "references = @r.usda@</R> (offset = 10)"));
  files.Add("inner.usda", "(\n timeCodesPerSecond = 12\n)\n" + Prim("Inner", kSamples));
  files.Add("r.usda", "(\n timeCodesPerSecond = 12\n)\n" +
                          Prim("R", "double x.timeSamples = { 0: 0, 12: 12 }"));
  ComposedStage stage(files);
  ASSERT_TRUE(stage.ok()) << stage.error().ToString();
  EXPECT_THAT(stage.Times("/Middle.x"), ElementsAre(10, 15));
  EXPECT_THAT(stage.Times("/Inner.x"), ElementsAre(12, 72));
  // The same reference without the sublayer's own offset: 0 and 12 arrive at 5 and 29.
  EXPECT_THAT(stage.Times("/Arc.x"), ElementsAre(15, 39));
}

TEST(UsdTime, AReferenceToAStackThatRefersToItself) {
  UsdFiles files = Root(Prim("A", "", "references = @r.usda@</R> (offset = 10; scale = 2)"));
  files.Add("r.usda", "(\n subLayers = [@sub.usda@ (offset = 1)]\n)\n");
  files.Add("sub.usda", Prim("R", "", "references = </Inner> (offset = 100; scale = 3)") +
                            Prim("Inner", kSamples));
  ComposedStage stage(files);
  ASSERT_TRUE(stage.ok()) << stage.error().ToString();
  EXPECT_THAT(stage.Times("/A.x"), ElementsAre(218, 278));
}

TEST(UsdTime, FramesPerSecondStandInForMissingTimeCodes) {
  UsdFiles files = Root("(\n framesPerSecond = 30\n subLayers = [@sub.usda@]\n)\n");
  files.Add("sub.usda",
            "(\n framesPerSecond = 60\n)\n" + Prim("A", "double x.timeSamples = { 60: 1 }"));
  ComposedStage stage(files);
  ASSERT_TRUE(stage.ok()) << stage.error().ToString();
  EXPECT_THAT(stage.Times("/A.x"), ElementsAre(30));
  EXPECT_EQ(io::usd::TimeCodesPerSecond(stage.stage().root_layer()), 30);
}

TEST(UsdTime, TimeCodesAreRetimedAndPlainNumbersAreNot) {
  UsdFiles files = Root(Prim("A", "", "references = @r.usda@</R> (offset = 10; scale = 2)"));
  files.Add("r.usda", Prim("R", "timecode t = 4\ndouble d = 4"));
  ComposedStage stage(files);
  ASSERT_TRUE(stage.ok()) << stage.error().ToString();
  EXPECT_EQ(stage.Default("/A.t"), 18);
  EXPECT_EQ(stage.Default("/A.d"), 4);
}

TEST(UsdTime, AnOffsetThatCannotBeUsedIsReportedAndLeftOut) {
  UsdFiles files = Root(Prim("A", "", "references = @r.usda@</R> (offset = 10; scale = 0)") +
                        Prim("Back", "", "references = @r.usda@</R> (scale = -1)"));
  files.Add("r.usda", Prim("R", kSamples));
  ComposedStage stage(files);
  ASSERT_TRUE(stage.ok()) << stage.error().ToString();
  EXPECT_THAT(stage.Times("/A.x"), ElementsAre(0, 10));
  EXPECT_TRUE(stage.diagnostics().Contains("USD_TIME_OFFSET"));
  EXPECT_THAT(stage.Times("/Back.x"), ElementsAre(-10, 0));
  EXPECT_EQ(stage.At("/Back.x", -2.5), 2.5);
}

TEST(UsdValue, SamplesHoldOutsideAndBlendInside) {
  ComposedStage stage(Root(Prim("A", kSamples)));
  ASSERT_TRUE(stage.ok()) << stage.error().ToString();
  EXPECT_EQ(stage.At("/A.x", -5), 0);
  EXPECT_EQ(stage.At("/A.x", 0), 0);
  EXPECT_EQ(stage.At("/A.x", 2.5), 2.5);
  EXPECT_EQ(stage.At("/A.x", 10), 10);
  EXPECT_EQ(stage.At("/A.x", 99), 10);
  EXPECT_TRUE(std::isnan(stage.Default("/A.x")));
}

TEST(UsdValue, StrongestLayerDecidesAndInOneLayerSamplesWin) {
  UsdFiles files =
      Root("(\n subLayers = [@weak.usda@]\n)\n" + Prim("DefaultOverSamples", "double x = 5") +
           Prim("SamplesOverDefault", kSamples) +
           Prim("Together", "double x = 5\n" + std::string(kSamples)) +
           Prim("Blocked", "double x = None") + Prim("Empty", "double x.timeSamples = { }"));
  files.Add("weak.usda", Prim("DefaultOverSamples", kSamples) +
                             Prim("SamplesOverDefault", "double x = 9") +
                             Prim("Blocked", "double x = 9") + Prim("Empty", "double x = 9"));
  ComposedStage stage(files);
  ASSERT_TRUE(stage.ok()) << stage.error().ToString();
  EXPECT_EQ(stage.At("/DefaultOverSamples.x", 2.5), 5);
  EXPECT_EQ(stage.At("/SamplesOverDefault.x", 2.5), 2.5);
  EXPECT_EQ(stage.Default("/SamplesOverDefault.x"), 9);
  EXPECT_EQ(stage.At("/Together.x", 2.5), 2.5);
  EXPECT_EQ(stage.Default("/Together.x"), 5);
  EXPECT_TRUE(std::isnan(stage.At("/Blocked.x", 0)));
  EXPECT_TRUE(std::isnan(stage.Default("/Blocked.x")));
  EXPECT_EQ(stage.At("/Empty.x", 0), 9);
}

TEST(UsdValue, BlockedSamplesEndAValueAndHoldTheOneBefore) {
  ComposedStage stage(Root(Prim("A", "double x.timeSamples = { 0: 1, 10: None, 20: 3 }")));
  ASSERT_TRUE(stage.ok()) << stage.error().ToString();
  EXPECT_EQ(stage.At("/A.x", 5), 1);
  EXPECT_TRUE(std::isnan(stage.At("/A.x", 10)));
  EXPECT_TRUE(std::isnan(stage.At("/A.x", 15)));
  EXPECT_EQ(stage.At("/A.x", 20), 3);
}

TEST(UsdValue, WholeNumbersAndWordsJump) {
  ComposedStage stage(Root(Prim("A",
                                "int i.timeSamples = { 0: 1, 10: 5 }\n"
                                "bool b.timeSamples = { 0: 0, 10: 1 }")));
  ASSERT_TRUE(stage.ok()) << stage.error().ToString();
  EXPECT_EQ(stage.At("/A.i", 9.9), 1);
  EXPECT_EQ(stage.At("/A.b", 9.9), 0);
  EXPECT_EQ(stage.At("/A.i", 10), 5);
}

TEST(UsdInterpolate, ArraysOfOneLengthBlendAndOthersHold) {
  const Value a = Value::ArrayOf<float>({0, 2}), b = Value::ArrayOf<float>({4, 4});
  EXPECT_THAT(io::usd::Interpolate(a, b, 0.25).Array<float>(), ElementsAre(1, 2.5));
  const Value longer = Value::ArrayOf<float>({4, 4, 4});
  EXPECT_EQ(io::usd::Interpolate(a, longer, 0.25), a);
  const Value other = Value::ArrayOf<double>({4, 4});
  EXPECT_EQ(io::usd::Interpolate(a, other, 0.25), a);
}

TEST(UsdInterpolate, QuaternionsTakeTheShorterArc) {
  const float h = std::sqrt(0.5f);
  const Value from = Value::Of(Quatf{0, 0, 0, 1}), to = Value::Of(Quatf{-h, 0, 0, -h});
  const Value half = io::usd::Interpolate(from, to, 0.5);
  const auto angle = static_cast<float>(std::numbers::pi / 8);
  EXPECT_NEAR(half.Get<Quatf>()->x, std::sin(angle), 1e-6);
  EXPECT_NEAR(half.Get<Quatf>()->w, std::cos(angle), 1e-6);
}

TEST(UsdInterpolate, QuaternionsKeepTheLengthTheyAreStoredWith) {
  const Value from = Value::Of(Quatf{0, 0, 0, 2}), to = Value::Of(Quatf{0, 0, 0, 2});
  EXPECT_EQ(io::usd::Interpolate(from, to, 0.5).Get<Quatf>()->w, 2);
}

TEST(UsdInterpolate, HalvesAndMatricesBlendInDouble) {
  using io::usd::Half;
  const Value half =
      io::usd::Interpolate(Value::Of(io::usd::ToHalf(1)), Value::Of(io::usd::ToHalf(2)), 0.5);
  EXPECT_EQ(io::usd::ToFloat(*half.Get<Half>()), 1.5f);
  io::usd::RowMatrix4d a, b;
  b.m[3][0] = 8;
  const Value between = io::usd::Interpolate(Value::Of(a), Value::Of(b), 0.25);
  EXPECT_EQ(between.Get<io::usd::RowMatrix4d>()->m[3][0], 2);
}

}  // namespace
}  // namespace flexor::test
