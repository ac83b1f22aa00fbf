/// @file bake/to_pmx.h
/// Any character as a PMX model.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "flexor/asset/character.h"
#include "flexor/core/diagnostic.h"
#include "flexor/core/export.h"
#include "flexor/core/result.h"
#include "flexor/io/mmd/pmx.h"

namespace flexor::bake {

/// A file that belongs beside a model.
struct PmxTexture {
  std::string name{};  ///< as the model names it: a plain file name
  std::vector<std::byte> bytes{};
};

/// A model with its textures.
struct PmxExport {
  io::mmd::PmxModel model{};
  std::vector<PmxTexture> textures{};
};

/// Makes a PMX model of a character: nodes become bones in their order, drawn instances one list of
/// vertices in the order of the instances, each material of each instance a material. PMX bones
/// have no rest rotation and no scale: vertices are stored as the rest pose shows them, or where
/// that is not the pose in which joints were bound, as bound. Names are unique in the 15 bytes of a
/// motion: where one is not, a short one is made, and the English name is the old one. Each morph
/// of each drawn mesh is a slider; what is on at rest is in the vertices. A rig that came from PMX
/// or PMD keeps its append, IK, axes, morphs and physics; texture coordinate and material morphs,
/// clips (to_vmd.h), display frames and soft bodies are not in a character and are not written.
/// Version 2.0, or 2.1 when vertices are blended by dual quaternions. What is left out is a
/// diagnostic in `notes`: PMX_BIND_POSE, PMX_INFLUENCES_LIMITED, PMX_NAME_MADE,
/// PMX_MORPH_NORMALS_LEFT_OUT, PMX_SCALE_LEFT_OUT. Errors  those of Poser and Deformer
FLEXOR_API Result<PmxExport> ToPmx(const asset::Character& character, double metres_per_unit,
                                   Diagnostics& notes);

}  // namespace flexor::bake
