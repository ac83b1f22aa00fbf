#include "flexor/asset/weights.h"

#include <cmath>
#include <limits>
#include <map>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flexor::asset {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::StartsWith;

using VertexRun = std::vector<std::pair<std::uint32_t, float>>;

Influences Make(const std::vector<VertexRun>& runs) {
  Influences out;
  out.offsets.push_back(0);
  for (const VertexRun& run : runs) {
    for (const auto& [joint, weight] : run) {
      out.joints.push_back(joint);
      out.weights.push_back(weight);
    }
    out.offsets.push_back(static_cast<std::uint32_t>(out.joints.size()));
  }
  return out;
}

VertexRun RunOf(const Influences& in, std::size_t v) {
  VertexRun run;
  for (std::uint32_t i = in.offsets[v]; i < in.offsets[v + 1]; ++i) {
    run.emplace_back(in.joints[i], in.weights[i]);
  }
  return run;
}

// Weights that sum to less than 1 are normalised.
TEST(RepairWeights, SumBelowOneIsDividedByItself) {
  WeightReport report;
  const Influences out = RepairWeights(Make({{{0, 0.4f}, {1, 0.173f}}}), {}, &report);
  const VertexRun run = RunOf(out, 0);
  ASSERT_EQ(run.size(), 2u);
  EXPECT_NEAR(run[0].second, 0.4 / 0.573, 1e-7);
  EXPECT_NEAR(run[1].second, 0.173 / 0.573, 1e-7);
  EXPECT_EQ(report.normalized, 1u);
  EXPECT_EQ(report.zero_sum, 0u);
}

// The sum runs over all influence sets.
TEST(RepairWeights, EightEighthsAreLeftAloneWithoutAWord) {
  VertexRun run;
  for (std::uint32_t j = 0; j < 8; ++j) run.emplace_back(j, 0.125f);
  WeightReport report;
  const Influences in = Make({run});
  const Influences out = RepairWeights(in, {}, &report);
  EXPECT_EQ(out.weights, in.weights);
  EXPECT_EQ(report.normalized, 0u);
  EXPECT_EQ(report.max_influences, 8u);
}

TEST(RepairWeights, ToleranceGrowsWithTheNumberOfWeights) {
  WeightReport report;
  RepairWeights(Make({{{0, 0.5f}, {1, 0.5f + 3e-7f}}}), {}, &report);
  EXPECT_EQ(report.normalized, 0u);
  RepairWeights(Make({{{0, 1.0f + 4e-7f}}}), {}, &report);
  EXPECT_EQ(report.normalized, 1u);
}

// Integer weights are divided by their actual sum.
TEST(RepairWeights, QuantisedSumMovesTheWholeWay) {
  const float step = 1.0f / 255.0f;
  const Influences out =
      RepairWeights(Make({{{0, 85 * step}, {1, 85 * step}, {2, 84 * step}}}), {}, nullptr);
  double moved = 0;
  for (const float w : out.weights) moved += 100.0 * static_cast<double>(w);
  EXPECT_NEAR(moved, 100.0, 1e-5);
}

// Vertices whose weights are all zero follow the policy.
TEST(RepairWeights, ZeroSumFollowsThePolicy) {
  const Influences in = Make({{{2, 0.0f}, {0, 0.0f}}, {}, {{1, 1.0f}}});
  WeightReport report;
  for (const auto policy : {ZeroWeightPolicy::kPassThrough, ZeroWeightPolicy::kCollapse}) {
    const Influences out = RepairWeights(in, {.zero = policy}, &report);
    EXPECT_THAT(RunOf(out, 0), IsEmpty());
    EXPECT_THAT(RunOf(out, 1), IsEmpty());
    EXPECT_THAT(RunOf(out, 2), ElementsAre(Pair(1, 1.0f)));
    EXPECT_EQ(report.zero_sum, 2u);
    EXPECT_EQ(report.first_bad_vertex, 0u);
  }
  const Influences first = RepairWeights(in, {.zero = ZeroWeightPolicy::kFirstJoint}, &report);
  EXPECT_THAT(RunOf(first, 0), ElementsAre(Pair(2, 1.0f)));
  EXPECT_THAT(RunOf(first, 1), ElementsAre(Pair(0, 1.0f)));
}

