#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "io/gltf/check_links.h"
#include "io/json/access.h"

namespace flexor::io::gltf::links {
namespace {

using json::JoinPointer;

constexpr const char* kTooMuch =
    "there are too many nodes in too deep hierarchies to follow them all";

/// Resolves a list of nodes; `each` is called with the index of every node that is there and its
/// position in the list.
template <class Index, class Each>
void FollowNodes(Context& context, const std::vector<Index>& list, const std::string& pointer,
                 Each each) {
  std::vector<CheckedNode>& nodes = context.model().nodes;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (context.Follow(nodes, list[i], JoinPointer(pointer, i)) != nullptr) {
      each(IndexOf(list[i]), i);
    }
  }
}

void MeshRules(Context& context, CheckedNode& node, bool has_skin) {
  CheckModel& model = context.model();
  const RawNode& raw = *node.raw;
  CheckedMesh* mesh = context.Follow(model.meshes, raw.mesh, node.pointer + "/mesh");
  if (mesh == nullptr || mesh->primitives.empty()) return;
  if (raw.weights && mesh->TargetCount() != raw.weights->size()) {
    context.findings().Add("NODE_WEIGHTS_INVALID", node.pointer + "/weights",
                           "has " + std::to_string(raw.weights->size()) + " weights for " +
                               std::to_string(mesh->TargetCount()) + " morph targets");
  }
  if (!raw.weights && !mesh->raw->weights.empty()) mesh->weights_used = true;
  if (has_skin) {
    if (!mesh->IsSkinned()) {
      context.findings().Add(
          "NODE_SKIN_WITH_NON_SKINNED_MESH", node.pointer,
          "has a skin, but mesh " + std::to_string(raw.mesh) + " has no joints and weights");
    }
  } else if (mesh->IsSkinned()) {
    context.findings().Add(
        "NODE_SKINNED_MESH_WITHOUT_SKIN", node.pointer,
        "shows the skinned mesh " + std::to_string(raw.mesh) + " without a skin");
  }
}

/// Finds the ancestors that all joints of a skin share.
///
/// The ancestors of the first joint are a chain that may end in a loop. Every other joint's walk
/// upwards either meets that chain at some position or never does; what it shares is the chain from
/// there on. Each node is walked over once, as its meeting point is remembered.
class CommonAncestors {
 public:
  explicit CommonAncestors(Context& context) : context_(context) {}

  void AddJoint(std::int64_t joint) {
    if (chain_.empty()) {
      for (std::int64_t at = joint; at != kNone; at = Parent(at)) {
        const auto [known, is_new] =
            position_.try_emplace(at, static_cast<std::int64_t>(chain_.size()));
        if (!is_new) {  // the chain bites its tail
          loop_start_ = known->second;
          break;
        }
        chain_.push_back(at);
        if (!Step()) return;
      }
      return;
    }
    std::vector<std::int64_t> walked;
    std::int64_t meeting = kNever;
    for (std::int64_t at = joint; at != kNone; at = Parent(at)) {
      const auto [known, is_new] = position_.try_emplace(at, kNever);
      if (!is_new) {
        meeting = known->second;
        break;
      }
      walked.push_back(at);
      if (!Step()) return;
    }
    for (const std::int64_t at : walked) position_[at] = meeting;
    if (meeting == kNever) {
      start_ = static_cast<std::int64_t>(chain_.size());
    } else {
      start_ = std::max(start_, std::min(meeting, loop_start_));
    }
  }

  /// Whether the walks had to stop early; nothing is known then.
  bool IsUnknown() const { return unknown_; }
  bool IsEmpty() const { return start_ >= static_cast<std::int64_t>(chain_.size()); }
  bool Contains(std::int64_t node) const {
    const auto from = chain_.begin() +
                      std::min<std::ptrdiff_t>(start_, static_cast<std::ptrdiff_t>(chain_.size()));
    return std::find(from, chain_.end(), node) != chain_.end();
  }
  /// The common ancestor without a parent, or kNone.
  std::int64_t Top() const {
    if (IsEmpty() || Parent(chain_.back()) != kNone) return kNone;
    return chain_.back();
  }

