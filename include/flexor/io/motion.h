/// @file io/motion.h
/// Motions and poses that come in files of their own and move a character loaded before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "flexor/asset/character.h"
#include "flexor/core/diagnostic.h"
#include "flexor/core/export.h"
#include "flexor/core/result.h"
#include "flexor/io/load.h"

namespace flexor::io {

/// What a motion had for this character.
struct MotionReport {
  std::uint32_t clip = 0;                              ///< its index in Character::clips
  std::size_t bones = 0, morphs = 0, ik_switches = 0;  ///< names that were found
  std::size_t unmatched_bones = 0, unmatched_morphs = 0, unmatched_ik = 0;  ///< and that were not
};

/// Adds a VMD motion, or a VPD pose as a clip of one frame, to a character with an MmdRig, named
/// after the file. Bones and morphs are found by the bytes of their names in CP932, the first of
/// equal names; keys are sorted by frame, and of two at one frame the later in the file counts.
/// What the model lacks, and camera, light and shadow keys, are diagnostics.
/// Errors  kUnknownFormat (no motion) · kInvalidArgument (the character has no MmdRig) · those of
/// ParseVmd and ParseVpd; the character is unchanged then
FLEXOR_API Result<MotionReport> AddMotion(const std::string& path, const LoadOptions& options,
                                          asset::Character& character, Diagnostics& diagnostics);

/// The same from memory; `path` names the clip and is used in messages.
FLEXOR_API Result<MotionReport> AddMotionFromMemory(std::span<const std::byte> bytes,
                                                    const std::string& path,
                                                    const LoadOptions& options,
                                                    asset::Character& character,
                                                    Diagnostics& diagnostics);

}  // namespace flexor::io
