/// @file bench/harness.h
/// Times candidates that take turns.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/bench.h"

namespace flexor::bench {

struct Candidate {
  std::string name;
  std::function<void()> run;
};

/// Median nanoseconds of one call of each candidate, in their order. On a shared machine absolute
/// times move from minute to minute; what holds are ratios between candidates that took turns: in
/// every round each one, in an order drawn anew, is called to warm up and then several times on the
/// clock.
struct Timing {
  std::vector<double> nanoseconds;
  int rounds = 0;
};
Timing Measure(const std::vector<Candidate>& candidates, const BenchOptions& options);

}  // namespace flexor::bench
