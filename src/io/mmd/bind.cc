#include "io/mmd/bind.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "flexor/asset/frame_time.h"

#include "io/mmd/names.h"
#include "io/mmd/space.h"
#include "io/rules.h"

namespace flexor::io::mmd {
namespace {

template <class Keys, class NameOf>
Grouped Group(const Keys& keys, const NameTable& table, NameOf name_of) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_target;
  std::unordered_map<std::string_view, std::int32_t> known;
  Grouped out;
  for (std::uint32_t k = 0; k < keys.size(); ++k) {
    const std::string_view name = name_of(keys[k]);
    const auto [entry, fresh] = known.try_emplace(name, asset::kNone);
    if (fresh) {
      entry->second = table.Find(name);
      if (entry->second == asset::kNone) out.unmatched.emplace_back(name);
    }
    if (entry->second == asset::kNone) {
      ++out.unmatched_keys;
    } else {
      by_target[static_cast<std::uint32_t>(entry->second)].push_back(k);
    }
  }
  out.tracks.reserve(by_target.size());
  for (auto& [target, list] : by_target) {
    std::stable_sort(list.begin(), list.end(), [&](std::uint32_t a, std::uint32_t b) {
      return keys[a].frame < keys[b].frame;
    });
    // Of keys at one frame the later counts; it takes the place of the earlier.
    std::vector<std::uint32_t> single;
    single.reserve(list.size());
    for (const std::uint32_t k : list) {
      if (!single.empty() && keys[single.back()].frame == keys[k].frame) {
        single.back() = k;
      } else {
        single.push_back(k);
      }
    }
    out.tracks.push_back({target, std::move(single)});
  }
  return out;
}

double SecondsOf(std::uint32_t frame) { return asset::FrameToSeconds(frame, kVmdFramesPerSecond); }

void AppendCurve(const VmdCurve& curve, std::vector<float>& controls) {
  // Values above 127 are out of the format; clamping them is what the curve editor shows.
  const auto part = [](std::uint8_t value) {
    return std::min(1.0f, static_cast<float>(value) / 127.0f);
  };
  controls.insert(controls.end(), {part(curve.x1), part(curve.y1), part(curve.x2), part(curve.y2)});
}

Quatf RotationOf(Quatf stored) {
  // All zeros means no rotation; Normalized makes the identity of it.
  return Cast<float>(Normalized(Space::Rotation(Cast<double>(stored))));
}

asset::Channel NewChannel(asset::ChannelPath path, std::uint32_t target, std::uint32_t components,
                          asset::Interpolation interpolation) {
  asset::Channel channel;
  channel.path = path;
  channel.target = target;
  channel.components = components;
  channel.interpolation = interpolation;
  return channel;
}

/// Translation and rotation of one bone. A bone that is never moved gets no translation, so that it
/// stays at rest to the last bit.
void AddBoneTrack(const VmdMotion& motion, const Grouped::Track& track, const Space& space,
                  const asset::Character& character, asset::Clip& clip) {
  const std::uint32_t node = character.mmd->first_node + track.target;
  using asset::ChannelPath;
  using asset::Interpolation;
  asset::Channel move = NewChannel(ChannelPath::kTranslation, node, 3, Interpolation::kBezier);
  move.base = character.nodes[node].rest.translation;
  asset::Channel turn = NewChannel(ChannelPath::kRotation, node, 4, Interpolation::kBezier);
  bool moves = false;
  for (const std::uint32_t k : track.keys) {
    const VmdBoneKey& key = motion.bones[k];
    const VmdBoneCurves curves = key.curves();
    const Vec3f at = Cast<float>(space.Point(key.translation));
    move.times.push_back(SecondsOf(key.frame));
    move.values.insert(move.values.end(), {at.x, at.y, at.z});
    for (const VmdCurve& curve : {curves.x, curves.y, curves.z}) AppendCurve(curve, move.controls);
    moves = moves || key.translation.x != 0 || key.translation.y != 0 || key.translation.z != 0;
    const Quatf q = RotationOf(key.rotation);
    turn.times.push_back(SecondsOf(key.frame));
    turn.values.insert(turn.values.end(), {q.x, q.y, q.z, q.w});
    AppendCurve(curves.rotation, turn.controls);
  }
  if (moves) clip.channels.push_back(std::move(move));
  clip.channels.push_back(std::move(turn));
}

/// Switches of IK, which jump at their keys; a chain that no key names stays on.
void AddIkTracks(const VmdMotion& motion, const asset::Character& character, asset::Clip& clip,
                 MotionReport& report, Diagnostics& diagnostics) {
  const NameTable table = NameTable::OfIk(*character.mmd);
  std::vector<std::uint32_t> order(motion.properties.size());
  for (std::uint32_t k = 0; k < order.size(); ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return motion.properties[a].frame < motion.properties[b].frame;
  });
  std::map<std::uint32_t, asset::Channel> channels;
  Grouped missing;
  std::unordered_set<std::string> said;
  for (const std::uint32_t k : order) {
    const VmdPropertyKey& key = motion.properties[k];
    for (const VmdIkState& state : key.iks) {
      const std::int32_t chain = table.Find(state.name.view());
      if (chain == asset::kNone) {
        ++missing.unmatched_keys;
        std::string name(state.name.view());
        if (said.insert(name).second) missing.unmatched.push_back(std::move(name));
        continue;
      }
      const auto target = static_cast<std::uint32_t>(chain);
      auto [entry, fresh] = channels.try_emplace(target);
      asset::Channel& channel = entry->second;
      if (fresh) {
        channel =
            NewChannel(asset::ChannelPath::kMmdIkEnabled, target, 1, asset::Interpolation::kStep);
        // Before its first key a chain is on, unlike curves, which hold their first value.
        if (key.frame > 0) {
          channel.times.push_back(0);
          channel.values.push_back(1);
        }
      }
      channel.times.push_back(SecondsOf(key.frame));
      channel.values.push_back(state.enabled != 0 ? 1 : 0);
    }
  }
  report.ik_switches = channels.size();
  report.unmatched_ik = missing.unmatched.size();
  for (auto& [target, channel] : channels) clip.channels.push_back(std::move(channel));
  ReportUnmatched(missing, "MOTION_IK_UNMATCHED", "IK names", diagnostics);
}

