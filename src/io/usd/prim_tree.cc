#include "io/usd/prim_tree.h"

#include <algorithm>

#include "io/usd/time_map.h"

namespace flexor::io::usd {

std::string_view ArcName(Arc arc) {
  switch (arc) {
    case Arc::kRoot:
      return "root";
    case Arc::kInherit:
      return "inherit";
    case Arc::kVariant:
      return "variant";
    case Arc::kReference:
      return "reference";
    case Arc::kPayload:
      return "payload";
    case Arc::kSpecialize:
      return "specialize";
  }
  return "";
}

PrimTree::PrimTree(std::uint32_t stack, Path path) {
  PrimNode root;
  root.stack = stack;
  root.path = path;
  nodes_.push_back(root);
}

std::size_t PrimTree::Below(std::int32_t node) const {
  const PrimNode& at = (*this)[node];
  return at.parent == kNoNode ? 0 : (*this)[at.parent].path.prim_names() - at.depth;
}

bool PrimTree::IsOwn(std::int32_t node) const {
  for (; (*this)[node].parent != kNoNode; node = (*this)[node].parent) {
    if (Below(node) == 0) return true;
  }
  return false;
}

bool PrimTree::ComesBefore(std::int32_t a, std::int32_t b) const {
  if (a == b) return false;
  const auto height = [&](std::int32_t node) {
    std::size_t levels = 0;
    for (; node != kNoNode; node = (*this)[node].parent) ++levels;
    return levels;
  };
  std::size_t height_a = height(a), height_b = height(b);
  const bool a_is_higher = height_a < height_b;
  while (height_a > height_b) a = (*this)[a].parent, --height_a;
  while (height_b > height_a) b = (*this)[b].parent, --height_b;
  if (a == b) return a_is_higher;  // one is above the other
  while ((*this)[a].parent != (*this)[b].parent) a = (*this)[a].parent, b = (*this)[b].parent;
  for (std::int32_t next = (*this)[a].next_sibling; next != kNoNode;
       next = (*this)[next].next_sibling) {
    if (next == b) return true;
  }
  return false;
}

bool PrimTree::IsStronger(const PrimNode& a, const PrimNode& b) const {
  if (a.arc != b.arc) return a.arc < b.arc;
  if (a.depth != b.depth) return a.depth > b.depth;
  if (a.implied() != b.implied()) return b.implied();
  if (a.implied() && a.origin != b.origin) {
    if (a.origin == kNoNode || b.origin == kNoNode) return b.origin == kNoNode;
    return ComesBefore(a.origin, b.origin);
  }
  return a.sibling < b.sibling;
}

void PrimTree::Link(std::int32_t node) {
  std::int32_t* link = &(*this)[(*this)[node].parent].first_child;
  while (*link != kNoNode && !IsStronger((*this)[node], (*this)[*link])) {
    link = &(*this)[*link].next_sibling;
  }
  (*this)[node].next_sibling = *link;
  *link = node;
}

std::int32_t PrimTree::Add(PrimNode node) {
  const auto index = static_cast<std::int32_t>(nodes_.size());
  nodes_.push_back(node);
  Link(index);
  return index;
}

std::int32_t PrimTree::Attach(const PrimTree& subtree, PrimNode node) {
  const auto base = static_cast<std::int32_t>(nodes_.size());
  for (PrimNode copy : subtree.nodes_) {
    for (std::int32_t* index :
         {&copy.parent, &copy.origin, &copy.first_child, &copy.next_sibling}) {
      if (*index != kNoNode) *index += base;
    }
    nodes_.push_back(copy);
  }
  PrimNode& root = (*this)[base];
  node.stack = root.stack;
  node.path = root.path;
  node.first_child = root.first_child;
  node.inert = node.inert || root.inert;
  root = node;
  Link(base);
  return base;
}

void PrimTree::Remove(std::int32_t node) {
  std::int32_t* link = &(*this)[(*this)[node].parent].first_child;
  while (*link != node) link = &(*this)[*link].next_sibling;
  *link = (*this)[node].next_sibling;
  (*this)[node].next_sibling = kNoNode;
  std::vector<std::int32_t> gone{node};
  while (!gone.empty()) {
    const std::int32_t at = gone.back();
    gone.pop_back();
    (*this)[at].removed = true;
    for (std::int32_t child = (*this)[at].first_child; child != kNoNode;
         child = (*this)[child].next_sibling) {
      gone.push_back(child);
    }
  }
}

void PrimTree::DropRemoved() {
  std::vector<std::int32_t> renamed(nodes_.size(), kNoNode);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].removed) continue;
    renamed[i] = static_cast<std::int32_t>(kept);
    nodes_[kept++] = nodes_[i];
  }
  if (kept == nodes_.size()) return;
  nodes_.resize(kept);
  for (PrimNode& node : nodes_) {
    for (std::int32_t* index :
         {&node.parent, &node.origin, &node.first_child, &node.next_sibling}) {
      if (*index != kNoNode) *index = renamed[static_cast<std::size_t>(*index)];
    }
  }
}

