// How the figure moves.
#include <algorithm>
#include <cmath>

#include "asset/sample_build.h"
#include "asset/sample_figure.h"

namespace flexor::asset::sample {
namespace {

using P = FigurePlaces;

constexpr Vec3d kX{1, 0, 0}, kY{0, 1, 0}, kZ{0, 0, 1};

// Rotations of all joints at one key, and where the hips are.
struct Key {
  explicit Key(const FigureJoints& joints) : rotations(joints.count) {}
  std::vector<Quatd> rotations;
  Vec3d hips_offset;
};

// 1 at the middle of the phase, falling to 0 half a turn away; higher powers are narrower.
double Pulse(double phase, double middle, int power) {
  const double base = 0.5 + 0.5 * Cos(phase - middle);
  double value = 1;
  for (int i = 0; i < power; ++i) value *= base;
  return value;
}

// The lowest point of both soles in a key, with the hips at rest height.
double LowestSole(const Character& character, const FigureJoints& joints, const Key& key) {
  std::vector<Mat34d> world(joints.count);
  for (std::size_t i = 0; i < joints.count; ++i) {
    const Node& node = character.nodes[i];
    world[i] = {ToMat3(key.rotations[i]), node.rest.translation};
    if (node.parent != kNone) world[i] = world[static_cast<std::size_t>(node.parent)] * world[i];
  }
  double lowest = 1e9;
  for (std::size_t s = 0; s < 2; ++s) {
    const FigureSide& side = joints.sides[s];
    const auto look = [&](std::uint32_t joint, Vec3d rest, Vec3d sole) {
      lowest = std::min(lowest, TransformPoint(world[joint], OnSide(sole - rest, s)).y);
    };
    look(side.foot, P::kAnkle, {0.112, 0, -0.080});
    look(side.foot, P::kAnkle, {0.120, 0, 0.090});
    look(side.toes, P::kToes, {0.126, 0, 0.155});
  }
  return lowest;
}

// Bends a finger toward the palm.
void CurlFingers(const FigureJoints& joints, std::size_t s, double degrees, Key& key) {
  const HandFrame hand = FigureHand(s);
  const Vec3d axis = Cross(hand.along, hand.palm);
  for (std::size_t f = 0; f < 5; ++f) {
    for (std::size_t k = 0; k < 3; ++k) {
      const double share = f == 0 ? 0.4 : 0.8 + 0.1 * static_cast<double>(f);
      key.rotations[joints.sides[s].fingers[f][k]] = Turn(axis, degrees * share);
    }
  }
}

void PoseLeg(const FigureSide& leg, double phase, double hips_pitch, Key& key) {
  // Phase 0: the heel touches the ground in front; half a turn later the toes push off behind.
  const double thigh = -6 - 25 * Cos(phase + 0.12 * kPi);
  const double knee = 5 + 13 * Pulse(phase, 0.25 * kPi, 3) + 56 * Pulse(phase, 1.40 * kPi, 4);
  const double sole = -16 * Pulse(phase, 1.95 * kPi, 5) + 46 * Pulse(phase, 1.15 * kPi, 4);
  const double ankle = sole - thigh - knee - hips_pitch;
  key.rotations[leg.thigh] = Turn(kX, thigh);
  key.rotations[leg.shin] = Turn(kX, knee);
  key.rotations[leg.foot] = Turn(kX, std::clamp(ankle, -32.0, 28.0));
  key.rotations[leg.toes] = Turn(kX, -0.75 * std::max(0.0, sole - 6) * Pulse(phase, 1.02 * kPi, 4));
}

void PoseArm(const FigureJoints& joints, std::size_t s, double phase, Key& key) {
  const FigureSide& arm = joints.sides[s];
  const double side = s == 0 ? 1 : -1;
  const Vec3d along = OnSide(Normalized(P::kElbow - P::kShoulder), s);
  const double swing = 20 * Cos(phase);
  key.rotations[arm.clavicle] = Turn(kZ, -3 * side);
  key.rotations[arm.upper_arm] = Turn(kX, swing) * Turn(kZ, -33 * side);
  // Toward the front, about the axis across the arm.
  key.rotations[arm.forearm] = Turn(Cross(along, kZ), 22 - 9 * Cos(phase));
  CurlFingers(joints, s, 16, key);
}

Clip FromKeys(const Character& character, const FigureJoints& joints, std::string name, double step,
              const std::vector<Key>& keys) {
  Clip clip;
  clip.name = std::move(name);
  clip.frames_per_second = 30;
  clip.end_time = step * static_cast<double>(keys.size() - 1);
  std::vector<Vec3d> hips;
  hips.reserve(keys.size());
  for (const Key& key : keys) {
    hips.push_back(character.nodes[joints.hips].rest.translation + key.hips_offset);
  }
  clip.channels.push_back(VectorChannel(ChannelPath::kTranslation, joints.hips, step, hips));
  for (std::uint32_t joint = 0; joint < joints.count; ++joint) {
    std::vector<Quatd> rotations;
    bool moves = false;
    for (const Key& key : keys) {
      rotations.push_back(key.rotations[joint]);
      moves = moves || !(key.rotations[joint] == Quatd{});
    }
    if (moves) clip.channels.push_back(RotationChannel(joint, step, rotations));
  }
  return clip;
}

}  // namespace

Clip FigureWalk(const Character& character, const FigureJoints& joints) {
  constexpr int kKeys = 30;  // over two seconds, which are two strides
  std::vector<Key> keys;
  for (int k = 0; k <= kKeys; ++k) {
    Key key(joints);
    const double phase = 4 * kPi * k / kKeys;  // of the left leg
    const double slow = 2 * kPi * k / kKeys;
    const double pitch = 2;
    key.rotations[joints.hips] =
        Turn(kY, -6 * Cos(phase)) * Turn(kZ, -3.5 * Sin(phase)) * Turn(kX, pitch);
    key.rotations[joints.spine] = Turn(kY, 4 * Cos(phase)) * Turn(kZ, 2 * Sin(phase));
    key.rotations[joints.chest] = Turn(kY, 5 * Cos(phase)) * Turn(kZ, 1.5 * Sin(phase));
    key.rotations[joints.upper_chest] = Turn(kY, 4 * Cos(phase));
    key.rotations[joints.neck] = Turn(kY, -3 * Cos(phase) + 5 * Sin(slow)) * Turn(kX, -1);
    key.rotations[joints.head] = Turn(kY, -4 * Cos(phase) + 7 * Sin(slow)) * Turn(kX, -1);
    for (std::size_t s = 0; s < 2; ++s) {
      const double own = s == 0 ? phase : phase + kPi;
      PoseLeg(joints.sides[s], own, pitch, key);
      PoseArm(joints, s, own, key);
    }
    key.hips_offset = {0.018 * Sin(phase), 0, 0};
    key.hips_offset.y = -LowestSole(character, joints, key);
    keys.push_back(std::move(key));
  }
  return FromKeys(character, joints, "walk", 2.0 / kKeys, keys);
}

Clip FigureWave(const Character& character, const FigureJoints& joints) {
  constexpr int kKeys = 30;
  constexpr std::size_t kRight = 1;
  const FigureSide& arm = joints.sides[kRight];
  const Vec3d fore = OnSide(Normalized(P::kWrist - P::kElbow), kRight);
  std::vector<Key> keys;
  std::vector<float> smile;
  for (int k = 0; k <= kKeys; ++k) {
    Key key(joints);
    const double t = static_cast<double>(k) / kKeys;
    const double up = SmoothStep(0, 0.25, t) * (1 - SmoothStep(0.75, 1, t));
    const double wave = up * Sin(8 * kPi * t);
    PoseArm(joints, 0, kPi / 2, key);
    key.rotations[arm.clavicle] = Turn(kZ, 3 - 17 * up);
    key.rotations[arm.upper_arm] = Turn(kZ, 33 - 93 * up) * Turn(kY, 8 * up);
    key.rotations[arm.forearm] = Turn(kZ, -(70 + 16 * wave) * up) * Turn(fore, -35 * up) *
                                 Turn(Cross(fore, kZ), 22 * (1 - up));
    key.rotations[arm.forearm_twist] = Turn(fore, -20 * up);
    key.rotations[arm.hand] = Turn(fore, -40 * up) * Turn(kZ, -12 * wave);
    CurlFingers(joints, kRight, 16 * (1 - up) - 4 * up, key);
    key.rotations[joints.spine] = Turn(kZ, 2 * up);
    key.rotations[joints.chest] = Turn(kZ, 2 * up);
    key.rotations[joints.head] = Turn(kZ, -5 * up) * Turn(kY, -8 * up);
    smile.push_back(static_cast<float>(up));
    keys.push_back(std::move(key));
  }
  Clip clip = FromKeys(character, joints, "wave", 2.0 / kKeys, keys);
  // Smile, brows and a breath go with it.
  Channel morphs;
  morphs.path = ChannelPath::kMorphWeights;
  morphs.target = 0;
  morphs.components = static_cast<std::uint32_t>(character.meshes[0].morphs.size());
  for (int k = 0; k <= kKeys; ++k) {
    morphs.times.push_back(2.0 / kKeys * k);
    for (const Morph& morph : character.meshes[0].morphs) {
      const float full = morph.name == "smile"      ? 1.0f
                         : morph.name == "brows_up" ? 0.8f
                         : morph.name == "breathe"  ? 0.6f
                                                    : 0.0f;
      morphs.values.push_back(full * smile[static_cast<std::size_t>(k)]);
    }
  }
  clip.channels.push_back(std::move(morphs));
  return clip;
}

}  // namespace flexor::asset::sample
