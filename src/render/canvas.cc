#include "render/canvas.h"

namespace flexor::render {

void FillRounded(Image& image, float x, float y, float width, float height, float radius,
                 std::uint32_t color) {
  radius = std::clamp(radius, 0.f, std::min(width, height) / 2);
  const int first_x = std::max(0, static_cast<int>(std::floor(x)));
  const int first_y = std::max(0, static_cast<int>(std::floor(y)));
  const int last_x = std::min(image.width, static_cast<int>(std::ceil(x + width)));
  const int last_y = std::min(image.height, static_cast<int>(std::ceil(y + height)));
  for (int py = first_y; py < last_y; ++py) {
    for (int px = first_x; px < last_x; ++px) {
      // Signed distance of the pixel's middle from the rounded outline, negative inside.
      const float dx =
          std::abs(static_cast<float>(px) + 0.5f - (x + width / 2)) - (width / 2 - radius);
      const float dy =
          std::abs(static_cast<float>(py) + 0.5f - (y + height / 2)) - (height / 2 - radius);
      const float outside = std::hypot(std::max(dx, 0.f), std::max(dy, 0.f));
      const float distance = outside + std::min(std::max(dx, dy), 0.f) - radius;
      BlendPixel(image, px, py, color, std::clamp(0.5f - distance, 0.f, 1.f));
    }
  }
}

std::string FittingText(std::string_view text, int size, int width) {
  if (TextWidth(size, text) <= width) return std::string(text);
  std::size_t low = 0, high = text.size();
  const auto cut = [text](std::size_t length) {
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) --length;
    return std::string(text.substr(0, length)) + "\xE2\x80\xA6";
  };
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (TextWidth(size, cut(middle)) <= width ? low : high) = middle;
  }
  return low == 0 ? std::string() : cut(low);
}

}  // namespace flexor::render
