#include "deform/widen_palette.h"

#include <cmath>

namespace flexor::deform {
namespace {

// What products of affine matrices in float leave of the fourth row's zeros and one.
constexpr float kRowTolerance = 1e-5f;

Vec3d Widen(float x, float y, float z) {
  return {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
}

Mat34d FromRows(const float* n) {
  return {{Widen(n[0], n[4], n[8]), Widen(n[1], n[5], n[9]), Widen(n[2], n[6], n[10])},
          Widen(n[3], n[7], n[11])};
}

Mat34d FromColumns(const float* n) {
  return {{Widen(n[0], n[1], n[2]), Widen(n[4], n[5], n[6]), Widen(n[8], n[9], n[10])},
          Widen(n[12], n[13], n[14])};
}

}  // namespace

Mat34d WidenedJoint(const PaletteView& palette, std::size_t joint) {
  if (palette.form() == PaletteForm::kDouble) return palette.matrices()[joint];
  const float* const numbers = palette.numbers().data() + joint * palette.numbers_per_joint();
  return palette.form() == PaletteForm::kRows34 ? FromRows(numbers) : FromColumns(numbers);
}

std::span<const Mat34d> WidenPalette(const PaletteView& palette, std::span<Mat34d> scratch) {
  if (palette.form() == PaletteForm::kDouble) return palette.matrices();
  for (std::size_t j = 0; j < scratch.size(); ++j) scratch[j] = WidenedJoint(palette, j);
  return scratch;
}

bool HasAffineRow(const PaletteView& palette, std::size_t joint) {
  if (palette.form() != PaletteForm::kColumns44) return true;
  const float* const n = palette.numbers().data() + joint * 16;
  return std::abs(n[3]) <= kRowTolerance && std::abs(n[7]) <= kRowTolerance &&
         std::abs(n[11]) <= kRowTolerance && std::abs(n[15] - 1.0f) <= kRowTolerance;
}

}  // namespace flexor::deform
