// Classes are implied outward: what a prim inherits or specializes inside a referenced file, it
// inherits from the same place of every file that refers to it.

#include <algorithm>
#include <utility>

#include "io/usd/composer.h"

namespace flexor::io::usd {
namespace {

std::vector<std::int32_t> ClassChildren(const PrimTree& tree, std::int32_t node) {
  std::vector<std::int32_t> children;
  for (std::int32_t child = tree[node].first_child; child != kNoNode;
       child = tree[child].next_sibling) {
    if (IsClassArc(tree[child].arc)) children.push_back(child);
  }
  return children;
}

}  // namespace

Path Composer::Transfer(const PrimTree& tree, const std::vector<Step>& steps, Path path,
                        bool back) const {
  const auto take = [&](Step step) {
    if (path.empty()) return;
    path = step.up != back ? tree.Up(paths_, step.node, path, true)
                           : tree.Down(paths_, step.node, path);
  };
  if (back) {
    std::for_each(steps.rbegin(), steps.rend(), take);
  } else {
    std::for_each(steps.begin(), steps.end(), take);
  }
  return path;
}

Result<bool> Composer::ImplyClasses(PrimTree& tree, const Outer* outer) {
  const std::size_t before = tree.size();
  for (auto node = static_cast<std::int32_t>(before) - 1; node > 0; --node) {
    if (tree[node].removed) continue;
    for (const std::int32_t child : ClassChildren(tree, node)) {
      // A class of a class continues the chain that starts at the outer one.
      if (IsClassArc(tree[node].arc) && tree.Below(node) == tree.Below(child)) continue;
      // What a specialize inherits goes with the copies of the specialize.
      if (tree[node].arc == Arc::kSpecialize && tree[child].arc == Arc::kInherit) continue;
      FLEXOR_TRY(ImplyClass(tree, outer, tree[node].parent, child, {{node, true}}));
    }
  }
  return tree.size() != before;
}

Status Composer::ImplyClass(PrimTree& tree, const Outer* outer, std::int32_t to, std::int32_t from,
                            const std::vector<Step>& transfer) {
  const Path outside = paths_.WithoutVariants(tree[to].path);
  Path path = Transfer(tree, transfer, outside, true);
  if (!path.empty()) path = tree.Down(paths_, from, path);
  if (!path.empty()) path = Transfer(tree, transfer, path, false);
  FLEXOR_TRY(paths_.status());
  if (path.empty()) return {};

  std::int32_t copy = kNoNode;
  for (const std::int32_t child : ClassChildren(tree, to)) {
    const PrimNode& at = tree[child];
    if (at.arc == tree[from].arc &&
        (at.origin == from || (at.stack == tree[to].stack && at.path == path))) {
      copy = child;
    }
  }
  if (copy == kNoNode) {
    NewArc added;
    added.arc = tree[from].arc;
    added.parent = to;
    added.origin = from;
    added.stack = tree[to].stack;
    added.path = path;
    const std::size_t below = tree.Below(from);
    added.depth = outside.prim_names() - std::min(below, outside.prim_names());
    added.sibling = tree[from].sibling;
    // Where the class is the same place again, the node only carries it further out.
    added.placeholder =
        (added.stack == tree[from].stack && path == tree[from].path) || path == outside;
    FLEXOR_TRY(AddArc(tree, added, outer, copy));
    if (copy == kNoNode) return {};
  }
  for (const std::int32_t child : ClassChildren(tree, from)) {
    std::vector<Step> further{{from, true}};
    further.insert(further.end(), transfer.begin(), transfer.end());
    further.push_back({copy, false});
    FLEXOR_TRY(ImplyClass(tree, outer, copy, child, further));
  }
  return {};
}

}  // namespace flexor::io::usd
