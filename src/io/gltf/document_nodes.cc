// Nodes, scenes and skins.

#include <utility>

#include "io/gltf/document_parts.h"

namespace flexor::io::gltf {
namespace {

void ReadNode(ReadContext& context, const json::Ref& object, RawNode& node) {
  node.name = context.Name(object);
  node.mesh = context.FindIndex(object, "mesh", context.count.meshes, "meshes");
  node.skin = context.FindIndex(object, "skin", context.count.skins, "skins");
  node.camera = context.FindIndex(object, "camera", context.count.cameras, "cameras");
  std::array<double, 16> matrix{};
  if (context.Numbers(object, "matrix", matrix)) node.matrix = matrix;
  context.Numbers(object, "translation", node.translation);
  context.Numbers(object, "rotation", node.rotation);
  context.Numbers(object, "scale", node.scale);
  node.weights = context.Numbers(object, "weights");
  if (const auto visibility = context.Extension(object, "KHR_node_visibility")) {
    node.visible = context.Bool(*visibility, "visible", true);
  }
  if (context.judged()) return;
  for (const std::string_view key : {"translation", "rotation", "scale"}) {
    if (!node.matrix || !object.Has(key)) continue;
    context.Say("NODE_MATRIX_TRS", object.pointer() + "/matrix",
                "a node with a matrix must not have a " + std::string(key) +
                    " as well; the matrix is used");
  }
  for (const std::string_view key : {"skin", "weights"}) {
    if (node.mesh != kNone || !object.Has(key)) continue;
    context.Say("UNSATISFIED_DEPENDENCY", json::JoinPointer(object.pointer(), key),
                "has no meaning on a node without a mesh; ignored");
  }
}

void ReadChildren(ReadContext& context, const json::Ref& object, std::uint32_t self) {
  const auto list = context.FilledArray(object, "children");
  if (!list) return;
  const auto children = context.Indices(*list, context.count.nodes, "nodes");
  if (context.stopped()) return;
  for (std::size_t i = 0; i < children.size(); ++i) {
    RawNode& child = context.document.nodes[children[i]];
    if (child.parent != kNone) {
      return context.Fail(
          list->At(i).Fault("node " + std::to_string(children[i]) + " is already a child of node " +
                            std::to_string(child.parent) + "; a node can have one parent only"));
    }
    child.parent = static_cast<std::int32_t>(self);
  }
}

/// Every node has at most one parent here, so a node lies on a cycle or below one exactly when no
/// root is reached within as many steps as there are nodes. Each node is walked over once.
void CheckCycles(ReadContext& context) {
  const std::vector<RawNode>& nodes = context.document.nodes;
  enum class Mark : std::uint8_t { kNew, kOnPath, kDone };
  context.Check(context.budget.Charge(nodes.size(), sizeof(Mark), "the check of the hierarchy"));
  if (context.stopped()) return;
  std::vector<Mark> marks(nodes.size(), Mark::kNew);
  for (std::size_t start = 0; start < nodes.size(); ++start) {
    auto at = static_cast<std::int32_t>(start);
    while (at != kNone && marks[static_cast<std::size_t>(at)] == Mark::kNew) {
      marks[static_cast<std::size_t>(at)] = Mark::kOnPath;
      at = nodes[static_cast<std::size_t>(at)].parent;
    }
    if (at != kNone && marks[static_cast<std::size_t>(at)] == Mark::kOnPath) {
      return context.Fail({ErrorCode::kInvalidValue,
                           "the node is its own ancestor",
                           {{}, "/nodes/" + std::to_string(at), std::nullopt}});
    }
    for (at = static_cast<std::int32_t>(start);
         at != kNone && marks[static_cast<std::size_t>(at)] == Mark::kOnPath;
         at = nodes[static_cast<std::size_t>(at)].parent) {
      marks[static_cast<std::size_t>(at)] = Mark::kDone;
    }
  }
}

void ReadScene(ReadContext& context, const json::Ref& object, RawScene& scene) {
  const auto nodes = context.FilledArray(object, "nodes");
  if (!nodes) return;
  scene.nodes = context.Indices(*nodes, context.count.nodes, "nodes");
  if (context.judged() || context.stopped()) return;
  for (std::size_t k = 0; k < scene.nodes.size(); ++k) {
    if (context.document.nodes[scene.nodes[k]].parent == kNone) continue;
    context.Say("SCENE_NON_ROOT_NODE", nodes->At(k).pointer(),
                "node " + std::to_string(scene.nodes[k]) + " is the child of another node");
  }
}

void ReadSkin(ReadContext& context, const json::Ref& object, RawSkin& skin) {
  skin.name = context.Name(object);
  if (const auto joints = context.RequireArray(object, "joints", "joint")) {
    skin.joints = context.Indices(*joints, context.count.nodes, "nodes");
  }
  skin.inverse_bind_matrices =
      context.FindIndex(object, "inverseBindMatrices", context.count.accessors, "accessors");
  if (context.judged()) {
    skin.skeleton = context.FindIndex(object, "skeleton", context.count.nodes, "nodes");
    return;
  }
  // `skeleton` has no part in the maths, and files exist where it is -1 or names anything.
  if (const json::Value* skeleton = object.Find("skeleton")) {
    const auto node = json::ExactUnsigned(*skeleton);
    if (node && *node < context.count.nodes) return;
    context.Say("UNRESOLVED_REFERENCE", object.pointer() + "/skeleton",
                "is " + json::Describe(*skeleton) + ", but there are " +
                    std::to_string(context.count.nodes) + " nodes; ignored");
  }
}

}  // namespace

void ReadNodesAndScenes(ReadContext& context) {
  context.Collection("nodes", context.document.nodes, ReadNode);
  if (!context.judged() && !context.document.nodes.empty()) {
    const json::Ref list(*context.root.Find("nodes"), "/nodes");
    for (std::size_t i = 0; i < list.size() && !context.stopped(); ++i) {
      ReadChildren(context, list.At(i), static_cast<std::uint32_t>(i));
    }
    if (!context.stopped()) CheckCycles(context);
  }
  context.Collection("scenes", context.document.scenes, ReadScene);
  if (context.stopped()) return;
  context.document.scene = context.FindIndex(context.root, "scene", context.count.scenes, "scenes");
}

void ReadSkins(ReadContext& context) {
  context.Collection("skins", context.document.skins, ReadSkin);
}

}  // namespace flexor::io::gltf
