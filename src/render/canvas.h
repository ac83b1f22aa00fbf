// Painting on finished pictures: 8-bit sRGB with straight alpha, blended as stored.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "flexor/render/image.h"

namespace flexor::render {

inline bool IsWhole(const Image& image) {
  return image.width > 0 && image.height > 0 &&
         image.rgba.size() ==
             static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height) * 4;
}

inline std::uint8_t* PixelAt(Image& image, int x, int y) {
  return image.rgba.data() + (static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) +
                              static_cast<std::size_t>(x)) *
                                 4;
}

/// Lays a colour 0xRRGGBBAA over one pixel, its alpha times `coverage` (0 to 1). Outside: nothing.
inline void BlendPixel(Image& image, int x, int y, std::uint32_t color, float coverage) {
  if (x < 0 || y < 0 || x >= image.width || y >= image.height) return;
  const float alpha = static_cast<float>(color & 0xff) / 255 * coverage;
  if (!(alpha > 0)) return;
  std::uint8_t* pixel = PixelAt(image, x, y);
  const float below = static_cast<float>(pixel[3]) / 255 * (1 - alpha);
  const float total = alpha + below;
  for (int c = 0; c < 3; ++c) {
    const float above = static_cast<float>((color >> (24 - 8 * c)) & 0xff);
    const float mixed = (above * alpha + static_cast<float>(pixel[c]) * below) / total;
    pixel[c] = static_cast<std::uint8_t>(std::lround(std::min(mixed, 255.f)));
  }
  pixel[3] = static_cast<std::uint8_t>(std::lround(std::min(total, 1.f) * 255));
}

/// Fills a rectangle with round corners and soft edges.
void FillRounded(Image& image, float x, float y, float width, float height, float radius,
                 std::uint32_t color);

/// As much of a line as fits into a width, with an ellipsis where something is cut off; never half
/// a character.
std::string FittingText(std::string_view text, int size, int width);

}  // namespace flexor::render
