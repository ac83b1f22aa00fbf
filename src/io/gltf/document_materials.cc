// Materials, textures and images: what a recognisable picture needs.

#include <utility>

#include "io/gltf/document_parts.h"

namespace flexor::io::gltf {
namespace {

RawTextureRef ReadTextureRef(ReadContext& context, const json::Ref& object) {
  RawTextureRef texture;
  texture.texture = static_cast<std::int32_t>(
      context.RequireIndex(object, "index", context.count.textures, "textures"));
  texture.texcoord = static_cast<std::uint32_t>(context.Unsigned(object, "texCoord", 0, 0xffff));
  if (const auto transform = context.Extension(object, "KHR_texture_transform")) {
    context.Numbers(*transform, "offset", texture.offset);
    context.Numbers(*transform, "scale", texture.scale);
    texture.rotation = context.Number(*transform, "rotation", 0);
    texture.texcoord = static_cast<std::uint32_t>(
        context.Unsigned(*transform, "texCoord", texture.texcoord, 0xffff));
  }
  return texture;
}

/// Base colour and its texture, under the names that one material model gives them.
void ReadBase(ReadContext& context, const json::Ref& object, std::string_view factor,
              std::string_view texture, RawMaterial& material) {
  context.Numbers(object, factor, material.base_color);
  if (const auto base = context.Object(object, texture)) {
    material.base_texture = ReadTextureRef(context, *base);
  }
}

/// Only what is drawn: what the check wants of a material is in its own model.
void ReadMaterial(ReadContext& context, const json::Ref& object, RawMaterial& material) {
  material.name = context.Name(object);
  const auto metallic = context.Object(object, "pbrMetallicRoughness");
  const auto glossy = context.Extension(object, "KHR_materials_pbrSpecularGlossiness");
  if (metallic) {
    ReadBase(context, *metallic, "baseColorFactor", "baseColorTexture", material);
  } else if (glossy) {
    ReadBase(context, *glossy, "diffuseFactor", "diffuseTexture", material);
  }
  const std::string_view mode = context.Text(object, "alphaMode").value_or("OPAQUE");
  if (mode == "MASK") {
    material.alpha_mode = asset::AlphaMode::kMask;
  } else if (mode == "BLEND") {
    material.alpha_mode = asset::AlphaMode::kBlend;
  } else if (mode != "OPAQUE") {
    context.Say("VALUE_NOT_IN_LIST", object.pointer() + "/alphaMode",
                "unknown alpha mode '" + std::string(mode) + "'; OPAQUE is used");
  }
  material.alpha_cutoff = context.Number(object, "alphaCutoff", 0.5);
  material.double_sided = context.Bool(object, "doubleSided", false);
}

void ReadTexture(ReadContext& context, const json::Ref& object, RawTexture& texture) {
  texture.source = context.FindIndex(object, "source", context.count.images, "images");
  if (texture.source != kNone || context.judged()) return;
  const auto extensions = context.Object(object, "extensions");
  if (!extensions) return;
  for (const std::string_view name :
       {"KHR_texture_basisu", "EXT_texture_webp", "EXT_texture_avif", "MSFT_texture_dds"}) {
    if (extensions->Has(name)) texture.only_in = name;
  }
}

void ReadImage(ReadContext& context, const json::Ref& object, RawImage& image) {
  image.name = context.Name(object);
  image.uri = context.Text(object, "uri");
  image.media_type = context.Text(object, "mimeType");
  image.view = context.FindIndex(object, "bufferView", context.count.views, "buffer views");
}

}  // namespace

void ReadMaterials(ReadContext& context) {
  context.Collection("images", context.document.images, ReadImage);
  context.Collection("textures", context.document.textures, ReadTexture);
  context.Collection("materials", context.document.materials, ReadMaterial);
}

}  // namespace flexor::io::gltf
