#include <algorithm>
#include <cmath>

#include "asset/validate.h"

namespace flexor::asset {
namespace {

std::string_view PathName(ChannelPath path) {
  switch (path) {
    case ChannelPath::kTranslation:
      return "translation";
    case ChannelPath::kRotation:
      return "rotation";
    case ChannelPath::kScale:
      return "scale";
    case ChannelPath::kMorphWeights:
      return "morph weights";
    case ChannelPath::kMmdMorph:
      return "MMD morph";
    case ChannelPath::kMmdIkEnabled:
      return "MMD IK switch";
  }
  return "unknown";
}

std::string Seconds(double value) {
  std::string text = std::to_string(value);
  return text + " s";
}

// The number of components that a channel must have, after its target is known to exist.
Result<std::size_t> WantedComponents(const Channel& channel, const std::string& place,
                                     const Character& character) {
  if (channel.path == ChannelPath::kMorphWeights) {
    if (channel.target >= character.instances.size()) {
      return IndexError(place, "target mesh instance", channel.target, character.instances.size(),
                        "mesh instances");
    }
    return character.meshes[character.instances[channel.target].mesh].morphs.size();
  }
  if (channel.path == ChannelPath::kMmdMorph || channel.path == ChannelPath::kMmdIkEnabled) {
    if (!character.mmd) {
      return At(ErrorCode::kInvalidValue, place,
                "moves a part of an MMD rig, but the character has none");
    }
    const bool morph = channel.path == ChannelPath::kMmdMorph;
    const std::size_t count = morph ? character.mmd->morphs.size() : character.mmd->ik.size();
    if (channel.target >= count) {
      return IndexError(place, morph ? "target MMD morph" : "target IK chain", channel.target,
                        count, morph ? "MMD morphs" : "IK chains");
    }
    return std::size_t{1};
  }
  if (channel.target >= character.nodes.size()) {
    return IndexError(place, "target node", channel.target, character.nodes.size(), "nodes");
  }
  return std::size_t{channel.path == ChannelPath::kRotation ? 4u : 3u};
}

// The curves of eased segments; a channel of another kind has none.
Status CheckControls(const Channel& channel, const std::string& place, std::size_t components) {
  if (channel.interpolation != Interpolation::kBezier) {
    if (channel.controls.empty()) return {};
    return SizeError(place, "numbers of curve controls", channel.controls.size(), 0,
                     "only a channel with BEZIER interpolation has curves");
  }
  const std::size_t curves = channel.path == ChannelPath::kRotation ? 1 : components;
  const std::size_t per_key = 4 * curves;
  const std::size_t wanted = channel.times.size() * per_key;
  if (channel.controls.size() != wanted) {
    return SizeError(
        place, "numbers of curve controls", channel.controls.size(), wanted,
        std::to_string(per_key) + " for each of " + std::to_string(channel.times.size()) + " keys");
  }
  for (std::size_t i = 0; i < channel.controls.size(); ++i) {
    const float control = channel.controls[i];
    if (!(control >= 0 && control <= 1)) {
      return At(
          ErrorCode::kInvalidValue, place + " key " + std::to_string(i / per_key),
          "the control " + std::to_string(control) + " of one of its curves is outside 0 to 1");
    }
  }
  return {};
}

Status CheckChannel(const Channel& channel, const std::string& place, const Character& character) {
  FLEXOR_ASSIGN(const std::size_t components, WantedComponents(channel, place, character));
  if (channel.components != components) {
    return SizeError(place, "components", channel.components, components,
                     channel.path == ChannelPath::kMorphWeights
                         ? "one for each morph of the target's mesh"
                         : "that is what a " + std::string(PathName(channel.path)) + " has");
  }
  if (channel.interpolation == Interpolation::kSlerpAsStored &&
      channel.path != ChannelPath::kRotation) {
    return At(ErrorCode::kInvalidValue, place,
              "is no rotation, but interpolated as one (SLERP_AS_STORED)");
  }
  if (channel.path == ChannelPath::kMmdIkEnabled && channel.interpolation != Interpolation::kStep) {
    return At(ErrorCode::kInvalidValue, place, "must hold between keys (STEP): it is on or off");
  }
  if (channel.times.empty()) return At(ErrorCode::kInvalidValue, place, "has no keys");
  for (std::size_t k = 0; k < channel.times.size(); ++k) {
    const std::string key_place = place + " key " + std::to_string(k);
    if (!std::isfinite(channel.times[k])) {
      return At(ErrorCode::kInvalidValue, key_place, "its time is not finite");
    }
    if (k > 0 && channel.times[k] < channel.times[k - 1]) {
      return At(ErrorCode::kInvalidValue, key_place,
                "its time " + Seconds(channel.times[k]) + " comes before that of the key before, " +
                    Seconds(channel.times[k - 1]));
    }
  }
  const std::size_t per_key =
      components * (channel.interpolation == Interpolation::kCubicSpline ? 3 : 1);
  const std::size_t wanted = channel.times.size() * per_key;
  if (channel.values.size() != wanted) {
    return SizeError(
        place, "values", channel.values.size(), wanted,
        std::to_string(per_key) + " for each of " + std::to_string(channel.times.size()) + " keys");
  }
  for (std::size_t i = 0; i < channel.values.size(); ++i) {
    if (!std::isfinite(channel.values[i])) {
      return At(ErrorCode::kInvalidValue, place + " key " + std::to_string(i / per_key),
                "one of its values is not finite");
    }
  }
  return CheckControls(channel, place, components);
}

}  // namespace

Status FinalizeClip(Clip& clip, const std::string& place, const Character& character) {
  if (!std::isfinite(clip.frames_per_second) || clip.frames_per_second <= 0) {
    return At(ErrorCode::kInvalidValue, place,
              "its rate of " + std::to_string(clip.frames_per_second) +
                  " frames per second must be positive and finite");
  }
  if (!std::isfinite(clip.start_time) || !std::isfinite(clip.end_time)) {
    return At(ErrorCode::kInvalidValue, place, "its start or end time is not finite");
  }
  for (std::size_t c = 0; c < clip.channels.size(); ++c) {
    const Channel& channel = clip.channels[c];
    FLEXOR_TRY(CheckChannel(
        channel,
        place + " channel " + std::to_string(c) + " (" + std::string(PathName(channel.path)) + ")",
        character));
    if (!clip.has_range) clip.end_time = std::max(clip.end_time, channel.times.back());
  }
  if (clip.end_time < clip.start_time) {
    return At(ErrorCode::kInvalidValue, place,
              "it ends at " + Seconds(clip.end_time) + ", before its start at " +
                  Seconds(clip.start_time));
  }
  return {};
}

}  // namespace flexor::asset
