#include "io/gltf/write_glb_scene.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "io/gltf/write_glb_transform.h"

namespace flexor::io::gltf {
namespace {

using asset::kNone;

std::size_t Index(std::int32_t index) { return static_cast<std::size_t>(index); }

}  // namespace

SceneLayout::SceneLayout(const asset::Character& character, const std::vector<MeshNeeds>& needs,
                         const WriteNotes& notes)
    : character_(character), needs_(needs), notes_(notes) {
  AddNodes();
  AddSkins();
  AddStillJoints();
  JoinRoots();
  PlaceInstances();
}

std::uint32_t SceneLayout::AddNode(std::string name, std::int32_t parent) {
  SceneNode node;
  node.name = std::move(name);
  node.parent = parent;
  nodes_.push_back(std::move(node));
  return static_cast<std::uint32_t>(nodes_.size() - 1);
}

std::vector<std::uint32_t> SceneLayout::Roots() const {
  constexpr std::uint32_t kUnknown = 0xffffffffu;
  std::vector<std::uint32_t> roots(nodes_.size(), kUnknown);
  std::vector<std::uint32_t> path;
  for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
    std::uint32_t at = n;
    path.clear();
    while (roots[at] == kUnknown && nodes_[at].parent != kNone) {
      path.push_back(at);
      at = static_cast<std::uint32_t>(nodes_[at].parent);
    }
    const std::uint32_t root = roots[at] == kUnknown ? at : roots[at];
    roots[at] = root;
    for (const std::uint32_t below : path) roots[below] = root;
  }
  return roots;
}

void SceneLayout::SetTransform(std::uint32_t node, const Mat34d& parent_from_node,
                               bool may_be_matrix) {
  if (may_be_matrix && IsPlainMatrix(parent_from_node)) {
    nodes_[node].matrix = parent_from_node;
    return;
  }
  const NodeTransforms parts = TakeApart(parent_from_node);
  if (!parts.inner) {
    nodes_[node].rest = parts.outer;
    return;
  }
  notes_.Add("GLB_SHEAR_SPLIT", Place("node", node, nodes_[node].name),
             "its matrix has shear, which glTF nodes cannot say; it became two nodes in a row");
  const std::uint32_t outer = AddNode(nodes_[node].name + ".shear", nodes_[node].parent);
  nodes_[outer].rest = parts.outer;
  nodes_[node].parent = static_cast<std::int32_t>(outer);
  nodes_[node].rest = *parts.inner;
}

void SceneLayout::AddNodes() {
  std::vector<bool> animated(character_.nodes.size(), false);
  for (const asset::Clip& clip : character_.clips) {
    for (const asset::Channel& channel : clip.channels) {
      if (asset::MovesNode(channel.path)) animated[channel.target] = true;
    }
  }
  for (const asset::Node& node : character_.nodes) {
    nodes_[AddNode(node.name, node.parent)].rest = node.rest;
  }
  for (std::uint32_t n = 0; n < character_.nodes.size(); ++n) {
    const asset::Node& node = character_.nodes[n];
    // Curves set translation, rotation and scale, which a node with a matrix does not have.
    if (node.rest_matrix && !animated[n]) SetTransform(n, *node.rest_matrix, true);
  }
}

void SceneLayout::AddSkins() {
  for (const asset::Skin& source : character_.skins) {
    SceneSkin skin{source.name, {}, source.joint_from_mesh};
    std::unordered_set<std::uint32_t> listed;
    for (std::uint32_t joint : source.joints) {
      if (!listed.insert(joint).second) {
        joint = AddNode(nodes_[joint].name + ".again", static_cast<std::int32_t>(joint));
        listed.insert(joint);
      }
      skin.joints.push_back(joint);
    }
    skins_.push_back(std::move(skin));
  }
}

// A mesh uses one joint list index for all its skins, so the still joint has the same index in
// each: the first that all of them can give.
void SceneLayout::AddStillJoints() {
  still_joint_.assign(character_.meshes.size(), 0);
  std::vector<std::size_t> wanted(skins_.size(), 0);  // joints, with still ones
  for (const asset::MeshInstance& instance : character_.instances) {
    if (instance.skin == kNone || !needs_[instance.mesh].has_still_vertices) continue;
    still_joint_[instance.mesh] =
        std::max(still_joint_[instance.mesh],
                 static_cast<std::uint32_t>(character_.skins[Index(instance.skin)].joints.size()));
  }
  for (const asset::MeshInstance& instance : character_.instances) {
    if (instance.skin == kNone || !needs_[instance.mesh].has_still_vertices) continue;
    std::size_t& count = wanted[Index(instance.skin)];
    count = std::max<std::size_t>(count, still_joint_[instance.mesh] + std::size_t{1});
  }
  std::vector<std::uint32_t> still_nodes;  // shared by all skins
  for (std::size_t s = 0; s < skins_.size(); ++s) {
    SceneSkin& skin = skins_[s];
    for (std::size_t k = 0; skin.joints.size() < wanted[s]; ++k) {
      if (k == still_nodes.size()) still_nodes.push_back(AddNode("still", kNone));
      skin.joints.push_back(still_nodes[k]);
      skin.joint_from_mesh.emplace_back();
    }
  }
  for (std::uint32_t m = 0; m < needs_.size(); ++m) {
    if (!needs_[m].has_still_vertices || still_joint_[m] == 0) continue;
    notes_.Add("GLB_STILL_JOINT", Place("mesh", m, character_.meshes[m].name),
               "vertices without weight follow an added joint that does not move");
  }
}