 private:
  static constexpr std::int64_t kNever = -1;
  static constexpr std::size_t kStepCost = 10;  // a look into the map, against one parent

  std::int64_t Parent(std::int64_t node) const {
    return context_.model().nodes[static_cast<std::size_t>(node)].parent;
  }
  bool Step() {
    unknown_ = unknown_ || !context_.Afford(kStepCost);
    return !unknown_;
  }

  Context& context_;
  std::unordered_map<std::int64_t, std::int64_t> position_;  // where a walk meets the chain
  std::vector<std::int64_t> chain_;
  std::int64_t start_ = 0;  // of what all joints so far share
  std::int64_t loop_start_ = std::numeric_limits<std::int64_t>::max();
  bool unknown_ = false;
};

void InverseBinds(Context& context, const CheckedSkin& skin) {
  CheckModel& model = context.model();
  Findings& findings = context.findings();
  const std::string where = skin.pointer + "/inverseBindMatrices";
  CheckedAccessor* accessor = context.Find(model.accessors, skin.raw->inverse_bind_matrices, where);
  if (accessor == nullptr) return;
  context.UseAccessor(*accessor, AccessorUsage::kInverseBinds, where);
  if (CheckedView* view = context.ViewOf(*accessor)) {
    context.UseView(*view, ViewUsage::kInverseBinds, where);
    if (view->raw->byte_stride != 0) {
      findings.Add("SKIN_IBM_ACCESSOR_WITH_BYTESTRIDE", where,
                   "the buffer view of inverse bind matrices must not have byteStride");
    }
  }
  constexpr AccessorFormat kMatrix{ElementType::kMat4, ComponentType::kFloat, false};
  if (accessor->format() != kMatrix) {
    findings.Add("SKIN_IBM_INVALID_FORMAT", where,
                 accessor->format().ToString() + " is not allowed; must be MAT4 of FLOAT");
  } else {
    model.data_rules.push_back({static_cast<std::uint32_t>(skin.raw->inverse_bind_matrices),
                                DataRuleKind::kInverseBind, where});
  }
  const std::size_t joints = skin.raw->joints.size();
  if (joints != 0 && (!accessor->HasCount() || accessor->raw->count < joints)) {
    findings.Add("INVALID_IBM_ACCESSOR_COUNT", where,
                 "has " +
                     (accessor->HasCount() ? std::to_string(accessor->raw->count)
                                           : std::string("an unknown number of")) +
                     " matrices for " + std::to_string(joints) + " joints");
  }
}

/// For every node, whether one of its ancestors has a transform.
std::vector<bool> TransformsAbove(const std::vector<CheckedNode>& nodes) {
  enum : std::uint8_t { kUnknown, kNo, kYes };
  std::vector<std::uint8_t> state(nodes.size(),
                                  kUnknown);  // of the node or its ancestors
  std::vector<bool> above(nodes.size(), false);
  std::vector<std::size_t> path;
  for (std::size_t start = 0; start < nodes.size(); ++start) {
    path.clear();
    std::size_t at = start;
    bool found = false;
    while (true) {
      if (state[at] != kUnknown) {
        found = state[at] == kYes;
        break;
      }
      state[at] = kNo;  // ends a walk that runs in a loop
      path.push_back(at);
      if (nodes[at].parent == kNone) break;
      at = static_cast<std::size_t>(nodes[at].parent);
    }
    for (auto node = path.rbegin(); node != path.rend(); ++node) {
      above[*node] = found;
      found = found || nodes[*node].has_transform;
      state[*node] = found ? kYes : kNo;
    }
  }
  return above;
}

/// Which scenes show a node: those that list it or one of its ancestors.
class ScenesOfNodes {
 public:
  explicit ScenesOfNodes(Context& context)
      : context_(context), listed_(context.model().nodes.size()) {
    const std::vector<CheckedScene>& scenes = context.model().scenes;
    for (std::size_t i = 0; i < scenes.size(); ++i) {
      if (!scenes[i].exists) continue;
      for (const std::uint32_t node : scenes[i].raw->nodes) {
        if (node < listed_.size()) listed_[node].push_back(i);
      }
    }
  }

