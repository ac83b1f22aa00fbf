#include "io/gltf/write_glb_clip.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace flexor::io::gltf {
namespace {

using asset::Channel;
using asset::ChannelPath;
using asset::Interpolation;
using asset::kNone;

// Rotations this close to unit length keep their bits.
constexpr double kUnitTolerance = 1e-5;

const char* PathName(ChannelPath path) {
  switch (path) {
    case ChannelPath::kTranslation:
      return "translation";
    case ChannelPath::kRotation:
      return "rotation";
    case ChannelPath::kScale:
      return "scale";
    case ChannelPath::kMorphWeights:
    case ChannelPath::kMmdMorph:
    case ChannelPath::kMmdIkEnabled:
      break;
  }
  return "weights";
}

const char* InterpolationName(Interpolation interpolation) {
  switch (interpolation) {
    case Interpolation::kStep:
      return "STEP";
    case Interpolation::kLinear:
    case Interpolation::kBezier:
      return "LINEAR";
    case Interpolation::kCubicSpline:
      break;
  }
  return "CUBICSPLINE";
}

// Where one key's numbers are: a value, or in-tangent, value and out-tangent.
struct KeyShape {
  std::size_t components;
  bool cubic;

  std::size_t size() const { return cubic ? components * 3 : components; }
  std::size_t value() const { return cubic ? components : 0; }
  std::size_t out_tangent() const { return components * 2; }
};

// The key at time 0 between the keys at `values` and one further, `interval` seconds apart, `u` of
// the way from one to the other.
std::vector<float> KeyBetween(const Channel& channel, const KeyShape& shape, const float* values,
                              double interval, double u) {
  std::vector<float> key(shape.size(), 0.0f);
  const float* a = values + shape.value();
  const float* b = values + shape.size() + shape.value();
  const bool rotation = channel.path == ChannelPath::kRotation;
  if (channel.interpolation == Interpolation::kStep) {
    std::copy(a, a + shape.components, key.begin());
  } else if (shape.cubic) {
    const float* leave = values + shape.out_tangent();
    const float* arrive = values + shape.size();
    const double u2 = u * u, u3 = u2 * u;
    for (std::size_t c = 0; c < shape.components; ++c) {
      const double from = a[c], to = b[c], m0 = leave[c] * interval, m1 = arrive[c] * interval;
      const double value = (2 * u3 - 3 * u2 + 1) * from + (u3 - 2 * u2 + u) * m0 +
                           (3 * u2 - 2 * u3) * to + (u3 - u2) * m1;
      const double slope =
          (6 * u2 - 6 * u) * (from - to) + (3 * u2 - 4 * u + 1) * m0 + (3 * u2 - 2 * u) * m1;
      key[shape.value() + c] = Narrow(value);
      key[shape.out_tangent() + c] = Narrow(slope / interval);
    }
  } else if (rotation) {
    const auto quat = [](const float* q) { return Normalized(Quatd{q[0], q[1], q[2], q[3]}); };
    const Quatd q = Slerp(quat(a), quat(b), u);
    key = {Narrow(q.x), Narrow(q.y), Narrow(q.z), Narrow(q.w)};
  } else {
    for (std::size_t c = 0; c < shape.components; ++c) {
      key[c] = Narrow(a[c] + (static_cast<double>(b[c]) - a[c]) * u);
    }
  }
  return key;
}

// Drops the keys before 0. Afterwards the first key is at 0 or later.
void TrimBeforeZero(const Channel& channel, const KeyShape& shape, std::vector<double>& times,
                    std::vector<float>& values) {
  // The last key that is not after 0: it, or what follows from it, is the state at 0.
  const auto after = std::upper_bound(times.begin(), times.end(), 0.0);
  const auto keep = static_cast<std::size_t>(after - times.begin() - 1);
  std::vector<float> first;
  if (times[keep] == 0 || after == times.end()) {
    const auto start = values.begin() + static_cast<std::ptrdiff_t>(keep * shape.size());
    first.assign(start, start + static_cast<std::ptrdiff_t>(shape.size()));
  } else {
    const double interval = *after - times[keep];
    first = KeyBetween(channel, shape, values.data() + keep * shape.size(), interval,
                       -times[keep] / interval);
  }
  times.erase(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(keep));
  values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(keep * shape.size()));
  times.front() = 0;
  std::copy(first.begin(), first.end(), values.begin());
}

// Unit values; a cubic key's tangents shrink with its value. No direction at all is no rotation.
void NormalizeRotations(const KeyShape& shape, std::vector<float>& values) {
  for (std::size_t at = 0; at < values.size(); at += shape.size()) {
    float* q = values.data() + at + shape.value();
    const double length = std::sqrt(double{q[0]} * q[0] + double{q[1]} * q[1] +
                                    double{q[2]} * q[2] + double{q[3]} * q[3]);
    if (std::abs(length - 1) <= kUnitTolerance) continue;
    if (!(length > 1e-12)) {
      q[0] = q[1] = q[2] = 0;
      q[3] = 1;
      continue;
    }
    for (std::size_t i = at; i < at + shape.size(); ++i) values[i] = Narrow(values[i] / length);
  }
}

// glTF says where a node is, not how far it has come from a base.
void AddBase(const KeyShape& shape, const Vec3d& base, std::vector<float>& values) {
  for (std::size_t at = shape.value(); at < values.size(); at += shape.size()) {
    for (std::size_t c = 0; c < 3; ++c) values[at + c] = Narrow(double{values[at + c]} + base[c]);
  }
}

