#include "flexor/render/draw.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <new>
#include <string>
#include <utility>

#include "render/camera.h"
#include "render/color.h"
#include "render/film.h"
#include "render/overlay.h"
#include "render/ray_scene.h"
#include "render/shader.h"
#include "render/skeleton.h"
#include "render/surface.h"

namespace flexor::render {
namespace {

constexpr std::array<std::pair<DrawMode, std::string_view>, 5> kModes{{
    {DrawMode::kShaded, "shaded"},
    {DrawMode::kWire, "wire"},
    {DrawMode::kWeights, "weights"},
    {DrawMode::kSkeleton, "skeleton"},
    {DrawMode::kHeat, "heat"},
}};

Status CheckSettings(const DrawSettings& settings) {
  if (settings.width < 1 || settings.height < 1 || settings.width > kMaxPictureSide ||
      settings.height > kMaxPictureSide) {
    return Error{ErrorCode::kInvalidArgument,
                 "a picture of " + std::to_string(settings.width) + " x " +
                     std::to_string(settings.height) +
                     " pixels cannot be drawn; each side must "
                     "be within 1 to " +
                     std::to_string(kMaxPictureSide),
                 {}};
  }
  if (settings.samples_per_axis < 1 || settings.samples_per_axis > 16) {
    return Error{
        ErrorCode::kInvalidArgument,
        std::to_string(settings.samples_per_axis) + " samples per axis are not within 1 to 16",
        {}};
  }
  if (!std::isfinite(settings.heat_max_mm) || settings.heat_max_mm < 0) {
    return Error{ErrorCode::kInvalidArgument,
                 "the top of the heat scale must be finite and not below 0 (0: chosen by value)",
                 {}};
  }
  if (settings.ground_height && !std::isfinite(*settings.ground_height)) {
    return Error{ErrorCode::kInvalidArgument, "the height of the ground must be finite", {}};
  }
  return {};
}

float LargestValue(std::span<const DrawMesh> meshes) {
  float largest = 0;
  for (const DrawMesh& mesh : meshes) {
    for (const float value : mesh.values) {
      if (std::isfinite(value)) largest = std::max(largest, value);
    }
  }
  return largest;
}

// The box in double: far from the origin the halves of a float box would already be rounded.
SceneSpace SpaceOf(const Aabbf& box) {
  SceneSpace space;
  if (box.empty()) return space;
  const Vec3d low = Cast<double>(box.min), high = Cast<double>(box.max);
  space.center = (low + high) / 2.0;
  const double radius = Length(high - low) / 2;
  space.scale = radius > 0 ? 1 / radius : 1;
  return space;
}

// Only kShaded shows one surface through another; the wire shows even what a mask hides.
Cutouts CutoutsOf(DrawMode mode) {
  if (mode == DrawMode::kShaded) return Cutouts::kBlended;
  return mode == DrawMode::kWire ? Cutouts::kIgnored : Cutouts::kHalf;
}

Result<Image> DrawChecked(const asset::Character& character, std::span<const DrawMesh> meshes,
                          std::span<const Mat34d> model_from_node, const DrawSettings& settings,
                          const ThreadTeam& team, const TextureSet& textures) {
  const bool skeleton = settings.mode == DrawMode::kSkeleton;
  Aabbf box = BoundsOf(meshes);
  std::vector<BoneRole> roles;
  if (skeleton) {
    roles = BoneRoles(character, meshes);
    for (std::size_t node = 0; node < std::min(roles.size(), model_from_node.size()); ++node) {
      const Vec3d place = model_from_node[node].translation;
      if (roles[node] == BoneRole::kJoint && IsFinite(place)) box.Add(Cast<float>(place));
    }
  }
  const SceneSpace space = SpaceOf(box);

  std::vector<Surface> surfaces;
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    FLEXOR_ASSIGN(Surface surface, MakeSurface(character, meshes[i], i, space, textures));
    if (settings.mode == DrawMode::kHeat && surface.values.size() != surface.positions.size()) {
      return Error{ErrorCode::kShapeMismatch,
                   "drawn mesh " + std::to_string(i) + " has no values for the " +
                       std::to_string(surface.positions.size()) + " vertices of a heat map",
                   {}};
    }
    surfaces.push_back(std::move(surface));
  }
  FLEXOR_ASSIGN(const RayScene body,
                RayScene::Build(std::move(surfaces), CutoutsOf(settings.mode)));
  Bones bones;
  if (skeleton) FLEXOR_TRY(MakeBones(character, roles, model_from_node, space, bones));
  std::vector<Surface> bone_surfaces;
  bone_surfaces.push_back(std::move(bones.surface));
  FLEXOR_ASSIGN(const RayScene bone_scene,
                RayScene::Build(std::move(bone_surfaces), Cutouts::kIgnored));

