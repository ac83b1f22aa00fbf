#include "io/gltf/write_glb_material.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

namespace flexor::io::gltf {
namespace {

using asset::kNone;

constexpr const char* kTextureTransform = "KHR_texture_transform";

std::uint32_t BigEndian(std::span<const std::byte> bytes, std::size_t at, std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    value = (value << 8) | static_cast<std::uint32_t>(bytes[at + i]);
  }
  return value;
}

constexpr std::uint32_t Tag(const char (&name)[5]) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = (value << 8) | static_cast<unsigned char>(name[i]);
  return value;
}

// A PNG down to its first pixels: the signature, IHDR, chunks of the sizes they must have.
bool IsPng(std::span<const std::byte> bytes) {
  constexpr std::array<std::uint32_t, 2> kSignature = {0x89504E47, 0x0D0A1A0A};
  if (bytes.size() < 8 || BigEndian(bytes, 0, 4) != kSignature[0] ||
      BigEndian(bytes, 4, 4) != kSignature[1]) {
    return false;
  }
  constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 5> kFixed = {
      {{Tag("IHDR"), 13}, {Tag("cHRM"), 32}, {Tag("sRGB"), 1}, {Tag("pHYs"), 9}, {Tag("gAMA"), 4}}};
  constexpr std::size_t kChunkFrame = 12;  // length, tag, checksum
  std::size_t at = 8;
  bool has_header = false;
  while (bytes.size() - at >= kChunkFrame) {
    const std::uint32_t length = BigEndian(bytes, at, 4), tag = BigEndian(bytes, at + 4, 4);
    if (tag == Tag("IDAT")) return has_header;
    for (const auto& [fixed_tag, fixed_length] : kFixed) {
      if (tag == fixed_tag && length != fixed_length) return false;
    }
    if (bytes.size() - at - kChunkFrame < length) return false;
    if (tag == Tag("IHDR")) {
      has_header = BigEndian(bytes, at + 8, 4) != 0 && BigEndian(bytes, at + 12, 4) != 0;
    }
    at += kChunkFrame + length;
  }
  return false;
}

// A JPEG down to its frame header.
bool IsJpeg(std::span<const std::byte> bytes) {
  if (bytes.size() < 4 || BigEndian(bytes, 0, 3) != 0xFFD8FF) return false;
  std::size_t at = 2;
  while (bytes.size() - at >= 4) {
    if (BigEndian(bytes, at, 1) != 0xFF) return false;
    const std::uint32_t marker = BigEndian(bytes, at + 1, 1);
    if (marker == 0xFF) {  // fill byte
      ++at;
      continue;
    }
    const std::uint32_t length = BigEndian(bytes, at + 2, 2);
    if (length < 2 || bytes.size() - at - 2 < length) return false;
    const bool is_frame =
        (marker & 0xF0) == 0xC0 && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
    if (is_frame) {
      return length >= 8 && BigEndian(bytes, at + 5, 2) != 0 && BigEndian(bytes, at + 7, 2) != 0;
    }
    at += 2 + length;
  }
  return false;
}

bool IsIdentity(const asset::Material& m) {
  return m.uv_offset == Vec2f{0, 0} && m.uv_scale == Vec2f{1, 1} && m.uv_rotation == 0;
}

}  // namespace

std::string Place(std::string_view kind, std::size_t index, std::string_view name) {
  std::string place(kind);
  place += " " + std::to_string(index);
  if (!name.empty()) place.append(" '").append(name).append("'");
  return place;
}

std::string_view PictureType(std::span<const std::byte> bytes) {
  if (IsPng(bytes)) return "image/png";
  if (IsJpeg(bytes)) return "image/jpeg";
  return {};
}

MaterialTable::MaterialTable(const asset::Character& character, GlbBuilder& builder,
                             WriteNotes notes)
    : character_(character),
      builder_(builder),
      notes_(notes),
      material_index_(character.materials.size(), kUnknown),
      image_index_(character.images.size(), kUnknown),
      texture_index_(character.images.size(), kUnknown) {}

