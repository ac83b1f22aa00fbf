/// @file bake/plain_copy.h
/// A MikuMikuDance character as one that every format can say: its motions worked out frame by
/// frame.
#pragma once

#include "flexor/asset/character.h"
#include "flexor/core/diagnostic.h"
#include "flexor/core/export.h"
#include "flexor/core/progress.h"
#include "flexor/core/result.h"
#include "flexor/pose/mmd_solver.h"

namespace flexor::bake {

/// A copy without an MmdRig and without spherical vertices. Every clip is sampled at its own rate
/// by the solver, physics off, and becomes straight-line keys of each bone that leaves its rest and
/// of each mesh morph that is used; between keys it is as near as straight lines are. What is left
/// out is a diagnostic in `notes`: PLAIN_SDEF_LINEAR, PLAIN_MORPH_SPREAD, PLAIN_PHYSICS_LEFT_OUT.
/// BMP and TGA pictures become PNG where the build has pictures. A character without any of this is
/// copied as it is.
/// `progress` counts the frames of one clip after the other.
/// Errors  kCancelled · kLimitExceeded (frames of a clip, both numbers)
FLEXOR_API Result<asset::Character> PlainCopy(const asset::Character& character,
                                              const pose::MmdSettings& settings, Diagnostics& notes,
                                              ProgressFn progress = {});

}  // namespace flexor::bake