  Stage stage;
  stage.body = &body;
  stage.bones = &bone_scene;
  FLEXOR_ASSIGN(
      stage.view,
      MakeView(settings.camera ? *settings.camera : FrameBox(box, settings.width, settings.height),
               settings.width, settings.height, space));
  stage.mode = settings.mode;
  stage.samples_per_axis = settings.samples_per_axis;
  stage.width = settings.width;
  stage.height = settings.height;
  stage.transparent = settings.transparent_background;
  if (settings.ground && !box.empty()) {
    const double height = settings.ground_height ? *settings.ground_height : double{box.min.y};
    Ground ground;
    ground.height = static_cast<float>((height - space.center.y) * space.scale);
    stage.ground = ground;
  }
  const double largest = LargestValue(meshes);
  const double scale_top = settings.mode != DrawMode::kHeat ? 1
                           : settings.heat_max_mm > 0       ? settings.heat_max_mm
                                                            : RoundedUp(largest);
  stage.value_scale = static_cast<float>(1 / scale_top);

  Image image;
  image.width = settings.width;
  image.height = settings.height;
  image.rgba.resize(std::size_t{4} * settings.width * settings.height);
  Expose(Shader(stage), team, image);

  const auto title = [&settings](std::string_view otherwise) {
    return settings.legend.empty() ? otherwise : std::string_view(settings.legend);
  };
  if (settings.mode == DrawMode::kHeat) {
    DrawScale(image, HeatRamp(), title("distance"),
              ScaleTicks(scale_top, "mm", largest > scale_top * (1 + 1e-6)), settings.label);
  } else if (settings.mode == DrawMode::kWeights) {
    DrawScale(image, WeightRamp(), title("weight"), ScaleTicks(1, "", false), settings.label);
  }
  DrawLabel(image, settings.label);
  return image;
}

}  // namespace

std::string_view DrawModeName(DrawMode mode) {
  for (const auto& [value, name] : kModes) {
    if (value == mode) return name;
  }
  return "unknown";
}

Result<DrawMode> ParseDrawMode(std::string_view name) {
  std::string names;
  for (const auto& [value, known] : kModes) {
    if (known == name) return value;
    names += (names.empty() ? "" : ", ") + std::string(known);
  }
  return Error{ErrorCode::kInvalidArgument,
               "there is no drawing mode \"" + std::string(name) + "\"; there are " + names,
               {}};
}

Aabbf BoundsOf(std::span<const DrawMesh> meshes) {
  Aabbf box;
  for (const DrawMesh& mesh : meshes) {
    for (const Vec3f position : mesh.positions) {
      if (IsFinite(position)) box.Add(position);
    }
  }
  return box;
}

Result<Image> Draw(const asset::Character& character, std::span<const DrawMesh> meshes,
                   std::span<const Mat34d> model_from_node, const DrawSettings& settings,
                   const ThreadTeam& team, const TextureSet* textures) try {
  FLEXOR_TRY(CheckSettings(settings));
  TextureSet own;
  if (textures == nullptr && settings.mode != DrawMode::kWire) {
    own = LoadTextures(character, team);
  }
  return DrawChecked(character, meshes, model_from_node, settings, team,
                     textures != nullptr ? *textures : own);
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory,
               "memory ran out while a picture of " + std::to_string(settings.width) + " x " +
                   std::to_string(settings.height) + " pixels was drawn",
               {}};
}

}  // namespace flexor::render
