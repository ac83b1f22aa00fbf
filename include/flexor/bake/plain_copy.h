/// @file bake/plain_copy.h
/// A MikuMikuDance character as one that every format can say: its motions worked out frame by
/// frame.
#pragma once

#include "flexor/asset/character.h"
#include "flexor/bake/motion_settings.h"
#include "flexor/core/diagnostic.h"
#include "flexor/core/export.h"
#include "flexor/core/progress.h"
#include "flexor/core/result.h"

namespace flexor::bake {

/// A copy without an MmdRig and without spherical vertices. Every clip is posed frame by frame at
/// its own rate, rigid bodies included as the settings say, and becomes straight-line keys of each
/// node that leaves its rest and of each mesh morph that is used; between keys it is as near as
/// straight lines are. A clip that ends between two frames has one more key at its end. What is
/// left out is a diagnostic in `notes`: PLAIN_SDEF_LINEAR, PLAIN_MORPH_SPREAD,
/// PLAIN_PHYSICS_LEFT_OUT. BMP and TGA pictures become PNG where the build has pictures. A
/// character without any of this is copied as it is. `progress` counts the frames of one clip after
/// the other. Errors  those of Poser · kCancelled · kLimitExceeded (MotionSettings::memory_bytes;
/// frames and both numbers of bytes)
FLEXOR_API Result<asset::Character> PlainCopy(const asset::Character& character,
                                              const MotionSettings& settings, Diagnostics& notes,
                                              ProgressFn progress = {});

}  // namespace flexor::bake
