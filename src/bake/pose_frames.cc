#include "bake/pose_frames.h"

#include <cmath>
#include <string>

namespace flexor::bake {

Status PoseFrames(const asset::Character& character, std::uint32_t clip,
                  const std::vector<double>& seconds, const pose::PoserSettings& settings,
                  TakePoseFn take, ProgressFn progress) {
  FLEXOR_ASSIGN(pose::Poser poser, pose::Poser::Create(character, settings));
  FLEXOR_ASSIGN(pose::SimulationState state, poser.MakeState());
  asset::PosedCharacter posed;
  for (std::size_t f = 0; f < seconds.size(); ++f) {
    if (progress && !progress({character.clips[clip].name, f, seconds.size()})) {
      return Error{ErrorCode::kCancelled, "stopped; nothing was written", {}};
    }
    FLEXOR_TRY(poser.Evaluate(clip, seconds[f], &state, posed));
    take(posed);
  }
  return {};
}

Status CheckMotionMemory(const asset::Clip& clip, double frames, double bytes_per_frame,
                         const MotionSettings& settings) {
  const double needed = frames * bytes_per_frame;
  if (needed <= static_cast<double>(settings.memory_bytes)) return {};
  const auto whole = [](double value) { return std::to_string(std::llround(value / 1e6)); };
  return Error{ErrorCode::kLimitExceeded,
               "clip '" + clip.name + "' has " + std::to_string(std::llround(frames)) +
                   " frames, whose keys take " + whole(needed) + " MB; at most " +
                   whole(static_cast<double>(settings.memory_bytes)) + " MB may be used",
               {}};
}

}  // namespace flexor::bake
