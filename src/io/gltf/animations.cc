#include "io/gltf/animations.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "io/rules.h"

namespace flexor::io::gltf {
namespace {

constexpr double kRates[] = {24, 25, 30, 48, 50, 60, 120};
constexpr double kDefaultRate = 30;

bool LiesOnFrames(const asset::Clip& clip, double rate) {
  for (const asset::Channel& channel : clip.channels) {
    for (const double time : channel.times) {
      const double frame = time * rate;
      // Times are floats in the file: allow for what that rounds off far from zero.
      if (std::abs(frame - std::round(frame)) > 0.01 + frame * 1e-6) return false;
    }
  }
  return true;
}

/// Whether more than half of all gaps between neighbouring keys are one frame long.
bool IsMostlyFrameByFrame(const asset::Clip& clip, double rate) {
  std::size_t gaps = 0, frames = 0;
  for (const asset::Channel& channel : clip.channels) {
    for (std::size_t k = 1; k < channel.times.size(); ++k) {
      const double gap = channel.times[k] - channel.times[k - 1];
      // Both times are rounded to float in the file; 23.976, 29.97 and 59.94 count as 24, 30, 60.
      const double rounding = channel.times[k] * rate * 1.2e-7;
      ++gaps;
      if (std::abs(gap * rate - 1) <= 1.1e-3 + rounding) ++frames;
    }
  }
  return frames * 2 > gaps;
}

/// Everything that converting one animation needs.
struct Converter {
  const RawDocument& document;
  const asset::Character& character;
  const std::vector<std::int32_t>& instance_of_node;
  AccessorReader& accessors;
  MemoryBudget& budget;
  Diagnostics& diagnostics;
  const RawAnimation& raw;
  std::string place;

  void CheckStride(std::uint32_t accessor, const std::string& where) const {
    const std::int32_t view = accessors.Raw(accessor).view;
    if (view == kNone || document.views[static_cast<std::size_t>(view)].byte_stride == 0) return;
    Report(diagnostics, "ANIMATION_SAMPLER_ACCESSOR_WITH_BYTESTRIDE", where,
           "the view of keys must have no stride; the stride was kept to");
  }

  Status ReadTimes(const RawSampler& sampler, const std::string& where,
                   asset::Channel& channel) const {
    const std::string input = where + "/input";
    FLEXOR_TRY(accessors.Expect(sampler.input, input, {ElementType::kScalar}, kFloat32));
    if (!accessors.Raw(sampler.input).has_bounds) {
      Report(diagnostics, "ANIMATION_SAMPLER_INPUT_ACCESSOR_WITHOUT_BOUNDS", input,
             "the accessor of key times lacks min and max");
    }
    CheckStride(sampler.input, input);
    FLEXOR_ASSIGN(const auto times, accessors.Floats(sampler.input, input));
    FLEXOR_TRY(budget.Charge(times.size(), sizeof(double), "key times"));
    channel.times.assign(times.begin(), times.end());
    budget.Release(times.size() * sizeof(float));
    bool repeats = false;
    for (std::size_t k = 0; k < channel.times.size(); ++k) {
      if (channel.times[k] < 0 || (k > 0 && channel.times[k] < channel.times[k - 1])) {
        return Error{ErrorCode::kInvalidValue,
                     "key " + std::to_string(k) + " is at " + std::to_string(channel.times[k]) +
                         (k == 0 ? " s; times must not be negative"
                                 : " s, after one at " + std::to_string(channel.times[k - 1]) +
                                       " s; times must rise from 0"),
                     {{}, input, std::nullopt}};
      }
      repeats = repeats || (k > 0 && channel.times[k] == channel.times[k - 1]);
    }
    // An accessor without data says nothing about keys.
    const RawAccessor& accessor = accessors.Raw(sampler.input);
    if (repeats && (accessor.view != kNone || accessor.sparse)) {
      Report(diagnostics, "ACCESSOR_ANIMATION_INPUT_NON_INCREASING", input,
             "two keys at one time; the value jumps there");
    }
    return {};
  }

