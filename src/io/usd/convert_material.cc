// Materials of meshes and subsets, with their pictures.

#include <utility>

#include "io/rules.h"
#include "io/usd/attribute.h"
#include "io/usd/convert_parts.h"
#include "io/usd/material.h"
#include "io/usd/numeric.h"
#include "io/usd/primvar.h"

namespace flexor::io::usd {
namespace {

const StagePrim* MaterialPrim(Conversion& conversion, const StagePrim& prim) {
  const Path bound = BoundMaterial(conversion.stage, prim, conversion.diagnostics);
  if (bound.empty()) return nullptr;
  const std::int32_t found = conversion.stage.Find(bound);
  if (found >= 0) return &conversion.stage[static_cast<std::size_t>(found)];
  Report(conversion.diagnostics, "USD_MATERIAL", prim.path.ToString(),
         "material:binding names <" + bound.ToString() + ">, which is not there");
  return nullptr;
}

/// A picture, read once; kNone when it cannot be had.
std::int32_t ImageOf(Conversion& conversion, const SurfaceTexture& texture,
                     const StagePrim& material) {
  const std::string key = texture.layer + "\n" + texture.asset.str();
  if (const auto found = conversion.image_of.find(key); found != conversion.image_of.end()) {
    return found->second;
  }
  std::vector<asset::Image>& images = conversion.character.images;
  asset::Image image;
  image.name = texture.asset.str();
  if (conversion.options.load_images) {
    auto bytes = conversion.stage.layers().Read(texture.asset.text(), texture.layer);
    if (bytes.ok()) {
      image.bytes = *std::move(bytes);
    } else {
      Report(conversion.diagnostics, "USD_TEXTURE", material.path.ToString(),
             "the texture @" + texture.asset.str() + "@ is not drawn: " + bytes.error().message);
    }
  }
  const auto index = static_cast<std::int32_t>(images.size());
  images.push_back(std::move(image));
  conversion.image_of.emplace(key, index);
  return index;
}

/// The one colour of a prim without a material, if it has one.
Result<std::optional<Vec3f>> DisplayColor(Conversion& conversion, const StagePrim& prim) {
  FLEXOR_ASSIGN(
      const Primvar primvar,
      ReadInheritedPrimvar(conversion.stage, prim, "primvars:displayColor", conversion.time.first,
                           conversion.budget, conversion.diagnostics));
  const auto colors = AsVec3fs(primvar.values);
  if (!colors || colors->empty() || primvar.spread != Spread::kConstant) {
    return std::optional<Vec3f>();
  }
  return std::optional<Vec3f>(colors->front());
}

}  // namespace

Result<std::string> CoordinatesOf(Conversion& conversion, const StagePrim& prim) {
  std::vector<const StagePrim*> owners{&prim};
  for (const std::uint32_t child : prim.children) {
    if (conversion.stage[child].type_name == "GeomSubset") {
      owners.push_back(&conversion.stage[child]);
    }
  }
  for (const StagePrim* owner : owners) {
    const StagePrim* material = MaterialPrim(conversion, *owner);
    if (material == nullptr) continue;
    FLEXOR_ASSIGN(const auto look,
                  LookOf(conversion.stage, *material, conversion.budget, conversion.diagnostics));
    if (look && !look->texture.primvar.empty()) return look->texture.primvar.str();
  }
  return std::string();
}

Result<std::int32_t> ConvertMaterial(Conversion& conversion, const StagePrim& prim,
                                     bool double_sided) {
  asset::Character& character = conversion.character;
  const StagePrim* found = MaterialPrim(conversion, prim);
  const StagePrim* owner = found != nullptr ? found : &prim;
  const std::pair key{owner, double_sided};
  if (const auto made = conversion.material_of.find(key); made != conversion.material_of.end()) {
    return made->second;
  }
  asset::Material material;
  material.name = owner->path.name().str();
  material.double_sided = double_sided;
  if (found != nullptr) {
    FLEXOR_ASSIGN(const auto look,
                  LookOf(conversion.stage, *found, conversion.budget, conversion.diagnostics));
    if (look) {
      material.base_color = look->base_color;
      material.alpha_mode = look->alpha_mode;
      material.alpha_cutoff = look->alpha_cutoff;
      material.uv_scale = look->texture.scale;
      material.uv_offset = look->texture.offset;
      material.uv_rotation = look->texture.rotation;
      if (!look->texture.asset.empty()) {
        material.base_image = ImageOf(conversion, look->texture, *found);
      }
    } else {
      Report(conversion.diagnostics, "USD_MATERIAL", found->path.ToString(),
             "the material has no UsdPreviewSurface; it is drawn white");
    }
  } else {
    FLEXOR_ASSIGN(const auto color, DisplayColor(conversion, prim));
    if (!color && !double_sided) {
      conversion.material_of.emplace(key, asset::kNone);
      return asset::kNone;
    }
    if (color) material.base_color = {color->x, color->y, color->z, 1};
  }
  const auto index = static_cast<std::int32_t>(character.materials.size());
  character.materials.push_back(std::move(material));
  conversion.material_of.emplace(key, index);
  return index;
}

}  // namespace flexor::io::usd
