#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#define STB_TRUETYPE_IMPLEMENTATION
#define STBTT_STATIC
#include <stb/stb_truetype.h>

#include "flexor/core/utf8.h"
#include "flexor/render/image.h"

#include "render/canvas.h"
#include "render/font.h"

namespace flexor::render {
namespace {

constexpr int kLargestSize = 1024;

stbtt_fontinfo Open(std::span<const unsigned char> bytes) {
  stbtt_fontinfo info{};
  stbtt_InitFont(&info, bytes.data(), stbtt_GetFontOffsetForIndex(bytes.data(), 0));
  return info;
}

const stbtt_fontinfo& Font() {
  static const stbtt_fontinfo font = Open(FontBytes());
  return font;
}

const stbtt_fontinfo& JapaneseFont() {
  static const stbtt_fontinfo font = Open(JapaneseFontBytes());
  return font;
}

// A character in the first font that has it; index 0 when none has.
struct Glyph {
  const stbtt_fontinfo* font = nullptr;
  int index = 0;
};

Glyph FindGlyph(char32_t character) {
  Glyph glyph;
  for (const stbtt_fontinfo& (*font)() : {Font, JapaneseFont}) {
    glyph.font = &font();
    glyph.index = stbtt_FindGlyphIndex(glyph.font, static_cast<int>(character));
    if (glyph.index != 0) break;
  }
  return glyph;
}

// Takes one character off the front; bytes that are no UTF-8 give the replacement character,
// control characters a space.
char32_t NextCharacter(std::string_view& text) {
  const std::uint32_t code = TakeUtf8(text);
  return code < 0x20 || code == 0x7F ? U' ' : static_cast<char32_t>(code);
}

struct Metrics {
  float scale = 0;
  float ascent = 0;   // of the highest letters above the base line
  float descent = 0;  // of the lowest below it, positive
};

// The tall and the deep letters, not the font's own line metrics: those leave room for accents on
// capitals and would push a label visibly off its place.
Metrics MetricsOf(int size) {
  Metrics metrics;
  metrics.scale = stbtt_ScaleForMappingEmToPixels(&Font(), static_cast<float>(size));
  int x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  stbtt_GetCodepointBox(&Font(), 'd', &x0, &y0, &x1, &y1);
  metrics.ascent = static_cast<float>(y1) * metrics.scale;
  stbtt_GetCodepointBox(&Font(), 'p', &x0, &y0, &x1, &y1);
  metrics.descent = static_cast<float>(-y0) * metrics.scale;
  return metrics;
}

// The box that stands for a character the font lacks: its width in pixels and its outline.
constexpr float kBoxWidth = 0.62f;

void DrawBox(Image& image, float x, float base, const Metrics& metrics, int size,
             std::uint32_t color) {
  const float em = static_cast<float>(size);
  const float line = std::max(1.f, em / 14);
  const float left = x + em * 0.08f, right = x + em * (kBoxWidth - 0.08f);
  const float top = base - metrics.ascent, bottom = base;
  FillRounded(image, left, top, right - left, line, 0, color);
  FillRounded(image, left, bottom - line, right - left, line, 0, color);
  FillRounded(image, left, top + line, line, bottom - top - 2 * line, 0, color);
  FillRounded(image, right - line, top + line, line, bottom - top - 2 * line, 0, color);
}

void DrawGlyph(Image& image, Glyph glyph, float x, int base, float scale, std::uint32_t color,
               std::vector<unsigned char>& bitmap) {
  const float whole = std::floor(x);
  const float part = x - whole;
  int x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  stbtt_GetGlyphBitmapBoxSubpixel(glyph.font, glyph.index, scale, scale, part, 0, &x0, &y0, &x1,
                                  &y1);
  const int width = x1 - x0, height = y1 - y0;
  if (width <= 0 || height <= 0) return;
  bitmap.assign(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), 0);
  stbtt_MakeGlyphBitmapSubpixel(glyph.font, bitmap.data(), width, height, width, scale, scale, part,
                                0, glyph.index);
  for (int row = 0; row < height; ++row) {
    for (int column = 0; column < width; ++column) {
      const unsigned char covered =
          bitmap[static_cast<std::size_t>(row) * static_cast<std::size_t>(width) +
                 static_cast<std::size_t>(column)];
      BlendPixel(image, static_cast<int>(whole) + x0 + column, base + y0 + row, color,
                 static_cast<float>(covered) / 255);
    }
  }
}

// Walks a line of text; draws when there is a picture. Returns the width.
int Layout(Image* image, int x, int y, int size, std::uint32_t color, std::string_view text) {
  if (size < 1) return 0;
  size = std::min(size, kLargestSize);
  // Far outside nothing can show, and the sums below must stay within an int.
  constexpr int kFar = 1 << 24;
  if (x < -kFar || x > kFar || y < -kFar || y > kFar) image = nullptr;
  if (image == nullptr) x = y = 0;
  const Metrics metrics = MetricsOf(size);
  const int base = y + static_cast<int>(std::lround(metrics.ascent));
  std::vector<unsigned char> bitmap;
  float pen = 0;
  Glyph previous;
  while (!text.empty()) {
    const char32_t character = NextCharacter(text);
    const Glyph glyph = FindGlyph(character);
    if (glyph.index == 0) {
      if (image != nullptr) {
        DrawBox(*image, static_cast<float>(x) + pen, static_cast<float>(base), metrics, size,
                color);
      }
      pen += kBoxWidth * static_cast<float>(size);
      previous = {};
      continue;
    }
    const float scale = stbtt_ScaleForMappingEmToPixels(glyph.font, static_cast<float>(size));
    int advance = 0, bearing = 0;
    stbtt_GetGlyphHMetrics(glyph.font, glyph.index, &advance, &bearing);
    if (previous.font == glyph.font) {
      pen += scale *
             static_cast<float>(stbtt_GetGlyphKernAdvance(glyph.font, previous.index, glyph.index));
    }
    const float left = static_cast<float>(x) + pen;
    // Beyond the right edge only the width still matters.
    if (image != nullptr && left < static_cast<float>(image->width)) {
      DrawGlyph(*image, glyph, left, base, scale, color, bitmap);
    }
    pen += scale * static_cast<float>(advance);
    previous = glyph;
  }
  return static_cast<int>(std::ceil(pen));
}

}  // namespace

int DrawText(Image& image, int x, int y, int size, std::uint32_t color, std::string_view utf8) {
  return Layout(IsWhole(image) ? &image : nullptr, x, y, size, color, utf8);
}

int TextWidth(int size, std::string_view utf8) { return Layout(nullptr, 0, 0, size, 0, utf8); }

int TextHeight(int size) {
  if (size < 1) return 0;
  const Metrics metrics = MetricsOf(std::min(size, kLargestSize));
  return static_cast<int>(std::lround(metrics.ascent)) +
         static_cast<int>(std::ceil(metrics.descent));
}

}  // namespace flexor::render