  /// Rotations as unit quaternions; those that are unit already are left exactly as they are.
  void MakeUnit(asset::Channel& channel, const std::string& where) const {
    if (channel.path != asset::ChannelPath::kRotation ||
        channel.interpolation == asset::Interpolation::kCubicSpline) {
      return;  // splines are normalised after interpolation
    }
    std::uint64_t wrong = 0;
    for (std::size_t i = 0; i + 3 < channel.values.size(); i += 4) {
      float* v = channel.values.data() + i;
      const Quatd q{v[0], v[1], v[2], v[3]};
      const double length = std::sqrt(Dot(q, q));
      if (std::abs(length - 1) <= 1e-6) continue;
      if (std::abs(length - 1) > 0.05) ++wrong;
      const Quatf unit = Cast<float>(Normalized(q));
      v[0] = unit.x;
      v[1] = unit.y;
      v[2] = unit.z;
      v[3] = unit.w;
    }
    if (wrong != 0) {
      Report(diagnostics, "ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION", where,
             "rotations that are not unit quaternions; made so (zero becomes no rotation)", wrong);
    }
  }

  Status ReadValues(const RawSampler& sampler, const std::string& where,
                    asset::Channel& channel) const {
    const std::string output = where + "/output";
    const bool fractions = channel.path == asset::ChannelPath::kRotation ||
                           channel.path == asset::ChannelPath::kMorphWeights;
    const ElementType type = channel.path == asset::ChannelPath::kRotation ? ElementType::kVec4
                             : channel.path == asset::ChannelPath::kMorphWeights
                                 ? ElementType::kScalar
                                 : ElementType::kVec3;
    FLEXOR_TRY(accessors.Expect(sampler.output, output, {type},
                                fractions ? kFloat32 | kNormalized : kFloat32));
    CheckStride(sampler.output, output);
    const std::uint64_t per_element = type == ElementType::kScalar ? channel.components : 1;
    const std::uint64_t tangents =
        channel.interpolation == asset::Interpolation::kCubicSpline ? 3 : 1;
    const std::uint64_t wanted = channel.times.size() * per_element * tangents;
    const std::uint64_t count = accessors.Raw(sampler.output).count;
    if (count != wanted) {
      return Error{ErrorCode::kShapeMismatch,
                   std::to_string(channel.times.size()) + " keys need " + std::to_string(wanted) +
                       " output elements, but the accessor has " + std::to_string(count),
                   {{}, output, std::nullopt}};
    }
    FLEXOR_ASSIGN(channel.values, accessors.Floats(sampler.output, output));
    MakeUnit(channel, output);
    return {};
  }

