#include "bench/harness.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <numeric>
#include <random>

namespace flexor::bench {
namespace {

double ClockNow() {
  return std::chrono::duration<double, std::nano>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double ProcessorNow() {
#ifdef CLOCK_THREAD_CPUTIME_ID
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e9 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec);
#else
  return ClockNow();
#endif
}

// A turn is long enough for the clock and short against what else the machine does.
constexpr double kTurnNanoseconds = 5e5;
constexpr int kLeastCalls = 3;
// The first call after others ran finds the caches full of their data.
constexpr int kWarmCalls = 2;
constexpr int kMostCalls = 200;
constexpr int kLeastRounds = 5;

}  // namespace

Timing Measure(const std::vector<Candidate>& candidates, const BenchOptions& options) {
  const auto now = options.processor_time ? &ProcessorNow : &ClockNow;
  std::vector<int> calls(candidates.size());
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    candidates[i].run();
    const double start = now();
    candidates[i].run();
    const double once = std::max(1.0, (now() - start));
    calls[i] = std::clamp(static_cast<int>(kTurnNanoseconds / once), kLeastCalls, kMostCalls);
  }

  std::vector<std::vector<double>> times(candidates.size());
  std::vector<std::size_t> order(candidates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937 random(1);
  Timing timing;
  const double begin = ClockNow();
  while (timing.rounds < kLeastRounds || ClockNow() - begin < options.seconds * 1e9) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order) {
      for (int call = 0; call < kWarmCalls; ++call) candidates[i].run();
      const double start = now();
      for (int call = 0; call < calls[i]; ++call) candidates[i].run();
      times[i].push_back((now() - start) / calls[i]);
    }
    ++timing.rounds;
  }
  for (std::vector<double>& one : times) {
    const auto middle = one.begin() + static_cast<std::ptrdiff_t>(one.size() / 2);
    std::nth_element(one.begin(), middle, one.end());
    timing.nanoseconds.push_back(*middle);
  }
  return timing;
}

}  // namespace flexor::bench
