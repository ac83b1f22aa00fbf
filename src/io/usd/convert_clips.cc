// What the stage plays, and its further animations, as clips.

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>
#include <utility>

#include "flexor/math/palette_split.h"

#include "io/rules.h"
#include "io/usd/convert_parts.h"
#include "io/usd/xform.h"

namespace flexor::io::usd {
namespace {

using asset::Channel;
using asset::ChannelPath;

double Seconds(const StageTime& time, double code) { return code / time.codes_per_second; }

std::vector<double> Seconds(const StageTime& time, const std::vector<double>& codes) {
  std::vector<double> seconds;
  seconds.reserve(codes.size());
  for (const double code : codes) seconds.push_back(Seconds(time, code));
  return seconds;
}

void Append(const Vec3f& v, std::vector<float>& out) { out.insert(out.end(), {v.x, v.y, v.z}); }
void Append(const Quatf& q, std::vector<float>& out) {
  out.insert(out.end(), {q.x, q.y, q.z, q.w});
}

/// One channel for each joint that an animation moves.
template <class T>
Status AddJointChannels(Conversion& conversion, const Track<T>& track, ChannelPath path,
                        const std::vector<std::pair<std::size_t, std::uint32_t>>& joints,
                        asset::Clip& clip) {
  const std::vector<double> seconds = Seconds(conversion.time, track.times);
  for (const auto& [element, node] : joints) {
    FLEXOR_TRY(conversion.budget.Charge(seconds.size(), sizeof(double) + sizeof(T), "clips"));
    Channel channel;
    channel.path = path;
    channel.interpolation = path == ChannelPath::kRotation ? asset::Interpolation::kSlerpAsStored
                                                           : asset::Interpolation::kLinear;
    channel.target = node;
    channel.components = sizeof(T) / sizeof(float);
    channel.times = seconds;
    channel.values.reserve(seconds.size() * channel.components);
    for (const std::vector<T>& values : track.values) Append(values[element], channel.values);
    clip.channels.push_back(std::move(channel));
  }
  return {};
}

/// The joints of a skeleton that an animation moves: index in the animation, node.
std::vector<std::pair<std::size_t, std::uint32_t>> MovedJoints(const SkelAnimation& animation,
                                                               const PlacedSkeleton& placed) {
  std::unordered_map<Token, std::size_t> index;
  for (std::size_t i = 0; i < animation.joints.size(); ++i) index.emplace(animation.joints[i], i);
  std::vector<std::pair<std::size_t, std::uint32_t>> moved;
  for (std::size_t joint = 0; joint < placed.skeleton.joints.size(); ++joint) {
    const auto found = index.find(placed.skeleton.joints[joint]);
    if (found != index.end()) moved.emplace_back(found->second, placed.joint_nodes[joint]);
  }
  return moved;
}

Status AddMorphChannels(Conversion& conversion, const SkelAnimation& animation,
                        const StagePrim* skeleton, asset::Clip& clip) {
  if (animation.weights.times.empty()) return {};
  std::unordered_map<Token, std::size_t> index;
  for (std::size_t i = 0; i < animation.blend_shapes.size(); ++i) {
    index.emplace(animation.blend_shapes[i], i);
  }
  const std::vector<double> seconds = Seconds(conversion.time, animation.weights.times);
  for (const PlacedShape& shape : conversion.shapes) {
    if (shape.binding.skeleton != skeleton || shape.blend_shapes.empty()) continue;
    Channel channel;
    channel.path = ChannelPath::kMorphWeights;
    channel.target = shape.instance;
    channel.components = static_cast<std::uint32_t>(shape.blend_shapes.size());
    channel.times = seconds;
    FLEXOR_TRY(
        conversion.budget.Charge(seconds.size(), sizeof(double) + 4 * channel.components, "clips"));
    for (const std::vector<float>& weights : animation.weights.values) {
      for (const Token name : shape.blend_shapes) {
        const auto found = index.find(name);
        channel.values.push_back(found == index.end() ? 0 : weights[found->second]);
      }
    }
    clip.channels.push_back(std::move(channel));
  }
  return {};
}

Status AddAnimation(Conversion& conversion, const SkelAnimation& animation,
                    const PlacedSkeleton& placed, asset::Clip& clip) {
  if (animation.moves_joints) {
    const auto joints = MovedJoints(animation, placed);
    FLEXOR_TRY(AddJointChannels(conversion, animation.translations, ChannelPath::kTranslation,
                                joints, clip));
    FLEXOR_TRY(
        AddJointChannels(conversion, animation.rotations, ChannelPath::kRotation, joints, clip));
    FLEXOR_TRY(AddJointChannels(conversion, animation.scales, ChannelPath::kScale, joints, clip));
  }
  return AddMorphChannels(conversion, animation, placed.skeleton.prim, clip);
}

/// Keys of one moving prim: at its own samples and at every whole frame of the range, so that
/// frames are exact although operations and curves interpolate differently.
std::vector<double> KeyTimes(const StageTime& time, std::vector<double> samples) {
  const double first = time.start.value_or(samples.front());
  const double last = time.end.value_or(samples.back());
  const double step = time.codes_per_second / time.frames_per_second;
  constexpr double kMostFrames = 100'000;
  if ((last - first) / step < kMostFrames) {
    for (double frame = std::ceil(first / step); frame * step <= last; ++frame) {
      samples.push_back(frame * step);
    }
  }
  std::sort(samples.begin(), samples.end());
  samples.erase(std::unique(samples.begin(), samples.end()), samples.end());
  return samples;
}

Status AddXformChannels(Conversion& conversion, const StagePrim& prim, std::uint32_t node,
                        asset::Clip& clip) {
  FLEXOR_ASSIGN(const Xform xform,
                Xform::Of(conversion.stage, prim, conversion.budget, conversion.diagnostics));
  const std::vector<double> samples = xform.SampleTimes();
  if (samples.empty()) return {};
  Channel translation, rotation, scale;
  translation.path = ChannelPath::kTranslation;
  rotation.path = ChannelPath::kRotation;
  rotation.components = 4;
  scale.path = ChannelPath::kScale;
  bool is_sheared = false;
  for (const double code : KeyTimes(conversion.time, samples)) {
    FLEXOR_TRY(conversion.budget.Charge(1, 3 * sizeof(double) + 10 * sizeof(float), "clips"));
    FLEXOR_ASSIGN(const Mat34d matrix, xform.At(code, conversion.budget, conversion.diagnostics));
    const Transform nearest = NearestTransform(matrix);
    const Mat3d off = ToMat34(nearest).linear - matrix.linear;
    const double size =
        std::max({Length(matrix.linear.x), Length(matrix.linear.y), Length(matrix.linear.z)});
    is_sheared =
        is_sheared || std::max({Length(off.x), Length(off.y), Length(off.z)}) > 1e-5 * size;
    const double seconds = Seconds(conversion.time, code);
    for (Channel* channel : {&translation, &rotation, &scale}) {
      channel->target = node;
      channel->times.push_back(seconds);
    }
    Append(Cast<float>(nearest.translation), translation.values);
    Append(Cast<float>(nearest.rotation), rotation.values);
    Append(Cast<float>(nearest.scale), scale.values);
  }
  if (is_sheared) {
    Report(conversion.diagnostics, "USD_XFORM_SHEARED", prim.path.ToString(),
           "the animated transform is sheared; the nearest without shear is used");
  }
  for (Channel* channel : {&translation, &rotation, &scale}) {
    clip.channels.push_back(std::move(*channel));
  }
  return {};
}

/// From its first key to its last, or what the stage says.
void SetRange(const StageTime& time, asset::Clip& clip) {
  clip.frames_per_second = time.frames_per_second;
  if (time.start) {
    clip.start_time = Seconds(time, *time.start);
    clip.end_time = Seconds(time, *time.end);
    clip.has_range = true;
    return;
  }
  bool is_first = true;
  for (const Channel& channel : clip.channels) {
    if (channel.times.size() < 2) continue;
    clip.start_time =
        is_first ? channel.times.front() : std::min(clip.start_time, channel.times.front());
    clip.end_time = is_first ? channel.times.back() : std::max(clip.end_time, channel.times.back());
    is_first = false;
  }
}

}  // namespace

Status ConvertClips(Conversion& conversion) {
  Stage& stage = conversion.stage;
  asset::Character& character = conversion.character;
  asset::Clip playing;
  std::set<const StagePrim*> used;
  for (const PlacedSkeleton& placed : conversion.skeletons) {
    if (!placed.animation) continue;
    used.insert(placed.animation_prim);
    FLEXOR_TRY(AddAnimation(conversion, *placed.animation, placed, playing));
  }
  if (used.size() == 1) playing.name = (*used.begin())->path.name().str();
  for (const StagePrim& prim : stage.prims()) {
    const auto node = conversion.node_of.find(&prim);
    if (node == conversion.node_of.end()) continue;
    FLEXOR_TRY(AddXformChannels(conversion, prim, node->second, playing));
  }
  if (!playing.channels.empty()) {
    if (playing.name.empty()) playing.name = "stage";
    SetRange(conversion.time, playing);
    character.clips.push_back(std::move(playing));
  }
  for (const StagePrim& prim : stage.prims()) {
    if (!(prim.type_name == "SkelAnimation") || !prim.IsPresent() || used.contains(&prim)) continue;
    FLEXOR_ASSIGN(const SkelAnimation animation,
                  ReadAnimation(stage, prim, conversion.budget, conversion.diagnostics));
    asset::Clip clip;
    clip.name = prim.path.name().str();
    for (const PlacedSkeleton& placed : conversion.skeletons) {
      const bool fits = MovedJoints(animation, placed).size() == animation.joints.size();
      if (fits) FLEXOR_TRY(AddAnimation(conversion, animation, placed, clip));
    }
    if (clip.channels.empty()) {
      Report(conversion.diagnostics, "USD_ANIMATION", prim.path.ToString(),
             "no skeleton plays the animation, and none has all of its joints; it is left out");
      continue;
    }
    SetRange(conversion.time, clip);
    character.clips.push_back(std::move(clip));
  }
  return {};
}

}  // namespace flexor::io::usd
