/// @file deform/widen_palette.h
/// Palettes of floats as the rest of the module reads palettes. Private to the deform module.
#pragma once

#include <cstddef>
#include <span>

#include "flexor/deform/palette_view.h"

namespace flexor::deform {

/// FrameInputs whose palette is in double.
struct WidenedFrame {
  std::span<const Mat34d> palette;
  std::span<const float> morph_weights;
  Vec3d output_origin;
};

/// The matrices of a palette: its own, or `scratch` filled with them widened.
/// Shapes  scratch (J)
std::span<const Mat34d> WidenPalette(const PaletteView& palette, std::span<Mat34d> scratch);

/// One of them.
Mat34d WidenedJoint(const PaletteView& palette, std::size_t joint);

/// Whether a matrix of four columns has the fourth row that an affine map has; true for others.
bool HasAffineRow(const PaletteView& palette, std::size_t joint);

}  // namespace flexor::deform
