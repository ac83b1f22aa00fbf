/// @file io/mmd/bind.h
/// Keys of a motion or pose file onto the bones and morphs of a character.
#pragma once

#include "flexor/asset/character.h"
#include "flexor/core/diagnostic.h"
#include "flexor/io/mmd/vmd.h"
#include "flexor/io/mmd/vpd.h"
#include "flexor/io/motion.h"

namespace flexor::io::mmd {

/// The clip that a motion is for this character; counts in `report`.
/// Shapes  character.mmd is set
asset::Clip BindMotion(const VmdMotion& motion, const asset::Character& character,
                       MotionReport& report, Diagnostics& diagnostics);

/// The clip of one frame that a pose is.
asset::Clip BindPose(const VpdPose& pose, const asset::Character& character, MotionReport& report,
                     Diagnostics& diagnostics);

}  // namespace flexor::io::mmd
