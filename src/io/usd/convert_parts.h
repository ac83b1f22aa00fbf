/// @file io/usd/convert_parts.h
/// The steps of Convert, each filling its share of the character.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "flexor/asset/character.h"
#include "flexor/core/diagnostic.h"
#include "flexor/core/memory_budget.h"
#include "flexor/io/load.h"

#include "io/usd/binding.h"
#include "io/usd/geometry.h"
#include "io/usd/skeleton.h"
#include "io/usd/stage.h"

namespace flexor::io::usd {

/// When things happen on the stage.
struct StageTime {
  double codes_per_second = 24;
  double frames_per_second = 24;
  std::optional<double> start, end;  ///< time codes, when both are authored
  /// The moment that shapes and rest transforms are taken at.
  double first = 0;
};
StageTime TimeOf(const Stage& stage);

/// A Skeleton with its place in the character.
struct PlacedSkeleton {
  Skeleton skeleton;
  std::vector<std::uint32_t> joint_nodes;  ///< (J)
  std::uint32_t node = 0;                  ///< of the Skeleton prim
  const StagePrim* animation_prim = nullptr;
  std::optional<SkelAnimation> animation;
  std::string fault;  ///< why nothing can be skinned with it; empty: it can
};

/// An instance of the character and the prim it shows.
struct PlacedShape {
  const StagePrim* prim = nullptr;
  std::uint32_t instance = 0;
  Binding binding;
  std::vector<Token> blend_shapes;  ///< of its morphs, in their order
};

/// What the steps share.
struct Conversion {
  Stage& stage;
  const LoadOptions& options;
  MemoryBudget& budget;
  Diagnostics& diagnostics;
  asset::Character character;
  StageTime time;
  std::unordered_map<const StagePrim*, std::uint32_t> node_of;
  std::vector<PlacedSkeleton> skeletons;
  std::unordered_map<const StagePrim*, std::size_t> skeleton_of;  ///< by Skeleton prim
  std::vector<PlacedShape> shapes;
  std::map<std::pair<const StagePrim*, bool>, std::int32_t> material_of;  ///< with double_sided
  std::map<std::string, std::int32_t> image_of;
};

/// Nodes of prims, the skeletons with their joints.
Status ConvertNodes(Conversion& conversion);
/// Meshes, their instances, materials and morphs, and the skins.
Status ConvertShapes(Conversion& conversion);
/// Skin and influences of one shape; leaves it unskinned when it cannot be.
Status ConvertSkin(Conversion& conversion, PlacedShape& placed, asset::Mesh& mesh);
/// Morphs of one shape from its blend shapes.
Status ConvertMorphs(Conversion& conversion, PlacedShape& placed, Spread normal_spread,
                     asset::Mesh& mesh);
/// The material of a mesh or a subset of one, made on first use; kNone when it has none.
Result<std::int32_t> ConvertMaterial(Conversion& conversion, const StagePrim& prim,
                                     bool double_sided);
/// Texture coordinates that the material of a prim asks for; "" when it does not say.
Result<std::string> CoordinatesOf(Conversion& conversion, const StagePrim& prim);
/// One clip of what the stage plays, and one for each further SkelAnimation.
Status ConvertClips(Conversion& conversion);

/// Why nothing can be skinned with a skeleton as it is animated; empty: it can.
std::string FaultOf(const PlacedSkeleton& placed);

/// A matrix at rest, with the nearest translation, rotation and scale beside it.
void SetRest(asset::Node& node, const Mat34d& matrix);

}  // namespace flexor::io::usd