  /// What the channel moves; false when it is nothing that exists.
  bool FindTarget(const RawChannel& source, const std::string& where,
                  asset::Channel& channel) const {
    if (source.path == RawPath::kUnknown) return false;  // reported where it was read
    if (source.node == kNone) {
      Report(diagnostics, "ANIMATION_CHANNEL_WITHOUT_NODE", where + "/target",
             "the channel names no node; it is left out");
      return false;
    }
    const auto node = static_cast<std::size_t>(source.node);
    channel.target = static_cast<std::uint32_t>(node);
    switch (source.path) {
      case RawPath::kTranslation:
        channel.path = asset::ChannelPath::kTranslation;
        break;
      case RawPath::kRotation:
        channel.path = asset::ChannelPath::kRotation;
        channel.components = 4;
        break;
      case RawPath::kScale:
        channel.path = asset::ChannelPath::kScale;
        break;
      case RawPath::kWeights:
      case RawPath::kUnknown: {
        const std::int32_t instance = instance_of_node[node];
        std::size_t morphs = 0;
        if (instance != kNone) {
          const auto& carrier = character.instances[static_cast<std::size_t>(instance)];
          morphs = character.meshes[carrier.mesh].morphs.size();
          channel.target = static_cast<std::uint32_t>(instance);
        }
        if (morphs == 0) {
          Report(diagnostics, "ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS", where + "/target",
                 "node " + std::to_string(node) +
                     " has no mesh with morph targets; the channel is left out");
          return false;
        }
        channel.path = asset::ChannelPath::kMorphWeights;
        channel.components = static_cast<std::uint32_t>(morphs);
        return true;
      }
    }
    if (document.nodes[node].matrix) {
      Report(diagnostics, "ANIMATION_CHANNEL_TARGET_NODE_MATRIX", where + "/target",
             "node " + std::to_string(node) +
                 " has a matrix, but animated nodes must have translation, rotation and scale; "
                 "while it is animated the nearest such transform is used");
    }
    return true;
  }
};

asset::Interpolation InterpolationOf(RawInterpolation raw) {
  switch (raw) {
    case RawInterpolation::kStep:
      return asset::Interpolation::kStep;
    case RawInterpolation::kCubicSpline:
      return asset::Interpolation::kCubicSpline;
    case RawInterpolation::kUnknown:  // only the check meets it
    case RawInterpolation::kLinear:
      break;
  }
  return asset::Interpolation::kLinear;
}

}  // namespace

double FrameRateOf(const asset::Clip& clip) {
  for (const double rate : kRates) {
    if (IsMostlyFrameByFrame(clip, rate)) return rate;
  }
  if (LiesOnFrames(clip, kDefaultRate)) return kDefaultRate;
  for (const double rate : kRates) {
    if (LiesOnFrames(clip, rate)) return rate;
  }
  return kDefaultRate;
}

Result<asset::Clip> ConvertAnimation(const RawDocument& document, std::uint32_t index,
                                     const asset::Character& character,
                                     const std::vector<std::int32_t>& instance_of_node,
                                     AccessorReader& accessors, MemoryBudget& budget,
                                     Diagnostics& diagnostics) {
  const RawAnimation& raw = document.animations[index];
  const Converter converter{document,
                            character,
                            instance_of_node,
                            accessors,
                            budget,
                            diagnostics,
                            raw,
                            "/animations/" + std::to_string(index)};
  asset::Clip clip;
  clip.name = raw.name;
  std::set<std::pair<std::int32_t, RawPath>> targets;
  for (std::size_t c = 0; c < raw.channels.size(); ++c) {
    const RawChannel& source = raw.channels[c];
    const RawSampler& sampler = raw.samplers[source.sampler];
    const std::string where = converter.place + "/channels/" + std::to_string(c);
    const std::string sampler_place =
        converter.place + "/samplers/" + std::to_string(source.sampler);
    asset::Channel channel;
    channel.interpolation = InterpolationOf(sampler.interpolation);
    if (!converter.FindTarget(source, where, channel)) continue;
    if (!targets.emplace(source.node, source.path).second) {
      Report(diagnostics, "ANIMATION_DUPLICATE_TARGETS", where + "/target",
             "an earlier channel has the same target; this one is left out");
      continue;
    }
    FLEXOR_TRY(budget.Charge(1, 2 * sizeof(asset::Channel), "an animation channel"));
    FLEXOR_TRY(converter.ReadTimes(sampler, sampler_place, channel));
    FLEXOR_TRY(converter.ReadValues(sampler, sampler_place, channel));
    if (channel.times.empty()) {
      Report(diagnostics, "ANIMATION_CHANNEL_WITHOUT_KEYS", where,
             "the channel has no keys; it is left out");
      continue;
    }
    if (channel.interpolation == asset::Interpolation::kCubicSpline && channel.times.size() < 2) {
      Report(diagnostics, "ANIMATION_SAMPLER_INPUT_ACCESSOR_TOO_FEW_ELEMENTS",
             sampler_place + "/input", "a cubic spline needs two keys; its one value holds");
    }
    clip.end_time = std::max(clip.end_time, channel.times.back());
    clip.channels.push_back(std::move(channel));
  }
  clip.frames_per_second = FrameRateOf(clip);
  return clip;
}

}  // namespace flexor::io::gltf
