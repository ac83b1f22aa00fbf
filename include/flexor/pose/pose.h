/// @file pose/pose.h
/// Where every node is relative to its parent, and every morph weight, at one time. Not yet a
/// palette: see palette.h.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flexor/asset/character.h"
#include "flexor/core/export.h"
#include "flexor/core/result.h"

namespace flexor::pose {

/// A pose of one character. A pure value: nothing in it remembers an earlier frame.
struct Pose {
  std::vector<Transform> locals{};  ///< (nodes) parent_from_node
  std::vector<bool> uses_matrix{};  ///< (nodes) true while the node still stands at its rest_matrix
  std::vector<std::vector<float>> morph_weights{};  ///< per instance, one per morph of its mesh
  std::vector<float> mmd_morphs{};     ///< (MmdRig::morphs) as keyed; SolveMmd spreads them
  std::vector<bool> mmd_ik_enabled{};  ///< (MmdRig::ik) all true at rest
};

/// The pose in which nothing animates.
FLEXOR_API Pose RestPose(const asset::Character& character);

/// Puts the values of a clip at a time over a pose; nodes without a channel are left as they are.
/// Times outside the clip hold its ends, and a time within asset::FrameTolerance of a key (in the
/// clip's own rate) is that key's, the last of several. STEP holds the earlier key, LINEAR
/// interpolates (slerp for rotations), CUBICSPLINE is the Hermite form of glTF with rotations
/// normalised afterwards, BEZIER eases each component by its own cubic, solved to 1e-6. Shapes
/// `clip` is one of the finalised character that `pose` was made for
FLEXOR_API void SampleClip(const asset::Clip& clip, double seconds, Pose& pose);

/// What an override does to a node's rotation, translation or scale, or to a morph.
struct Override {
  enum class Kind : std::uint8_t {
    kRotate,     ///< value = axis xyz, degrees: local rotation = current * this
    kTranslate,  ///< value = xyz metres, added in the parent's space
    kScale,      ///< value = xyz, multiplied
    kMorph,      ///< value.x = weight, replaces; target is the name of an MmdMorph, which SolveMmd
             ///< carries on to the meshes, else the name or number of a morph, on every instance
             ///< whose mesh has it
  };
  Kind kind = Kind::kRotate;
  std::string target{};  ///< node name or index; morph name or index
  Vec4d value{};
};

/// "JOINT=x,y,z,DEGREES" (kRotate), "JOINT=x,y,z" (kTranslate, kScale), "MORPH=w" (kMorph). The
/// name may hold '=': the last one splits. Errors  kInvalidArgument saying what was expected and
/// what came
FLEXOR_API Result<Override> ParseOverride(Override::Kind kind, std::string_view text);

/// Lays overrides over a pose, in order.
/// Errors  kInvalidArgument naming the target and close names; the pose is untouched then
FLEXOR_API Status ApplyOverrides(const asset::Character& character,
                                 std::span<const Override> overrides, Pose& pose);

/// Model-space matrices of all nodes, composed in double down the hierarchy.
/// Shapes  model_from_node is resized to (nodes)
FLEXOR_API void ComputeModelSpace(const asset::Character& character, const Pose& pose,
                                  std::vector<Mat34d>& model_from_node);

}  // namespace flexor::pose
