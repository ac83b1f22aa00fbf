#include <cmath>

#include "asset/validate.h"

namespace flexor::asset {
namespace {

Status CheckTransform(Node& node, const std::string& place) {
  const Quatd q = node.rest.rotation;
  if (!IsFinite(node.rest.translation)) {
    return At(ErrorCode::kInvalidValue, place, "its translation is not finite");
  }
  if (!IsFinite(node.rest.scale)) {
    return At(ErrorCode::kInvalidValue, place, "its scale is not finite");
  }
  const double length_squared = Dot(q, q);
  if (!std::isfinite(length_squared)) {
    return At(ErrorCode::kInvalidValue, place, "its rotation is not finite");
  }
  if (length_squared < 1e-12) {
    return At(ErrorCode::kInvalidValue, place,
              "its rotation is a zero quaternion, which has no direction");
  }
  // Numbers that come from floats are a little off unit length; composed down a long chain that
  // would show as scale.
  if (std::abs(length_squared - 1) > 1e-14) node.rest.rotation = Normalized(q);
  if (node.rest_matrix && !IsFinite(*node.rest_matrix)) {
    return At(ErrorCode::kInvalidValue, place, "its matrix is not finite");
  }
  return {};
}

// Follows parents from a node that no root reaches until one repeats: that one is on the cycle.
Error CycleError(const std::vector<Node>& nodes, std::size_t start) {
  std::vector<bool> seen(nodes.size(), false);
  std::size_t at = start;
  while (!seen[at]) {
    seen[at] = true;
    at = static_cast<std::size_t>(nodes[at].parent);
  }
  constexpr int kMostNamed = 8;
  std::string path = Named("node", at, nodes[at].name);
  std::size_t step = at;
  for (int named = 1;; ++named) {
    step = static_cast<std::size_t>(nodes[step].parent);
    if (named == kMostNamed && step != at) {
      path += " -> ...";
      break;
    }
    path += " -> " + Named("node", step, nodes[step].name);
    if (step == at) break;
  }
  return At(ErrorCode::kInvalidValue, Named("node", at, nodes[at].name),
            "is its own ancestor: " + path);
}

}  // namespace

Status FinalizeNodes(Character& character) {
  std::vector<Node>& nodes = character.nodes;
  const std::size_t count = nodes.size();
  // All ranges before anything follows a parent: a crafted file must not lead the walk astray.
  for (std::size_t i = 0; i < count; ++i) {
    const std::int32_t parent = nodes[i].parent;
    if (parent == kNone) continue;
    const std::string place = Named("node", i, nodes[i].name);
    if (parent < 0) {
      return At(ErrorCode::kIndexOutOfRange, place,
                "parent " + std::to_string(parent) + " is negative; only -1 may stand for none");
    }
    if (static_cast<std::size_t>(parent) >= count) {
      return IndexError(place, "parent", static_cast<std::uint64_t>(parent), count, "nodes");
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    FLEXOR_TRY(CheckTransform(nodes[i], Named("node", i, nodes[i].name)));
  }

  // Children of each node in index order, as runs of one array.
  std::vector<std::uint32_t> first_child(count + 1, 0);
  for (const Node& node : nodes) {
    if (node.parent != kNone) ++first_child[static_cast<std::size_t>(node.parent) + 1];
  }
  for (std::size_t i = 0; i < count; ++i) first_child[i + 1] += first_child[i];
  std::vector<std::uint32_t> children(first_child[count]);
  std::vector<std::uint32_t> next(first_child.begin(), first_child.end() - 1);
  for (std::size_t i = 0; i < count; ++i) {
    if (nodes[i].parent == kNone) continue;
    children[next[static_cast<std::size_t>(nodes[i].parent)]++] = static_cast<std::uint32_t>(i);
  }

  // Breadth first from the roots; the order itself is the queue.
  std::vector<std::uint32_t>& order = character.node_order;
  order.clear();
  order.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (nodes[i].parent == kNone) order.push_back(static_cast<std::uint32_t>(i));
  }
  for (std::size_t done = 0; done < order.size(); ++done) {
    const std::uint32_t node = order[done];
    for (std::uint32_t c = first_child[node]; c < first_child[node + 1]; ++c) {
      order.push_back(children[c]);
    }
  }
  if (order.size() != count) {
    std::vector<bool> reached(count, false);
    for (const std::uint32_t node : order) reached[node] = true;
    std::size_t lost = 0;
    while (reached[lost]) ++lost;
    order.clear();
    return CycleError(nodes, lost);
  }
  return {};
}

}  // namespace flexor::asset
