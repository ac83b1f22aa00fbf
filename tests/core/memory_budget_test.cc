#include "flexor/core/memory_budget.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flexor {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

TEST(MemoryBudget, TakesUpToTheLastByte) {
  MemoryBudget budget(100);
  EXPECT_TRUE(budget.Charge(9, 10, "positions").ok());
  EXPECT_TRUE(budget.Charge(10, 1, "joints").ok());
  EXPECT_EQ(budget.used(), 100u);
  EXPECT_TRUE(budget.Charge(0, 16, "nothing").ok());
  EXPECT_FALSE(budget.Charge(1, 1, "one more").ok());
}

TEST(MemoryBudget, RefusalNamesBothNumbersAndTakesNothing) {
  MemoryBudget budget(64);
  ASSERT_TRUE(budget.Charge(4, 1, "header").ok());
  const Status refused = budget.Charge(16, 4, "positions");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kLimitExceeded);
  EXPECT_THAT(refused.error().message, HasSubstr("positions needs 16 x 4 bytes"));
  EXPECT_THAT(refused.error().message, HasSubstr("only 60 of"));
  EXPECT_EQ(budget.used(), 4u);
  EXPECT_TRUE(budget.Charge(15, 4, "positions").ok());
}

TEST(MemoryBudget, ProductsThatOverflowAreRefused) {
  MemoryBudget budget(1000);
  // 2^61 * 16 wraps to 0, 2^63 * 3 to 2^63, and so on.
  for (const auto& [count, bytes] : {std::pair<std::uint64_t, std::uint64_t>{1ull << 61, 16},
                                     {1ull << 63, 3},
                                     {kMax, kMax},
                                     {kMax / 2 + 1, 2},
                                     {3, kMax / 2}}) {
    EXPECT_FALSE(budget.Charge(count, bytes, "points").ok()) << count << " x " << bytes;
  }
  EXPECT_EQ(budget.used(), 0u);
}

TEST(MemoryBudget, ReleaseGivesBackAndNeverMore) {
  MemoryBudget budget(10);
  ASSERT_TRUE(budget.Charge(10, 1, "scratch").ok());
  budget.Release(4);
  EXPECT_EQ(budget.used(), 6u);
  budget.Release(99);
  EXPECT_EQ(budget.used(), 0u);
  EXPECT_TRUE(budget.Charge(10, 1, "again").ok());
}

TEST(MemoryBudget, TheLargestLimitHolds) {
  MemoryBudget budget(kMax);
  EXPECT_TRUE(budget.Charge(kMax, 1, "all").ok());
  EXPECT_FALSE(budget.Charge(1, 1, "more").ok());
}

}  // namespace
}  // namespace flexor
