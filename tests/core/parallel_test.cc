#include "flexor/core/parallel.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace flexor {
namespace {

using Pieces = std::vector<std::pair<std::size_t, std::size_t>>;

Pieces PiecesOf(const ThreadTeam& team, std::size_t count, std::size_t grain) {
  Pieces pieces;
  std::mutex mutex;
  team.Run(count, grain, [&](std::size_t begin, std::size_t end) {
    const std::lock_guard lock(mutex);
    pieces.emplace_back(begin, end);
  });
  std::sort(pieces.begin(), pieces.end());
  return pieces;
}

class TeamOf : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, TeamOf, ::testing::Values(1, 2, 7),
                         ::testing::PrintToStringParamName());

TEST_P(TeamOf, CoversTheRangeOnceInPiecesOfTheGrain) {
  const ThreadTeam team(GetParam());
  for (const std::size_t count : {0u, 1u, 15u, 16u, 17u, 100u, 1000u, 4097u}) {
    for (const std::size_t grain : {1u, 7u, 16u, 64u, 5000u}) {
      std::size_t at = 0;
      for (const auto& [begin, end] : PiecesOf(team, count, grain)) {
        EXPECT_EQ(begin, at);
        EXPECT_LT(begin, end);
        EXPECT_EQ(begin % grain, 0u);
        EXPECT_TRUE(end % grain == 0 || end == count);
        at = end;
      }
      EXPECT_EQ(at, count);
    }
  }
}

TEST_P(TeamOf, AGrainOfZeroIsOne) {
  const ThreadTeam team(GetParam());
  std::size_t at = 0;
  for (const auto& [begin, end] : PiecesOf(team, 10, 0)) {
    EXPECT_EQ(begin, at);
    at = end;
  }
  EXPECT_EQ(at, 10u);
}

TEST_P(TeamOf, ManyRunsInARowGiveTheSameSum) {
  const ThreadTeam team(GetParam());
  std::vector<double> values(10'000);
  for (int round = 0; round < 50; ++round) {
    team.Run(values.size(), 64, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) values[i] = static_cast<double>(i) * round;
    });
    double sum = 0;
    for (const double value : values) sum += value;
    ASSERT_EQ(sum, 49'995'000.0 * round);
  }
}

TEST_P(TeamOf, OnePieceRunsInTheCaller) {
  const ThreadTeam team(GetParam());
  int calls = 0;  // no lock: it must be this thread
  team.Run(5, 8, [&](std::size_t, std::size_t) { ++calls; });
  EXPECT_EQ(calls, 1);
}

TEST_P(TeamOf, MovesAndKeepsItsCount) {
  ThreadTeam team(GetParam());
  const int threads = team.threads();
  ThreadTeam moved(std::move(team));
  EXPECT_EQ(moved.threads(), threads);
}

TEST(DefaultThreadCount, ListensToTheEnvironment) {
  ASSERT_EQ(setenv("FLEXOR_THREADS", "3", 1), 0);
  EXPECT_EQ(DefaultThreadCount(), 3);
  for (const char* senseless : {"0", "-2", "many", "3x", "", "99999999999999999999", "100000"}) {
    ASSERT_EQ(setenv("FLEXOR_THREADS", senseless, 1), 0);
    ASSERT_EQ(setenv("SLURM_CPUS_PER_TASK", "5", 1), 0);
    EXPECT_EQ(DefaultThreadCount(), 5) << senseless;
  }
  unsetenv("SLURM_CPUS_PER_TASK");
  unsetenv("FLEXOR_THREADS");
  EXPECT_GE(DefaultThreadCount(), 1);
}

}  // namespace
}  // namespace flexor
