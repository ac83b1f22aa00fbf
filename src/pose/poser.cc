#include "flexor/pose/poser.h"

#include <cmath>
#include <string>
#include <utility>

#include "flexor/pose/palette.h"

#include "core/guard.h"
#include "pose/fingerprint.h"
#include "pose/resolved_overrides.h"
#include "pose/simulation_parts.h"

namespace flexor::pose {
namespace {

bool IsFinite(const Mat34d& m) {
  return flexor::IsFinite(m.linear.x) && flexor::IsFinite(m.linear.y) &&
         flexor::IsFinite(m.linear.z) && flexor::IsFinite(m.translation);
}

std::uint64_t DigestOfSettings(const MmdSettings& mmd, const ResolvedOverrides& overrides) {
  return Fingerprint()
      .Add(mmd.dialect)
      .Add(mmd.ik)
      .Add(mmd.append_again_after_physics)
      .Add(mmd.keep_rest)
      .Add(overrides.digest())
      .value();
}

}  // namespace

struct Poser::Parts {
  // What the stages before the solver make of a time.
  void SetLocals(std::optional<std::uint32_t> clip, double seconds, Pose& pose) const {
    pose = rest;  // reuses the memory
    if (clip) SampleClip(character->clips[*clip], seconds, pose);
    overrides.Apply(pose);
  }

  Status Check(std::optional<std::uint32_t> clip, double seconds) const {
    if (clip && *clip >= character->clips.size()) {
      return Error{ErrorCode::kIndexOutOfRange,
                   "clip " + std::to_string(*clip) + " does not exist; the character has " +
                       std::to_string(character->clips.size()),
                   {character->source.path, {}, {}}};
    }
    if (!std::isfinite(seconds)) {
      return Error{ErrorCode::kInvalidArgument,
                   "the time of a pose must be finite, not " + std::to_string(seconds),
                   {}};
    }
    return {};
  }

  Status Evaluate(std::optional<std::uint32_t> clip, double seconds, SimulationState::Parts* state,
                  asset::PosedCharacter& out);
  Status Simulate(std::uint32_t clip, double seconds, SimulationState::Parts& state);
  void RunTick(std::uint32_t clip, std::int64_t tick, SimulationState::Parts& state);
  Status FillOut(const Pose& from, asset::PosedCharacter& out) const;

