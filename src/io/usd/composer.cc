#include "io/usd/composer.h"

#include <algorithm>
#include <utility>

#include "io/rules.h"

namespace flexor::io::usd {
namespace {

constexpr std::uint8_t Bit(Arc arc) {
  return static_cast<std::uint8_t>(1u << static_cast<int>(arc));
}

constexpr Arc kDirectArcs[] = {Arc::kReference, Arc::kPayload, Arc::kInherit, Arc::kSpecialize};
constexpr std::uint8_t kAllDirect =
    Bit(Arc::kReference) | Bit(Arc::kPayload) | Bit(Arc::kInherit) | Bit(Arc::kSpecialize);

}  // namespace

Status Composer::Count(std::size_t nodes) {
  nodes_made_ += nodes;
  if (nodes_made_ <= limits_.nodes) return {};
  return Error{ErrorCode::kLimitExceeded,
               "composing this stage takes more than " + std::to_string(limits_.nodes) +
                   " steps: references multiply; flatten the stage in the program it comes from",
               {}};
}

void Composer::Complain(std::string_view code, const PrimTree& tree, std::int32_t node,
                        std::string message) {
  const PrimNode& at = tree[node];
  Report(diagnostics_, code, stacks_[at.stack].root().identifier() + ": " + at.path.ToString(),
         std::move(message));
}

bool Composer::HasSpec(std::uint32_t stack, Path path) const {
  for (const StackLayer& layer : stacks_[stack].layers) {
    if (layer.layer->FindPrim(path) != nullptr) return true;
  }
  return false;
}

bool Composer::IsInstance(const PrimTree& tree) const {
  bool has_arc = false;
  for (std::int32_t node = 1; node < static_cast<std::int32_t>(tree.size()); ++node) {
    has_arc = has_arc || (!tree[node].removed && !tree[node].inert && tree.Below(node) == 0);
  }
  if (!has_arc) return false;
  for (const std::int32_t node : tree.ByStrength()) {
    if (tree[node].inert) continue;
    for (const StackLayer& layer : stacks_[tree[node].stack].layers) {
      const PrimSpec* spec = layer.layer->FindPrim(tree[node].path);
      const Value* value = spec ? spec->metadata.Find("instanceable") : nullptr;
      if (value != nullptr && value->Is<bool>()) return value->GetOr(false);
    }
  }
  return false;
}

Status Composer::Grow(PrimTree& tree, Token name) {
  FLEXOR_TRY(Count(tree.size()));
  if (IsInstance(tree)) {
    // What arcs of the instance itself brought stays; the rest has nothing to say further down.
    for (std::int32_t node = 0; node < static_cast<std::int32_t>(tree.size()); ++node) {
      if (!tree[node].removed && !tree.IsOwn(node)) tree[node].inert = true;
    }
  }
  tree.GrowTo(paths_, name,
              [this](const PrimNode& node) { return HasSpec(node.stack, node.path); });
  return paths_.status();
}

Result<PrimTree> Composer::RootPrim(std::uint32_t stack, Token name) {
  PrimTree tree(stack, paths_.Child(paths_.root(), name));
  FLEXOR_TRY(Count(1));
  FLEXOR_TRY(Expand(tree, nullptr));
  return tree;
}

Result<PrimTree> Composer::ChildPrim(PrimTree parent, Token name) {
  FLEXOR_TRY(Grow(parent, name));
  FLEXOR_TRY(Expand(parent, nullptr));
  return parent;
}

Result<PrimTree> Composer::Build(std::uint32_t stack, Path path, const Outer* outer) {
  std::vector<Token> names;
  for (; path.IsPrim(); path = path.parent()) names.push_back(path.name());
  PrimTree tree(stack, paths_.Child(paths_.root(), names.back()));
  names.pop_back();
  FLEXOR_TRY(Count(1));
  FLEXOR_TRY(Expand(tree, outer));
  for (; !names.empty(); names.pop_back()) {
    FLEXOR_TRY(Grow(tree, names.back()));
    FLEXOR_TRY(Expand(tree, outer));
  }
  return tree;
}

Status Composer::Expand(PrimTree& tree, const Outer* outer) {
  for (bool changed = true; changed;) {
    for (bool more = true; more;) {
      FLEXOR_ASSIGN(const bool followed, ExpandDirect(tree, outer));
      FLEXOR_ASSIGN(const bool implied, ImplyClasses(tree, outer));
      more = followed || implied;
    }
    FLEXOR_ASSIGN(changed, ChooseVariant(tree, outer));
  }
  return paths_.status();
}

Result<bool> Composer::ExpandDirect(PrimTree& tree, const Outer* outer) {
  const auto has_arcs = [this](const PrimNode& node) {
    for (const StackLayer& layer : stacks_[node.stack].layers) {
      const PrimSpec* spec = layer.layer->FindPrim(node.path);
      if (spec != nullptr &&
          (spec->references || spec->payloads || spec->inherits || spec->specializes)) {
        return true;
      }
    }
    return false;
  };
  bool any = false;
  // All arcs of one kind before the next kind: a class that is met twice counts where it is met
  // first.
  for (bool more = true; more;) {
    more = false;
    for (const Arc arc : kDirectArcs) {
      for (std::int32_t node = 0; node < static_cast<std::int32_t>(tree.size()); ++node) {
        PrimNode& at = tree[node];
        if (at.removed || at.inert || (at.expanded & Bit(arc))) continue;
        if (at.expanded == 0 && !has_arcs(at)) {
          at.expanded = kAllDirect;
          continue;
        }
        at.expanded |= Bit(arc);
        const std::size_t before = tree.size();
        FLEXOR_TRY(IsClassArc(arc) ? FollowClasses(tree, node, arc, outer)
                                   : FollowReferences(tree, node, arc, outer));
        any = any || tree.size() != before;
        more = more || tree.size() != before;
      }
      if (more) break;
    }
  }
  return any;
}

bool Composer::ClosesCycle(const PrimTree& tree, std::int32_t from, const Outer* outer,
                           std::uint32_t stack, Path path) const {
  const PrimTree* in = &tree;
  for (;;) {
    for (std::int32_t at = from; at != kNoNode; at = (*in)[at].parent) {
      const PrimNode& node = (*in)[at];
      if (node.stack == stack && (node.path.HasPrefix(path) || path.HasPrefix(node.path))) {
        return true;
      }
    }
    if (outer == nullptr) return false;
    in = outer->tree;
    from = outer->node;
    outer = outer->next;
  }
}

Status Composer::AddArc(PrimTree& tree, const NewArc& arc, const Outer* outer,
                        std::int32_t& out_node) {
  out_node = kNoNode;
  if (arc.arc != Arc::kVariant && !arc.placeholder &&
      ClosesCycle(tree, arc.parent, outer, arc.stack, arc.path)) {
    // An implied class that leads back here is simply none.
    if (arc.origin == arc.parent) {
      Complain("USD_ARC_CYCLE", tree, arc.parent,
               "the " + std::string(ArcName(arc.arc)) + " to <" + arc.path.ToString() +
                   "> is left out: it leads back to where it comes from");
    }
    return {};
  }
  if (IsClassArc(arc.arc) && !arc.placeholder && tree.Contains(arc.stack, arc.path)) return {};

  PrimNode node;
  node.path = arc.path;
  node.target = paths_.WithoutVariants(tree[arc.parent].path);
  node.source = arc.arc == Arc::kVariant ? node.target : arc.path;
  node.parent_from_node = arc.time;
  node.stack = arc.stack;
  node.parent = arc.parent;
  node.origin = arc.origin;
  node.depth = static_cast<std::uint16_t>(arc.depth);
  node.sibling = static_cast<std::uint16_t>(std::min<std::size_t>(arc.sibling, 0xFFFF));
  node.arc = arc.arc;
  node.inert = arc.placeholder;
  node.internal = arc.internal;
  FLEXOR_TRY(paths_.status());

  const bool has_ancestors =
      arc.arc != Arc::kVariant && !arc.placeholder && arc.path.prim_names() > 1;
  if (!has_ancestors) {
    out_node = tree.Add(node);
    FLEXOR_TRY(Count(1));
  } else {
    if (arcs_deep_ >= limits_.arc_depth) {
      return Error{ErrorCode::kLimitExceeded,
                   "arcs lead to arcs more than " + std::to_string(limits_.arc_depth) +
                       " deep at <" + arc.path.ToString() + ">",
                   {stacks_[arc.stack].root().identifier(), arc.path.ToString(), {}}};
    }
    const Outer frame{outer,       &tree,       arc.parent,
                      node.source, node.target, arc.internal || IsClassArc(arc.arc)};
    ++arcs_deep_;
    auto built = Build(arc.stack, arc.path.parent(), &frame);
    --arcs_deep_;
    if (!built.ok()) return std::move(built).error();
    PrimTree subtree = std::move(*built);
    FLEXOR_TRY(Grow(subtree, arc.path.name()));
    for (std::int32_t at = 1; at < static_cast<std::int32_t>(subtree.size()); ++at) {
      const PrimNode& inner = subtree[at];
      if (inner.removed) continue;
      const bool is_there = IsClassArc(arc.arc) && tree.Contains(inner.stack, inner.path);
      if (is_there || (inner.arc != Arc::kVariant &&
                       ClosesCycle(tree, arc.parent, outer, inner.stack, inner.path))) {
        subtree.Remove(at);
      }
    }
    out_node = tree.Attach(subtree, node);
  }
  if (tree.size() > limits_.nodes_per_prim) {
    return Error{ErrorCode::kLimitExceeded,
                 "one prim has opinions from more than " + std::to_string(limits_.nodes_per_prim) +
                     " places",
                 {stacks_[tree[0].stack].root().identifier(), tree[0].path.ToString(), {}}};
  }
  return {};
}

}  // namespace flexor::io::usd
