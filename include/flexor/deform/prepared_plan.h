/// @file deform/prepared_plan.h
/// One backend's own layout of a plan: made once by Backend::Prepare, shared by instances and
/// threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "flexor/core/export.h"
#include "flexor/core/result.h"
#include "flexor/deform/plan.h"

namespace flexor::deform {

/// In which order results come back.
enum class OutputOrder : std::uint8_t {
  kCaller,    ///< the mesh's own point order (default)
  kPrepared,  ///< the order of the prepared plan, PreparedPlan::caller_from_output(): saves the
              ///< scatter. Every backend has its own; the reference's is that of the mesh
};

/// Choices of a preparation. They change no number of a result, only where it lies.
struct PrepareSettings {
  OutputOrder order = OutputOrder::kCaller;
};

/// A run of vertices that are deformed in one go.
struct VertexWindow {
  std::uint32_t first = 0, end = 0;  ///< in the order of outputs
};

/// Facts about a prepared plan, for reports and benchmarks.
struct PreparedFacts {
  std::size_t blocks = 0;  ///< of 16 vertices, padded ones included; 0 where there are none
  double mean_joints_per_block = 0;
  std::size_t worst_joints_per_block = 0;
  std::size_t bytes = 0;  ///< memory besides that of the plan
};

/// Immutable; safe to use from any number of threads and instances at once. Keeps its plan alive.
class FLEXOR_API PreparedPlan {
 public:
  virtual ~PreparedPlan() = default;
  PreparedPlan(const PreparedPlan&) = delete;
  PreparedPlan& operator=(const PreparedPlan&) = delete;

  const DeformPlan& plan() const { return plan_; }
  OutputOrder order() const { return settings_.order; }
  virtual PreparedFacts facts() const = 0;

  /// (V) caller_from_output()[i] = the caller's index of the vertex that output i is; empty with
  /// OutputOrder::kCaller, where the two are one.
  virtual std::span<const std::uint32_t> caller_from_output() const = 0;

  /// What threads share out; together all vertices, in order.
  virtual std::span<const VertexWindow> windows() const = 0;

 protected:
  PreparedPlan(DeformPlan plan, const PrepareSettings& settings)
      : plan_(std::move(plan)), settings_(settings) {}

 private:
  DeformPlan plan_;
  PrepareSettings settings_;
};

/// Vertex indices in the caller's order, such as triangles, as indices of outputs.
/// Errors  kIndexOutOfRange (the first index that is not below V, and V)
FLEXOR_API Result<std::vector<std::uint32_t>> OutputIndices(
    const PreparedPlan& prepared, std::span<const std::uint32_t> caller_indices);

}  // namespace flexor::deform