void SceneLayout::JoinRoots() {
  // Sets of roots that some skin spans, each named by its smallest member.
  std::unordered_map<std::uint32_t, std::uint32_t> leader;
  const auto find = [&](std::uint32_t root) {
    for (auto at = leader.find(root); at != leader.end() && at->second != root;
         at = leader.find(root)) {
      root = at->second;
    }
    return root;
  };
  const std::vector<std::uint32_t> root_of = Roots();
  for (const SceneSkin& skin : skins_) {
    for (const std::uint32_t joint : skin.joints) {
      const std::uint32_t a = find(root_of[skin.joints[0]]), b = find(root_of[joint]);
      if (a != b) leader[std::max(a, b)] = std::min(a, b);
    }
  }
  std::unordered_map<std::uint32_t, std::uint32_t> joined;  // leader -> common root
  const auto count = static_cast<std::uint32_t>(nodes_.size());
  std::vector<std::uint32_t> roots;
  for (std::uint32_t n = 0; n < count; ++n) {
    if (nodes_[n].parent == kNone) roots.push_back(n);
  }
  std::unordered_map<std::uint32_t, std::size_t> sizes;
  for (const std::uint32_t root : roots) ++sizes[find(root)];
  for (const std::uint32_t root : roots) {
    const std::uint32_t top = find(root);
    if (sizes[top] < 2) continue;
    auto found = joined.find(top);
    if (found == joined.end()) {
      found = joined.emplace(top, AddNode("root", kNone)).first;
      notes_.Add("GLB_COMMON_ROOT", Place("node", found->second, "root"),
                 "added above the several roots that the joints of one skin have");
    }
    nodes_[root].parent = static_cast<std::int32_t>(found->second);
  }
}

// A tree is in the scene when something visible is in it or nothing at all is: glTF shows or leaves
// out whole trees.
std::vector<bool> SceneLayout::RootsInScene(const std::vector<std::uint32_t>& root_of) const {
  std::vector<bool> visible(nodes_.size(), false), hidden(nodes_.size(), false);
  for (const asset::MeshInstance& instance : character_.instances) {
    if (instance.node != kNone) {
      (instance.visible ? visible : hidden)[root_of[Index(instance.node)]] = true;
    }
    if (instance.visible && instance.skin != kNone) {
      visible[root_of[skins_[Index(instance.skin)].joints[0]]] = true;
    }
  }
  std::vector<bool> in_scene(nodes_.size(), false);
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    in_scene[n] = nodes_[n].parent == kNone && (visible[n] || !hidden[n]);
  }
  return in_scene;
}

Mat34d SceneLayout::ModelFromNode(std::uint32_t node) const {
  Mat34d model_from_node;
  while (true) {
    const SceneNode& here = nodes_[node];
    model_from_node = (here.matrix ? *here.matrix : ToMat34(here.rest)) * model_from_node;
    if (here.parent == kNone) return model_from_node;
    node = static_cast<std::uint32_t>(here.parent);
  }
}

void SceneLayout::PlaceInstances() {
  const std::vector<std::uint32_t> root_of = Roots();
  const std::vector<bool> in_scene = RootsInScene(root_of);
  std::vector<std::uint32_t> outside;  // added roots that must not be in the scene
  carrier_.assign(character_.instances.size(), kNone);
  for (std::uint32_t i = 0; i < character_.instances.size(); ++i) {
    const asset::MeshInstance& instance = character_.instances[i];
    if (!needs_[instance.mesh].written) continue;
    const bool has_node = instance.node != kNone;
    const auto source = static_cast<std::uint32_t>(instance.node);
    const bool must_leave = has_node && !instance.visible && in_scene[root_of[source]];
    const bool is_free = has_node && nodes_[source].instance == kNone;
    std::uint32_t carrier = source;
    if (!is_free || must_leave) {
      // A skinned mesh stands nowhere, so a root will do; a rigid one follows its node.
      const bool follows = has_node && !must_leave && instance.skin == kNone;
      carrier = AddNode(instance.name, follows ? instance.node : kNone);
      if (must_leave && instance.skin == kNone) {
        SetTransform(carrier, ModelFromNode(source), false);
      }
      if (!instance.visible && !follows) {
        const std::int32_t above = nodes_[carrier].parent;  // there when it has shear
        outside.push_back(above == kNone ? carrier : static_cast<std::uint32_t>(above));
      }
      notes_.Add("GLB_NODE_ADDED", Place("node", carrier, instance.name),
                 !has_node    ? "added to carry a mesh that had no node"
                 : must_leave ? "added outside the scene for a mesh that is not to be seen"
                              : "added for a mesh whose node carries another");
    }
    nodes_[carrier].instance = static_cast<std::int32_t>(i);
    carrier_[i] = static_cast<std::int32_t>(carrier);
  }
  for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
    if (nodes_[n].parent != kNone) continue;
    const bool in = n < in_scene.size()
                        ? in_scene[n]
                        : std::find(outside.begin(), outside.end(), n) == outside.end();
    if (in) scene_roots_.push_back(n);
  }
}

}  // namespace flexor::io::gltf
