// Materials, textures and images: what a recognisable picture needs.

#include <algorithm>
#include <utility>

#include "io/gltf/document_parts.h"

namespace flexor::io::gltf {
namespace {

Result<RawTextureRef> ReadTextureRef(const ReadContext& context, const json::Ref& object) {
  RawTextureRef texture;
  FLEXOR_ASSIGN(const std::uint32_t index,
                context.RequireIndex(object, "index", context.count.textures, "textures"));
  texture.texture = static_cast<std::int32_t>(index);
  FLEXOR_ASSIGN(const auto set, object.FindUnsigned("texCoord", 0xffff));
  texture.texcoord = static_cast<std::uint32_t>(set.value_or(0));
  FLEXOR_ASSIGN(const auto transform, context.FindExtension(object, "KHR_texture_transform"));
  if (!transform) return texture;
  FLEXOR_ASSIGN(const auto offset, transform->FindNumbers("offset", 2));
  if (offset) std::copy(offset->begin(), offset->end(), texture.offset.begin());
  FLEXOR_ASSIGN(const auto scale, transform->FindNumbers("scale", 2));
  if (scale) std::copy(scale->begin(), scale->end(), texture.scale.begin());
  FLEXOR_ASSIGN(const auto rotation, transform->FindNumber("rotation"));
  texture.rotation = rotation.value_or(0);
  FLEXOR_ASSIGN(const auto other_set, transform->FindUnsigned("texCoord", 0xffff));
  if (other_set) texture.texcoord = static_cast<std::uint32_t>(*other_set);
  return texture;
}

/// Base colour and its texture, under the names that one material model gives them.
Status ReadBase(const ReadContext& context, const json::Ref& object, std::string_view factor,
                std::string_view texture, RawMaterial& material) {
  FLEXOR_ASSIGN(const auto color, object.FindNumbers(factor, 4));
  if (color) std::copy(color->begin(), color->end(), material.base_color.begin());
  FLEXOR_ASSIGN(const auto base, object.FindObject(texture));
  if (base) {
    FLEXOR_ASSIGN(material.base_texture, ReadTextureRef(context, *base));
  }
  return {};
}

Status ReadMaterial(const ReadContext& context, const json::Ref& object, RawMaterial& material) {
  FLEXOR_TRY(object.ExpectObject());
  FLEXOR_ASSIGN(material.name, context.Name(object));
  FLEXOR_ASSIGN(const auto metallic, object.FindObject("pbrMetallicRoughness"));
  FLEXOR_ASSIGN(const auto glossy,
                context.FindExtension(object, "KHR_materials_pbrSpecularGlossiness"));
  if (metallic) {
    FLEXOR_TRY(ReadBase(context, *metallic, "baseColorFactor", "baseColorTexture", material));
  } else if (glossy) {
    FLEXOR_TRY(ReadBase(context, *glossy, "diffuseFactor", "diffuseTexture", material));
  }
  FLEXOR_ASSIGN(const auto given_mode, FindText(object, "alphaMode"));
  const std::string_view mode = given_mode.value_or("OPAQUE");
  if (mode == "MASK") {
    material.alpha_mode = asset::AlphaMode::kMask;
  } else if (mode == "BLEND") {
    material.alpha_mode = asset::AlphaMode::kBlend;
  } else if (mode != "OPAQUE") {
    context.Say("VALUE_NOT_IN_LIST", object.pointer() + "/alphaMode",
                "unknown alpha mode '" + std::string(mode) + "'; OPAQUE is used");
  }
  FLEXOR_ASSIGN(const auto cutoff, object.FindNumber("alphaCutoff"));
  material.alpha_cutoff = cutoff.value_or(0.5);
  FLEXOR_ASSIGN(const auto double_sided, object.FindBool("doubleSided"));
  material.double_sided = double_sided.value_or(false);
  return {};
}

Status ReadTexture(const ReadContext& context, const json::Ref& object, RawTexture& texture) {
  FLEXOR_TRY(object.ExpectObject());
  FLEXOR_ASSIGN(texture.source,
                context.FindIndex(object, "source", context.count.images, "images"));
  if (texture.source != kNone) return {};
  FLEXOR_ASSIGN(const auto extensions, object.FindObject("extensions"));
  if (!extensions) return {};
  for (const std::string_view name :
       {"KHR_texture_basisu", "EXT_texture_webp", "EXT_texture_avif", "MSFT_texture_dds"}) {
    if (extensions->Has(name)) texture.only_in = std::string(name);
  }
  return {};
}

Status ReadImage(const ReadContext& context, const json::Ref& object, RawImage& image) {
  FLEXOR_TRY(object.ExpectObject());
  FLEXOR_ASSIGN(image.name, context.Name(object));
  FLEXOR_ASSIGN(image.uri, FindText(object, "uri"));
  FLEXOR_ASSIGN(auto media_type, object.FindString("mimeType"));
  if (media_type) image.media_type = std::move(*media_type);
  FLEXOR_ASSIGN(image.view,
                context.FindIndex(object, "bufferView", context.count.views, "buffer views"));
  return {};
}

template <class T>
Status ReadList(ReadContext& context, std::string_view key, std::vector<T>& out,
                Status (*read)(const ReadContext&, const json::Ref&, T&)) {
  FLEXOR_ASSIGN(const auto list, context.FindFilled(context.root, key));
  if (!list) return {};
  FLEXOR_TRY(context.budget.Charge(list->size(), sizeof(T), key));
  out.resize(list->size());
  for (std::size_t i = 0; i < list->size(); ++i) FLEXOR_TRY(read(context, list->At(i), out[i]));
  return {};
}

}  // namespace

Status ReadMaterials(ReadContext& context) {
  FLEXOR_TRY(ReadList(context, "images", context.document.images, ReadImage));
  FLEXOR_TRY(ReadList(context, "textures", context.document.textures, ReadTexture));
  return ReadList(context, "materials", context.document.materials, ReadMaterial);
}

}  // namespace flexor::io::gltf
