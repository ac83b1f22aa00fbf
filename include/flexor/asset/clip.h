/// @file asset/clip.h
/// Recorded motion: curves over time for nodes and morph weights.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace flexor::asset {

/// What a channel moves.
enum class ChannelPath : std::uint8_t {
  kTranslation,   ///< 3 components, metres
  kRotation,      ///< 4 components, x y z w
  kScale,         ///< 3 components
  kMorphWeights,  ///< one component per morph of the target instance's mesh
  kMmdMorph,      ///< 1 component: weight of MmdRig::morphs[target]
  kMmdIkEnabled,  ///< 1 component, kStep: MmdRig::ik[target] is on when not 0
};

/// Whether such a channel's target is a node.
constexpr bool MovesNode(ChannelPath path) {
  return path == ChannelPath::kTranslation || path == ChannelPath::kRotation ||
         path == ChannelPath::kScale;
}

/// How values between two keys come about.
enum class Interpolation : std::uint8_t {
  kStep,         ///< the earlier key holds
  kLinear,       ///< straight line; shorter-arc slerp for rotations
  kCubicSpline,  ///< Hermite; each key holds in-tangent, value, out-tangent; tangents are per
                 ///< second
  kBezier,       ///< eased by a cubic from (0,0) to (1,1) per component, one for all of a rotation
                 ///< (slerp); a key's controls shape the segment that ends at it
  kSlerpAsStored,  ///< rotations as OpenUSD has them: shorter-arc slerp in which neither keys nor
                   ///< results are made unit, and keys that are nearly parallel are blended
};

/// One curve. Outside its keys the first and last values hold.
/// Shapes  times (N) never falling, at least one; of keys at equal times the last counts · values
/// (N * components), or (N * 3 * components) for kCubicSpline
/// · controls (N * curves * 4) for kBezier with curves = 1 for rotations, else components
struct Channel {
  ChannelPath path = ChannelPath::kTranslation;
  Interpolation interpolation = Interpolation::kLinear;
  std::uint32_t target = 0;      ///< index into Character::nodes, or Character::instances for
                                 ///< kMorphWeights, or what the path says
  std::uint32_t components = 3;  ///< per key
  std::vector<double> times;     ///< seconds
  std::vector<float> values;
  std::vector<float> controls{};  ///< x1 y1 x2 y2 per curve, each 0..1; kBezier only
};

/// A clip. Its frame f is at the time f / frames_per_second; frame 0 is time 0, whether or not the
/// clip has begun by then.
struct Clip {
  std::string name;
  double start_time = 0;          ///< seconds; frames before it are not listed unless asked for
  double end_time = 0;            ///< seconds; the last key of any channel
  bool has_range = false;         ///< the file gives both times: keys may lie outside of them
  double frames_per_second = 30;  ///< the file's rate, or the rate its keys lie on, or 30
  std::vector<Channel> channels;
};

}  // namespace flexor::asset
