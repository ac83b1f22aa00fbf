/// @file bake/summary.h
/// What a character consists of, in numbers that a person asks for first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "flexor/asset/character.h"
#include "flexor/asset/weights.h"
#include "flexor/core/export.h"
#include "flexor/core/result.h"
#include "flexor/deform/prepared_plan.h"
#include "flexor/math/aabb.h"

namespace flexor::bake {

/// One mesh instance.
struct InstanceSummary {
  std::string name{}, mesh{};         ///< of the instance and of its mesh
  std::optional<std::string> skin{};  ///< name of the skin; none: rides on its node
  bool visible = true;                ///< in the default scene
  std::size_t vertices = 0, triangles = 0, subsets = 0, joints = 0;
  bool normals = false, tangents = false, texcoords = false;
  std::vector<std::string> morphs{};
  /// influences[k] vertices have k influences after repair; the last entry is not 0.
  std::vector<std::uint64_t> influences{};
  asset::WeightReport weights{};                                    ///< what repair would do
  asset::SkinningMethod skinning = asset::SkinningMethod::kLinear;  ///< what the mesh asks for
  std::uint64_t dqs_vertices = 0;    ///< vertices with a dual-quaternion weight above 0 in the file
  std::uint64_t sdef_vertices = 0;   ///< vertices that the file bends about a centre
  deform::PreparedFacts prepared{};  ///< of the plan as the CPU backend runs it
  std::size_t plan_bytes = 0;        ///< memory of the plan and of what the CPU backend adds
  /// Millimetres that the rest pose moves a vertex away from where its binding holds it, not
  /// counting the motion of the whole mesh with its first used joint: 0 when rest and bind pose
  /// agree.
  double rest_deviation_mm = 0;
  Aabbf rest_box{};  ///< model space, rest pose, metres
};

/// One clip.
struct ClipSummary {
  std::string name{};
  double seconds = 0, frames_per_second = 0;
  std::uint64_t frames = 0;  ///< whole frames, both ends
  std::size_t channels = 0, morph_channels = 0;
  std::size_t nodes = 0;  ///< nodes that it moves
};

/// One character.
struct CharacterSummary {
  std::size_t nodes = 0, joints = 0;        ///< joints: nodes that some skin uses
  std::size_t vertices = 0, triangles = 0;  ///< of the drawn instances
  std::vector<std::string> materials{};     ///< their names, in order
  std::size_t images = 0;
  std::vector<InstanceSummary> instances{};
  std::vector<ClipSummary> clips{};
  std::vector<std::string> unused_skins{};  ///< names of skins that no instance uses
  Aabbf rest_box{};                         ///< of the drawn instances
};

/// Counts, and evaluates the rest pose once under linear blending. Errors  those of Performer
FLEXOR_API Result<CharacterSummary> Summarize(const asset::Character& character);

}  // namespace flexor::bake
