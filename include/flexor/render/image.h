/// @file render/image.h
/// A picture in memory, and as PNG.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "flexor/core/result.h"

namespace flexor::render {

/// 8-bit sRGB with straight alpha, rows top to bottom.
struct Image {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgba;  ///< (height * width * 4)
};

/// Decodes PNG or JPEG, by content. For textures out of files from strangers: bounded by
/// `max_pixels`. Errors  kUnknownFormat · kParse · kLimitExceeded
Result<Image> DecodeImage(std::span<const std::byte> bytes, std::uint64_t max_pixels = 1ull << 26);

/// Encodes as PNG. Deterministic.
Result<std::vector<std::byte>> EncodePng(const Image& image);

/// Draws text with the built-in font, its top left corner at (x, y); characters the font lacks
/// become boxes. `size` in pixels; `color` 0xRRGGBBAA. Returns the width drawn.
int DrawText(Image& image, int x, int y, int size, std::uint32_t color, std::string_view utf8);

/// The width DrawText would need.
int TextWidth(int size, std::string_view utf8);

/// Places pictures of one size side by side with a label above each and a title above all.
Image ContactSheet(std::span<const Image> pictures, std::span<const std::string_view> labels,
                   std::string_view title, int columns);

}  // namespace flexor::render
