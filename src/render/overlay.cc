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

int Margin(int size) { return size * 2 / 3; }
int LineStep(int size) { return TextHeight(size) + size * 2 / 5; }

// A light rectangle that text is legible on whatever is behind.
struct Pane {
  int left = 0, top = 0, width = 0, height = 0;
  int text_size = 0, pad = 0;
};

void FillPane(Image& image, const Pane& pane) {
  FillRounded(image, static_cast<float>(pane.left), static_cast<float>(pane.top),
              static_cast<float>(pane.width), static_cast<float>(pane.height),
              static_cast<float>(pane.text_size) * 0.4f, kPane);
}

Pane LabelPane(const Image& image, std::string_view label) {
  Pane pane;
  pane.text_size = TextSize(image);
  pane.pad = pane.text_size / 2;
  pane.left = pane.top = Margin(pane.text_size);
  pane.height = 2 * pane.pad + TextHeight(pane.text_size) - LineStep(pane.text_size);
  for (const std::string_view line : Lines(label)) {
    pane.width = std::max(pane.width, TextWidth(pane.text_size, line) + 2 * pane.pad);
    pane.height += LineStep(pane.text_size);
  }
  return pane;
}

std::string Number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

}  // namespace

void DrawLabel(Image& image, std::string_view label) {
  if (label.empty()) return;
  const Pane pane = LabelPane(image, label);
  FillPane(image, pane);
  int y = pane.top + pane.pad;
  for (const std::string_view line : Lines(label)) {
    DrawText(image, pane.left + pane.pad, y, pane.text_size, kInk, line);
    y += LineStep(pane.text_size);
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

std::vector<Tick> ScaleTicks(double largest, std::string_view unit, bool open_ended) {
  // Steps of which a whole number reaches the end of a scale that ends in 1, 2 or 5; other ends get
  // their own tick after the last round one.
  const double step = RoundedUp(largest / 5 * (1 - 1e-9));
  std::vector<Tick> ticks;
  for (int i = 0; i * step < largest * (1 - 1e-6); ++i) {
    const double value = i * step;
    if (largest - value < 0.45 * step && i > 0) break;
    ticks.push_back({static_cast<float>(value / largest), Number(value)});
  }
  std::string end = (open_ended ? "\xE2\x89\xA5 " : "") + Number(largest);
  if (!unit.empty()) end += " " + std::string(unit);
  ticks.push_back({1, std::move(end)});
  return ticks;
}

void DrawScale(Image& image, const ColorRamp& ramp, std::string_view title,
               const std::vector<Tick>& ticks, std::string_view label) {
  const int size = TextSize(image);
  const int half_text = TextHeight(size) / 2;
  int text_width = 0;
  for (const Tick& tick : ticks) text_width = std::max(text_width, TextWidth(size, tick.text));
  const int bar_width = size * 3 / 4, gap = size * 2 / 5;

  Pane name;
  name.text_size = size;
  name.pad = size / 2;
  const std::string fitted = FittingText(title, size, image.width * 3 / 5);
  name.width = TextWidth(size, fitted) + 2 * name.pad;
  name.height = TextHeight(size) + 2 * name.pad;
  name.left = image.width - Margin(size) - name.width;
  name.top = Margin(size);
  const Pane beside = LabelPane(image, label);
  if (!label.empty() && beside.left + beside.width + Margin(size) > name.left) {
    name.top += beside.height + Margin(size) / 2;
  }

  Pane scale;
  scale.text_size = size;
  scale.pad = size / 2;
  const int bar_height = std::clamp(image.height * 2 / 5, 60, 1600);
  scale.width = bar_width + gap + text_width + 2 * scale.pad;
  scale.height = bar_height + 2 * (half_text + scale.pad);
  scale.left = image.width - Margin(size) - scale.width;
  scale.top =
      std::max((image.height - scale.height) / 2, name.top + name.height + Margin(size) / 2);
  if (scale.width > image.width / 2 || scale.top + scale.height > image.height) return;

  if (!title.empty()) {
    FillPane(image, name);
    DrawText(image, name.left + name.pad, name.top + name.pad, size, kInk, fitted);
  }
  FillPane(image, scale);
  const int left = scale.left + scale.pad, top = scale.top + scale.pad + half_text;
  FillRounded(image, static_cast<float>(left - 1), static_cast<float>(top - 1),
              static_cast<float>(bar_width + 2), static_cast<float>(bar_height + 2), 0, kFrame);
  for (int y = 0; y < bar_height; ++y) {
    // The first and the last row show the very ends of the ramp.
    const float t = 1 - static_cast<float>(y) / static_cast<float>(bar_height - 1);
    const std::uint32_t color = HexFromLinear(ramp.At(t));
    for (int x = 0; x < bar_width; ++x) BlendPixel(image, left + x, top + y, color, 1);
  }
  for (const Tick& tick : ticks) {
    const int y =
        top + static_cast<int>(std::lround((1 - tick.at) * static_cast<float>(bar_height - 1)));
    for (int x = 0; x < gap * 3 / 4; ++x) {
      BlendPixel(image, left + bar_width + x, y, kInk, 0.6f);
    }
    DrawText(image, left + bar_width + gap, y - half_text, size, kInk, tick.text);
  }
}

}  // namespace flexor::render