  /// Nothing when that would be too much work.
  std::optional<std::unordered_set<std::size_t>> Of(std::int64_t node) {
    const std::vector<CheckedNode>& nodes = context_.model().nodes;
    std::unordered_set<std::size_t> scenes;
    std::size_t steps = 0;
    for (std::int64_t at = node; at != kNone; at = nodes[static_cast<std::size_t>(at)].parent) {
      const auto& listed = listed_[static_cast<std::size_t>(at)];
      if (!context_.Afford(1 + listed.size())) return std::nullopt;
      if (++steps > nodes.size()) break;  // a loop
      scenes.insert(listed.begin(), listed.end());
    }
    return scenes;
  }

 private:
  Context& context_;
  std::vector<std::vector<std::size_t>> listed_;  // scenes that list a node
};

void SkinnedNodeRules(Context& context, std::size_t index, bool transform_above,
                      ScenesOfNodes& scenes) {
  CheckModel& model = context.model();
  Findings& findings = context.findings();
  const CheckedNode& node = model.nodes[index];
  const CheckedSkin* skin = CheckModel::Resolve(model.skins, node.raw->skin);
  if (skin == nullptr) return;
  if (node.parent != kNone) {
    findings.Add(
        "NODE_SKINNED_MESH_NON_ROOT", node.pointer,
        "has the parent " + std::to_string(node.parent) + ", but only joints place a skinned mesh");
    if (transform_above) {
      findings.Add("NODE_SKINNED_MESH_PARENT_TRANSFORMS", node.pointer,
                   "a node above has a transform, but only joints place a skinned mesh");
    }
  }
  if (node.has_transform) {
    findings.Add("NODE_SKINNED_MESH_LOCAL_TRANSFORMS", node.pointer,
                 "has a transform, but only joints place a skinned mesh");
  }
  if (skin->top_root == kNone) return;
  const auto shown = scenes.Of(static_cast<std::int64_t>(index));
  const auto joints_shown = shown ? scenes.Of(skin->top_root) : std::nullopt;
  if (!joints_shown) {
    findings.Add("CHECK_INCOMPLETE", "/scenes", kTooMuch);
    return;
  }
  if (!std::all_of(shown->begin(), shown->end(),
                   [&](std::size_t scene) { return joints_shown->contains(scene); })) {
    findings.Add(
        "NODE_SKIN_NO_SCENE", node.pointer,
        "is in a scene that does not hold the joints of skin " + std::to_string(node.raw->skin));
  }
}

}  // namespace

std::vector<bool> NodesOnLoops(const std::vector<CheckedNode>& nodes) {
  std::vector<std::size_t> visit(nodes.size(),
                                 0);  // number of the walk that saw the node
  std::vector<bool> on_loop(nodes.size(), false);
  for (std::size_t start = 0; start < nodes.size(); ++start) {
    const std::size_t walk = start + 1;
    std::size_t at = start;
    while (visit[at] == 0) {
      visit[at] = walk;
      if (nodes[at].parent == kNone) break;
      at = static_cast<std::size_t>(nodes[at].parent);
    }
    if (visit[at] != walk || nodes[at].parent == kNone) continue;
    for (std::size_t node = at; !on_loop[node];
         node = static_cast<std::size_t>(nodes[node].parent)) {
      on_loop[node] = true;
    }
  }
  return on_loop;
}

