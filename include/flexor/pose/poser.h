/// @file pose/poser.h
/// Where every joint of a character is at a time: the one place that knows in which order a pose
/// comes about. Terms: docs/glossary.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "flexor/asset/character.h"
#include "flexor/asset/posed_character.h"
#include "flexor/core/export.h"
#include "flexor/core/result.h"
#include "flexor/pose/mmd_solver.h"
#include "flexor/pose/pose.h"
#include "flexor/pose/simulation_state.h"

namespace flexor::pose {

/// How a character is posed.
struct PoserSettings {
  std::vector<Override> overrides{};  ///< laid over every frame, in order
  MmdSettings mmd{};                  ///< for characters with an MMD rig; others do not care
  SimulationSettings simulation{};    ///< of what MakeState makes
  bool stages = false;                ///< keep what each stage of the MMD solver made of the bones
};

/// Poses one character again and again:
///
///     rest pose -> clip -> overrides -> append, IK, rigid bodies -> model space -> palettes
///
/// What never changes is worked out once; a frame allocates nothing after the first (rigid bodies
/// do: see SimulationState). A frame is a function of the arguments of Evaluate: nothing of an
/// earlier one is left in the poser, only in the state.
///
/// A crowd of one character needs one Poser for each thread, and one SimulationState (where bodies
/// move) and one PosedCharacter for each member: whichever poser of equal settings poses a member,
/// the bits are the same.
///
/// Lifetime  the character must be finalised and outlive the poser unchanged
/// Threads   one at a time for one poser; posers are independent
/// Cost      making one: about a frame. A frame: linear in channels, nodes and joints; with an MMD
///           rig see MmdSolver
class FLEXOR_API Poser {
 public:
  /// Errors  kInvalidArgument (an override's target, with close names) · kOutOfMemory
  static Result<Poser> Create(const asset::Character& character,
                              const PoserSettings& settings = {});
  Poser(Poser&&) noexcept;
  Poser& operator=(Poser&&) noexcept;
  ~Poser();

  /// A state for one character under these settings. Errors  those of SimulationState::Create
  Result<SimulationState> MakeState() const;

  /// Poses by `clip` (none: the rest pose) at `seconds`; times outside the clip hold its ends. A
  /// `state` that simulates is brought to that time, and the pose is that of its tick; without one,
  /// and without a clip, bodies move nothing.
  /// Errors  kIndexOutOfRange (clip) · kInvalidArgument (a time that is not finite) · kInvalidValue
  /// (a joint beyond the range of a double) · kLimitExceeded (SimulationSettings::most_seconds) ·
  /// kOutOfMemory; `out` is then undefined, and the state begins anew
  Status Evaluate(std::optional<std::uint32_t> clip, double seconds, SimulationState* state,
                  asset::PosedCharacter& out);

  /// Other overrides from the next frame on. Errors  those of Create; the old ones stay then
  Status SetOverrides(std::span<const Override> overrides);

  /// Of the last frame, with PoserSettings::stages and an MMD rig; else empty.
  const MmdStages& stages() const;

 private:
  struct Parts;
  explicit Poser(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace flexor::pose
