#include "deform/tasks.h"

#include <algorithm>
#include <atomic>

#include "core/guard.h"

namespace flexor::deform {

TaskRunner::TaskRunner(const BackendOptions& options)
    : run_tasks_(options.run_tasks),
      threads_(options.threads > 0 ? options.threads : DefaultThreadCount()),
      team_(options.run_tasks ? 1 : options.threads) {
  if (!run_tasks_) threads_ = team_.threads();
}

void TaskRunner::Run(std::size_t count, FunctionRef<void(std::size_t)> task) const {
  if (count <= 1 || (threads_ == 1 && !run_tasks_)) {
    for (std::size_t i = 0; i < count; ++i) task(i);
    return;
  }
  std::atomic<std::uint64_t> started = 0;
  static_assert(kMostTasks <= 64);
  const auto once = [&](std::size_t i) {
    if (i >= count) return;
    const std::uint64_t bit = std::uint64_t{1} << i;
    if ((started.fetch_or(bit, std::memory_order_relaxed) & bit) == 0) task(i);
  };
  if (run_tasks_) {
    run_tasks_(count, once);
  } else {
    // Without memory to wake threads with, this one does what is left.
    static_cast<void>(GuardAllocations("waking threads", [&]() -> Status {
      team_.Run(count, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) once(i);
      });
      return {};
    }));
  }
  for (std::size_t i = 0; i < count; ++i) once(i);
}

// An item counts as one more than it costs, so that a list of free ones is no endless one either.
TaskCutter::TaskCutter(std::size_t items, std::uint64_t total_cost, std::uint64_t least_cost,
                       std::vector<std::uint32_t>& ends)
    : items_(items),
      wanted_(std::max(least_cost, (total_cost + items + kMostTasks - 1) / kMostTasks)),
      ends_(ends) {
  ends_.clear();
}

void TaskCutter::Add(std::uint64_t cost) {
  ++added_;
  cost_ += cost + 1;
  if (cost_ < wanted_ && added_ < items_) return;
  ends_.push_back(added_);
  cost_ = 0;
}

}  // namespace flexor::deform
