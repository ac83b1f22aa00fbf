/// @file deform/frame_need.h
/// What methods read of a frame's palette, so that a backend prepares that and no more. Private to
/// deform.
#pragma once

#include <cstdint>

namespace flexor::deform {

using FrameNeeds = std::uint32_t;                     ///< of the bits below
inline constexpr FrameNeeds kNeedsMatrices = 1;       ///< the skinning matrices themselves
inline constexpr FrameNeeds kNeedsMotions = 2;        ///< SplitPalette: joint_motion.h
inline constexpr FrameNeeds kNeedsPairRotations = 4;  ///< SplitRotations: spherical.h

}  // namespace flexor::deform
