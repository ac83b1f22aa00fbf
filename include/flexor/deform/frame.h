/// @file deform/frame.h
/// What changes every frame, and where the result goes: views.
#pragma once

#include <cstdint>
#include <span>

#include "flexor/deform/output_view.h"
#include "flexor/deform/palette_view.h"
#include "flexor/math/vec.h"

namespace flexor::deform {

/// Shapes  palette (J) model_from_mesh; the backend narrows it so that a far-away character does
/// not
///         jitter · morph_weights (M), any number non-zero; or empty: all zero
struct FrameInputs {
  PaletteView palette{};
  std::span<const float> morph_weights{};
  Vec3d output_origin{};  ///< subtracted from every position, in double: results near a far-away
                          ///< character keep their digits
};

/// Views that a backend fills; nothing but their entries is written, so that streams may share the
/// vertices of one interleaved buffer. Spaces: model space minus output_origin. Results are finite
/// for finite inputs that stay within float range; a position beyond it comes back infinite, on
/// every backend. Normals and tangents come back with unit length.
/// Shapes   positions (V) · normals (V) or empty · tangents (V) or empty; order per
///          PrepareSettings::order
/// Aliasing no entry may overlap an input or another entry
struct OutputViews {
  OutputView<Vec3f> positions{};
  OutputView<Vec3f> normals{};
  OutputView<Vec4f> tangents{};
  /// (V) or empty: the same positions before they are narrowed, to measure by. Only a backend that
  /// computes in double gives them, which is the reference; others refuse.
  OutputView<Vec3d> exact_positions{};
};

/// What a frame met, by count. Non-rigid and degenerate joints and flips are counted by plans that
/// blend dual quaternions for at least one vertex, normals by frames that ask for them, joints
/// beyond a float always.
struct FrameReport {
  std::uint32_t non_rigid_joints =
      0;  ///< palette entries with a residual, degenerate ones included
  std::uint32_t degenerate_joints = 0;  ///< palette entries without a usable basis
  std::uint64_t flips = 0;  ///< influences whose quaternion sign was turned to agree with the pivot
  std::uint64_t singular_normal_matrices = 0;  ///< vertices whose normal had no direction left: the
                                               ///< rest normal, rotated where possible, stands in
  std::uint32_t joints_beyond_float =
      0;  ///< palette entries that no float holds once output_origin is subtracted: positions of
          ///< vertices that follow them may be infinite
};

}  // namespace flexor::deform
