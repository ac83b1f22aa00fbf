/// @file core/parallel.h
/// The only door to threads: kernels are serial functions over a range, this hands out the ranges.
#pragma once

#include <cstddef>
#include <memory>

#include "flexor/core/export.h"
#include "flexor/core/function_ref.h"

namespace flexor {

/// The threads this process may use: FLEXOR_THREADS, else SLURM_CPUS_PER_TASK, else what the
/// operating system and the control group allow; at least 1.
FLEXOR_API int DefaultThreadCount();

/// A team of threads. Ranges never depend on the number of threads, so results do not either.
/// Construction may start threads; Run allocates nothing of its own (a build with
/// FLEXOR_THREADS=std starts its threads in Run instead).
class FLEXOR_API ThreadTeam {
 public:
  /// `threads` 0 means DefaultThreadCount(). In a build with FLEXOR_THREADS=none there is always
  /// one.
  explicit ThreadTeam(int threads = 0);
  ~ThreadTeam();
  ThreadTeam(ThreadTeam&&) noexcept;
  ThreadTeam& operator=(ThreadTeam&&) noexcept;

  int threads() const;

  /// Calls body(begin, end) over [0, count) in pieces whose bounds are multiples of `grain` (the
  /// last piece may be shorter), each piece once, in any order, on any thread; returns when all are
  /// done. Runs in the calling thread when there is one thread or one piece. `body` must not throw.
  void Run(std::size_t count, std::size_t grain,
           FunctionRef<void(std::size_t begin, std::size_t end)> body) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Calls body() in this thread, and keeps libraries that share our pool of threads (oneTBB) from
/// spreading what body does over others: for work whose result must not depend on their number.
FLEXOR_API void RunAlone(FunctionRef<void()> body);

}  // namespace flexor
