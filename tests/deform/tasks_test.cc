#include "deform/tasks.h"

#include <atomic>
#include <numeric>

#include <gtest/gtest.h>

namespace flexor::deform {
namespace {

std::vector<std::uint32_t> Cut(const std::vector<std::uint64_t>& costs, std::uint64_t least) {
  std::vector<std::uint32_t> ends;
  TaskCutter cutter(costs.size(), std::accumulate(costs.begin(), costs.end(), std::uint64_t{0}),
                    least, ends);
  for (const std::uint64_t cost : costs) cutter.Add(cost);
  return ends;
}

TEST(TaskCutter, CutsIntoEqualCostsAtMostSixtyFour) {
  EXPECT_TRUE(Cut({}, 1).empty());
  EXPECT_EQ(Cut({5}, 1), (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(Cut({0, 0, 0}, 100), (std::vector<std::uint32_t>{3}));
  EXPECT_EQ(Cut({9, 9, 9, 9}, 20), (std::vector<std::uint32_t>{2, 4}));
  EXPECT_EQ(Cut({9, 9, 9}, 20), (std::vector<std::uint32_t>{2, 3}));
  for (const std::size_t count : {64u, 65u, 1000u, 12345u}) {
    std::vector<std::uint64_t> costs(count, 512);
    std::fill(costs.begin() + static_cast<std::ptrdiff_t>(count / 2), costs.end(), 0);
    const auto ends = Cut(costs, 1);
    EXPECT_LE(ends.size(), kMostTasks) << count;
    EXPECT_GE(ends.size(), 20u) << count;
    EXPECT_EQ(ends.back(), count);
    EXPECT_TRUE(std::ranges::is_sorted(ends));
  }
}

std::vector<int> CountsOf(const TaskRunner& runner, std::size_t count) {
  std::vector<std::atomic<int>> calls(count);
  runner.Run(count, [&](std::size_t i) { ++calls[i]; });
  return {calls.begin(), calls.end()};
}

TEST(TaskRunner, RunsEveryTaskOnceOnAnyNumberOfThreads) {
  for (const int threads : {1, 2, 5}) {
    BackendOptions options;
    options.threads = threads;
    const TaskRunner runner(options);
    for (const std::size_t count : {0u, 1u, 2u, 63u, 64u}) {
      EXPECT_EQ(CountsOf(runner, count), std::vector<int>(count, 1)) << threads << " " << count;
    }
  }
}

TEST(TaskRunner, AJobSystemThatLeavesOutOrRepeatsIsMadeGood) {
  BackendOptions options;
  std::size_t asked = 0;
  options.run_tasks = [&](std::size_t count, FunctionRef<void(std::size_t)> task) {
    asked = count;
    for (std::size_t i = 0; i < count; i += 3) {
      task(i);
      task(i);
    }
    task(count);
  };
  const TaskRunner runner(options);
  EXPECT_EQ(CountsOf(runner, 40), std::vector<int>(40, 1));
  EXPECT_EQ(asked, 40u);
  asked = 0;
  EXPECT_EQ(CountsOf(runner, 1), std::vector<int>(1, 1));
  EXPECT_EQ(asked, 0u);  // a single task is not worth a call
}

}  // namespace
}  // namespace flexor::deform
