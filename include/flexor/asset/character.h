/// @file asset/character.h
/// A whole character as every later stage sees it: what a reader makes, validated, in house
/// conventions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flexor/asset/clip.h"
#include "flexor/asset/material.h"
#include "flexor/asset/mesh.h"
#include "flexor/asset/mmd_rig.h"
#include "flexor/asset/node.h"
#include "flexor/asset/skin.h"
#include "flexor/core/export.h"
#include "flexor/core/result.h"

namespace flexor::asset {

/// A mesh put into the scene. The skin belongs to the instance, so one mesh may be bound to
/// different joints.
struct MeshInstance {
  std::string name{};      ///< unique within the character; used for output names
  std::uint32_t mesh = 0;  ///< index into Character::meshes
  std::int32_t node =
      kNone;  ///< the node that carries it; its transform matters only without a skin
  std::int32_t skin = kNone;  ///< index into Character::skins, or kNone: rides rigidly on `node`
  std::vector<float> morph_weights{};  ///< rest weights, one per morph of the mesh
  bool visible = true;                 ///< in the default scene
};

/// Facts about the file that people and reports want.
struct SourceInfo {
  std::string path{};       ///< as given, UTF-8; empty for generated characters
  std::string format{};     ///< "glTF 2.0", "GLB 2.0", "VRM 0.x", "VRM 1.0", "PMX 2.0", "PMX 2.1",
                            ///< "PMD", "sample"
  std::string generator{};  ///< what the file says wrote it
  std::string title{}, author{}, license{};  ///< VRM meta where present
  double metres_per_unit = 1;                ///< already applied to everything here
  std::vector<std::string> extensions{};     ///< names used by the file
};

/// A character: hierarchy, meshes, skins, clips, materials. Plain data; Finalize() says whether it
/// holds together.
struct Character {
  std::string name{};
  SourceInfo source{};
  std::vector<Node> nodes{};
  std::vector<std::uint32_t> node_order{};  ///< (nodes) parents before children; made by Finalize()
  std::vector<Mesh> meshes{};
  std::vector<Skin> skins{};
  std::vector<MeshInstance> instances{};
  std::vector<Clip> clips{};
  std::vector<Material> materials{};
  std::vector<Image> images{};
  std::optional<MmdRig> mmd{};  ///< set when the file is posed the MikuMikuDance way
};

/// Checks every index, count and number of a character and computes node_order. Everything below
/// asset relies on this having succeeded: readers and generators call it last, writers and plans
/// need not check again. Fills what may be left out: one subset over all triangles, morph weights
/// (zeros for a mesh, the mesh's for an instance), unique instance names, a clip's end_time when a
/// key is later, unit length of rotations at rest. Calling it again changes nothing.
/// Errors  kIndexOutOfRange · kShapeMismatch · kLimitExceeded · kInvalidValue (not finite, a cycle
/// among parents, appends or group morphs, times that fall, a skin without joints) · kOutOfMemory;
/// the place is in words, such as "mesh 'Body' vertex 12"
FLEXOR_API Status Finalize(Character& character);

/// The index of the node, clip or material with that name; or of that decimal number when no name
/// matches. When several share a name the first is taken. Errors  kInvalidArgument naming close
/// candidates
FLEXOR_API Result<std::uint32_t> FindNode(const Character& character,
                                          std::string_view name_or_index);
FLEXOR_API Result<std::uint32_t> FindClip(const Character& character,
                                          std::string_view name_or_index);
FLEXOR_API Result<std::uint32_t> FindMaterial(const Character& character,
                                              std::string_view name_or_index);

/// Names close to a mistyped one, best first, at most three: "did you mean".
FLEXOR_API std::vector<std::string> CloseNames(std::string_view wanted,
                                               const std::vector<std::string>& names);

/// CloseNames as the end of a sentence, "; did you mean 'a' or 'b'?"; empty when none is close.
FLEXOR_API std::string DidYouMean(std::string_view wanted, const std::vector<std::string>& names);

}  // namespace flexor::asset
