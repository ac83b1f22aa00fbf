/// @file asset/material.h
/// Just enough about surfaces to draw recognisable pictures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "flexor/asset/node.h"
#include "flexor/math/vec.h"

namespace flexor::asset {

/// An encoded picture as the file holds it. Decoding is the renderer's business.
struct Image {
  std::string name{};
  std::string media_type{};  ///< "image/png", "image/jpeg", or empty when the file does not say
  std::vector<std::byte>
      bytes{};  ///< encoded; empty when it could not be found (a diagnostic says so)
};

/// What the alpha of a surface means.
enum class AlphaMode : std::uint8_t { kOpaque, kMask, kBlend };

/// A surface: base colour and its texture.
struct Material {
  std::string name{};
  Vec4f base_color{1, 1, 1, 1};     ///< linear RGBA, multiplied with the texture
  std::int32_t base_image = kNone;  ///< index into Character::images, sRGB
  Vec2f uv_offset{0, 0};            ///< KHR_texture_transform of the base texture
  Vec2f uv_scale{1, 1};
  float uv_rotation = 0;  ///< radians, counter-clockwise
  AlphaMode alpha_mode = AlphaMode::kOpaque;
  float alpha_cutoff = 0.5f;
  bool double_sided = false;
};

}  // namespace flexor::asset
