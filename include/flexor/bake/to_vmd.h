/// @file bake/to_vmd.h
/// A clip of any character as a VMD motion for the PMX model that ToPmx makes of it.
#pragma once

#include "flexor/asset/character.h"
#include "flexor/bake/motion_settings.h"
#include "flexor/core/diagnostic.h"
#include "flexor/core/export.h"
#include "flexor/core/progress.h"
#include "flexor/core/result.h"
#include "flexor/io/mmd/vmd.h"

namespace flexor::bake {

/// Poses a clip at 30 frames a second, the only rate of the format, into straight keys of every
/// bone that moves and every morph that is used; a clip that ends between two frames has its end in
/// the later one. Bones of PMX have no rest rotation: rotations are those against the rest pose.
/// Names are cut to 15 bytes of CP932; what CP932 cannot say is a diagnostic (VMD_NAME_LOST), and
/// scaling is left out (VMD_SCALE_LEFT_OUT). Errors  kIndexOutOfRange (clip) · those of Poser ·
/// kCancelled · kLimitExceeded (MotionSettings::memory_bytes; frames and both numbers of bytes)
FLEXOR_API Result<io::mmd::VmdMotion> ToVmd(const asset::Character& character, std::uint32_t clip,
                                            double metres_per_unit, const MotionSettings& settings,
                                            Diagnostics& notes, ProgressFn progress = {});

}  // namespace flexor::bake
