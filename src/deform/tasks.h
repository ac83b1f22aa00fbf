/// @file deform/tasks.h
/// How a backend shares independent work out: over its own threads, or by the caller's job system.
/// Private to the deform module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "flexor/core/function_ref.h"
#include "flexor/core/parallel.h"
#include "flexor/deform/backend.h"

namespace flexor::deform {

/// Most tasks of one call: enough to even out, few enough to cost nothing.
inline constexpr std::size_t kMostTasks = 64;

class TaskRunner {
 public:
  explicit TaskRunner(const BackendOptions& options);

  int threads() const { return threads_; }

  /// Calls task(i) once for every i below count, on any thread; returns when all are done. Whatever
  /// the job system does, every task is run once: what it leaves out the calling thread does.
  /// count <= kMostTasks; task must not throw
  void Run(std::size_t count, FunctionRef<void(std::size_t)> task) const;

 private:
  RunTasksFn run_tasks_;
  int threads_;
  ThreadTeam team_;
};

/// Cuts a list of items into tasks of about equal cost, at most kMostTasks. The number of threads
/// plays no part.
class TaskCutter {
 public:
  /// `ends` gets the end of each task. Allocates nothing when it has room for kMostTasks.
  /// No task costs less than `least_cost` if that can be helped
  TaskCutter(std::size_t items, std::uint64_t total_cost, std::uint64_t least_cost,
             std::vector<std::uint32_t>& ends);
  /// The next item, `items` times.
  void Add(std::uint64_t cost);

 private:
  std::size_t items_;
  std::uint64_t wanted_;
  std::vector<std::uint32_t>& ends_;
  std::uint32_t added_ = 0;
  std::uint64_t cost_ = 0;
};

}  // namespace flexor::deform
