/// @file bake/bake.h
/// Deforms a character frame by frame into a file: point caches, meshes, posed GLB.
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

namespace flexor::bake {

/// What a bake can be written as, and what one file of it holds.
enum class BakeFormat : std::uint8_t {
  kNpz,  ///< all frames, all meshes, normals
  kPc2,  ///< all frames, one mesh, positions only
  kMdd,  ///< all frames, one mesh, positions only
  kObj,  ///< one frame, all meshes, normals
  kPly,  ///< one frame, one mesh, normals
  kGlb,  ///< one frame, all meshes, normals, tangents, materials
};

/// The format of a file name, by its extension in either case.
/// Errors  kInvalidArgument listing the extensions
FLEXOR_API Result<BakeFormat> BakeFormatOf(std::string_view path);

/// Whether one file of that format holds a sequence; if not, several frames need {frame} in the
/// name.
FLEXOR_API bool HoldsFrames(BakeFormat format);
/// Whether one file of that format holds several meshes; if not, several need {mesh} in the name,
/// or `merge`.
FLEXOR_API bool HoldsMeshes(BakeFormat format);

/// What to bake, and where to.
struct BakeSettings {
  PerformerSettings performer{};
  std::optional<std::uint32_t> clip{};  ///< index into Character::clips; none: the rest pose
  std::vector<TimeSample> times{};      ///< (N) what to write, in order; at least one
  double frames_per_second = 30;        ///< what frame numbers count in
  double time_offset = 0;               ///< seconds, added to every time written; poses stay
  bool merge = false;                   ///< one mesh out of all, one after another
  bool normals = true;                  ///< write normals where mesh and format have them
  /// The output, UTF-8. {frame} and {mesh} stand for the frame's label and the instance's name.
  std::string path{};
};

/// What was written.
struct BakeReport {
  std::vector<std::string> files{};
  std::uint64_t frames = 0, meshes = 0;
  std::uint64_t vertices = 0;      ///< of one frame
  deform::FrameReport worst{};     ///< the largest of each counter over frames and meshes
  deform::BackendInfo backend{};   ///< what really ran
  std::string point_order_file{};  ///< where each mesh's points begin, when `merge` and the format
                                   ///< has no room to say so; else empty
};

/// Bakes. Memory does not grow with the number of frames. Point order and count are those of the
/// source mesh. Nothing appears under a final name before all frames are done; on error or
/// cancellation nothing is left behind. Errors  kInvalidArgument (a format that cannot hold what is
/// asked, with the remedy) · kFileUnwritable · those of Performer · kCancelled when `progress` says
/// stop
FLEXOR_API Result<BakeReport> Bake(const asset::Character& character, const BakeSettings& settings,
                                   ProgressFn progress = {});

}  // namespace flexor::bake
