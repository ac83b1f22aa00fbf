/// @file io/gltf/write_glb_clip.h
/// Clips out: curves as glTF samplers can hold them.
#pragma once

#include <vector>

#include "flexor/asset/clip.h"

#include "io/gltf/write_glb_builder.h"
#include "io/gltf/write_glb_notes.h"
#include "io/gltf/write_glb_scene.h"

namespace flexor::io::gltf {

/// A curve in glTF's terms: float times that strictly ascend from 0 on, rotations of unit length.
struct Track {
  asset::Interpolation interpolation = asset::Interpolation::kLinear;
  std::vector<float> times;
  std::vector<float> values;
  bool trimmed = false;  ///< keys before 0 were replaced by one at 0
};

/// Keys before time 0 go, since glTF has no such time; one at 0 takes their place, so that the
/// curve from 0 on is the same (cubic rotations: to their normalisation). Times that float cannot
/// tell apart move on by the least step. One cubic key becomes a step.
Track MakeTrack(const asset::Channel& channel);

/// The "animations" of a character; empty when there are none to write. Of several channels with
/// one target, the last is kept, as it has the last word when a pose is sampled.
Json EncodeClips(const asset::Character& character, const SceneLayout& layout, GlbBuilder& builder,
                 const WriteNotes& notes);

}  // namespace flexor::io::gltf
