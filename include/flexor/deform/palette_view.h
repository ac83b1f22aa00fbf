/// @file deform/palette_view.h
/// A skinning palette in the form that the caller has it in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "flexor/math/mat.h"

namespace flexor::deform {

/// How the matrices of a palette lie in memory.
enum class PaletteForm : std::uint8_t {
  kDouble,     ///< Mat34d
  kRows34,     ///< 12 floats a joint: three rows of four, as many engines hand them to shaders
  kColumns44,  ///< 16 floats a joint: four columns of four, as glTF stores matrices
};

/// A view; owns nothing. Converts from a span or vector of Mat34d, the form that keeps all digits
/// of a character far from the origin; the others are widened once a frame.
class PaletteView {
 public:
  PaletteView() = default;
  template <class Range>
    requires(std::is_convertible_v<const Range&, std::span<const Mat34d>>)
  PaletteView(const Range& matrices)  // NOLINT(google-explicit-constructor)
      : matrices_(matrices) {}

  /// numbers (12 J): m00 m01 m02 m03, m10 ..., m23 of each joint; the translation is m03 m13 m23.
  static PaletteView Rows34(std::span<const float> numbers) {
    return PaletteView(PaletteForm::kRows34, numbers);
  }
  /// numbers (16 J): m00 m10 m20 m30, m01 ... of each joint; the translation is numbers 12 to 14.
  /// The fourth row must be 0 0 0 1 within 1e-5.
  static PaletteView Columns44(std::span<const float> numbers) {
    return PaletteView(PaletteForm::kColumns44, numbers);
  }

  PaletteForm form() const { return form_; }
  /// J; of floats that do not come out even, the whole matrices.
  std::size_t size() const {
    return form_ == PaletteForm::kDouble ? matrices_.size() : numbers_.size() / numbers_per_joint();
  }
  bool empty() const { return size() == 0; }
  std::size_t numbers_per_joint() const { return form_ == PaletteForm::kColumns44 ? 16 : 12; }

  std::span<const Mat34d> matrices() const { return matrices_; }  ///< kDouble, else empty
  std::span<const float> numbers() const { return numbers_; }     ///< the others, else empty

 private:
  PaletteView(PaletteForm form, std::span<const float> numbers) : form_(form), numbers_(numbers) {}

  PaletteForm form_ = PaletteForm::kDouble;
  std::span<const Mat34d> matrices_;
  std::span<const float> numbers_;
};

}  // namespace flexor::deform