std::uint32_t MaterialTable::Material(std::uint32_t material) {
  std::int32_t& index = material_index_[material];
  if (index == kUnknown) {
    Json encoded = Encode(character_.materials[material]);
    index = static_cast<std::int32_t>(materials_.size());
    materials_.push_back(std::move(encoded));
  }
  return static_cast<std::uint32_t>(index);
}

bool MaterialTable::HasTexture(std::uint32_t material) {
  const std::int32_t image = character_.materials[material].base_image;
  return image != kNone && Image(static_cast<std::uint32_t>(image)) != kNone;
}

std::int32_t MaterialTable::Image(std::uint32_t image) {
  std::int32_t& index = image_index_[image];
  if (index != kUnknown) return index;
  index = kNone;
  const asset::Image& source = character_.images[image];
  const std::string_view type = PictureType(source.bytes);
  if (type.empty()) {
    notes_.Add("GLB_IMAGE_LEFT_OUT", Place("image", image, source.name),
               source.bytes.empty() ? "it has no bytes, so materials stay without it"
                                    : "it is no PNG or JPEG, or a broken one, so materials stay "
                                      "without it");
    return index;
  }
  Json encoded = Json::object();
  if (!source.name.empty()) encoded["name"] = source.name;
  encoded["mimeType"] = type;
  encoded["bufferView"] = builder_.AddView(source.bytes);
  index = static_cast<std::int32_t>(images_.size());
  images_.push_back(std::move(encoded));
  return index;
}

std::int32_t MaterialTable::Texture(std::uint32_t image) {
  std::int32_t& index = texture_index_[image];
  if (index != kUnknown) return index;
  const std::int32_t source = Image(image);
  index = kNone;
  if (source == kNone) return index;
  index = static_cast<std::int32_t>(textures_.size());
  textures_.push_back({{"source", source}});
  return index;
}

Json MaterialTable::Encode(const asset::Material& material) {
  Json pbr = Json::object();
  const auto unit = [](float value) { return Short(std::clamp(value, 0.0f, 1.0f)); };
  const Vec4f& c = material.base_color;
  if (!(c == Vec4f{1, 1, 1, 1})) {
    pbr["baseColorFactor"] = {unit(c.x), unit(c.y), unit(c.z), unit(c.w)};
  }
  if (material.base_image != kNone) {
    const std::int32_t texture = Texture(static_cast<std::uint32_t>(material.base_image));
    if (texture != kNone) {
      Json reference = {{"index", texture}};
      if (!IsIdentity(material)) {
        Json transform = Json::object();
        if (!(material.uv_offset == Vec2f{0, 0})) {
          transform["offset"] = {Short(material.uv_offset.x), Short(material.uv_offset.y)};
        }
        if (material.uv_rotation != 0) transform["rotation"] = Short(material.uv_rotation);
        if (!(material.uv_scale == Vec2f{1, 1})) {
          transform["scale"] = {Short(material.uv_scale.x), Short(material.uv_scale.y)};
        }
        reference["extensions"] = {{kTextureTransform, std::move(transform)}};
        uses_transform_ = true;
      }
      pbr["baseColorTexture"] = std::move(reference);
    }
  }
  // The default is bare metal, which is black without surroundings to mirror.
  pbr["metallicFactor"] = 0;

  Json encoded = Json::object();
  if (!material.name.empty()) encoded["name"] = material.name;
  encoded["pbrMetallicRoughness"] = std::move(pbr);
  if (material.alpha_mode == asset::AlphaMode::kBlend) encoded["alphaMode"] = "BLEND";
  if (material.alpha_mode == asset::AlphaMode::kMask) {
    encoded["alphaMode"] = "MASK";
    if (material.alpha_cutoff != 0.5f) {
      encoded["alphaCutoff"] = Short(std::max(material.alpha_cutoff, 0.0f));
    }
  }
  if (material.double_sided) encoded["doubleSided"] = true;
  return encoded;
}

void MaterialTable::AddTo(Json& document) {
  if (uses_transform_) document["extensionsUsed"] = Json::array({kTextureTransform});
  if (!materials_.empty()) document["materials"] = std::move(materials_);
  if (!textures_.empty()) document["textures"] = std::move(textures_);
  if (!images_.empty()) document["images"] = std::move(images_);
}

}  // namespace flexor::io::gltf
