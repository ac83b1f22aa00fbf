#include "flexor/bake/plain_copy.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "flexor/asset/frame_time.h"

#include "bake/notes.h"
#include "bake/plain_pictures.h"
#include "bake/pose_frames.h"

namespace flexor::bake {
namespace {

/// Whether two positions or turns are the same to what a float holds.
bool SamePlace(const Vec3d& a, const Vec3d& b) { return Length(a - b) <= 1e-8 * (1 + Length(a)); }
bool SameTurn(const Quatd& a, const Quatd& b) { return 1 - std::abs(Dot(a, b)) <= 1e-16; }

/// The keys of one node; empty where it stays at rest.
struct NodeKeys {
  std::vector<float> translations, rotations, scales;
  bool moves = false, turns = false, scaled = false;

  void Take(const Transform& local, const Transform& rest) {
    moves = moves || !SamePlace(rest.translation, local.translation);
    turns = turns || !SameTurn(rest.rotation, local.rotation);
    scaled = scaled || !SamePlace(rest.scale, local.scale);
    const Vec3f t = Cast<float>(local.translation), s = Cast<float>(local.scale);
    const Quatf q = Cast<float>(local.rotation);
    translations.insert(translations.end(), {t.x, t.y, t.z});
    rotations.insert(rotations.end(), {q.x, q.y, q.z, q.w});
    scales.insert(scales.end(), {s.x, s.y, s.z});
  }
};
constexpr double kBytesPerNode = 10 * sizeof(float) + 3 * sizeof(double);  // with times of channels

void AddChannel(asset::ChannelPath path, std::size_t target, std::size_t components,
                const std::vector<double>& times, std::vector<float> values, asset::Clip& out) {
  asset::Channel channel;
  channel.path = path;
  channel.target = static_cast<std::uint32_t>(target);
  channel.components = static_cast<std::uint32_t>(components);
  channel.times = times;
  channel.values = std::move(values);
  out.channels.push_back(std::move(channel));
}

/// The whole frames of a clip, and its end where that lies between two.
std::vector<double> TimesOf(const asset::Clip& clip) {
  const double rate = clip.frames_per_second, last = asset::LastFrame(clip, rate);
  std::vector<double> times;
  for (double f = 0; f <= last; ++f) times.push_back(asset::FrameToSeconds(f, rate));
  if (asset::SecondsToFrame(clip.end_time, rate) > last) times.push_back(clip.end_time);
  return times;
}

Result<asset::Clip> PlainClip(const asset::Character& character, std::uint32_t index,
                              const MotionSettings& settings, ProgressFn progress) {
  const asset::Clip& clip = character.clips[index];
  double morphs = 0;
  for (const asset::MeshInstance& instance : character.instances) {
    morphs += static_cast<double>(instance.morph_weights.size());
  }
  FLEXOR_TRY(CheckMotionMemory(
      clip, asset::LastFrame(clip, clip.frames_per_second) + 2,
      static_cast<double>(character.nodes.size()) * kBytesPerNode + morphs * sizeof(float),
      settings));
  const std::vector<double> times = TimesOf(clip);
  std::vector<NodeKeys> nodes(character.nodes.size());
  std::vector<std::vector<float>> weights(character.instances.size());
  std::vector<bool> morphed(character.instances.size());
  const auto take = [&](const asset::PosedCharacter& posed) {
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      if (!posed.uses_matrix[n]) nodes[n].Take(posed.locals[n], character.nodes[n].rest);
    }
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const std::vector<float>& now = posed.morph_weights[i];
      morphed[i] = morphed[i] || now != character.instances[i].morph_weights;
      weights[i].insert(weights[i].end(), now.begin(), now.end());
    }
  };
  FLEXOR_TRY(PoseFrames(character, index, times, settings.pose, take, progress));

  asset::Clip out;
  out.name = clip.name;
  out.end_time = clip.end_time;
  out.frames_per_second = clip.frames_per_second;
  using asset::ChannelPath;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    NodeKeys& keys = nodes[n];
    if (keys.moves) {
      AddChannel(ChannelPath::kTranslation, n, 3, times, std::move(keys.translations), out);
    }
    if (keys.turns) {
      AddChannel(ChannelPath::kRotation, n, 4, times, std::move(keys.rotations), out);
    }
    if (keys.scaled) AddChannel(ChannelPath::kScale, n, 3, times, std::move(keys.scales), out);
    keys = {};
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!morphed[i]) continue;
    AddChannel(ChannelPath::kMorphWeights, i, character.instances[i].morph_weights.size(), times,
               std::move(weights[i]), out);
  }
  return out;
}

void NoteLosses(const asset::Character& character, bool simulated, Diagnostics& notes) {
  std::size_t spherical = 0;
  for (const asset::Mesh& mesh : character.meshes) spherical += mesh.sdef.size();
  if (spherical != 0) {
    Note(notes, "PLAIN_SDEF_LINEAR",
         std::to_string(spherical) + " spherical vertices will be blended linearly", spherical);
  }
  if (!character.mmd) return;
  std::size_t spread = 0;
  for (const asset::MmdMorph& morph : character.mmd->morphs) {
    spread += morph.kind != asset::MmdMorphKind::kVertex;
  }
  if (spread != 0) {
    Note(notes, "PLAIN_MORPH_SPREAD",
         std::to_string(spread) +
             " morphs of groups, bones, looks or impulses are no sliders any more; what they did "
             "to bones and vertices is in the clips",
         spread);
  }
  if (!character.mmd->bodies.empty()) {
    Note(notes, "PLAIN_PHYSICS_LEFT_OUT",
         std::to_string(character.mmd->bodies.size()) + " rigid bodies and " +
             std::to_string(character.mmd->joints.size()) + " joints are left out" +
             (simulated ? "; what they did to bones is in the clips" : ""),
         character.mmd->bodies.size());
  }
}

}  // namespace

Result<asset::Character> PlainCopy(const asset::Character& character,
                                   const MotionSettings& settings, Diagnostics& notes,
                                   ProgressFn progress) {
  asset::Character copy = character;
  FLEXOR_ASSIGN(const pose::SimulationState state,
                pose::SimulationState::Create(character, settings.pose.simulation));
  NoteLosses(character, state.simulates() && !character.clips.empty(), notes);
  for (asset::Mesh& mesh : copy.meshes) mesh.sdef = {};
  MakePicturesPlain(copy);
  if (!character.mmd) return copy;
  copy.mmd.reset();
  copy.clips.clear();
  for (std::uint32_t c = 0; c < character.clips.size(); ++c) {
    FLEXOR_ASSIGN(asset::Clip clip, PlainClip(character, c, settings, progress));
    copy.clips.push_back(std::move(clip));
  }
  FLEXOR_TRY(asset::Finalize(copy));
  return copy;
}

}  // namespace flexor::bake
