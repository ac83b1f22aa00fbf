#include "flexor/pose/simulation_state.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "flexor/asset/frame_time.h"

#include "core/guard.h"
#include "pose/simulation_parts.h"

namespace flexor::pose {
namespace {

constexpr std::array<std::string_view, kResetCauses> kCauses = {
    "start", "asked", "other clip", "other poser", "time back", "teleport", "runaway"};

// How near, in ticks, a time may be to the middle between two and still be at it: such times come
// out of divisions.
constexpr double kMiddle = 1e-4;

// No simulation gets there; counts of ticks stay whole numbers.
constexpr double kFarthestSeconds = 1e9;

// Bodies that only follow their bones move nothing.
bool HasMovingBody(const asset::Character& character) {
  if (!character.mmd) return false;
  const auto& bodies = character.mmd->bodies;
  return std::any_of(bodies.begin(), bodies.end(), [](const asset::MmdBody& body) {
    return body.mode != asset::MmdBodyMode::kFollowBone;
  });
}

Status CheckSettings(const SimulationSettings& settings) {
  const auto positive = [](double value) { return value > 0 && std::isfinite(value); };
  if (settings.warm_up_seconds >= 0 && settings.warm_up_seconds <= 3600 &&
      positive(settings.teleport_speed) && positive(settings.most_seconds) &&
      settings.checkpoint_ticks >= 0) {
    return {};
  }
  return Error{ErrorCode::kInvalidArgument,
               "a simulation needs 0 to 3600 seconds of warm-up, a positive speed of teleports, a "
               "positive length and no negative number of ticks between checkpoints, but got " +
                   std::to_string(settings.warm_up_seconds) + ", " +
                   std::to_string(settings.teleport_speed) + ", " +
                   std::to_string(settings.most_seconds) + " and " +
                   std::to_string(settings.checkpoint_ticks),
               {}};
}

}  // namespace

std::string_view ResetCauseName(ResetCause cause) {
  const auto index = static_cast<std::size_t>(cause);
  return index < kCauses.size() ? kCauses[index] : "unknown";
}

SimulationState::Parts::Parts(const asset::Character& of, const SimulationSettings& with,
                              MmdPhysics bodies)
    : character(&of), settings(with), physics(std::move(bodies)) {}

std::int64_t SimulationState::Parts::TickAt(double seconds) const {
  const double within = std::clamp(seconds, 0.0, kFarthestSeconds);
  const double at = asset::SecondsToFrame(within, ticks_per_second());
  return static_cast<std::int64_t>(std::floor(at + 0.5 + kMiddle));
}

void SimulationState::Parts::CountReset(ResetCause cause) {
  ++report.resets[static_cast<std::size_t>(cause)];
}

void SimulationState::Parts::BeginAnew(const SimulationRun& as, ResetCause cause) {
  run = as;
  tick = as.start - 1;
  has_frame = false;
  asked_start.reset();
  older.numbers.clear();
  newer.numbers.clear();
  CountReset(cause);
}

bool SimulationState::Parts::Resume(const SimulationCheckpoint& checkpoint) {
  if (checkpoint.numbers.empty()) return false;
  if (!physics.Restore(checkpoint.numbers).ok()) return false;
  tick = checkpoint.tick;
  has_frame = false;
  return true;
}

std::int64_t SimulationState::Parts::Begin(std::uint32_t clip, std::uint64_t poser,
                                           std::int64_t wanted) {
  const std::int64_t asked = asked_start.value_or(0) <= wanted ? asked_start.value_or(0) : 0;
  if (asked_start) {
    BeginAnew({clip, poser, asked}, ResetCause::kAsked);
  } else if (!run) {
    BeginAnew({clip, poser, 0}, ResetCause::kStart);
  } else if (run->clip != clip) {
    BeginAnew({clip, poser, 0}, ResetCause::kOtherClip);
  } else if (run->poser != poser) {
    BeginAnew({clip, poser, run->start <= wanted ? run->start : 0}, ResetCause::kOtherPoser);
  } else if (wanted < tick || (wanted == tick && !has_frame)) {
    if (newer.tick < wanted && Resume(newer)) return tick + 1;
    newer.numbers.clear();
    if (older.tick < wanted && Resume(older)) return tick + 1;
    BeginAnew({clip, poser, run->start <= wanted ? run->start : 0}, ResetCause::kTimeBack);
  }
  return tick + 1;
}

void SimulationState::Parts::Tick(std::int64_t at, std::span<const double> morph_weights,
                                  std::vector<Mat34d>& model_from_node,
                                  std::vector<std::uint32_t>& driven) {
  const bool first = at == run->start;
  const double farthest = settings.teleport_speed / ticks_per_second();
  const bool jumped = !first && physics.MeanMove(model_from_node) > farthest;
  if (jumped) CountReset(ResetCause::kTeleport);
  if (first || jumped) physics.WarmUp(settings.warm_up_seconds, model_from_node);
  const std::size_t lost = physics.report().lost_bodies;
  physics.Step(first || jumped ? 0 : 1 / ticks_per_second(), morph_weights, model_from_node,
               driven);
  if (physics.report().lost_bodies > lost) CountReset(ResetCause::kRunaway);
  ++report.ticks;
}

void SimulationState::Parts::Finish(std::int64_t at) {
  tick = at;
  has_frame = true;
  const std::int64_t every = settings.checkpoint_ticks;
  if (every == 0 || at == run->start || (at - run->start) % every != 0) return;
  std::swap(older, newer);
  newer.tick = at;
  physics.Save(newer.numbers);
  // Just saved by the same object, so it fits.
  static_cast<void>(physics.Restore(newer.numbers));
}

SimulationState::SimulationState() = default;
SimulationState::SimulationState(SimulationState&&) noexcept = default;
SimulationState& SimulationState::operator=(SimulationState&&) noexcept = default;
SimulationState::~SimulationState() = default;

Result<SimulationState> SimulationState::Create(const asset::Character& character,
                                                const SimulationSettings& settings) {
  return GuardAllocations("a simulation was made ready", [&]() -> Result<SimulationState> {
    FLEXOR_TRY(CheckSettings(settings));
    SimulationState state;
    const bool wanted = settings.use == SimulationUse::kOn ||
                        (settings.use == SimulationUse::kAuto && HasMmdPhysics());
    if (!wanted || !HasMovingBody(character)) return state;
    FLEXOR_ASSIGN(MmdPhysics bodies, MmdPhysics::Create(character, settings.mmd));
    state.parts_ = std::make_unique<Parts>(character, settings, std::move(bodies));
    return state;
  });
}

void SimulationState::Reset(double start_seconds) {
  if (parts_ != nullptr) parts_->asked_start = parts_->TickAt(start_seconds);
}

SimulationReport SimulationState::report() const {
  if (parts_ == nullptr) return {};
  SimulationReport report = parts_->report;
  report.mmd = parts_->physics.report();
  return report;
}

}  // namespace flexor::pose