void Nodes(Context& context) {
  CheckModel& model = context.model();
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    CheckedNode& node = model.nodes[i];
    if (!node.exists) continue;
    context.Follow(model.cameras, node.raw->camera, node.pointer + "/camera");
    const bool has_skin =
        context.Follow(model.skins, node.raw->skin, node.pointer + "/skin") != nullptr;
    MeshRules(context, node, has_skin);
    if (node.light != kNone) {
      const std::string where = node.pointer + "/extensions/KHR_lights_punctual";
      if (model.lights) {
        context.Follow(*model.lights, node.light, where + "/light");
      } else {
        context.findings().Add("UNSATISFIED_DEPENDENCY", where,
                               "the document lists no lights in its own extensions");
      }
    }
    if (!node.children) continue;
    FollowNodes(context, *node.children, node.pointer + "/children",
                [&](std::int64_t child, std::size_t position) {
                  std::int64_t& parent = model.nodes[static_cast<std::size_t>(child)].parent;
                  if (parent != kNone) {
                    context.findings().Add(
                        "NODE_PARENT_OVERRIDE", JoinPointer(node.pointer + "/children", position),
                        "node " + std::to_string(child) + " is a child of node " +
                            std::to_string(parent) + " already");
                  }
                  parent = static_cast<std::int64_t>(i);
                });
  }
}

void Skins(Context& context) {
  CheckModel& model = context.model();
  for (CheckedSkin& skin : model.skins) {
    if (!skin.exists) continue;
    CommonAncestors common(context);
    const std::vector<std::uint32_t>& joints = skin.raw->joints;
    if (!joints.empty()) {
      FollowNodes(context, joints, skin.pointer + "/joints", [&](std::int64_t joint, std::size_t) {
        model.nodes[static_cast<std::size_t>(joint)].is_joint = true;
        common.AddJoint(joint);
      });
      if (common.IsUnknown()) {
        context.findings().Add("CHECK_INCOMPLETE", "/skins", kTooMuch);
      } else if (common.IsEmpty()) {
        context.findings().Add("SKIN_NO_COMMON_ROOT", skin.pointer + "/joints",
                               "no node is an ancestor of all joints");
      }
      if (!common.IsUnknown()) skin.top_root = common.Top();
    }
    InverseBinds(context, skin);
    const std::int32_t skeleton = skin.raw->skeleton;
    const std::string where = skin.pointer + "/skeleton";
    if (context.Find(model.nodes, skeleton, where) != nullptr && !common.IsUnknown() &&
        !common.Contains(skeleton)) {
      context.findings().Add(
          "SKIN_SKELETON_INVALID", where,
          "node " + std::to_string(skeleton) + " is not an ancestor of all joints");
    }
  }
}

void Scenes(Context& context) {
  CheckModel& model = context.model();
  for (const CheckedScene& scene : model.scenes) {
    if (!scene.exists) continue;
    FollowNodes(context, scene.raw->nodes, scene.pointer + "/nodes",
                [&](std::int64_t node, std::size_t position) {
                  const std::int64_t parent = model.nodes[static_cast<std::size_t>(node)].parent;
                  if (parent == kNone) return;
                  context.findings().Add("SCENE_NON_ROOT_NODE",
                                         JoinPointer(scene.pointer + "/nodes", position),
                                         "node " + std::to_string(node) + " is a child of node " +
                                             std::to_string(parent));
                });
  }
}

void Hierarchy(Context& context) {
  CheckModel& model = context.model();
  Findings& findings = context.findings();
  const std::vector<bool> on_loop = NodesOnLoops(model.nodes);
  const std::vector<bool> transforms_above = TransformsAbove(model.nodes);
  ScenesOfNodes scenes(context);
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    const CheckedNode& node = model.nodes[i];
    if (!node.exists) continue;
    if (!node.is_joint && !node.children && !node.has_extensions && !node.has_extras &&
        CheckModel::Resolve(model.meshes, node.raw->mesh) == nullptr &&
        CheckModel::Resolve(model.cameras, node.raw->camera) == nullptr) {
      findings.Add("NODE_EMPTY", node.pointer, "shows nothing, is no joint and has no children");
    }
    if (on_loop[i]) {
      findings.Add("NODE_LOOP", node.pointer, "is its own ancestor");
    }
    SkinnedNodeRules(context, i, transforms_above[i], scenes);
  }
}

}  // namespace flexor::io::gltf::links
