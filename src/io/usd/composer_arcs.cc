// Arcs that a layer stack authors at one prim: references, payloads, inherits, specializes.

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "io/rules.h"
#include "io/usd/composer.h"
#include "io/usd/time_map.h"

namespace flexor::io::usd {
namespace {

/// Where an item of a list of references was written.
struct Author {
  const StackLayer* layer;
  Token asset;  ///< as written there
};

const ListOp<Reference>* EditsOf(const PrimSpec& spec, Arc arc) {
  return (arc == Arc::kReference ? spec.references : spec.payloads).get();
}

/// "the reference @a.usda@</A>"
std::string Words(Arc arc, Token asset, Path prim) {
  std::string words = "the " + std::string(ArcName(arc)) + " ";
  if (!asset.empty()) words += "@" + asset.str() + "@";
  if (!prim.empty() || asset.empty()) words += "<" + prim.ToString() + ">";
  return words;
}

}  // namespace

Status Composer::FollowReferences(PrimTree& tree, std::int32_t node, Arc arc, const Outer* outer) {
  const std::uint32_t stack = tree[node].stack;
  const Path site = tree[node].path;
  std::vector<Reference> list;
  std::unordered_map<Reference, Author> authors;
  const auto& layers = stacks_[stack].layers;
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    const PrimSpec* spec = layer->layer->FindPrim(site);
    const ListOp<Reference>* edits = spec ? EditsOf(*spec, arc) : nullptr;
    if (edits == nullptr) continue;
    // Items are compared by the file they mean, not by how a layer spells it.
    ListOp<Reference> anchored = *edits;
    for (std::vector<Reference>* items :
         {&anchored.explicit_items, &anchored.added, &anchored.prepended, &anchored.appended,
          &anchored.deleted, &anchored.ordered}) {
      for (Reference& item : *items) {
        const Token authored = item.asset;
        if (!authored.empty()) {
          const OpenedLayer& opened = layers_.Open(authored.text(), layer->layer->identifier());
          FLEXOR_TRY(layers_.status());
          item.asset = paths_.Intern(opened.identifier);
        }
        authors[item] = {&*layer, authored};
      }
    }
    anchored.ApplyTo(list);
  }

  for (std::size_t i = 0; i < list.size(); ++i) {
    const Reference& item = list[i];
    const Author author = authors[item];
    const std::string words = Words(arc, author.asset, item.prim);
    const auto complain = [&](std::string_view code, const std::string& why) {
      Complain(code, tree, node, words + " " + why);
    };
    NewArc added;
    added.internal = item.asset.empty();
    added.stack = stack;
    if (!added.internal) {
      const OpenedLayer& opened =
          layers_.Open(author.asset.text(), author.layer->layer->identifier());
      FLEXOR_TRY(layers_.status());
      if (opened.layer == nullptr) {
        complain(opened.code, "is left out: " + opened.reason);
        continue;
      }
      FLEXOR_ASSIGN(added.stack, stacks_.StackOf(*opened.layer));
    }
    const Layer& target = stacks_[added.stack].root();
    added.path = item.prim;
    if (added.path.empty()) {
      const Value* name = target.root().metadata.Find("defaultPrim");
      const std::string_view text = name ? name->text() : std::string_view();
      if (auto path = paths_.Parse(text, paths_.root()); !text.empty() && path.ok()) {
        added.path = *path;
      }
      if (!added.path.IsPrim() || added.path.HasVariant()) {
        complain("USD_DEFAULT_PRIM", "is left out: it names no prim, and " + target.identifier() +
                                         " has no defaultPrim");
        continue;
      }
    }
    if (!added.path.IsPrim() || added.path.HasVariant()) {
      complain("USD_ARC_TARGET", "is left out: it must name a prim, outside of variants");
      continue;
    }
    LayerOffset time = item.time;
    if (!IsUsable(time)) {
      complain("USD_TIME_OFFSET", "is read without its time offset " + ToString(time));
      time = {};
    }
    time.scale *= TimeCodesPerSecond(*author.layer->layer) / TimeCodesPerSecond(target);
    added.time = Compose(author.layer->stack_from_layer, time);
    added.arc = arc;
    added.parent = added.origin = node;
    added.depth = site.prim_names();
    added.sibling = i;

    std::int32_t made = kNoNode;
    FLEXOR_TRY(AddArc(tree, added, outer, made));
    if (made == kNoNode) continue;
    bool has_spec = false;
    for (std::int32_t at = made; at < static_cast<std::int32_t>(tree.size()); ++at) {
      has_spec = has_spec || (!tree[at].removed && HasSpec(tree[at].stack, tree[at].path));
    }
    if (!has_spec) {
      tree.Remove(made);
      complain("USD_ARC_TARGET", "is left out: " + target.identifier() + " has no prim <" +
                                     added.path.ToString() + ">");
    }
  }
  return {};
}

Status Composer::FollowClasses(PrimTree& tree, std::int32_t node, Arc arc, const Outer* outer) {
  const std::uint32_t stack = tree[node].stack;
  const Path site = tree[node].path;
  std::vector<Path> list;
  const auto& layers = stacks_[stack].layers;
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    const PrimSpec* spec = layer->layer->FindPrim(site);
    if (spec == nullptr) continue;
    const ListOp<Path>* edits = (arc == Arc::kInherit ? spec->inherits : spec->specializes).get();
    if (edits != nullptr) edits->ApplyTo(list);
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Path target = paths_.WithoutVariants(list[i]);
    if (!target.IsPrim()) {
      Complain("USD_ARC_TARGET", tree, node,
               Words(arc, {}, target) + " is left out: it must name a prim");
      continue;
    }
    NewArc added;
    added.arc = arc;
    added.parent = added.origin = node;
    added.stack = stack;
    added.path = target;
    added.depth = site.prim_names();
    added.sibling = i;
    std::int32_t made = kNoNode;
    FLEXOR_TRY(AddArc(tree, added, outer, made));
  }
  return {};
}

}  // namespace flexor::io::usd
