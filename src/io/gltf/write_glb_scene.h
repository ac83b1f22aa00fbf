/// @file io/gltf/write_glb_scene.h
/// The hierarchy as it is to be written: the character's nodes at their own indices, and behind
/// them the few that glTF needs besides.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "flexor/asset/character.h"

#include "io/gltf/write_glb_builder.h"
#include "io/gltf/write_glb_notes.h"

namespace flexor::io::gltf {

struct SceneNode {
  std::string name;
  std::int32_t parent = asset::kNone;
  Transform rest;
  std::optional<Mat34d> matrix;          ///< written instead of `rest`
  std::int32_t instance = asset::kNone;  ///< the mesh instance that it carries
};

struct SceneSkin {
  std::string name;
  std::vector<std::uint32_t> joints;  ///< scene nodes, all different, under one root
  std::vector<Mat34d> joint_from_mesh;
};

/// What the mesh encoder tells the scene: which meshes are written at all, and which need a joint
/// that holds still.
struct MeshNeeds {
  bool written = false;             ///< has vertices
  bool has_still_vertices = false;  ///< some vertex has no weight
};

/// Lays the scene out:
///  - a rest matrix that no translation, rotation and scale can say becomes two nodes in a row;
///  - a skin whose mesh has vertices without weight gets joints that hold still, so that those
///    vertices stay where they are in any viewer;
///  - joints under several roots get a common root, which the format asks for;
///  - a joint that a skin lists twice gets a child that stands in for the second;
///  - an instance without a node, or on a node that carries one already, gets a node of its own;
///  - an instance that is not to be seen, in a tree that is, gets a root outside the scene.
class SceneLayout {
 public:
  SceneLayout(const asset::Character& character, const std::vector<MeshNeeds>& needs,
              const WriteNotes& notes);

  const std::vector<SceneNode>& nodes() const { return nodes_; }
  const std::vector<SceneSkin>& skins() const { return skins_; }
  const std::vector<std::uint32_t>& scene_roots() const { return scene_roots_; }
  /// The joint index that vertices of `mesh` without weight follow.
  std::uint32_t still_joint(std::uint32_t mesh) const { return still_joint_[mesh]; }
  /// The node that carries an instance, or kNone when its mesh is not written.
  std::int32_t node_of_instance(std::uint32_t instance) const { return carrier_[instance]; }

 private:
  void AddNodes();
  void AddSkins();
  void AddStillJoints();
  void JoinRoots();
  void PlaceInstances();

  std::uint32_t AddNode(std::string name, std::int32_t parent);
  std::vector<std::uint32_t> Roots() const;  // of every node
  void SetTransform(std::uint32_t node, const Mat34d& parent_from_node, bool may_be_matrix);
  std::vector<bool> RootsInScene(const std::vector<std::uint32_t>& root_of) const;
  Mat34d ModelFromNode(std::uint32_t node) const;

  const asset::Character& character_;
  const std::vector<MeshNeeds>& needs_;
  WriteNotes notes_;
  std::vector<SceneNode> nodes_;
  std::vector<SceneSkin> skins_;
  std::vector<std::uint32_t> still_joint_;
  std::vector<std::int32_t> carrier_;
  std::vector<std::uint32_t> scene_roots_;
};

}  // namespace flexor::io::gltf
