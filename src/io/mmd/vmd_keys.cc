#include <algorithm>

#include "flexor/io/mmd/vmd.h"

namespace flexor::io::mmd {
namespace {

// The 64 bytes are four rows of 16. Row r holds the list of 16 curve values from its r-th on, one
// after another; what is past its end is 0. Newer programs put the physics switch over the third
// and fourth value of row 0, so those two are taken from rows 1 and 2.
constexpr std::size_t kRow = 16;
constexpr std::size_t kX = 0, kY = 1, kZ = kRow + 1, kRotation = kRow + 2;
constexpr std::size_t kStep = 4;  // between the values of one curve
constexpr std::size_t kSwitch = 2;
constexpr std::uint8_t kOff[2] = {0x63, 0x0f};

VmdCurve CurveAt(const std::array<std::uint8_t, 64>& bytes, std::size_t first) {
  return {bytes[first], bytes[first + kStep], bytes[first + 2 * kStep], bytes[first + 3 * kStep]};
}

}  // namespace

VmdBoneCurves VmdBoneKey::curves() const {
  return {CurveAt(interpolation, kX), CurveAt(interpolation, kY), CurveAt(interpolation, kZ),
          CurveAt(interpolation, kRotation)};
}

VmdPhysics VmdBoneKey::physics() const {
  const std::uint8_t a = interpolation[kSwitch], b = interpolation[kSwitch + 1];
  if (a == kOff[0] && b == kOff[1]) return VmdPhysics::kOff;
  // Curves that start at 0 look the same as the switch; old programs wrote both rows alike.
  const VmdBoneCurves now = curves();
  if (a == 0 && b == 0 && !(now.z.x1 == 0 && now.rotation.x1 == 0)) return VmdPhysics::kOn;
  return VmdPhysics::kUnsaid;
}

void VmdBoneKey::set_curves(const VmdBoneCurves& curves, VmdPhysics physics) {
  std::array<std::uint8_t, kRow> list{};
  const VmdCurve* channels[] = {&curves.x, &curves.y, &curves.z, &curves.rotation};
  for (std::size_t c = 0; c < 4; ++c) {
    const std::uint8_t values[] = {channels[c]->x1, channels[c]->y1, channels[c]->x2,
                                   channels[c]->y2};
    for (std::size_t v = 0; v < 4; ++v) list[v * kStep + c] = values[v];
  }
  interpolation.fill(0);
  for (std::size_t row = 0; row < 4; ++row) {
    std::copy(list.begin() + static_cast<std::ptrdiff_t>(row), list.end(),
              interpolation.begin() + static_cast<std::ptrdiff_t>(row * kRow));
  }
  if (physics == VmdPhysics::kUnsaid) return;
  interpolation[kSwitch] = physics == VmdPhysics::kOff ? kOff[0] : 0;
  interpolation[kSwitch + 1] = physics == VmdPhysics::kOff ? kOff[1] : 0;
}

VmdCameraCurves VmdCameraKey::curves() const {
  // Six curves, each x1, x2, y1, y2.
  const auto at = [&](std::size_t curve) {
    const std::uint8_t* b = interpolation.data() + 4 * curve;
    return VmdCurve{b[0], b[2], b[1], b[3]};
  };
  return {at(0), at(1), at(2), at(3), at(4), at(5)};
}

void VmdCameraKey::set_curves(const VmdCameraCurves& curves) {
  std::size_t at = 0;
  for (const VmdCurve& curve :
       {curves.x, curves.y, curves.z, curves.rotation, curves.distance, curves.fov}) {
    for (const std::uint8_t value : {curve.x1, curve.x2, curve.y1, curve.y2}) {
      interpolation[at++] = value;
    }
  }
}

VmdMotion::VmdMotion() : signature{} {
  constexpr std::string_view kNew = "Vocaloid Motion Data 0002";
  std::copy(kNew.begin(), kNew.end(), signature.begin());
}

std::uint32_t LastFrame(const VmdMotion& motion) {
  std::uint32_t last = 0;
  const auto look = [&](const auto& keys) {
    for (const auto& key : keys) last = std::max(last, key.frame);
  };
  look(motion.bones);
  look(motion.morphs);
  look(motion.camera);
  look(motion.light);
  look(motion.shadow);
  look(motion.properties);
  return last;
}

}  // namespace flexor::io::mmd
