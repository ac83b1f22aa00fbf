// What is written onto a finished picture.
#pragma once

#include <string_view>
#include <vector>

#include "flexor/render/image.h"

#include "render/color.h"

namespace flexor::render {

/// The lines of a label, top left, on a light pane.
void DrawLabel(Image& image, std::string_view label);

struct Tick {
  float at = 0;  ///< 0..1 along the scale
  std::string text;
};

/// An upright colour scale at the right edge with ticks, narrow so that it hides little, and its
/// title top right, below a label that would meet it. Pictures too small to hold them legibly get
/// none.
void DrawScale(Image& image, const ColorRamp& ramp, std::string_view title,
               const std::vector<Tick>& ticks, std::string_view label);

/// The smallest of 1, 2 or 5 times a power of ten that is not below `value`; 1 for what is not
/// above zero.
double RoundedUp(double value);

/// Ticks from 0 to `largest` at round steps, the last one with the unit. `open_ended`: values above
/// it exist.
std::vector<Tick> ScaleTicks(double largest, std::string_view unit, bool open_ended);

}  // namespace flexor::render