// Negative weights are clamped, then the rest is normalised.
TEST(RepairWeights, NegativeWeightsAreClampedFirst) {
  WeightReport report;
  const Influences out = RepairWeights(Make({{{0, 1.0f}}, {{3, 1.2f}, {1, -0.2f}}}), {}, &report);
  EXPECT_THAT(RunOf(out, 1), ElementsAre(Pair(3, 1.0f)));
  EXPECT_EQ(report.clamped, 1u);
  EXPECT_EQ(report.first_bad_vertex, 1u);
}

// The same joint listed twice.
TEST(RepairWeights, EqualJointsBecomeOneAtTheFirstPlace) {
  WeightReport report;
  const Influences out = RepairWeights(Make({{{5, 0.25f}, {2, 0.5f}, {5, 0.25f}}}), {}, &report);
  EXPECT_THAT(RunOf(out, 0), ElementsAre(Pair(5, 0.5f), Pair(2, 0.5f)));
  EXPECT_EQ(report.merged, 1u);
  EXPECT_EQ(report.normalized, 0u);
}

// More than four influences.
TEST(RepairWeights, LimitKeepsTheStrongestInFileOrder) {
  WeightReport report;
  const Influences out =
      RepairWeights(Make({{{0, 0.1f}, {1, 0.3f}, {2, 0.05f}, {3, 0.25f}, {4, 0.1f}, {5, 0.2f}}}),
                    {.max_influences = 4}, &report);
  const VertexRun run = RunOf(out, 0);
  EXPECT_THAT(run, ElementsAre(Pair(0, FloatEq(0.1f / 0.85f)), Pair(1, FloatEq(0.3f / 0.85f)),
                               Pair(3, FloatEq(0.25f / 0.85f)), Pair(5, FloatEq(0.2f / 0.85f))));
  EXPECT_EQ(report.limited, 1u);
  EXPECT_FLOAT_EQ(report.largest_dropped, 0.1f);
  EXPECT_EQ(report.max_influences, 4u);
  EXPECT_EQ(report.normalized, 0u);  // the file's own sum was right
}

TEST(RepairWeights, RawKeepsEveryNumberButZeros) {
  WeightReport report;
  const Influences out = RepairWeights(Make({{{0, 0.4f}, {1, 0.0f}, {2, -0.1f}}, {{0, 0.0f}}}),
                                       WeightPolicy::Raw(), &report);
  EXPECT_THAT(RunOf(out, 0), ElementsAre(Pair(0, 0.4f), Pair(2, -0.1f)));
  EXPECT_THAT(RunOf(out, 1), IsEmpty());
  EXPECT_EQ(report.normalized, 0u);
  EXPECT_EQ(report.clamped, 0u);
  EXPECT_EQ(report.zero_sum, 1u);
}

TEST(RepairWeights, ASumThatCancelsIsNoSum) {
  WeightReport report;
  const Influences out = RepairWeights(Make({{{0, 1.0f}, {1, -1.0f}}}),
                                       {.normalize = true, .clamp_negative = false}, &report);
  EXPECT_THAT(RunOf(out, 0), IsEmpty());
  EXPECT_EQ(report.zero_sum, 1u);
}

// Below a millionth of the sum of magnitudes nothing is left of a sum; above it, it is divided by.
TEST(RepairWeights, ASumNearlyCancelledIsDividedByOnlyAboveAMillionth) {
  const WeightPolicy policy{.normalize = true, .clamp_negative = false};
  // The sum is `left`, the sum of magnitudes 2; the scale of a vertex's weights plays no part.
  for (const float scale : {1.0f, 1024.0f, 1.0f / 1024}) {
    const auto repaired = [&](float left, WeightReport& report) {
      return RepairWeights(Make({{{0, scale}, {1, -scale * (1 - left)}}}), policy, &report);
    };
    WeightReport report;
    EXPECT_THAT(RunOf(repaired(0x1p-19f, report), 0), IsEmpty());  // 0.95e-6 of the magnitudes
    EXPECT_EQ(report.zero_sum, 1u);
    const VertexRun run = RunOf(repaired(0x1.2p-19f, report), 0);  // 1.07e-6 of them
    EXPECT_EQ(report.zero_sum, 0u);
    EXPECT_THAT(run, ElementsAre(Pair(0, FloatEq(1 / 0x1.2p-19f)),
                                 Pair(1, FloatEq(-(1 - 0x1.2p-19f) / 0x1.2p-19f))));
  }
}

