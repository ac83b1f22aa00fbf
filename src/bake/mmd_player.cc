#include "bake/mmd_player.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace flexor::bake {
namespace {

bool HasMovingBody(const asset::Character& character) {
  const auto& bodies = character.mmd->bodies;
  return std::any_of(bodies.begin(), bodies.end(), [](const asset::MmdBody& body) {
    return body.mode != asset::MmdBodyMode::kFollowBone;
  });
}

}  // namespace

MmdPlayer::MmdPlayer(const asset::Character& character, const MmdPlay& play)
    : settings_(play.solver), solver_(character) {}

Result<MmdPlayer> MmdPlayer::Create(const asset::Character& character, const MmdPlay& play) {
  MmdPlayer player(character, play);
  const bool wanted = play.physics == MmdPhysicsUse::kOn ||
                      (play.physics == MmdPhysicsUse::kAuto && pose::HasMmdPhysics());
  // Bodies that only follow their bones move nothing.
  if (wanted && HasMovingBody(character)) {
    FLEXOR_ASSIGN(player.physics_, pose::MmdPhysics::Create(character));
  }
  return player;
}

Status MmdPlayer::Evaluate(std::optional<std::uint32_t> clip, double seconds, PoseAtFn pose_at,
                           pose::Pose& pose, std::vector<Mat34d>& model_from_node) {
  if (!physics_ || !clip) {
    FLEXOR_TRY(pose_at(seconds, pose));
    solver_.Solve(settings_, pose, model_from_node);
    return {};
  }
  if (seconds > kMostSeconds) {
    return Error{ErrorCode::kLimitExceeded,
                 "rigid bodies are simulated from the start of the clip, up to " +
                     std::to_string(std::llround(kMostSeconds)) + " s; this frame is at " +
                     std::to_string(std::llround(seconds)) + " s",
                 {}};
  }
  return Simulate(*clip, std::llround(std::max(seconds, 0.0) * kTicksPerSecond), pose_at, pose,
                  model_from_node);
}

Status MmdPlayer::Simulate(std::uint32_t clip, std::int64_t tick, PoseAtFn pose_at,
                           pose::Pose& pose, std::vector<Mat34d>& model_from_node) {
  if (clip_ != clip || tick < tick_) clip_.reset();
  for (std::int64_t at = clip_ ? tick_ + 1 : 0; at <= tick; ++at) {
    clip_.reset();  // until the tick is whole
    FLEXOR_TRY(pose_at(static_cast<double>(at) / kTicksPerSecond, pose_));
    solver_.Solve(
        settings_, pose_, world_, [&](std::vector<Mat34d>& world, std::vector<std::uint32_t>& led) {
          if (at == 0) physics_->WarmUp(kWarmUpSeconds, world);
          physics_->Step(at == 0 ? 0 : 1 / kTicksPerSecond, solver_.morph_weights(), world, led);
        });
    clip_ = clip;
    tick_ = at;
  }
  pose = pose_;
  model_from_node = world_;
  return {};
}

}  // namespace flexor::bake
