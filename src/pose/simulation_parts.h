/// @file pose/simulation_parts.h
/// The inside of a SimulationState, which the Poser advances tick by tick.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "flexor/pose/mmd_physics.h"
#include "flexor/pose/mmd_solver.h"
#include "flexor/pose/pose.h"
#include "flexor/pose/simulation_state.h"

namespace flexor::pose {

/// What a simulation follows; where one of these changes, it begins anew.
struct SimulationRun {
  std::uint32_t clip = 0;
  std::uint64_t poser = 0;  ///< digest of its overrides and settings
  std::int64_t start = 0;   ///< the first tick
};

/// The bodies after a tick, from which they were built anew.
struct SimulationCheckpoint {
  std::int64_t tick = 0;
  std::vector<double> numbers;  ///< of MmdPhysics::Save; empty: there is none
};

/// The pose of the last tick.
struct SimulatedFrame {
  Pose pose;
  std::vector<Mat34d> model_from_node;
  MmdStages stages;
  bool has_stages = false;
};

struct SimulationState::Parts {
  Parts(const asset::Character& of, const SimulationSettings& with, MmdPhysics bodies);

  double ticks_per_second() const { return settings.mmd.steps_per_second; }
  /// The nearest tick to a time, the later of two; 0 before the clip.
  std::int64_t TickAt(double seconds) const;

  /// Makes ready to go to a tick: goes on, goes back to a checkpoint, or begins anew. Returns the
  /// first tick to simulate, tick + 1 when `frame` is that of `tick`.
  std::int64_t Begin(std::uint32_t clip, std::uint64_t poser, std::int64_t tick);
  /// One tick, called between the passes of the solver; `frame` holds no tick until Finish.
  void Tick(std::int64_t tick, std::span<const double> morph_weights,
            std::vector<Mat34d>& model_from_node, std::vector<std::uint32_t>& driven);
  void Finish(std::int64_t tick);

  void BeginAnew(const SimulationRun& as, ResetCause cause);
  void CountReset(ResetCause cause);
  bool Resume(const SimulationCheckpoint& checkpoint);

  const asset::Character* character;
  SimulationSettings settings;
  MmdPhysics physics;
  SimulationReport report;
  std::optional<SimulationRun> run;  ///< none before the first frame and after one that failed
  std::int64_t tick = 0;             ///< the last whole one; start - 1 before the first
  bool has_frame = false;            ///< `frame` is that of `tick`
  SimulatedFrame frame;
  std::optional<std::int64_t> asked_start;  ///< Reset was called
  SimulationCheckpoint older, newer;
};

}  // namespace flexor::pose
