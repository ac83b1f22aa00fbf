/// @file bake/portrait.h
/// Pictures of a character over its clip: one frame, a sequence, or a contact sheet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "flexor/asset/character.h"
#include "flexor/bake/compare.h"
#include "flexor/bake/frames.h"
#include "flexor/bake/performer.h"
#include "flexor/core/diagnostic.h"
#include "flexor/core/export.h"
#include "flexor/core/function_ref.h"
#include "flexor/core/progress.h"
#include "flexor/core/result.h"

namespace flexor::bake {

/// What to draw, and from where.
struct PortraitSettings {
  PerformerSettings performer{};
  std::optional<std::uint32_t> clip{};  ///< index into Character::clips; none: rest pose
  std::vector<TimeSample> times{};      ///< at least one
  std::string mode = "shaded";          ///< a name of render::DrawMode
  std::optional<std::uint32_t>
      joint{};  ///< index into Character::nodes; "weights" draws its weights
  std::optional<MethodChoice> against{};  ///< "heat" draws the distance from this method
  double heat_max_mm = 0;                 ///< 0: the largest of all frames, rounded up
  int width = 640, height = 640;
  double yaw_degrees = 25, pitch_degrees = 10;
  bool follow = false;  ///< the camera moves with the character; else it sees all frames at once
  bool transparent = false;
  bool ground = true;
  bool labels = true;  ///< frame and method in the corner
  bool sheet = false;  ///< one picture of all frames side by side
  int columns = 0;     ///< of the sheet; 0: about square
  int samples_per_axis = 3;
};

/// Draws every time sample in order and hands each PNG to `sink`; with `sheet` one PNG of all. All
/// pictures share one scale. Memory does not grow with the number of frames, except for a sheet.
/// Textures that cannot be decoded are told in `findings`, once, and drawn in their base colour.
/// Errors  kBackendMissing in a build without pictures · kInvalidArgument (mode; a joint that no
/// drawn mesh is skinned to; heat without `against`) · kInvalidValue (no mesh, except of bones) ·
/// those of Performer, render::Draw and `sink` · kCancelled
FLEXOR_API Status
DrawPortraits(const asset::Character& character, const PortraitSettings& settings,
              FunctionRef<Status(std::size_t index, std::span<const std::byte> png)> sink,
              ProgressFn progress = {}, Diagnostics* findings = nullptr);

}  // namespace flexor::bake
