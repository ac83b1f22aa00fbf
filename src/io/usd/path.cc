#include "io/usd/path.h"

#include <vector>

namespace flexor::io::usd {
namespace {

// What one path costs beside its node: its node and bucket in the index.
constexpr std::size_t kIndexOverhead = 4 * sizeof(void*);

}  // namespace

bool Path::HasPrefix(Path prefix) const {
  if (empty() || prefix.empty()) return false;
  const Node* node = node_;
  while (node->length > prefix.node_->length) node = node->parent;
  return node == prefix.node_;
}

std::string Path::ToString() const {
  if (empty()) return {};
  if (IsRoot()) return "/";
  std::vector<const Node*> nodes;
  for (const Node* node = node_; node->parent; node = node->parent) nodes.push_back(node);
  std::string text;
  bool after_variant = false;
  for (auto it = nodes.rbegin(); it != nodes.rend(); ++it) {
    const Node& node = **it;
    switch (node.kind) {
      case PathKind::kRoot:
        break;
      case PathKind::kPrim:
        if (!after_variant) text += '/';
        text += node.name.text();
        break;
      case PathKind::kProperty:
        if (text.empty()) text += '/';  // a property of the root
        text += '.';
        text += node.name.text();
        break;
      case PathKind::kVariant:
        text += '{';
        text += node.name.text();
        text += '=';
        text += node.variant.text();
        text += '}';
        break;
    }
    after_variant = node.kind == PathKind::kVariant;
  }
  return text;
}

std::size_t PathTable::Hash::operator()(const Path::Node* node) const {
  std::uint64_t hash = reinterpret_cast<std::uintptr_t>(node->parent);
  hash = (hash ^ (hash >> 29)) * 0x9e3779b97f4a7c15ull + node->name.Hash();
  hash = (hash ^ (hash >> 31)) * 0xd6e8feb86659fd93ull + node->variant.Hash();
  hash = (hash ^ (hash >> 30)) * 0x9e3779b97f4a7c15ull + static_cast<std::uint64_t>(node->kind);
  return static_cast<std::size_t>(hash ^ (hash >> 32));
}

PathTable::PathTable(MemoryBudget& budget) : tokens_(budget) {}

Path PathTable::Make(Path parent, PathKind kind, Token name, Token variant) {
  const Path::Node* above = parent.node_;
  if (above == nullptr || above->kind == PathKind::kProperty) return {};
  Path::Node node;
  node.parent = above;
  node.name = name;
  node.variant = variant;
  node.kind = kind;
  if (const auto found = index_.find(&node); found != index_.end()) return Path(*found);
  if (above->length >= kMaxLength) {
    if (status_.ok()) {
      status_ = Error{ErrorCode::kLimitExceeded,
                      "a path has more than " + std::to_string(kMaxLength) + " elements",
                      {{}, parent.ToString(), {}}};
    }
    return {};
  }
  if (auto charged = budget().Charge(1, sizeof(Path::Node) + kIndexOverhead, "paths of USD layers");
      !charged.ok()) {
    if (status_.ok()) status_ = std::move(charged);
    return {};
  }
  node.length = static_cast<std::uint16_t>(above->length + 1);
  node.prim_names =
      static_cast<std::uint16_t>(above->prim_names + (kind == PathKind::kPrim ? 1 : 0));
  node.has_variant = above->has_variant || kind == PathKind::kVariant;
  nodes_.push_back(node);
  index_.insert(&nodes_.back());
  return Path(&nodes_.back());
}

Path PathTable::Child(Path parent, Token name) { return Make(parent, PathKind::kPrim, name, {}); }

Path PathTable::Property(Path prim, Token name) {
  return Make(prim, PathKind::kProperty, name, {});
}

Path PathTable::Variant(Path prim, Token set, Token variant) {
  return Make(prim, PathKind::kVariant, set, variant);
}

Path PathTable::ReplacePrefix(Path path, Path from, Path to) {
  if (from == to || !path.HasPrefix(from)) return path;
  std::vector<const Path::Node*> below;
  for (const Path::Node* node = path.node_; node != from.node_; node = node->parent) {
    below.push_back(node);
  }
  Path result = to;
  for (auto it = below.rbegin(); it != below.rend(); ++it) {
    result = Make(result, (*it)->kind, (*it)->name, (*it)->variant);
  }
  return result;
}

Path PathTable::WithoutVariants(Path path) {
  if (!path.HasVariant()) return path;
  std::vector<const Path::Node*> nodes;
  for (const Path::Node* node = path.node_; node->parent; node = node->parent) {
    if (node->kind != PathKind::kVariant) nodes.push_back(node);
  }
  Path result = root();
  for (auto it = nodes.rbegin(); it != nodes.rend(); ++it) {
    result = Make(result, (*it)->kind, (*it)->name, {});
  }
  return result;
}

}  // namespace flexor::io::usd
