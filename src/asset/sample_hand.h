/// @file asset/sample_hand.h
/// A hand with five fingers, for arms of any sample.
#pragma once

#include <array>
#include <vector>

#include "asset/sample_field.h"

namespace flexor::asset::sample {

/// Where a hand is and how it is turned.
struct HandFrame {
  Vec3d wrist;
  Vec3d along;  ///< unit, from the wrist toward the fingers
  Vec3d palm;   ///< unit, out of the palm
  Vec3d thumb;  ///< unit, toward the thumb's side
};

/// The joints of one finger, root first, and its tip.
using FingerJoints = std::array<Vec3d, 4>;

/// Thumb, index, middle, ring, little.
std::array<FingerJoints, 5> PlaceFingers(const HandFrame& frame);

/// The bone of each blob: the hand's own, and three for each finger. All may be the same.
struct HandBones {
  std::uint32_t hand = 0;
  std::array<std::array<std::uint32_t, 3>, 5> fingers{};
};

/// Appends palm and fingers to a body.
void AddHand(std::vector<Part>& parts, const HandFrame& frame, const HandBones& bones);

}  // namespace flexor::asset::sample
