/// @file pose/mmd_physics.h
/// Rigid bodies of a MikuMikuDance character: hair and clothes attached to the bones. By Bullet;
/// what it does and does not: docs/formats/mmd-solver.md.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "flexor/asset/character.h"
#include "flexor/core/export.h"
#include "flexor/core/result.h"

namespace flexor::pose {

/// How bodies are simulated. The defaults are MikuMikuDance's as far as they are known.
struct MmdPhysicsSettings {
  double steps_per_second = 120;  ///< fixed; frames run as many steps as their time holds
  double gravity = 98;            ///< downwards, in units of the file per second squared
  std::int32_t solver_iterations = 10;
  bool ground = true;  ///< bodies do not fall through y = 0
};

/// What has happened since Create, for reports.
struct MmdPhysicsReport {
  std::size_t bodies = 0, joints = 0;
  std::size_t steps = 0;        ///< of the simulation, warm-up included
  std::size_t resets = 0;       ///< bodies put back to their bones, asked for or not
  double dropped_seconds = 0;   ///< time not simulated: a frame longer than one second
  std::size_t lost_bodies = 0;  ///< bodies whose numbers ran away and that were put back
};

/// Whether this build has a simulation at all.
FLEXOR_API bool HasMmdPhysics();

/// The bodies of one character, step by step; SimulationState keeps them in time with a clip. What
/// it gives depends on every frame since the last Reset or Restore, and on nothing else: the same
/// frames give the same bits.
/// Threads  one at a time for one object
class FLEXOR_API MmdPhysics {
 public:
  /// Errors  kBackendMissing when the build has no Bullet · kInvalidArgument for settings without
  /// meaning or a character without a rig
  /// Lifetime  the character must be finalised and outlive the object unchanged
  static Result<MmdPhysics> Create(const asset::Character& character,
                                   const MmdPhysicsSettings& settings = {});
  MmdPhysics(MmdPhysics&&) noexcept;
  MmdPhysics& operator=(MmdPhysics&&) noexcept;
  ~MmdPhysics();

  /// Puts every body where its bone is, at rest. `model_from_node` is that of MmdPhysicsFn.
  void Reset(const std::vector<Mat34d>& model_from_node);
  /// Reset, then lets the bodies settle for a while with the bones held still.
  void WarmUp(double seconds, const std::vector<Mat34d>& model_from_node);
  /// Goes on by `seconds`, the bones moving evenly from where they were to where they are, and
  /// writes the bones that bodies drive into `model_from_node`, their indices into `driven`.
  /// Impulse morphs push once for each call by their weights. The first call resets. Shapes
  /// model_from_node (nodes) · morph_weights (MmdRig::morphs), or empty
  void Step(double seconds, std::span<const double> morph_weights,
            std::vector<Mat34d>& model_from_node, std::vector<std::uint32_t>& driven);

  /// How far the bones that carry bodies would move from the last step to these matrices, metres,
  /// on average over the bodies; 0 before the first.
  double MeanMove(const std::vector<Mat34d>& model_from_node) const;

  static constexpr std::size_t kNumbersPerBody = 32;

  /// The bodies after the last Step as numbers, kNumbersPerBody each and one more; none before the
  /// first Reset. Allocates only where `out` is too small.
  void Save(std::vector<double>& out) const;

  /// Makes the bodies anew from such numbers. Objects restored from equal numbers go the same way,
  /// bit for bit; not quite the way of the one that was saved, which has contacts of earlier steps.
  /// Errors  kShapeMismatch (the number of numbers); nothing is touched then
  Status Restore(std::span<const double> saved);

  const MmdPhysicsReport& report() const;

 private:
  struct Parts;
  explicit MmdPhysics(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace flexor::pose
