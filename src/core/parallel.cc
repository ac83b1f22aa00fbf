#include "flexor/core/parallel.h"

#include <algorithm>
#include <cstdlib>

#if defined(FLEXOR_THREADS_TBB)
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#elif defined(FLEXOR_THREADS_STD)
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>
#endif

namespace flexor {
namespace {

int PositiveIntegerFromEnvironment(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr) return 0;
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  return end != text && *end == '\0' && value > 0 && value <= 4096 ? static_cast<int>(value) : 0;
}

}  // namespace

int DefaultThreadCount() {
  for (const char* name : {"FLEXOR_THREADS", "SLURM_CPUS_PER_TASK"}) {
    if (const int value = PositiveIntegerFromEnvironment(name)) return value;
  }
#if defined(FLEXOR_THREADS_TBB)
  return std::max(1, tbb::info::default_concurrency());
#elif defined(FLEXOR_THREADS_STD)
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
#else
  return 1;
#endif
}

#if defined(FLEXOR_THREADS_TBB)

struct ThreadTeam::Impl {
  explicit Impl(int count) : threads(count), arena(count) {}
  int threads;
  mutable tbb::task_arena arena;
};

ThreadTeam::ThreadTeam(int threads)
    : impl_(std::make_unique<Impl>(threads > 0 ? threads : DefaultThreadCount())) {}

void ThreadTeam::Run(std::size_t count, std::size_t grain,
                     FunctionRef<void(std::size_t, std::size_t)> body) const {
  if (count == 0) return;
  grain = std::max<std::size_t>(grain, 1);
  const std::size_t pieces = (count + grain - 1) / grain;
  if (impl_->threads == 1 || pieces == 1) {
    body(0, count);
    return;
  }
  impl_->arena.execute([&] {
    tbb::parallel_for(std::size_t{0}, pieces, [&](std::size_t piece) {
      body(piece * grain, std::min(count, (piece + 1) * grain));
    });
  });
}

void RunAlone(FunctionRef<void()> body) {
  tbb::task_arena alone(1);
  alone.execute([&] { body(); });
}

#elif defined(FLEXOR_THREADS_STD)

struct ThreadTeam::Impl {
  int threads;
};

ThreadTeam::ThreadTeam(int threads)
    : impl_(std::make_unique<Impl>(Impl{threads > 0 ? threads : DefaultThreadCount()})) {}

void ThreadTeam::Run(std::size_t count, std::size_t grain,
                     FunctionRef<void(std::size_t, std::size_t)> body) const {
  if (count == 0) return;
  grain = std::max<std::size_t>(grain, 1);
  const std::size_t pieces = (count + grain - 1) / grain;
  if (impl_->threads == 1 || pieces == 1) {
    body(0, count);
    return;
  }
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t piece; (piece = next.fetch_add(1, std::memory_order_relaxed)) < pieces;) {
      body(piece * grain, std::min(count, (piece + 1) * grain));
    }
  };
  const std::size_t others = std::min(static_cast<std::size_t>(impl_->threads), pieces) - 1;
  std::vector<std::jthread> team;
  team.reserve(others);
  try {
    for (std::size_t i = 0; i < others; ++i) team.emplace_back(work);
  } catch (const std::system_error&) {
    // No more threads to be had: those there are do the work.
  }
  work();
}

void RunAlone(FunctionRef<void()> body) { body(); }

#else

struct ThreadTeam::Impl {
  int threads = 1;
};

ThreadTeam::ThreadTeam(int) : impl_(std::make_unique<Impl>()) {}

void ThreadTeam::Run(std::size_t count, std::size_t,
                     FunctionRef<void(std::size_t, std::size_t)> body) const {
  if (count != 0) body(0, count);
}

void RunAlone(FunctionRef<void()> body) { body(); }

#endif

ThreadTeam::~ThreadTeam() = default;
ThreadTeam::ThreadTeam(ThreadTeam&&) noexcept = default;
ThreadTeam& ThreadTeam::operator=(ThreadTeam&&) noexcept = default;

int ThreadTeam::threads() const { return impl_->threads; }

}  // namespace flexor
