/// @file bake/motion_settings.h
/// How clips are worked out frame by frame for a format that cannot say what moves them.
#pragma once

#include <cstdint>

#include "flexor/pose/poser.h"

namespace flexor::bake {

/// For PlainCopy and ToVmd.
struct MotionSettings {
  pose::PoserSettings pose{};
  /// What the keys of one clip may take while they are collected; a clip may claim any length.
  std::uint64_t memory_bytes = 4ull << 30;
};

}  // namespace flexor::bake