void PrimTree::GrowTo(PathTable& paths, Token name, FunctionRef<bool(const PrimNode&)> keep) {
  for (PrimNode& node : nodes_) {
    if (node.removed) continue;
    node.path = paths.Child(node.path, name);
    node.decided = 0;
    node.expanded = 0;
  }
  // A node comes after its parent, so that going backwards a parent sees what became of its
  // children.
  for (auto i = static_cast<std::int32_t>(nodes_.size()); i-- > 1;) {
    const PrimNode& node = (*this)[i];
    if (node.removed || node.first_child != kNoNode || IsClassArc(node.arc)) continue;
    if (!keep(node)) Remove(i);
  }
  DropRemoved();
}

bool PrimTree::Contains(std::uint32_t stack, Path path) const {
  return std::any_of(nodes_.begin(), nodes_.end(), [&](const PrimNode& node) {
    return !node.removed && node.stack == stack && node.path == path;
  });
}

void PrimTree::AppendNested(std::int32_t node, bool with_specializes,
                            std::vector<std::int32_t>& out) const {
  // The tree is as deep as arcs are chained, which is limited; siblings may be many.
  out.push_back(node);
  for (std::int32_t child = (*this)[node].first_child; child != kNoNode;
       child = (*this)[child].next_sibling) {
    if (with_specializes || (*this)[child].arc != Arc::kSpecialize) {
      AppendNested(child, with_specializes, out);
    }
  }
}

std::vector<std::int32_t> PrimTree::Nested() const {
  std::vector<std::int32_t> order;
  if (!nodes_.empty()) AppendNested(0, true, order);
  return order;
}

bool PrimTree::IsInsideSpecialize(std::int32_t node, std::int32_t top) const {
  for (node = (*this)[node].parent; node != top && node != kNoNode; node = (*this)[node].parent) {
    if ((*this)[node].arc == Arc::kSpecialize) return true;
  }
  return false;
}

std::int32_t PrimTree::AuthoredOrigin(std::int32_t node) const {
  while (node != kNoNode && (*this)[node].implied()) node = (*this)[node].origin;
  return node;
}

std::size_t PrimTree::Implications(std::int32_t node) const {
  std::size_t count = 0;
  while (node != kNoNode && (*this)[node].implied()) {
    node = (*this)[node].origin;
    ++count;
  }
  return count;
}

/// The specializes below `node` in the order of their authored nodes, each followed by those inside
/// it: the implied ones first, the outermost leading, since outer opinions are stronger.
void PrimTree::AppendSpecializesOf(std::int32_t node, std::vector<std::int32_t>& out) const {
  std::vector<std::int32_t> nested;
  AppendNested(node, true, nested);
  for (const std::int32_t authored : nested) {
    if ((*this)[authored].arc != Arc::kSpecialize || (*this)[authored].implied()) continue;
    if (IsInsideSpecialize(authored, node)) continue;
    std::vector<std::int32_t> group{authored};
    for (const std::int32_t other : nested) {
      if (other != authored && AuthoredOrigin(other) == authored) group.push_back(other);
    }
    std::stable_sort(group.begin(), group.end(), [&](std::int32_t a, std::int32_t b) {
      return Implications(a) > Implications(b);
    });
    for (const std::int32_t member : group) {
      AppendNested(member, false, out);
      AppendSpecializesOf(member, out);
    }
  }
}

std::vector<std::int32_t> PrimTree::ByStrength() const {
  std::vector<std::int32_t> order;
  if (nodes_.empty()) return order;
  AppendNested(0, false, order);
  AppendSpecializesOf(0, order);
  return order;
}

Path PrimTree::Up(PathTable& paths, std::int32_t node, Path path, bool outside) const {
  const PrimNode& at = (*this)[node];
  if (path.HasPrefix(at.source)) return paths.ReplacePrefix(path, at.source, at.target);
  if (!outside && !at.internal && (at.arc == Arc::kReference || at.arc == Arc::kPayload)) return {};
  // What stands there in the parent's namespace is the image of something else.
  return path.HasPrefix(at.target) ? Path() : path;
}

Path PrimTree::Down(PathTable& paths, std::int32_t node, Path path) const {
  const PrimNode& at = (*this)[node];
  if (path.HasPrefix(at.target)) return paths.ReplacePrefix(path, at.target, at.source);
  return path.HasPrefix(at.source) ? Path() : path;
}

Path PrimTree::ToRoot(PathTable& paths, std::int32_t node, Path path) const {
  for (; !path.empty() && (*this)[node].parent != kNoNode; node = (*this)[node].parent) {
    path = Up(paths, node, path, false);
  }
  return path;
}

LayerOffset PrimTree::RootFromNode(std::int32_t node) const {
  LayerOffset map;
  for (; node != kNoNode; node = (*this)[node].parent) {
    map = Compose((*this)[node].parent_from_node, map);
  }
  return map;
}

}  // namespace flexor::io::usd
