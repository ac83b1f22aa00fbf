#include "bake/svg_plot.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "flexor/core/utf8.h"

namespace flexor::bake {
namespace {

constexpr double kWidth = 640, kHeight = 300;
constexpr double kLeft = 62, kRight = 14, kTop = 26, kBottom = 44;

struct Axis {
  double low = 0, high = 1;
  std::vector<double> ticks;
};

void Widen(double value, Axis& axis, bool& any) {
  if (!std::isfinite(value)) return;
  axis.low = any ? std::min(axis.low, value) : value;
  axis.high = any ? std::max(axis.high, value) : value;
  any = true;
}

// Ticks at 1, 2 or 5 times a power of ten; when `snap`, the axis grows to the outer ticks.
void PlaceTicks(Axis& axis, int about, bool snap) {
  double span = axis.high - axis.low;
  if (!(span > 1e-12 * std::max(std::abs(axis.low), std::abs(axis.high)))) {
    const double middle = axis.low;
    const double half = middle == 0 ? 0.5 : std::abs(middle) * 0.05;
    axis.low = middle - half;
    axis.high = middle + half;
    span = 2 * half;
  }
  const double step = RoundUp125(span / about);
  const double first =
      snap ? std::floor(axis.low / step + 1e-9) : std::ceil(axis.low / step - 1e-9);
  const double last =
      snap ? std::ceil(axis.high / step - 1e-9) : std::floor(axis.high / step + 1e-9);
  if (snap) {
    axis.low = first * step;
    axis.high = last * step;
  }
  for (double tick = first; tick <= last; ++tick) axis.ticks.push_back(tick * step);
}

std::string Fixed(double value) {
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer), "%.1f", value);
  return buffer;
}

class Canvas {
 public:
  Canvas(Axis x, Axis y) : x_(std::move(x)), y_(std::move(y)) {}

  double X(double v) const {
    return kLeft + (v - x_.low) / (x_.high - x_.low) * (kWidth - kLeft - kRight);
  }
  double Y(double v) const {
    return kHeight - kBottom - (v - y_.low) / (y_.high - y_.low) * (kHeight - kTop - kBottom);
  }
  std::string Point(double x, double y) const { return Fixed(X(x)) + "," + Fixed(Y(y)); }

  void Frame(const Plot& plot, std::string& svg) const {
    for (const double tick : y_.ticks) {
      const std::string y = Fixed(Y(tick));
      svg += "<line class=\"grid\" x1=\"" + Fixed(kLeft) + "\" x2=\"" + Fixed(kWidth - kRight) +
             "\" y1=\"" + y + "\" y2=\"" + y + "\"/><text class=\"tick\" text-anchor=\"end\" x=\"" +
             Fixed(kLeft - 8) + "\" y=\"" + Fixed(Y(tick) + 4) + "\">" + ShortNumber(tick) +
             "</text>";
    }
    for (const double tick : x_.ticks) {
      svg += "<text class=\"tick\" text-anchor=\"middle\" x=\"" + Fixed(X(tick)) + "\" y=\"" +
             Fixed(kHeight - kBottom + 18) + "\">" + ShortNumber(tick) + "</text>";
    }
    svg += "<text class=\"tick\" text-anchor=\"middle\" x=\"" +
           Fixed((kLeft + kWidth - kRight) / 2) + "\" y=\"" + Fixed(kHeight - 8) + "\">" +
           EscapeHtml(plot.x_label) + "</text><text class=\"tick\" x=\"8\" y=\"16\">" +
           EscapeHtml(plot.y_label) + "</text>";
    if (plot.reference) {
      const std::string y = Fixed(Y(*plot.reference));
      svg += "<line class=\"ref\" x1=\"" + Fixed(kLeft) + "\" x2=\"" + Fixed(kWidth - kRight) +
             "\" y1=\"" + y + "\" y2=\"" + y + "\"/>";
    }
  }

