#include <algorithm>
#include <cmath>
#include <cstddef>

#include "flexor/pose/pose.h"

#include "pose/ease.h"

namespace flexor::pose {
namespace {

using asset::Channel;
using asset::ChannelPath;
using asset::Interpolation;

// Where a moment lies among the keys of a channel: at one key, or between it and the next.
struct Span {
  std::size_t key = 0;
  bool between = false;
  double seconds = 0;   // from this key to the next
  double fraction = 0;  // 0 at this key, 1 at the next
};

Span FindSpan(const std::vector<double>& times, double seconds) {
  if (!(seconds >= times.front())) return {};
  // The last key that is not later; of several at one time the last one counts, so that a jump
  // written as two keys at once has happened at its moment.
  const auto after = std::upper_bound(times.begin(), times.end(), seconds);
  Span span;
  span.key = static_cast<std::size_t>(after - times.begin()) - 1;
  if (after == times.end()) return span;
  span.between = true;
  span.seconds = *after - times[span.key];
  span.fraction = (seconds - times[span.key]) / span.seconds;
  return span;
}

// Reads the values of one channel: value, and the tangents that only cubic splines have.
class Keys {
 public:
  explicit Keys(const Channel& channel)
      : values_(channel.values.data()),
        components_(channel.components),
        cubic_(channel.interpolation == Interpolation::kCubicSpline) {}

  double Value(std::size_t key, std::size_t c) const { return At(key, cubic_ ? 1 : 0, c); }
  double InTangent(std::size_t key, std::size_t c) const { return At(key, 0, c); }
  double OutTangent(std::size_t key, std::size_t c) const { return At(key, 2, c); }

 private:
  double At(std::size_t key, std::size_t part, std::size_t c) const {
    return static_cast<double>(values_[(key * (cubic_ ? 3 : 1) + part) * components_ + c]);
  }
  const float* values_;
  std::size_t components_;
  bool cubic_;
};

double Hermite(const Keys& keys, const Span& span, std::size_t c) {
  const double t = span.fraction, t2 = t * t, t3 = t2 * t;
  return (2 * t3 - 3 * t2 + 1) * keys.Value(span.key, c) +
         span.seconds * (t3 - 2 * t2 + t) * keys.OutTangent(span.key, c) +
         (3 * t2 - 2 * t3) * keys.Value(span.key + 1, c) +
         span.seconds * (t3 - t2) * keys.InTangent(span.key + 1, c);
}

// How far an eased component has come; the curves of a segment are those of the key that ends it.
double Eased(const Channel& channel, const Span& span, std::size_t curve, std::size_t curves) {
  const float* control = &channel.controls[((span.key + 1) * curves + curve) * 4];
  return Ease(static_cast<double>(control[0]), static_cast<double>(control[1]),
              static_cast<double>(control[2]), static_cast<double>(control[3]), span.fraction);
}

// One component of everything but a linear or eased rotation.
double SampleComponent(const Channel& channel, const Keys& keys, const Span& span, std::size_t c) {
  if (!span.between || channel.interpolation == Interpolation::kStep) {
    return keys.Value(span.key, c);
  }
  if (channel.interpolation == Interpolation::kCubicSpline) return Hermite(keys, span, c);
  const double share = channel.interpolation == Interpolation::kBezier
                           ? Eased(channel, span, c, channel.components)
                           : span.fraction;
  return keys.Value(span.key, c) * (1 - share) + keys.Value(span.key + 1, c) * share;
}

Quatd KeyRotation(const Keys& keys, std::size_t key) {
  return Normalized(
      Quatd{keys.Value(key, 0), keys.Value(key, 1), keys.Value(key, 2), keys.Value(key, 3)});
}

// As OpenUSD blends quaternions, down to its bound for those that are nearly parallel.
Quatd SlerpAsStored(Quatd a, Quatd b, double t) {
  double cosine = Dot(a, b);
  const bool flip = cosine < 0;
  if (flip) cosine = -cosine;
  double of_a = 1 - t, of_b = t;
  if (1 - cosine >= 1e-5) {
    const double angle = std::acos(std::min(cosine, 1.0));
    of_a = std::sin((1 - t) * angle) / std::sin(angle);
    of_b = std::sin(t * angle) / std::sin(angle);
  }
  return a * of_a + b * (flip ? -of_b : of_b);
}

Quatd SampleRotationAsStored(const Keys& keys, const Span& span) {
  const auto key = [&](std::size_t k) {
    return Quatd{keys.Value(k, 0), keys.Value(k, 1), keys.Value(k, 2), keys.Value(k, 3)};
  };
  if (!span.between) return key(span.key);
  return SlerpAsStored(key(span.key), key(span.key + 1), span.fraction);
}

Quatd SampleRotation(const Channel& channel, const Keys& keys, const Span& span) {
  if (channel.interpolation == Interpolation::kSlerpAsStored) {
    return SampleRotationAsStored(keys, span);
  }
  if (span.between && channel.interpolation == Interpolation::kLinear) {
    return Slerp(KeyRotation(keys, span.key), KeyRotation(keys, span.key + 1), span.fraction);
  }
  if (span.between && channel.interpolation == Interpolation::kBezier) {
    return Slerp(KeyRotation(keys, span.key), KeyRotation(keys, span.key + 1),
                 Eased(channel, span, 0, 1));
  }
  return Normalized(
      Quatd{SampleComponent(channel, keys, span, 0), SampleComponent(channel, keys, span, 1),
            SampleComponent(channel, keys, span, 2), SampleComponent(channel, keys, span, 3)});
}

Vec3d SampleVector(const Channel& channel, const Keys& keys, const Span& span) {
  return {SampleComponent(channel, keys, span, 0), SampleComponent(channel, keys, span, 1),
          SampleComponent(channel, keys, span, 2)};
}

}  // namespace

void SampleClip(const asset::Clip& clip, double seconds, Pose& pose) {
  for (const Channel& channel : clip.channels) {
    const Keys keys(channel);
    const Span span = FindSpan(channel.times, seconds);
    if (channel.path == ChannelPath::kMorphWeights) {
      std::vector<float>& weights = pose.morph_weights[channel.target];
      for (std::size_t c = 0; c < weights.size(); ++c) {
        weights[c] = static_cast<float>(SampleComponent(channel, keys, span, c));
      }
      continue;
    }
    if (channel.path == ChannelPath::kMmdMorph) {
      pose.mmd_morphs[channel.target] = static_cast<float>(SampleComponent(channel, keys, span, 0));
      continue;
    }
    if (channel.path == ChannelPath::kMmdIkEnabled) {
      pose.mmd_ik_enabled[channel.target] = keys.Value(span.key, 0) != 0;
      continue;
    }
    Transform& local = pose.locals[channel.target];
    pose.uses_matrix[channel.target] = false;
    switch (channel.path) {
      case ChannelPath::kTranslation:
        local.translation = SampleVector(channel, keys, span);
        break;
      case ChannelPath::kRotation:
        local.rotation = SampleRotation(channel, keys, span);
        break;
      case ChannelPath::kScale:
        local.scale = SampleVector(channel, keys, span);
        break;
      case ChannelPath::kMorphWeights:
      case ChannelPath::kMmdMorph:
      case ChannelPath::kMmdIkEnabled:
        break;
    }
  }
}

}  // namespace flexor::pose
