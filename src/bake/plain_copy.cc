#include "flexor/bake/plain_copy.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "flexor/asset/frame_time.h"
#include "flexor/pose/pose.h"

#include "bake/notes.h"
#include "bake/plain_pictures.h"

namespace flexor::bake {
namespace {

/// parent_from_node of a rigid pair of model-space matrices.
Transform RelativeTo(const Mat34d& parent, const Mat34d& node) {
  const Mat3d inverse = Transposed(parent.linear);
  Transform local;
  local.rotation = Normalized(ToQuat(inverse * node.linear));
  local.translation = inverse * (node.translation - parent.translation);
  return local;
}

/// What one frame made of bones and morphs.
struct Sampled {
  std::vector<std::vector<Transform>> bones;            // [frame][bone]
  std::vector<std::vector<std::vector<float>>> morphs;  // [frame][instance][morph]
};

Result<Sampled> SampleFrames(const asset::Character& character, const asset::Clip& clip,
                             std::size_t frames, const pose::MmdSettings& settings,
                             pose::MmdSolver& solver, ProgressFn progress) {
  const asset::MmdRig& rig = *character.mmd;
  const pose::Pose rest = pose::RestPose(character);
  pose::Pose pose;
  std::vector<Mat34d> world;
  Sampled sampled;
  for (std::size_t f = 0; f < frames; ++f) {
    if (progress && !progress({clip.name, f, frames})) {
      return Error{ErrorCode::kCancelled, "cancelled", {}};
    }
    pose = rest;
    pose::SampleClip(clip, asset::FrameToSeconds(static_cast<double>(f), clip.frames_per_second),
                     pose);
    solver.Solve(settings, pose, world);
    std::vector<Transform> locals(rig.bones.size());
    for (std::size_t b = 0; b < rig.bones.size(); ++b) {
      const std::size_t node = rig.first_node + b;
      const std::int32_t parent = character.nodes[node].parent;
      locals[b] = RelativeTo(
          parent == asset::kNone ? Mat34d{} : world[static_cast<std::size_t>(parent)], world[node]);
    }
    sampled.bones.push_back(std::move(locals));
    sampled.morphs.push_back(pose.morph_weights);
  }
  return sampled;
}

/// Whether two positions or turns are the same to what a float holds.
bool Same(const Transform& a, const Transform& b) {
  constexpr double kTiny = 1e-8;
  return Length(a.translation - b.translation) <= kTiny * (1 + Length(a.translation)) &&
         1 - std::abs(Dot(a.rotation, b.rotation)) <= kTiny * kTiny;
}

asset::Channel NewChannel(asset::ChannelPath path, std::size_t target, std::size_t components,
                          const std::vector<double>& times) {
  asset::Channel channel;
  channel.path = path;
  channel.target = static_cast<std::uint32_t>(target);
  channel.components = static_cast<std::uint32_t>(components);
  channel.times = times;
  channel.values.reserve(times.size() * components);
  return channel;
}

void AddBones(const asset::Character& character, const Sampled& sampled,
              const std::vector<double>& times, asset::Clip& out) {
  for (std::size_t b = 0; b < character.mmd->bones.size(); ++b) {
    const std::size_t node = character.mmd->first_node + b;
    bool moves = false, turns = false;
    const Transform& rest = character.nodes[node].rest;
    for (const std::vector<Transform>& frame : sampled.bones) {
      Transform only_moved = rest, only_turned = rest;
      only_moved.translation = frame[b].translation;
      only_turned.rotation = frame[b].rotation;
      moves = moves || !Same(rest, only_moved);
      turns = turns || !Same(rest, only_turned);
    }
    if (moves) {
      asset::Channel channel = NewChannel(asset::ChannelPath::kTranslation, node, 3, times);
      for (const std::vector<Transform>& frame : sampled.bones) {
        const Vec3f t = Cast<float>(frame[b].translation);
        channel.values.insert(channel.values.end(), {t.x, t.y, t.z});
      }
      out.channels.push_back(std::move(channel));
    }
    if (turns) {
      asset::Channel channel = NewChannel(asset::ChannelPath::kRotation, node, 4, times);
      for (const std::vector<Transform>& frame : sampled.bones) {
        const Quatf q = Cast<float>(frame[b].rotation);
        channel.values.insert(channel.values.end(), {q.x, q.y, q.z, q.w});
      }
      out.channels.push_back(std::move(channel));
    }
  }
}

void AddMorphs(const asset::Character& character, const Sampled& sampled,
               const std::vector<double>& times, asset::Clip& out) {
  for (std::size_t i = 0; i < character.instances.size(); ++i) {
    const std::vector<float>& rest = character.instances[i].morph_weights;
    bool used = false;
    for (const auto& frame : sampled.morphs) used = used || frame[i] != rest;
    if (!used) continue;
    asset::Channel channel = NewChannel(asset::ChannelPath::kMorphWeights, i, rest.size(), times);
    for (const auto& frame : sampled.morphs) {
      channel.values.insert(channel.values.end(), frame[i].begin(), frame[i].end());
    }
    out.channels.push_back(std::move(channel));
  }
}

void NoteLosses(const asset::Character& character, Diagnostics& notes) {
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
             std::to_string(character.mmd->joints.size()) + " joints are left out",
         character.mmd->bodies.size());
  }
}

Error TooLong(const asset::Clip& clip, double frames, double most) {
  return Error{ErrorCode::kLimitExceeded,
               "clip '" + clip.name + "' has " + std::to_string(std::llround(frames)) +
                   " frames; for this many bones at most " + std::to_string(std::llround(most)) +
                   " can be worked out",
               {}};
}

}  // namespace

Result<asset::Character> PlainCopy(const asset::Character& character,
                                   const pose::MmdSettings& settings, Diagnostics& notes,
                                   ProgressFn progress) {
  asset::Character copy = character;
  NoteLosses(character, notes);
  for (asset::Mesh& mesh : copy.meshes) mesh.sdef = {};
  MakePicturesPlain(copy);
  if (!character.mmd) return copy;
  copy.mmd.reset();
  copy.clips.clear();
  pose::MmdSolver solver(character);
  for (std::size_t c = 0; c < character.clips.size(); ++c) {
    const asset::Clip& clip = character.clips[c];
    const double last = std::ceil(asset::SecondsToFrame(clip.end_time, clip.frames_per_second));
    const double most = kMostTransforms / static_cast<double>(character.mmd->bones.size() + 1);
    if (last >= most) return TooLong(clip, last + 1, most);
    const std::size_t frames = static_cast<std::size_t>(last) + 1;
    FLEXOR_ASSIGN(const Sampled sampled,
                  SampleFrames(character, clip, frames, settings, solver, progress));
    std::vector<double> times;
    times.reserve(frames);
    for (std::size_t f = 0; f < frames; ++f) {
      times.push_back(asset::FrameToSeconds(static_cast<double>(f), clip.frames_per_second));
    }
    asset::Clip out;
    out.name = clip.name;
    out.end_time = clip.end_time;
    out.frames_per_second = clip.frames_per_second;
    AddBones(character, sampled, times, out);
    AddMorphs(character, sampled, times, out);
    copy.clips.push_back(std::move(out));
  }
  FLEXOR_TRY(asset::Finalize(copy));
  return copy;
}

}  // namespace flexor::bake