// The strongest influence dropped is told as a part of the sum that the vertex had, where weights
// are divided by a sum, and as it is in the file where they are not or where there is no sum.
TEST(RepairWeights, WhatALimitDropsIsToldAsAPartOfTheSum) {
  const auto dropped = [](const VertexRun& run, bool normalize) {
    WeightReport report;
    RepairWeights(Make({run}),
                  {.normalize = normalize, .clamp_negative = false, .max_influences = 2}, &report);
    EXPECT_EQ(report.limited, 1u);
    return report.largest_dropped;
  };
  const VertexRun sum_of_four{{0, 2.0f}, {1, 0.5f}, {2, 1.5f}};
  EXPECT_EQ(dropped(sum_of_four, true), 0.125f);
  EXPECT_EQ(dropped(sum_of_four, false), 0.5f);
  EXPECT_EQ(dropped({{0, -2.0f}, {1, -0.5f}, {2, -1.5f}}, true), 0.125f);
  EXPECT_EQ(dropped({{0, 1.0f}, {1, -1.0f}, {2, 0.5f}, {3, -0.5f}}, true), 0.5f);
}

TEST(RepairWeights, AWeightTooSmallForAFloatIsNoInfluence) {
  const float smallest = std::numeric_limits<float>::denorm_min();
  WeightReport report;
  const Influences out = RepairWeights(Make({{{3, smallest}, {1, 4.0f}}}), {}, &report);
  EXPECT_THAT(RunOf(out, 0), ElementsAre(Pair(1, 1.0f)));
  EXPECT_EQ(report.max_influences, 1u);
}

TEST(RepairWeights, NoInfluencesStayNone) {
  WeightReport report;
  EXPECT_TRUE(RepairWeights({}, {}, &report).empty());
  EXPECT_EQ(RepairWeights(Make({}), {}, &report).vertex_count(), 0u);
  EXPECT_EQ(report.zero_sum, 0u);
}

// For any input: sums are 1, joints are unique and among those given, repair is a fixed point.
TEST(RepairWeights, PropertiesHoldForRandomInput) {
  std::mt19937 random(11);
  std::uniform_real_distribution<float> weight(-0.2f, 1.0f);
  for (int round = 0; round < 300; ++round) {
    std::vector<VertexRun> runs(1 + random() % 20);
    for (VertexRun& run : runs) {
      run.resize(random() % 9);
      for (auto& [joint, w] : run) {
        joint = static_cast<std::uint32_t>(random() % 6);
        w = random() % 4 == 0 ? 0.0f : weight(random);
      }
    }
    const WeightPolicy policy{.max_influences = static_cast<std::uint32_t>(random() % 4)};
    const Influences in = Make(runs);
    WeightReport report;
    const Influences out = RepairWeights(in, policy, &report);
    ASSERT_EQ(out.vertex_count(), runs.size());
    std::uint64_t empty = 0;
    for (std::size_t v = 0; v < runs.size(); ++v) {
      std::map<std::uint32_t, double> positive;
      double sum = 0;
      for (const auto& [joint, w] : runs[v]) {
        if (w > 0) positive[joint] += static_cast<double>(w);
      }
      const VertexRun run = RunOf(out, v);
      std::map<std::uint32_t, int> seen;
      for (const auto& [joint, w] : run) {
        ASSERT_TRUE(positive.contains(joint));
        ASSERT_EQ(++seen[joint], 1);
        ASSERT_GT(w, 0.0f);
        sum += static_cast<double>(w);
      }
      const std::size_t limit = policy.max_influences == 0 ? 99 : policy.max_influences;
      ASSERT_LE(run.size(), limit);
      if (positive.empty()) {
        ++empty;
        ASSERT_TRUE(run.empty());
      } else {
        ASSERT_NEAR(sum, 1.0, 1e-6);
      }
    }
    EXPECT_EQ(report.zero_sum, empty);
    WeightReport again;
    const Influences twice = RepairWeights(out, policy, &again);
    EXPECT_EQ(twice.joints, out.joints);
    EXPECT_EQ(again.normalized + again.clamped + again.merged + again.limited, 0u);
  }
}

