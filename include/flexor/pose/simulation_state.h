/// @file pose/simulation_state.h
/// What one character carries from frame to frame: the rigid bodies of a MikuMikuDance character.
/// Everything else about a pose follows from the clip and the time alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "flexor/asset/character.h"
#include "flexor/core/export.h"
#include "flexor/core/result.h"
#include "flexor/pose/mmd_physics.h"

namespace flexor::pose {

/// Whether what simulates acts on the joints.
enum class SimulationUse : std::uint8_t {
  kAuto,  ///< in clips, when the build can: as MikuMikuDance shows it
  kOn,    ///< an error when the build cannot
  kOff,
};

/// How a character is simulated.
struct SimulationSettings {
  SimulationUse use = SimulationUse::kAuto;
  MmdPhysicsSettings mmd{};    ///< steps_per_second is the number of ticks in a second
  double warm_up_seconds = 2;  ///< bodies settle at the start and after a reset, joints held still
  double teleport_speed = 60;  ///< metres per second of the bones that carry bodies, on average:
                               ///< beyond it the character was put elsewhere, not moved there
  /// Ticks after which the bodies are built anew from numbers, so that a saved state need not be
  /// simulated from its start; 0: never. See SimulationState.
  std::int64_t checkpoint_ticks = 0;
  double most_seconds = 7200;  ///< how far from its start a simulation may be asked for
};

/// Why a simulation began anew.
enum class ResetCause : std::uint8_t {
  kStart,       ///< the first frame
  kAsked,       ///< Reset was called
  kOtherClip,   ///< another clip than before
  kOtherPoser,  ///< overrides or settings of the poser are others than before
  kTimeBack,    ///< a time before those that can be gone on from
  kTeleport,  ///< SimulationSettings::teleport_speed; the bodies are put to their bones and settle
  kRunaway,   ///< a number of a body was no longer finite
};
inline constexpr std::size_t kResetCauses = 7;

/// "start", "asked", "other clip", "other poser", "time back", "teleport", "runaway".
FLEXOR_API std::string_view ResetCauseName(ResetCause cause);

/// What happened since Create.
struct SimulationReport {
  std::size_t ticks = 0;                           ///< simulated, without those of warm-ups
  std::array<std::size_t, kResetCauses> resets{};  ///< by cause
  MmdPhysicsReport mmd{};
};

/// The memory of one character. Poser::Evaluate advances it; nothing else does.
///
/// Time is counted in ticks from the start of the clip. A frame shows the nearest tick, the later
/// of two, and advances the state by as many ticks as lie between: so a time gives one answer
/// whatever the frame rate, and a frame asked for alone, in order or backwards is the same frame,
/// bit for bit. The first tick is that of the clip's start, or of Reset: there the bodies are put
/// to their bones and settle. A time before the state's goes on from the last checkpoint before it,
/// or from the start.
///
/// What Bullet keeps beside places and velocities (contacts of earlier steps) cannot be read from
/// outside. So a restored state is simulated again from its start, which gives every bit back.
/// Where that takes too long, SimulationSettings::checkpoint_ticks takes the bodies apart into
/// numbers and builds them anew from these every so often, always, whether anybody saves or not,
/// and a restored state goes on from the last such tick. The price: contacts are found anew then,
/// and what lies pressed on something may slip, by centimetres at worst. Joints are not affected.
///
/// Lifetime  the character must be finalised and outlive the state unchanged
/// Threads   one at a time for one state; states are independent
/// Cost      a tick is one Poser::Evaluate and one step of all bodies
/// Limits    Bullet allocates by its own means and ends the program when it is refused memory
/// See       docs/formats/mmd-solver.md, tests/pose/simulation_state_test.cc
class FLEXOR_API SimulationState {
 public:
  /// A state that simulates nothing.
  SimulationState();
  SimulationState(SimulationState&&) noexcept;
  SimulationState& operator=(SimulationState&&) noexcept;
  ~SimulationState();

  /// A state before its first frame. It simulates nothing where the settings or the character (no
  /// rig, no body that moves a bone) give no reason to.
  /// Errors  kBackendMissing (kOn, bodies to move, and a build without Bullet) · kInvalidArgument
  /// (settings without meaning) · kOutOfMemory
  static Result<SimulationState> Create(const asset::Character& character,
                                        const SimulationSettings& settings = {});

  /// Whether anything moves joints in clips.
  bool simulates() const { return parts_ != nullptr; }

  /// Begins anew at the next frame, at `start_seconds` of its clip: an engine that enters a clip
  /// late need not simulate what came before. Frames before it, and other clips, start at 0 again.
  void Reset(double start_seconds = 0);

  /// Of a state that simulates nothing, all 0.
  SimulationReport report() const;

  /// The state as bytes, from which Restore makes one that goes on to the bit: later frames are
  /// those that this one gives. Holds the clip, the start, the tick, and the last checkpoint before
  /// it; not the report. At most 200 bytes, and 256 for each body with checkpoints; little-endian,
  /// version 1, with a checksum.
  /// Cost    that of reading rig and clip once
  /// Errors  kOutOfMemory
  Result<std::vector<std::byte>> Save() const;

  /// Becomes the state that was saved, if it was of the same character, clip, settings and poser.
  /// The next frame simulates again what lies between the last checkpoint, else the start and its
  /// warm-up, and its own time. Numbers are the same to the bit in the same build on the same kind
  /// of processor.
  /// Errors  kTruncated · kParse (magic, checksum, a number that cannot be) · kUnsupportedFeature
  ///         (version) · kInvalidArgument (of another character, clip or settings) · kOutOfMemory;
  ///         the state is as before then
  Status Restore(std::span<const std::byte> saved);

 private:
  friend class Poser;
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace flexor::pose
