/// @file io/gltf/vrm.h
/// What VRM adds to glTF that matters here: which version, who made it, which way it looks.
#pragma once

#include "flexor/asset/character.h"
#include "flexor/core/diagnostic.h"

#include "io/gltf/raw.h"

namespace flexor::io::gltf {

/// VRM 0.x characters look along -Z, VRM 1.0 and glTF along +Z. Turns a 0.x character by half a
/// turn about +Y with one new root node above all others, appended last so that every node keeps
/// its number, and reports the version and the axis. Does nothing to plain glTF.
void ApplyVrm(const RawVrm& vrm, asset::Character& character, Diagnostics& diagnostics);

}  // namespace flexor::io::gltf
