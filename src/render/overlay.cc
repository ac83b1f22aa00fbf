#include "render/overlay.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "render/canvas.h"

namespace flexor::render {
namespace {

constexpr std::uint32_t kInk = 0x20262EFF, kPane = 0xFFFFFFB8, kFrame = 0x20262E66;

int TextSize(const Image& image) {
  return std::clamp(std::min(image.width, image.height) / 34, 11, 48);
}

std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (true) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

std::string Number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

}  // namespace

void DrawLabel(Image& image, std::string_view label) {
  if (label.empty()) return;
  const int size = TextSize(image);
  const std::vector<std::string_view> lines = Lines(label);
  const int step = TextHeight(size) + size * 2 / 5;
  int width = 0;
  for (const std::string_view line : lines) width = std::max(width, TextWidth(size, line));
  const int margin = size * 2 / 3, pad = size / 2;
  const int height = step * (static_cast<int>(lines.size()) - 1) + TextHeight(size);
  FillRounded(image, static_cast<float>(margin), static_cast<float>(margin),
              static_cast<float>(width + 2 * pad), static_cast<float>(height + 2 * pad),
              static_cast<float>(size) * 0.4f, kPane);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    DrawText(image, margin + pad, margin + pad + static_cast<int>(i) * step, size, kInk, lines[i]);
  }
}

double RoundedUp(double value) {
  if (!(value > 0) || !std::isfinite(value)) return 1;
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
    // A hair of slack: 0.2 must stay 0.2 however it was computed.
    if (value <= factor * power * (1 + 1e-6)) return factor * power;
  }
  return 10 * power;
}

std::vector<Tick> ScaleTicks(double largest, bool open_ended) {
  // Steps of which a whole number reaches the end of a scale that ends in 1, 2 or 5; other ends get
  // their own tick after the last round one.
  const double step = RoundedUp(largest / 5 * (1 - 1e-9));
  std::vector<Tick> ticks;
  for (int i = 0; i * step < largest * (1 - 1e-6); ++i) {
    const double value = i * step;
    if (largest - value < 0.45 * step && i > 0) break;
    ticks.push_back({static_cast<float>(value / largest), Number(value)});
  }
  ticks.push_back({1, (open_ended ? "\xE2\x89\xA5 " : "") + Number(largest)});
  return ticks;
}

void DrawScale(Image& image, const ColorRamp& ramp, std::string_view title,
               const std::vector<Tick>& ticks) {
  const int size = TextSize(image);
  int text_width = 0;
  for (const Tick& tick : ticks) text_width = std::max(text_width, TextWidth(size, tick.text));
  const int title_width = TextWidth(size, title);
  const int bar_width = size * 9 / 10, pad = size * 2 / 3, gap = size / 2;
  const int bar_height = std::clamp(image.height * 2 / 5, 60, 1600);
  const int inner = std::max(title_width, bar_width + gap + text_width);
  const int title_band = title.empty() ? 0 : TextHeight(size) + size * 2 / 3;
  const int half_text = TextHeight(size) / 2;
  const int pane_width = inner + 2 * pad;
  const int pane_height = bar_height + title_band + 2 * pad + half_text;
  const int margin = size * 2 / 3;
  if (pane_width + margin > image.width * 3 / 4 || pane_height + 2 * margin > image.height) return;

  const int left = image.width - margin - pane_width;
  const int top = (image.height - pane_height) / 2;
  FillRounded(image, static_cast<float>(left), static_cast<float>(top),
              static_cast<float>(pane_width), static_cast<float>(pane_height),
              static_cast<float>(size) * 0.4f, kPane);
  DrawText(image, left + pad, top + pad, size, kInk, title);
  const int bar_left = left + pad,
            bar_top = top + pad + title_band + (title_band > 0 ? 0 : half_text);
  FillRounded(image, static_cast<float>(bar_left) - 1, static_cast<float>(bar_top) - 1,
              static_cast<float>(bar_width) + 2, static_cast<float>(bar_height) + 2, 0, kFrame);
  for (int y = 0; y < bar_height; ++y) {
    const float t = 1 - (static_cast<float>(y) + 0.5f) / static_cast<float>(bar_height);
    // The ends show the very ends of the ramp.
    const float stretched =
        (t - 0.5f) * static_cast<float>(bar_height) / static_cast<float>(bar_height - 1) + 0.5f;
    const std::uint32_t color = HexFromLinear(ramp.At(stretched));
    for (int x = 0; x < bar_width; ++x) BlendPixel(image, bar_left + x, bar_top + y, color, 1);
  }
  for (const Tick& tick : ticks) {
    const int y =
        bar_top + static_cast<int>(std::lround((1 - tick.at) * static_cast<float>(bar_height - 1)));
    for (int x = 0; x < size / 3; ++x) BlendPixel(image, bar_left + bar_width + x, y, kInk, 0.6f);
    DrawText(image, bar_left + bar_width + gap, y - half_text, size, kInk, tick.text);
  }
}

}  // namespace flexor::render