  const asset::Character* character = nullptr;
  PoserSettings settings;
  ResolvedOverrides overrides;
  std::uint64_t digest = 0;  // of what a simulation must not see change
  Pose rest, current;
  std::optional<MmdSolver> solver;
  MmdStages stages;
};

void Poser::Parts::RunTick(std::uint32_t clip, std::int64_t tick, SimulationState::Parts& state) {
  SimulatedFrame& frame = state.frame;
  SetLocals(clip, static_cast<double>(tick) / state.ticks_per_second(), frame.pose);
  const auto bodies = [&](std::vector<Mat34d>& model_from_node,
                          std::vector<std::uint32_t>& driven) {
    state.Tick(tick, solver->morph_weights(), model_from_node, driven);
  };
  solver->Solve(settings.mmd, frame.pose, frame.model_from_node, bodies,
                settings.stages ? &frame.stages : nullptr);
  frame.has_stages = settings.stages;
  state.Finish(tick);
}

Status Poser::Parts::Simulate(std::uint32_t clip, double seconds, SimulationState::Parts& state) {
  const std::int64_t tick = state.TickAt(seconds);
  // Stages that another poser did not keep can only be had by simulating again.
  if (settings.stages && !state.frame.has_stages) state.has_frame = false;
  const std::int64_t first = state.Begin(clip, digest, tick);
  const double from_start = static_cast<double>(tick - state.run->start) / state.ticks_per_second();
  if (from_start > state.settings.most_seconds) {
    return Error{ErrorCode::kLimitExceeded,
                 "rigid bodies are simulated from the start of the clip, up to " +
                     std::to_string(std::llround(state.settings.most_seconds)) +
                     " s; this frame is at " + std::to_string(std::llround(from_start)) + " s",
                 {}};
  }
  const Status ran = GuardAllocations("rigid bodies were simulated", [&]() -> Status {
    for (std::int64_t at = first; at <= tick; ++at) RunTick(clip, at, state);
    return {};
  });
  if (!ran.ok()) state.run.reset();
  return ran;
}

Status Poser::Parts::FillOut(const Pose& from, asset::PosedCharacter& out) const {
  out.locals = from.locals;
  out.uses_matrix = from.uses_matrix;
  out.morph_weights = from.morph_weights;
  for (std::size_t n = 0; n < out.model_from_node.size(); ++n) {
    if (IsFinite(out.model_from_node[n])) continue;
    return Error{ErrorCode::kInvalidValue,
                 "the pose takes it beyond the range of a double",
                 {character->source.path, "node '" + character->nodes[n].name + "'", {}}};
  }
  out.palettes.resize(character->skins.size());
  for (std::size_t s = 0; s < character->skins.size(); ++s) {
    ComputePalette(character->skins[s], out.model_from_node, out.palettes[s]);
  }
  return {};
}

Status Poser::Parts::Evaluate(std::optional<std::uint32_t> clip, double seconds,
                              SimulationState::Parts* state, asset::PosedCharacter& out) {
  FLEXOR_TRY(Check(clip, seconds));
  if (state != nullptr && clip && solver) {
    FLEXOR_TRY(Simulate(*clip, seconds, *state));
    out.seconds = static_cast<double>(state->tick) / state->ticks_per_second();
    out.model_from_node = state->frame.model_from_node;
    if (settings.stages) stages = state->frame.stages;
    return FillOut(state->frame.pose, out);
  }
  SetLocals(clip, seconds, current);
  out.seconds = clip ? seconds : 0;
  if (solver) {
    MmdSettings mmd = settings.mmd;
    mmd.keep_rest = mmd.keep_rest || !clip;
    solver->Solve(mmd, current, out.model_from_node, {}, settings.stages ? &stages : nullptr);
  } else {
    ComputeModelSpace(*character, current, out.model_from_node);
  }
  return FillOut(current, out);
}

Poser::Poser(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Poser::Poser(Poser&&) noexcept = default;
Poser& Poser::operator=(Poser&&) noexcept = default;
Poser::~Poser() = default;

Result<Poser> Poser::Create(const asset::Character& character, const PoserSettings& settings) {
  return GuardAllocations("a character was made ready to pose", [&]() -> Result<Poser> {
    auto parts = std::make_unique<Parts>();
    parts->character = &character;
    parts->settings = settings;
    parts->rest = RestPose(character);
    if (character.mmd) parts->solver.emplace(character);
    Poser poser(std::move(parts));
    FLEXOR_TRY(poser.SetOverrides(settings.overrides));
    return poser;
  });
}

Result<SimulationState> Poser::MakeState() const {
  return SimulationState::Create(*parts_->character, parts_->settings.simulation);
}

Status Poser::SetOverrides(std::span<const Override> overrides) {
  return GuardAllocations("overrides were looked up", [&]() -> Status {
    FLEXOR_ASSIGN(ResolvedOverrides found,
                  ResolvedOverrides::Resolve(*parts_->character, overrides));
    parts_->overrides = std::move(found);
    parts_->digest = DigestOfSettings(parts_->settings.mmd, parts_->overrides);
    return {};
  });
}

Status Poser::Evaluate(std::optional<std::uint32_t> clip, double seconds, SimulationState* state,
                       asset::PosedCharacter& out) {
  return GuardAllocations("a character was posed", [&]() -> Status {
    return parts_->Evaluate(clip, seconds, state == nullptr ? nullptr : state->parts_.get(), out);
  });
}

const MmdStages& Poser::stages() const { return parts_->stages; }

}  // namespace flexor::pose
