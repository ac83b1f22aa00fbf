/// @file bake/compare.h
/// Methods side by side on one character: how far each bends the rest shape, and how far they are
/// apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flexor/asset/character.h"
#include "flexor/bake/frames.h"
#include "flexor/bake/performer.h"
#include "flexor/core/export.h"
#include "flexor/core/progress.h"
#include "flexor/core/result.h"
#include "flexor/measure/measure.h"

namespace flexor::bake {

/// One column of a comparison.
struct MethodChoice {
  std::string name{};  ///< as asked for, "dqs" or "dqs:usd"; the key in reports
  deform::DeformSettings settings{};
};

/// A name of deform/method_name.h; everything else of the settings comes from `base`.
/// Errors  kInvalidArgument listing the names
FLEXOR_API Result<MethodChoice> ParseMethodChoice(std::string_view text,
                                                  const deform::DeformSettings& base);

/// A ring of vertices around an axis through the origin, found at rest and followed afterwards.
struct RingChoice {
  Vec3d axis{0, 1, 0};            ///< any length, not zero
  std::optional<double> along{};  ///< metres along the axis; none: the middle of the rest shape
  /// Metres to either side; none: the ring nearest to `along`, within a millionth of the size.
  std::optional<double> tolerance{};
};

/// What to compare.
struct CompareSettings {
  std::vector<MethodChoice> methods{};  ///< at least one, names unique
  std::optional<std::uint32_t> clip{};  ///< index into Character::clips; none: rest pose
  std::vector<TimeSample> times{};      ///< at least one
  PerformerSettings performer{};        ///< its `deform` is replaced by each method's
  std::size_t rows = 0;  ///< frames whose poses are kept, for DrawComparison: spread over all of
                         ///< them, with the one where the methods are farthest apart
  std::optional<RingChoice> ring{};  ///< none: no ring is measured
};

/// One method against the rest pose. Ratios are deformed over rest.
struct ShapeNumbers {
  std::optional<double> ring_radius_ratio{};   ///< smallest distance from the axis
  std::optional<measure::Range> ring_pairs{};  ///< all pair distances within the ring
  measure::Range edges{};                      ///< edges listed per triangle
  std::optional<double> area_ratio{};          ///< none when the rest shape has no area
  std::optional<double> volume_ratio{};        ///< none when the rest shape encloses nothing
  deform::FrameReport report{};                ///< sums over the meshes
};

/// Two methods against each other.
struct PairNumbers {
  std::size_t a = 0, b = 0;  ///< indices into Comparison::methods
  measure::Distance distance{};
  std::string worst_vertex{};  ///< "mesh, vertex n"
  double worst_frame = 0;
};

/// All numbers of one time sample.
struct FrameNumbers {
  TimeSample time{};
  std::vector<ShapeNumbers> shapes{};  ///< per method
  std::vector<PairNumbers> pairs{};    ///< every pair of methods once, in order
};

/// The pose of a frame that is to be drawn.
struct KeptPose {
  std::size_t frame = 0;  ///< index into Comparison::frames
  asset::PosedCharacter posed{};
};

/// The result. Everything is measured over all drawn meshes as one shape.
struct Comparison {
  std::string character{};
  std::string file{};                 ///< empty for samples
  std::optional<std::string> clip{};  ///< its name, or its number when it has none; none: rest pose
  std::vector<std::string> methods{};
  std::size_t vertices = 0, triangles = 0, edges = 0, joints = 0;
  double size = 0;  ///< metres, diagonal of the rest pose's box
  deform::BackendInfo backend{};
  std::size_t ring_vertices = 0;  ///< 0 without a ring
  double ring_along = 0;          ///< metres, when there is a ring
  Vec3d ring_axis{};
  std::vector<FrameNumbers> frames{};
  /// Over all frames. Smallest and largest are those of any frame; a ratio that is one number per
  /// frame (mean edge, area, volume) is that of the frame where it is farthest from 1; rms is over
  /// all points of all frames; p99 is the largest of any frame.
  FrameNumbers all{};
  std::vector<KeptPose> kept{};  ///< (min(rows, frames)), in order of time
  std::size_t worst_kept = 0;  ///< which of them has the methods farthest apart; 0 with one method
  pose::SimulationReport simulation{};
};

/// Measures. The rest shape is the character's rest pose under linear blending, without overrides.
/// Each frame is posed once, whatever the number of methods and pictures. Memory grows by a few
/// numbers per frame, and by the poses of `rows`.
/// Errors  kInvalidArgument (no method, twice the same, a ring with no vertex on it) · those of
/// Performer and Poser · kCancelled
FLEXOR_API Result<Comparison> CompareMethods(const asset::Character& character,
                                             const CompareSettings& settings,
                                             ProgressFn progress = {});

/// The largest distance of any pair in any frame, millimetres; 0 with one method.
FLEXOR_API double LargestDistanceMm(const Comparison& comparison);

/// The comparison as JSON text, as docs/cli.md describes it.
FLEXOR_API std::string ComparisonJson(const Comparison& comparison);

}  // namespace flexor::bake
