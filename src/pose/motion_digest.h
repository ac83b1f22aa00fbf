/// @file pose/motion_digest.h
/// What decides where the bodies of a character go, as one number each: a saved simulation belongs
/// to one character and one clip.
#pragma once

#include <cstdint>

#include "flexor/asset/character.h"

namespace flexor::pose {

/// Of hierarchy, rest pose and rig; not of meshes, names and clips.
std::uint64_t RigDigest(const asset::Character& character);

/// Of all channels of a clip.
std::uint64_t ClipDigest(const asset::Clip& clip);

}  // namespace flexor::pose
