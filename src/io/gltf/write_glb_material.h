/// @file io/gltf/write_glb_material.h
/// Materials, textures and pictures out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "flexor/asset/character.h"

#include "io/gltf/write_glb_builder.h"
#include "io/gltf/write_glb_notes.h"

namespace flexor::io::gltf {

/// "image/png" or "image/jpeg" when the bytes are such a picture as far as its header goes, else
/// empty: what glTF may hold, by content and not by what someone called it.
std::string_view PictureType(std::span<const std::byte> bytes);

/// Turns materials of a character into glTF's as they are asked for, each once.
class MaterialTable {
 public:
  MaterialTable(const asset::Character& character, GlbBuilder& builder, WriteNotes notes);

  /// The glTF index of a material of the character.
  std::uint32_t Material(std::uint32_t material);
  /// The glTF index of an image, or kNone when it is no picture that glTF can hold.
  std::int32_t Image(std::uint32_t image);
  bool HasTexture(std::uint32_t material);

  /// Adds "materials", "textures", "images" and the extension to the document.
  void AddTo(Json& document);

 private:
  std::int32_t Texture(std::uint32_t image);
  Json Encode(const asset::Material& material);

  static constexpr std::int32_t kUnknown = -2;
  const asset::Character& character_;
  GlbBuilder& builder_;
  WriteNotes notes_;
  std::vector<std::int32_t> material_index_, image_index_, texture_index_;
  Json materials_ = Json::array(), textures_ = Json::array(), images_ = Json::array();
  bool uses_transform_ = false;
};

}  // namespace flexor::io::gltf
