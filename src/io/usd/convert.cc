#include "io/usd/convert.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "flexor/math/palette_split.h"

#include "io/rules.h"
#include "io/usd/attribute.h"
#include "io/usd/convert_parts.h"
#include "io/usd/numeric.h"
#include "io/usd/xform.h"

namespace flexor::io::usd {
namespace {

std::optional<double> LayerNumber(const Stage& stage, std::string_view name) {
  const Value* value = stage.root_layer().root().metadata.Find(name);
  const auto number = value ? AsNumber(*value) : std::nullopt;
  return number && std::isfinite(*number) ? number : std::nullopt;
}

/// model_from_stage: +Y up, in metres.
Mat34d ModelFromStage(Conversion& conversion) {
  const Fields& metadata = conversion.stage.root_layer().root().metadata;
  double metres = LayerNumber(conversion.stage, "metersPerUnit").value_or(0.01);
  if (!(metres > 0)) {
    Report(conversion.diagnostics, "USD_STAGE_METADATA", "",
           "metersPerUnit is " + std::to_string(metres) + "; 0.01 is used");
    metres = 0.01;
  }
  const Value* axis = metadata.Find("upAxis");
  const std::string_view up = axis ? axis->text() : "Y";
  if (up != "Y" && up != "Z") {
    Report(conversion.diagnostics, "USD_STAGE_METADATA", "",
           "upAxis is '" + std::string(up) + "', which is neither Y nor Z; Y is used");
  }
  conversion.character.source.metres_per_unit = metres;
  Mat3d linear;
  if (up == "Z") linear = {{1, 0, 0}, {0, 0, -1}, {0, 1, 0}};
  return {linear * metres, {}};
}

bool IsHidden(const Stage& stage, const StagePrim& prim, double time, MemoryBudget& budget) {
  bool has_purpose = false;
  for (const StagePrim* at = &prim; at->parent >= 0;
       at = &stage[static_cast<std::size_t>(at->parent)]) {
    const auto visibility =
        ValueAt(stage.FindProperty(*at, "visibility"), time, Between::kHeld, budget);
    if (visibility.ok() && visibility->text() == "invisible") return true;
    const auto purpose = DefaultValue(stage.FindProperty(*at, "purpose"), budget);
    if (has_purpose || !purpose.ok() || purpose->empty()) continue;
    has_purpose = true;
    if (purpose->text() == "guide" || purpose->text() == "proxy") return true;
  }
  return false;
}

}  // namespace

StageTime TimeOf(const Stage& stage) {
  StageTime time;
  time.codes_per_second = TimeCodesPerSecond(stage.root_layer());
  const double frames = LayerNumber(stage, "framesPerSecond").value_or(0);
  time.frames_per_second = frames > 0 ? frames : time.codes_per_second;
  auto start = LayerNumber(stage, "startTimeCode"), end = LayerNumber(stage, "endTimeCode");
  if (!start) start = LayerNumber(stage, "startFrame");
  if (!end) end = LayerNumber(stage, "endFrame");
  if (start && end && *end >= *start) {
    time.start = start;
    time.end = end;
    time.first = *start;
  }
  return time;
}

void SetRest(asset::Node& node, const Mat34d& matrix) {
  if (matrix == Mat34d{}) return;
  node.rest_matrix = matrix;
  node.rest = NearestTransform(matrix);
}

Status ConvertNodes(Conversion& conversion) {
  Stage& stage = conversion.stage;
  asset::Character& character = conversion.character;
  const std::size_t count = stage.prims().size();
  std::vector<bool> wanted(count, false);
  std::vector<std::uint32_t> skeletons;
  for (std::size_t i = 1; i < count; ++i) {
    const StagePrim& prim = stage[i];
    if (!prim.IsPresent()) continue;
    const bool is_skeleton = prim.type_name == "Skeleton";
    if (!is_skeleton && !HasShape(prim.type_name)) continue;
    if (is_skeleton) skeletons.push_back(static_cast<std::uint32_t>(i));
    for (auto at = static_cast<std::int32_t>(i); at > 0 && !wanted[static_cast<std::size_t>(at)];
         at = stage[static_cast<std::size_t>(at)].parent) {
      wanted[static_cast<std::size_t>(at)] = true;
    }
  }
  asset::Node top;
  top.name = "stage";
  SetRest(top, ModelFromStage(conversion));
  character.nodes.push_back(std::move(top));
  std::vector<std::uint32_t> node_of(count, 0);
  for (std::size_t i = 1; i < count; ++i) {
    if (!wanted[i]) continue;
    const StagePrim& prim = stage[i];
    FLEXOR_TRY(conversion.budget.Charge(1, sizeof(asset::Node), "nodes"));
    FLEXOR_ASSIGN(const Xform xform,
                  Xform::Of(stage, prim, conversion.budget, conversion.diagnostics));
    FLEXOR_ASSIGN(const Mat34d local,
                  xform.At(conversion.time.first, conversion.budget, conversion.diagnostics));
    asset::Node node;
    node.name = prim.path.name().str();
    node.parent = static_cast<std::int32_t>(
        xform.resets() ? 0 : node_of[static_cast<std::size_t>(prim.parent)]);
    SetRest(node, local);
    node_of[i] = static_cast<std::uint32_t>(character.nodes.size());
    conversion.node_of.emplace(&prim, node_of[i]);
    character.nodes.push_back(std::move(node));
  }

  for (const std::uint32_t index : skeletons) {
    const StagePrim& prim = stage[index];
    FLEXOR_ASSIGN(auto read, ReadSkeleton(stage, prim, conversion.budget, conversion.diagnostics));
    if (!read) continue;
    PlacedSkeleton placed;
    placed.skeleton = *std::move(read);
    placed.node = node_of[index];
    placed.animation_prim = AnimationOf(stage, prim, conversion.diagnostics);
    if (placed.animation_prim != nullptr) {
      FLEXOR_ASSIGN(placed.animation, ReadAnimation(stage, *placed.animation_prim,
                                                    conversion.budget, conversion.diagnostics));
    }
    const Skeleton& skeleton = placed.skeleton;
    FLEXOR_TRY(conversion.budget.Charge(skeleton.joints.size(), sizeof(asset::Node), "joints"));
    for (std::size_t joint = 0; joint < skeleton.joints.size(); ++joint) {
      const std::string_view path = skeleton.joints[joint].text();
      const std::int32_t parent = skeleton.parents[joint];
      asset::Node node;
      node.name = path.substr(path.rfind('/') + 1);
      node.parent = static_cast<std::int32_t>(
          parent < 0 ? placed.node : placed.joint_nodes[static_cast<std::size_t>(parent)]);
      if (!skeleton.rest.empty()) {
        SetRest(node, skeleton.rest[joint]);
      } else if (!skeleton.bind.empty()) {
        const Mat34d& bind = skeleton.bind[joint];
        const Mat34d local =
            parent < 0 ? bind : Inverse(skeleton.bind[static_cast<std::size_t>(parent)]) * bind;
        if (IsFinite(local)) SetRest(node, local);
      }
      placed.joint_nodes.push_back(static_cast<std::uint32_t>(character.nodes.size()));
      character.nodes.push_back(std::move(node));
    }
    placed.fault = FaultOf(placed);
    conversion.skeleton_of.emplace(&prim, conversion.skeletons.size());
    conversion.skeletons.push_back(std::move(placed));
  }
  return {};
}

Status ConvertShapes(Conversion& conversion) {
  Stage& stage = conversion.stage;
  asset::Character& character = conversion.character;
  for (std::size_t i = 1; i < stage.prims().size(); ++i) {
    const StagePrim& prim = stage[i];
    if (!prim.IsPresent() || !HasShape(prim.type_name)) continue;
    FLEXOR_ASSIGN(const std::string coordinates, CoordinatesOf(conversion, prim));
    FLEXOR_ASSIGN(auto shape, ReadShape(stage, prim, conversion.time.first, coordinates,
                                        conversion.budget, conversion.diagnostics));
    if (!shape) continue;
    if (!SampleTimes(stage.FindProperty(prim, "points")).empty()) {
      Report(conversion.diagnostics, "USD_POINTS_ANIMATED", prim.path.ToString(),
             "the points have time samples of their own; flexor keeps those of the first moment");
    }
    shape->mesh.name = prim.path.name().str();
    for (std::size_t set = 0; set < shape->mesh.subsets.size(); ++set) {
      const StagePrim* owner = shape->face_sets[set].prim;
      FLEXOR_ASSIGN(shape->mesh.subsets[set].material,
                    ConvertMaterial(conversion, owner ? *owner : prim, shape->double_sided));
    }
    std::erase_if(shape->mesh.subsets,
                  [](const asset::Subset& subset) { return subset.index_count == 0; });
    if (shape->is_solid) {
      FLEXOR_ASSIGN(const std::int32_t material,
                    ConvertMaterial(conversion, prim, shape->double_sided));
      shape->mesh.subsets.push_back(
          {0, static_cast<std::uint32_t>(shape->mesh.triangles.size()), material});
    }
    PlacedShape placed;
    placed.prim = &prim;
    placed.instance = static_cast<std::uint32_t>(character.instances.size());
    placed.binding = BindingOf(stage, prim, conversion.diagnostics);
    asset::MeshInstance instance;
    instance.name = shape->mesh.name;
    instance.mesh = static_cast<std::uint32_t>(character.meshes.size());
    instance.node = static_cast<std::int32_t>(conversion.node_of.at(&prim));
    instance.visible = !IsHidden(stage, prim, conversion.time.first, conversion.budget);
    character.instances.push_back(std::move(instance));
    if (!shape->is_solid) {
      FLEXOR_TRY(ConvertMorphs(conversion, placed, shape->normal_spread, shape->mesh));
    }
    FLEXOR_TRY(ConvertSkin(conversion, placed, shape->mesh));
    character.meshes.push_back(std::move(shape->mesh));
    conversion.shapes.push_back(std::move(placed));
  }
  return {};
}

Result<asset::Character> Convert(Stage& stage, const LoadOptions& options, MemoryBudget& budget,
                                 Diagnostics& diagnostics) {
  Conversion conversion{stage, options, budget, diagnostics, {}, {}, {}, {}, {}, {}, {}, {}};
  conversion.time = TimeOf(stage);
  FLEXOR_TRY(ConvertNodes(conversion));
  FLEXOR_TRY(ConvertShapes(conversion));
  FLEXOR_TRY(ConvertClips(conversion));
  asset::Character character = std::move(conversion.character);
  const Fields& metadata = stage.root_layer().root().metadata;
  if (const Value* name = metadata.Find("defaultPrim")) character.name = name->text();
  FLEXOR_TRY(asset::Finalize(character));
  return character;
}

}  // namespace flexor::io::usd
