// Nodes, scenes and skins.

#include <algorithm>
#include <utility>

#include "io/gltf/document_parts.h"

namespace flexor::io::gltf {
namespace {

template <std::size_t N>
Status ReadNumbers(const json::Ref& object, std::string_view key, std::array<double, N>& out) {
  FLEXOR_ASSIGN(const auto numbers, object.FindNumbers(key, N));
  if (numbers) std::copy(numbers->begin(), numbers->end(), out.begin());
  return {};
}

Status ReadNode(const ReadContext& context, const json::Ref& object, RawNode& node) {
  FLEXOR_TRY(object.ExpectObject());
  FLEXOR_ASSIGN(node.name, context.Name(object));
  FLEXOR_ASSIGN(node.mesh, context.FindIndex(object, "mesh", context.count.meshes, "meshes"));
  FLEXOR_ASSIGN(node.skin, context.FindIndex(object, "skin", context.count.skins, "skins"));
  FLEXOR_ASSIGN([[maybe_unused]] const std::int32_t camera,
                context.FindIndex(object, "camera", context.count.cameras, "cameras"));
  FLEXOR_ASSIGN(const auto matrix, object.FindNumbers("matrix", 16));
  if (matrix) {
    std::copy(matrix->begin(), matrix->end(), node.matrix.emplace().begin());
    for (const std::string_view key : {"translation", "rotation", "scale"}) {
      if (!object.Has(key)) continue;
      context.Say("NODE_MATRIX_TRS", object.pointer() + "/matrix",
                  "a node with a matrix must not have a " + std::string(key) +
                      " as well; the matrix is used");
    }
  }
  FLEXOR_TRY(ReadNumbers(object, "translation", node.translation));
  FLEXOR_TRY(ReadNumbers(object, "rotation", node.rotation));
  FLEXOR_TRY(ReadNumbers(object, "scale", node.scale));
  FLEXOR_ASSIGN(node.weights, object.FindNumbers("weights"));
  for (const std::string_view key : {"skin", "weights"}) {
    if (node.mesh != kNone || !object.Has(key)) continue;
    context.Say("UNSATISFIED_DEPENDENCY", json::JoinPointer(object.pointer(), key),
                "has no meaning on a node without a mesh; ignored");
  }
  FLEXOR_ASSIGN(const auto visibility, context.FindExtension(object, "KHR_node_visibility"));
  if (visibility) {
    FLEXOR_ASSIGN(const auto visible, visibility->FindBool("visible"));
    node.visible = visible.value_or(true);
  }
  return {};
}

Status ReadChildren(const ReadContext& context, const json::Ref& object, std::uint32_t self) {
  FLEXOR_ASSIGN(const auto list, context.FindFilled(object, "children"));
  if (!list) return {};
  FLEXOR_ASSIGN(const auto children, context.Indices(*list, context.count.nodes, "nodes"));
  for (std::size_t i = 0; i < children.size(); ++i) {
    RawNode& child = context.document.nodes[children[i]];
    if (child.parent != kNone) {
      return list->At(i).Fault("node " + std::to_string(children[i]) +
                               " is already a child of node " + std::to_string(child.parent) +
                               "; a node can have one parent only");
    }
    child.parent = static_cast<std::int32_t>(self);
  }
  return {};
}

/// Every node has at most one parent here, so a node lies on a cycle or below one exactly when no
/// root is reached within as many steps as there are nodes. Each node is walked over once.
Status CheckCycles(const ReadContext& context) {
  const std::vector<RawNode>& nodes = context.document.nodes;
  enum class Mark : std::uint8_t { kNew, kOnPath, kDone };
  FLEXOR_TRY(context.budget.Charge(nodes.size(), sizeof(Mark), "the check of the hierarchy"));
  std::vector<Mark> marks(nodes.size(), Mark::kNew);
  for (std::size_t start = 0; start < nodes.size(); ++start) {
    auto at = static_cast<std::int32_t>(start);
    while (at != kNone && marks[static_cast<std::size_t>(at)] == Mark::kNew) {
      marks[static_cast<std::size_t>(at)] = Mark::kOnPath;
      at = nodes[static_cast<std::size_t>(at)].parent;
    }
    if (at != kNone && marks[static_cast<std::size_t>(at)] == Mark::kOnPath) {
      return Error{ErrorCode::kInvalidValue,
                   "the node is its own ancestor",
                   {{}, "/nodes/" + std::to_string(at), std::nullopt}};
    }
    for (at = static_cast<std::int32_t>(start);
         at != kNone && marks[static_cast<std::size_t>(at)] == Mark::kOnPath;
         at = nodes[static_cast<std::size_t>(at)].parent) {
      marks[static_cast<std::size_t>(at)] = Mark::kDone;
    }
  }
  return {};
}

Status ReadScenes(ReadContext& context) {
  FLEXOR_ASSIGN(const auto list, context.FindFilled(context.root, "scenes"));
  if (list) {
    FLEXOR_TRY(context.budget.Charge(list->size(), sizeof(RawScene), "the list of scenes"));
    for (std::size_t i = 0; i < list->size(); ++i) {
      const json::Ref object = list->At(i);
      FLEXOR_TRY(object.ExpectObject());
      RawScene scene;
      FLEXOR_ASSIGN(const auto nodes, context.FindFilled(object, "nodes"));
      if (nodes) {
        FLEXOR_ASSIGN(scene.nodes, context.Indices(*nodes, context.count.nodes, "nodes"));
      }
      for (std::size_t k = 0; k < scene.nodes.size(); ++k) {
        if (context.document.nodes[scene.nodes[k]].parent == kNone) continue;
        context.Say("SCENE_NON_ROOT_NODE", nodes->At(k).pointer(),
                    "node " + std::to_string(scene.nodes[k]) + " is the child of another node");
      }
      context.document.scenes.push_back(std::move(scene));
    }
  }
  FLEXOR_ASSIGN(context.document.scene,
                context.FindIndex(context.root, "scene", context.count.scenes, "scenes"));
  if (context.document.scene == kNone && !context.document.scenes.empty()) {
    context.document.scene = 0;
  }
  return {};
}

}  // namespace

Status ReadNodesAndScenes(ReadContext& context) {
  FLEXOR_ASSIGN(const auto list, context.FindFilled(context.root, "nodes"));
  if (list) {
    FLEXOR_TRY(context.budget.Charge(list->size(), sizeof(RawNode), "the list of nodes"));
    context.document.nodes.resize(list->size());
    for (std::size_t i = 0; i < list->size(); ++i) {
      FLEXOR_TRY(ReadNode(context, list->At(i), context.document.nodes[i]));
    }
    for (std::size_t i = 0; i < list->size(); ++i) {
      FLEXOR_TRY(ReadChildren(context, list->At(i), static_cast<std::uint32_t>(i)));
    }
    FLEXOR_TRY(CheckCycles(context));
  }
  return ReadScenes(context);
}

Status ReadSkins(ReadContext& context) {
  FLEXOR_ASSIGN(const auto list, context.FindFilled(context.root, "skins"));
  if (!list) return {};
  FLEXOR_TRY(context.budget.Charge(list->size(), sizeof(RawSkin), "the list of skins"));
  context.document.skins.reserve(list->size());
  for (std::size_t i = 0; i < list->size(); ++i) {
    const json::Ref object = list->At(i);
    FLEXOR_TRY(object.ExpectObject());
    RawSkin skin;
    FLEXOR_ASSIGN(skin.name, context.Name(object));
    FLEXOR_ASSIGN(const json::Ref joints, object.RequireArray("joints"));
    if (joints.size() == 0) return joints.Fault("must name at least one joint, but is empty");
    FLEXOR_ASSIGN(skin.joints, context.Indices(joints, context.count.nodes, "nodes"));
    FLEXOR_ASSIGN(
        skin.inverse_bind_matrices,
        context.FindIndex(object, "inverseBindMatrices", context.count.accessors, "accessors"));
    // `skeleton` has no part in the maths, and files exist where it is -1 or names anything.
    if (const auto skeleton = object.Member("skeleton")) {
      const auto node = json::ExactUnsigned(skeleton->value());
      if (!node || *node >= context.count.nodes) {
        context.Say("UNRESOLVED_REFERENCE", skeleton->pointer(),
                    "is " + json::Describe(skeleton->value()) + ", but there are " +
                        std::to_string(context.count.nodes) + " nodes; ignored");
      }
    }
    context.document.skins.push_back(std::move(skin));
  }
  return {};
}

}  // namespace flexor::io::gltf