  void Line(const PlotSeries& series, std::string& svg) const {
    std::string path;
    bool pen_down = false;
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (!std::isfinite(series.y[i])) {
        pen_down = false;
        continue;
      }
      path += (pen_down ? "L" : "M") + Point(series.x[i], series.y[i]);
      pen_down = true;
    }
    const std::string classes =
        "s" + std::to_string(series.color) + (series.dashed ? " dashed" : "");
    svg += "<path class=\"line " + classes + "\" d=\"" + path + "\"/>";
    // Dots are for few points and for tool tips; on long clips they would hide the line.
    const std::string radius = series.x.size() <= 60 ? "3" : "1.5";
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (!std::isfinite(series.y[i])) continue;
      svg += "<circle class=\"dot s" + std::to_string(series.color) + "\" r=\"" + radius +
             "\" cx=\"" + Fixed(X(series.x[i])) + "\" cy=\"" + Fixed(Y(series.y[i])) +
             "\"><title>" + EscapeHtml(series.name) + ", frame " + ShortNumber(series.x[i], 6) +
             ": " + ShortNumber(series.y[i], 6) + "</title></circle>";
    }
  }

 private:
  Axis x_, y_;
};

}  // namespace

std::string PlotSvg(const Plot& plot) {
  Axis x, y;
  bool any_x = false, any_y = false;
  for (const PlotSeries& series : plot.series) {
    for (const double value : series.x) Widen(value, x, any_x);
    for (const double value : series.y) Widen(value, y, any_y);
  }
  if (plot.reference) Widen(*plot.reference, y, any_y);
  if (plot.from_zero) Widen(0, y, any_y);
  PlaceTicks(x, 8, false);
  PlaceTicks(y, 5, true);
  const Canvas canvas(x, y);
  std::string svg = "<svg class=\"plot\" viewBox=\"0 0 640 300\" role=\"img\" aria-label=\"" +
                    EscapeHtml(plot.title) + "\">";
  canvas.Frame(plot, svg);
  for (const PlotSeries& series : plot.series) canvas.Line(series, svg);
  return svg + "</svg>";
}

std::string PlotLegend(const Plot& plot) {
  std::string html = "<p class=\"legend\">";
  for (const PlotSeries& series : plot.series) {
    if (series.name.empty()) continue;
    html += "<span class=\"s" + std::to_string(series.color) + "\"><i></i>" +
            EscapeHtml(series.name) + "</span>";
  }
  return html + "</p>";
}

std::string EscapeHtml(std::string_view text) {
  std::string out;
  const std::string clean = RepairedUtf8(text);
  for (const char c : clean) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        // Control characters have no place in a page; a tab or line break is a space.
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

std::string ShortNumber(double value, int digits) {
  if (value == 0) return "0";
  if (!std::isfinite(value)) return std::isnan(value) ? "n/a" : value > 0 ? "inf" : "-inf";
  char buffer[64];
  const double size = std::abs(value);
  if (size >= 1e-4 && size < 1e9) {
    const int whole = static_cast<int>(std::floor(std::log10(size))) + 1;
    std::snprintf(buffer, sizeof(buffer), "%.*f", std::clamp(digits - whole, 0, 12), value);
    std::string text = buffer;
    if (text.find('.') != text.npos) {
      text.erase(text.find_last_not_of('0') + 1);
      if (text.back() == '.') text.pop_back();
    }
    return text;
  }
  std::snprintf(buffer, sizeof(buffer), "%.*g", digits, value);
  return buffer;
}

double RoundUpScale(double value) {
  if (!(value > 0) || !std::isfinite(value)) return 1;
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double factor : {1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0}) {
    if (factor * power >= value * (1 - 1e-12)) return factor * power;
  }
  return 10 * power;
}

double RoundUp125(double value) {
  if (!(value > 0) || !std::isfinite(value)) return 1;
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= value * (1 - 1e-12)) return factor * power;
  }
  return 10 * power;
}

}  // namespace flexor::bake