std::vector<float> AscendingFloats(const std::vector<double>& times) {
  std::vector<float> result;
  result.reserve(times.size());
  for (const double time : times) {
    float narrow = std::max(Narrow(time), 0.0f);
    if (!result.empty() && narrow <= result.back()) {
      narrow = std::nextafter(result.back(), std::numeric_limits<float>::max());
    }
    result.push_back(narrow);
  }
  return result;
}

}  // namespace

Track MakeTrack(const Channel& channel) {
  Track track;
  track.interpolation = channel.interpolation;
  track.values = channel.values;
  std::vector<double> times = channel.times;
  const KeyShape shape{channel.components, channel.interpolation == Interpolation::kCubicSpline};
  if (channel.base != Vec3d{}) AddBase(shape, channel.base, track.values);
  if (times.front() < 0) {
    TrimBeforeZero(channel, shape, times, track.values);
    track.trimmed = true;
  }
  if (channel.path == ChannelPath::kRotation) NormalizeRotations(shape, track.values);
  if (shape.cubic && times.size() == 1) {
    // A spline needs two keys; one holds its value everywhere.
    track.interpolation = Interpolation::kStep;
    track.values = {track.values.begin() + static_cast<std::ptrdiff_t>(shape.value()),
                    track.values.begin() + static_cast<std::ptrdiff_t>(shape.out_tangent())};
  }
  track.times = AscendingFloats(times);
  return track;
}

namespace {

struct Target {
  std::uint32_t node;
  ChannelPath path;
  auto operator<=>(const Target&) const = default;
};

// The node a channel moves, or kNone when it moves nothing that is written.
std::int32_t TargetNode(const asset::Character& character, const SceneLayout& layout,
                        const Channel& channel) {
  if (asset::MovesNode(channel.path)) return static_cast<std::int32_t>(channel.target);
  if (channel.path != ChannelPath::kMorphWeights) return kNone;
  const asset::MeshInstance& instance = character.instances[channel.target];
  if (character.meshes[instance.mesh].morphs.empty()) return kNone;
  return layout.node_of_instance(channel.target);
}

std::uint32_t AddValues(const Track& track, ChannelPath path, GlbBuilder& builder) {
  const std::span<const float> values(track.values);
  switch (path) {
    case ChannelPath::kRotation:
      return builder.AddArray(values, "VEC4", 4, BufferUse::kOther);
    case ChannelPath::kMorphWeights:
      return builder.AddArray(values, "SCALAR", 1, BufferUse::kOther);
    default:
      return builder.AddArray(values, "VEC3", 3, BufferUse::kOther);
  }
}

Json EncodeClip(const asset::Character& character, const asset::Clip& clip,
                const std::string& place, const SceneLayout& layout, GlbBuilder& builder,
                const WriteNotes& notes) {
  std::map<Target, std::size_t> last;
  std::vector<std::int32_t> nodes;
  for (std::size_t c = 0; c < clip.channels.size(); ++c) {
    const Channel& channel = clip.channels[c];
    const std::int32_t node =
        channel.times.empty() ? kNone : TargetNode(character, layout, channel);
    nodes.push_back(node);
    if (node != kNone) last[{static_cast<std::uint32_t>(node), channel.path}] = c;
  }
  Json samplers = Json::array(), channels = Json::array();
  std::uint64_t left_out = 0, trimmed = 0, eased = 0;
  for (std::size_t c = 0; c < clip.channels.size(); ++c) {
    const Channel& channel = clip.channels[c];
    if (nodes[c] == kNone || last[{static_cast<std::uint32_t>(nodes[c]), channel.path}] != c) {
      ++left_out;
      continue;
    }
    const Track track = MakeTrack(channel);
    if (track.trimmed) ++trimmed;
    if (channel.interpolation == Interpolation::kBezier) ++eased;
    const std::uint32_t input = builder.AddTimes(track.times);
    channels.push_back({{"sampler", samplers.size()},
                        {"target", {{"node", nodes[c]}, {"path", PathName(channel.path)}}}});
    samplers.push_back({{"input", input},
                        {"output", AddValues(track, channel.path, builder)},
                        {"interpolation", InterpolationName(track.interpolation)}});
  }
  if (left_out > 0) {
    notes.Add("GLB_CHANNELS_LEFT_OUT", place,
              std::to_string(left_out) +
                  " channels without keys, without a node or mesh to move, or overruled by a "
                  "later one",
              left_out);
  }
  if (trimmed > 0) {
    notes.Add("GLB_KEYS_BEFORE_ZERO", place,
              std::to_string(trimmed) + " curves start before time 0; cut there", trimmed);
  }
  if (eased > 0) {
    notes.Add("GLB_EASING_LINEAR", place,
              std::to_string(eased) + " curves are eased, which glTF cannot say; straight lines",
              eased);
  }
  if (channels.empty()) return {};
  Json encoded = Json::object();
  if (!clip.name.empty()) encoded["name"] = clip.name;
  encoded["channels"] = std::move(channels);
  encoded["samplers"] = std::move(samplers);
  return encoded;
}

}  // namespace

Json EncodeClips(const asset::Character& character, const SceneLayout& layout, GlbBuilder& builder,
                 const WriteNotes& notes) {
  Json animations = Json::array();
  for (std::size_t i = 0; i < character.clips.size(); ++i) {
    const asset::Clip& clip = character.clips[i];
    const std::string place = Place("clip", i, clip.name);
    Json encoded = EncodeClip(character, clip, place, layout, builder, notes);
    if (encoded.is_null()) {
      notes.Add("GLB_CLIP_LEFT_OUT", place, "it moves nothing, and glTF has no empty animations");
      continue;
    }
    animations.push_back(std::move(encoded));
  }
  return animations;
}

}  // namespace flexor::io::gltf
