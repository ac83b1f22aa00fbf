#include "asset/sample_hand.h"

#include "asset/sample_build.h"

namespace flexor::asset::sample {
namespace {

// One finger in the hand's own axes, metres and degrees.
struct FingerPlan {
  Vec3d root;     // along, thumb side, out of the palm
  double spread;  // toward the thumb
  double curl;    // toward the palm, at each joint
  double lengths[3];
  double radius_root, radius_tip;
};

constexpr FingerPlan kFingers[5] = {
    {{0.026, 0.024, 0.010}, 44, 6, {0.036, 0.031, 0.025}, 0.0135, 0.0095},
    {{0.088, 0.030, 0.001}, 10, 9, {0.040, 0.025, 0.019}, 0.0098, 0.0080},
    {{0.094, 0.010, 0.000}, 2.5, 10, {0.044, 0.028, 0.020}, 0.0098, 0.0080},
    {{0.089, -0.0105, 0.001}, -5.5, 11, {0.040, 0.026, 0.019}, 0.0096, 0.0078},
    {{0.079, -0.031, 0.003}, -15, 12, {0.032, 0.019, 0.016}, 0.0088, 0.0074},
};

Vec3d InFrame(const HandFrame& frame, Vec3d v) {
  return frame.along * v.x + frame.thumb * v.y + frame.palm * v.z;
}

}  // namespace

std::array<FingerJoints, 5> PlaceFingers(const HandFrame& frame) {
  std::array<FingerJoints, 5> joints;
  for (std::size_t f = 0; f < 5; ++f) {
    const FingerPlan& plan = kFingers[f];
    Vec3d at = plan.root;
    joints[f][0] = frame.wrist + InFrame(frame, at);
    const double spread = plan.spread * kPi / 180;
    for (std::size_t k = 0; k < 3; ++k) {
      const double curl = (static_cast<double>(k) + 0.5) * plan.curl * kPi / 180;
      at += Vec3d{Cos(spread) * Cos(curl), Sin(spread) * Cos(curl), Sin(curl)} * plan.lengths[k];
      joints[f][k + 1] = frame.wrist + InFrame(frame, at);
    }
  }
  return joints;
}

void AddHand(std::vector<Part>& parts, const HandFrame& frame, const HandBones& bones) {
  const auto at = [&](double along, double thumb, double palm) {
    return frame.wrist + InFrame(frame, {along, thumb, palm});
  };
  Part palm;
  palm.blend = 0.03;
  const auto add = [&](Vec3d a, Vec3d b, double ra, double rb, double flat, double blend) {
    Blob blob;
    blob.a = a;
    blob.b = b;
    blob.radius_a = ra;
    blob.radius_b = rb;
    blob.flat_axis = frame.palm;
    blob.flat = flat;
    blob.blend = blend;
    blob.bone = bones.hand;
    palm.blobs.push_back(blob);
  };
  add(at(-0.01, 0, 0), at(0.02, 0, 0), 0.027, 0.030, 0.75, 0.02);
  add(at(0.03, 0.014, 0), at(0.082, 0.018, 0), 0.028, 0.024, 0.55, 0.02);
  add(at(0.03, -0.010, 0), at(0.078, -0.016, 0), 0.028, 0.024, 0.55, 0.02);
  add(at(0.022, 0.016, 0.006), at(0.050, 0.030, 0.008), 0.017, 0.015, 1, 0.015);
  parts.push_back(palm);

  const std::array<FingerJoints, 5> fingers = PlaceFingers(frame);
  for (std::size_t f = 0; f < 5; ++f) {
    const FingerPlan& plan = kFingers[f];
    Part finger;
    finger.blend = f == 0 ? 0.014 : 0.009;
    for (std::size_t k = 0; k < 3; ++k) {
      const double step = (plan.radius_tip - plan.radius_root) / 3;
      Blob blob;
      blob.a = fingers[f][k];
      blob.b = fingers[f][k + 1];
      blob.radius_a = plan.radius_root + step * static_cast<double>(k);
      blob.radius_b = blob.radius_a + step;
      blob.blend = 0.006;
      blob.bone = bones.fingers[f][k];
      // A finger starts inside the palm.
      if (k == 0) blob.a -= (blob.b - blob.a) * 0.3;
      finger.blobs.push_back(blob);
    }
    parts.push_back(finger);
  }
}

}  // namespace flexor::asset::sample
