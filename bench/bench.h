/// @file bench/bench.h
/// Speeds of the kernels beside plain loops, Eigen loops and what memory allows, measured in one
/// process with the candidates taking turns. `flexor bench` shows them.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "flexor/core/progress.h"
#include "flexor/core/result.h"

namespace flexor::bench {

struct BenchOptions {
  std::string filter;              ///< only rows whose "kernel/mesh/target" contains this
  std::vector<int> threads{1, 2};  ///< a row for each
  std::string simd_target;         ///< "" = the best of this machine
  double seconds = 1.0;            ///< measured for each row, about
  /// Counts the processor time of the calling thread instead of the clock's, for machines that are
  /// busy with other things; says nothing about rows of several threads.
  bool processor_time = false;
  bool all = false;  ///< also other SIMD targets and the candidates that lost
};

/// One measured line. Ratios are above 1 where flexor is faster, and 0 where there is none to give.
struct Row {
  std::string kernel;
  std::string mesh;
  std::size_t vertices = 0, joints = 0;
  double influences = 0;  ///< mean of a vertex
  int threads = 1;
  std::string backend, target;
  double ns_per_vertex = 0;
  double ratio_plain = 0;       ///< time of the plain loop over ours, same threads
  double ratio_eigen = 0;       ///< time of the Eigen loop over ours; 0 in a build without Eigen
  double ratio_ceiling = 0;     ///< time of moving the same bytes over ours
  double ratio_lbs = 0;         ///< our time over that of our own linear blending, packed
  double ratio_one_thread = 0;  ///< time of one thread over ours, for crowds
  double ratio_calls = 0;       ///< time of a call for each mesh over ours, for crowds
  double bytes_per_vertex = 0;  ///< of a plan with its layout: in memory, or as it is saved
  int rounds = 0;
};

/// Runs every benchmark that passes the filter; rows come as they are done. `progress` counts rows,
/// and is asked before and after each measurement.
/// Errors  kCancelled when `progress` says stop · those of the backends and of loading characters;
/// a corpus that is not there is no error, its rows are left out
Status RunBench(const BenchOptions& options, const std::function<void(const Row&)>& report,
                ProgressFn progress);

}  // namespace flexor::bench