void ReportUnused(const VmdMotion& motion, Diagnostics& diagnostics) {
  const std::size_t keys = motion.camera.size() + motion.light.size() + motion.shadow.size();
  if (keys == 0) return;
  Report(diagnostics, "MOTION_SCENE_KEYS_IGNORED", "motion",
         std::to_string(motion.camera.size()) + " camera, " + std::to_string(motion.light.size()) +
             " light and " + std::to_string(motion.shadow.size()) +
             " shadow keys do not move a character",
         keys);
}

}  // namespace

asset::Clip BindMotion(const VmdMotion& motion, const asset::Character& character,
                       MotionReport& report, Diagnostics& diagnostics) {
  const asset::MmdRig& rig = *character.mmd;
  const Space space(rig.metres_per_unit);
  asset::Clip clip;
  clip.frames_per_second = kVmdFramesPerSecond;
  clip.end_time = SecondsOf(LastFrame(motion));

  const Grouped bones = Group(motion.bones, NameTable::OfBones(rig),
                              [](const VmdBoneKey& key) { return key.name.view(); });
  for (const Grouped::Track& track : bones.tracks) {
    AddBoneTrack(motion, track, space, character, clip);
  }
  const Grouped morphs = Group(motion.morphs, NameTable::OfMorphs(rig),
                               [](const VmdMorphKey& key) { return key.name.view(); });
  for (const Grouped::Track& track : morphs.tracks) {
    asset::Channel channel =
        NewChannel(asset::ChannelPath::kMmdMorph, track.target, 1, asset::Interpolation::kLinear);
    for (const std::uint32_t k : track.keys) {
      channel.times.push_back(SecondsOf(motion.morphs[k].frame));
      channel.values.push_back(motion.morphs[k].weight);
    }
    clip.channels.push_back(std::move(channel));
  }
  report.bones = bones.tracks.size();
  report.morphs = morphs.tracks.size();
  report.unmatched_bones = bones.unmatched.size();
  report.unmatched_morphs = morphs.unmatched.size();
  ReportUnmatched(bones, "MOTION_BONE_UNMATCHED", "bone names", diagnostics);
  ReportUnmatched(morphs, "MOTION_MORPH_UNMATCHED", "morph names", diagnostics);
  AddIkTracks(motion, character, clip, report, diagnostics);
  ReportUnused(motion, diagnostics);
  return clip;
}

asset::Clip BindPose(const VpdPose& pose, const asset::Character& character, MotionReport& report,
                     Diagnostics& diagnostics) {
  // A pose is a motion whose only frame is 0.
  VmdMotion motion;
  for (const VpdBone& bone : pose.bones) {
    VmdBoneKey key;
    key.name.set(bone.bytes);
    key.translation = bone.translation;
    key.rotation = bone.rotation;
    key.set_curves({});
    motion.bones.push_back(key);
  }
  for (const VpdMorph& morph : pose.morphs) {
    VmdMorphKey key;
    key.name.set(morph.bytes);
    key.weight = morph.weight;
    motion.morphs.push_back(key);
  }
  return BindMotion(motion, character, report, diagnostics);
}

}  // namespace flexor::io::mmd
