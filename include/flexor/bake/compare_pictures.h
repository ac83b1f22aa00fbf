/// @file bake/compare_pictures.h
/// A comparison in pictures: every method from one camera, and the distance between two as colour.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "flexor/bake/compare.h"
#include "flexor/core/diagnostic.h"
#include "flexor/core/export.h"
#include "flexor/core/progress.h"
#include "flexor/core/result.h"

namespace flexor::bake {

/// How to draw.
struct PictureChoice {
  int width = 480, height = 480;
  double yaw_degrees = 25, pitch_degrees = 10;
  int threads = 0;  ///< 0 = DefaultThreadCount()
};

/// One PNG.
struct Picture {
  std::string label{};  ///< "lbs", or "lbs - dqs" for a heat map
  std::vector<std::byte> png{};
};

/// One frame: methods in the order of the comparison, then the heat map of each method against the
/// first.
struct PictureRow {
  TimeSample time{};
  std::vector<Picture> methods{}, heat{};
};

/// All pictures of one comparison.
struct ComparePictures {
  int width = 0, height = 0;
  double heat_max_mm = 0;  ///< the end of every heat map's scale
  std::size_t worst_row =
      0;  ///< the row of the frame where the methods are farthest apart; 0 with one method
  std::vector<PictureRow> rows{};
  std::vector<std::byte> sheet{};  ///< PNG, everything on one labelled sheet
};

/// Whether this build can draw.
FLEXOR_API bool CanDraw();

/// Draws the kept poses of a comparison (CompareSettings::rows), without posing again. All pictures
/// share one scale of distance and one size of view, so that rows can be compared. Textures that
/// cannot be decoded are told in `findings`. Errors  kBackendMissing in a build without pictures ·
/// those of Performer and of render::Draw · kCancelled
FLEXOR_API Result<ComparePictures> DrawComparison(const asset::Character& character,
                                                  const CompareSettings& settings,
                                                  const Comparison& comparison,
                                                  const PictureChoice& choice,
                                                  ProgressFn progress = {},
                                                  Diagnostics* findings = nullptr);

}  // namespace flexor::bake
