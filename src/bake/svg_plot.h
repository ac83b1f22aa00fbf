/// @file bake/svg_plot.h
/// Line plots as SVG text for pages that must work without a network: no script, colours by CSS
/// class.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flexor::bake {

/// One line. Points that are not finite leave a gap.
/// Shapes  x, y equal
struct PlotSeries {
  std::string name;  ///< for the legend and tool tips; empty: not in the legend
  int color = 0;     ///< the line gets the CSS class "s<color>"
  bool dashed = false;
  std::vector<double> x, y;
};

struct Plot {
  std::string title, x_label, y_label;
  std::vector<PlotSeries> series;
  std::optional<double> reference;  ///< a thin level line, always in view
  bool from_zero = false;           ///< the y axis starts at 0
};

/// An <svg> element, 640 by 300 units, scaling to its container; points carry tool tips.
std::string PlotSvg(const Plot& plot);

/// The names of the series in their colours, as HTML that wraps.
std::string PlotLegend(const Plot& plot);

/// Text made safe inside HTML and SVG, attributes included; invalid UTF-8 becomes U+FFFD.
std::string EscapeHtml(std::string_view text);

/// A number for people: `digits` significant ones, no exponent for everyday sizes.
std::string ShortNumber(double value, int digits = 4);

/// The smallest of 1, 2, 5 times a power of ten that is at least `value`; 1 for nothing or less.
double RoundUp125(double value);

/// The same with steps in between, for the end of a scale: little of it stays unused.
double RoundUpScale(double value);

}  // namespace flexor::bake
