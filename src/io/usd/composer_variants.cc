// Which variant of each set is chosen, and what it adds.

#include <utility>

#include "io/usd/composer.h"

namespace flexor::io::usd {

std::optional<Token> Composer::SelectionAt(std::uint32_t stack, Path path, Token set) const {
  for (const StackLayer& layer : stacks_[stack].layers) {
    const PrimSpec* spec = layer.layer->FindPrim(path);
    if (spec == nullptr) continue;
    for (const VariantSelection& selection : spec->selections) {
      if (selection.set == set) return selection.variant;
    }
  }
  return {};
}

/// What the stage says about the prim that `tree` is an inner view of. An arc inside a variant may
/// lead to a prim that is there only in that variant.
std::optional<Token> Composer::SelectionOutside(const PrimTree& tree, const Outer* outer,
                                                Token set) const {
  Path path = tree[0].path;
  const Outer* frame = outer;
  for (const Outer* at = outer; at != nullptr; at = at->next) {
    frame = at;
    if (path.HasPrefix(at->source)) {
      path = paths_.ReplacePrefix(path, at->source, at->target);
    } else if (!at->keeps_outside) {
      return {};
    }
    path = at->tree->ToRoot(paths_, at->node, path);
    if (path.empty()) return {};
  }
  if (frame == nullptr) return {};
  const PrimTree& stage = *frame->tree;
  const Path prim = stage[0].path;
  if (!prim.HasPrefix(path)) return SelectionAt(stage[0].stack, path, set);
  const std::size_t names_less = prim.prim_names() - path.prim_names();
  for (const std::int32_t node : stage.ByStrength()) {
    bool counts = !stage[node].inert;
    for (std::int32_t at = node; counts && stage[at].parent != kNoNode; at = stage[at].parent) {
      counts = stage.Below(at) >= names_less;
    }
    if (!counts) continue;
    Path above = stage[node].path;
    for (std::size_t names = names_less; names != 0; above = above.parent()) {
      if (above.IsPrim()) --names;
    }
    if (auto selection = SelectionAt(stage[node].stack, above, set)) return selection;
  }
  return {};
}

std::optional<Token> Composer::FindSelection(const PrimTree& tree, const Outer* outer,
                                             Token set) const {
  if (auto selection = SelectionOutside(tree, outer, set)) return selection;
  for (const std::int32_t node : tree.ByStrength()) {
    if (tree[node].inert) continue;
    if (auto selection = SelectionAt(tree[node].stack, tree[node].path, set)) return selection;
  }
  return {};
}

Result<bool> Composer::ChooseVariant(PrimTree& tree, const Outer* outer) {
  for (const std::int32_t node : tree.ByStrength()) {
    if (tree[node].inert) continue;
    std::vector<Token> sets;
    const auto& layers = stacks_[tree[node].stack].layers;
    for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
      const PrimSpec* spec = layer->layer->FindPrim(tree[node].path);
      if (spec != nullptr && spec->variant_set_names) spec->variant_set_names->ApplyTo(sets);
    }
    if (sets.size() > limits_.variant_sets) {
      return Error{ErrorCode::kLimitExceeded,
                   "a prim has " + std::to_string(sets.size()) + " variant sets; flexor reads " +
                       std::to_string(limits_.variant_sets),
                   {stacks_[tree[node].stack].root().identifier(), tree[node].path.ToString(), {}}};
    }
    for (std::size_t i = 0; i < sets.size(); ++i) {
      if (tree[node].decided >> i & 1) continue;
      const auto selection = FindSelection(tree, outer, sets[i]);
      if (!selection) continue;
      tree[node].decided |= std::uint64_t{1} << i;
      if (selection->empty()) continue;
      NewArc added;
      added.arc = Arc::kVariant;
      added.parent = added.origin = node;
      added.stack = tree[node].stack;
      added.path = paths_.Variant(tree[node].path, sets[i], *selection);
      added.depth = tree[node].path.prim_names();
      added.sibling = i;
      FLEXOR_TRY(paths_.status());
      if (!HasSpec(added.stack, added.path)) continue;
      std::int32_t made = kNoNode;
      FLEXOR_TRY(AddArc(tree, added, outer, made));
      return true;
    }
  }
  return false;
}

}  // namespace flexor::io::usd
