/// @file bake/mmd_player.h
/// One MikuMikuDance character over time: solver and, when wanted, rigid bodies, so that a frame
/// asked for alone is the frame of a sequence.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "flexor/asset/character.h"
#include "flexor/bake/performer.h"
#include "flexor/core/function_ref.h"
#include "flexor/core/result.h"
#include "flexor/pose/mmd_physics.h"
#include "flexor/pose/mmd_solver.h"
#include "flexor/pose/pose.h"

namespace flexor::bake {

/// Fills the pose of a time, in seconds; the player calls it for times before the one asked for
/// when bodies are simulated.
using PoseAtFn = FunctionRef<Status(double seconds, pose::Pose& pose)>;

/// Bodies depend on everything since the start of a clip, so the player keeps where it is: going on
/// is cheap, going back starts the clip again. Either way the frame is the same, bit for bit:
/// bodies move on a grid of kTicksPerSecond from the clip's start, and with bodies the pose is that
/// of the nearest tick.
class MmdPlayer {
 public:
  static constexpr double kTicksPerSecond = 120;
  static constexpr double kWarmUpSeconds = 2;   ///< bodies settle before the first frame
  static constexpr double kMostSeconds = 7200;  ///< how far into a clip bodies are simulated

  /// Errors  kBackendMissing when bodies are asked for and the build has no simulation
  static Result<MmdPlayer> Create(const asset::Character& character, const MmdPlay& play);

  /// Whether bodies lead bones in clips.
  bool simulates() const { return physics_.has_value(); }
  const pose::MmdPhysicsReport* report() const { return physics_ ? &physics_->report() : nullptr; }

  /// The pose and the matrices of all nodes at a time of a clip; without a clip bodies rest.
  /// Errors  those of `pose_at` · kLimitExceeded (kMostSeconds)
  Status Evaluate(std::optional<std::uint32_t> clip, double seconds, PoseAtFn pose_at,
                  pose::Pose& pose, std::vector<Mat34d>& model_from_node);

 private:
  MmdPlayer(const asset::Character& character, const MmdPlay& play);

  Status Simulate(std::uint32_t clip, std::int64_t tick, PoseAtFn pose_at, pose::Pose& pose,
                  std::vector<Mat34d>& model_from_node);

  pose::MmdSettings settings_;
  pose::MmdSolver solver_;
  std::optional<pose::MmdPhysics> physics_;
  std::optional<std::uint32_t> clip_;  ///< that the bodies are in
  std::int64_t tick_ = 0;              ///< and when
  pose::Pose pose_;                    ///< of that tick
  std::vector<Mat34d> world_;
};

}  // namespace flexor::bake