TEST(ReportWeights, OneFindingPerKindWithCounts) {
  WeightReport report;
  RepairWeights(Make({{{0, 1.0f}},
                      {{0, 0.5f}},
                      {{1, 0.5f}, {1, 0.5f}},
                      {{0, 1.0f}, {1, -1.0f}},
                      {},
                      {{0, 0.4f}, {1, 0.3f}, {2, 0.3f}}}),
                {.max_influences = 2}, &report);
  Diagnostics out;
  ReportWeights(report, "mesh 'Body'", out);
  std::map<std::string, std::uint64_t> counts;
  for (const Diagnostic& d : out.entries()) {
    counts[d.code] = d.count;
    EXPECT_EQ(d.severity, Severity::kWarning);
    EXPECT_EQ(d.where, "mesh 'Body'");
    EXPECT_FALSE(d.remedy.empty());
    EXPECT_THAT(d.message, HasSubstr("the first vertex repaired in any way is 1"));
  }
  EXPECT_THAT(counts, ElementsAre(Pair("INFLUENCES_LIMITED", 1), Pair("WEIGHTS_DUPLICATE_JOINT", 1),
                                  Pair("WEIGHTS_NEGATIVE", 1), Pair("WEIGHTS_NOT_NORMALIZED", 1),
                                  Pair("WEIGHTS_ZERO_SUM", 1)));
}

// The count in each sentence is that of its own kind, and its noun agrees with it.
TEST(ReportWeights, SentencesNameTheCounts) {
  const auto messages = [](WeightReport report) {
    report.max_influences = 4;
    report.largest_dropped = 0.25f;
    report.first_bad_vertex = 7;
    Diagnostics out;
    ReportWeights(report, "mesh 0", out);
    std::map<std::string, std::string> by_code;
    for (const Diagnostic& d : out.entries()) by_code[d.code] = d.message;
    return by_code;
  };
  const std::string end = "; the first vertex repaired in any way is 7";
  WeightReport report;
  report.normalized = 2;
  report.clamped = 3;
  report.merged = 4;
  report.zero_sum = 5;
  report.limited = 6;
  EXPECT_THAT(
      messages(report),
      ElementsAre(
          Pair("INFLUENCES_LIMITED",
               "6 vertices cut to 4 influences; the strongest one dropped weighed 0.250000" + end),
          Pair(
              "WEIGHTS_DUPLICATE_JOINT",
              "4 influences name a joint that the same vertex lists already; added together" + end),
          Pair("WEIGHTS_NEGATIVE", "3 negative weights set to 0" + end),
          Pair("WEIGHTS_NOT_NORMALIZED",
               "2 vertices with weights that do not sum to 1; divided by their sum" + end),
          Pair("WEIGHTS_ZERO_SUM",
               "5 vertices without any weight; treated by the zero-weight policy" + end)));
  report.normalized = report.zero_sum = report.limited = 1;
  const auto single = messages(report);
  EXPECT_THAT(single.at("INFLUENCES_LIMITED"), StartsWith("1 vertex cut to 4"));
  EXPECT_THAT(single.at("WEIGHTS_NOT_NORMALIZED"), StartsWith("1 vertex with weights"));
  EXPECT_THAT(single.at("WEIGHTS_ZERO_SUM"), StartsWith("1 vertex without any weight"));
}

TEST(ReportWeights, SilentWhenNothingWasRepaired) {
  WeightReport report;
  RepairWeights(Make({{{0, 1.0f}}}), {}, &report);
  Diagnostics out;
  ReportWeights(report, "mesh 0", out);
  EXPECT_TRUE(out.entries().empty());
}

}  // namespace
}  // namespace flexor::asset
