#include "io/usd/stage.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "io/rules.h"
#include "io/usd/composer.h"
#include "io/usd/time_map.h"

namespace flexor::io::usd {
namespace {

/// The specifier of all opinions. A class that the prim inherits from does not make it a class if
/// anything else defines it.
Specifier ComposedSpecifier(const StagePrim& prim) {
  bool is_inherited_class = false;
  for (const Opinion& opinion : prim.opinions) {
    if (opinion.spec->path.IsVariant() || opinion.spec->specifier == Specifier::kOver) continue;
    if (opinion.spec->specifier == Specifier::kDef) return Specifier::kDef;
    bool is_direct_inherit = false;
    for (std::int32_t node = opinion.node; node != kNoNode; node = prim.tree[node].parent) {
      is_direct_inherit =
          is_direct_inherit || (prim.tree[node].arc == Arc::kInherit && prim.tree.Below(node) == 0);
    }
    if (!is_direct_inherit) return Specifier::kClass;
    is_inherited_class = true;
  }
  return is_inherited_class ? Specifier::kClass : Specifier::kOver;
}

Token ComposedTypeName(const StagePrim& prim) {
  for (const Opinion& opinion : prim.opinions) {
    const Token name = opinion.spec->type_name;
    if (!name.empty() && !(name == "__AnyType__")) return name;
  }
  return {};
}

/// Adds the entries of a weaker dictionary that a stronger one does not have.
Dictionary Merged(const Dictionary& strong, const Dictionary& weak) {
  Dictionary merged = strong;
  for (const auto& [name, value] : weak.entries) {
    const Value* there = merged.Find(name.text());
    if (there == nullptr) {
      merged.Set(name, value);
    } else if (there->dictionary() != nullptr && value.dictionary() != nullptr) {
      merged.Set(name, Value::OfDictionary(std::make_shared<const Dictionary>(
                           Merged(*there->dictionary(), *value.dictionary()))));
    }
  }
  return merged;
}

}  // namespace

Token Property::type_name() const {
  for (const PropertyOpinion& opinion : opinions) {
    if (!opinion.spec->type_name.empty()) return opinion.spec->type_name;
  }
  return {};
}

bool Property::is_uniform() const {
  // Variability is not overridden: the definition of the weakest layer is the declaration.
  return !empty() && opinions.back().spec->variability == Variability::kUniform;
}

const Value* Property::Metadata(std::string_view field) const {
  for (const PropertyOpinion& opinion : opinions) {
    if (const Value* value = opinion.spec->metadata.Find(field)) return value;
  }
  return nullptr;
}

Stage::Stage(const std::string& path, const ResourceFn& resources, const LoadOptions& options,
             const ComposeLimits& limits, MemoryBudget& budget, Diagnostics& diagnostics)
    : limits_(limits),
      budget_(budget),
      diagnostics_(diagnostics),
      paths_(std::make_shared<PathTable>(budget)),
      layers_(path, resources, options, limits_, paths_, budget, diagnostics),
      stacks_(layers_, limits_, diagnostics) {}

Result<std::unique_ptr<Stage>> Stage::Compose(std::span<const std::byte> bytes,
                                              const std::string& path, const ResourceFn& resources,
                                              const LoadOptions& options,
                                              const ComposeLimits& limits, MemoryBudget& budget,
                                              Diagnostics& diagnostics) {
  std::unique_ptr<Stage> stage(new Stage(path, resources, options, limits, budget, diagnostics));
  FLEXOR_ASSIGN(const Layer* root, stage->layers_.OpenRoot(bytes));
  FLEXOR_TRY(stage->stacks_.StackOf(*root));
  FLEXOR_TRY(stage->ComposePrims());
  return stage;
}

std::int32_t Stage::Find(Path prim) const {
  const auto found = prim_at_.find(prim);
  return found == prim_at_.end() ? -1 : static_cast<std::int32_t>(found->second);
}

std::vector<Token> Stage::ChildNames(const StagePrim& prim) const {
  std::vector<Token> names;
  std::unordered_set<Token> seen;
  for (auto opinion = prim.opinions.rbegin(); opinion != prim.opinions.rend(); ++opinion) {
    if (prim.is_instance && !prim.tree.IsOwn(opinion->node)) continue;
    for (const PrimSpec* child : opinion->spec->children) {
      if (seen.insert(child->name()).second) names.push_back(child->name());
    }
    if (!opinion->spec->child_order.empty()) {
      ListOp<Token> order;
      order.ordered = opinion->spec->child_order;
      order.ApplyTo(names);
    }
  }
  return names;
}

Status Stage::Fill(StagePrim& prim, const StagePrim& parent, bool is_instance) {
  for (const std::int32_t node : prim.tree.ByStrength()) {
    const PrimNode& at = prim.tree[node];
    if (at.inert) continue;
    const LayerOffset stage_from_node = prim.tree.RootFromNode(node);
    for (const StackLayer& layer : stacks_[at.stack].layers) {
      const PrimSpec* spec = layer.layer->FindPrim(at.path);
      if (spec == nullptr) continue;
      prim.opinions.push_back(
          {layer.layer, spec, node, usd::Compose(stage_from_node, layer.stack_from_layer)});
    }
  }
  prim.specifier = ComposedSpecifier(prim);
  prim.type_name = ComposedTypeName(prim);
  prim.is_active = Metadata(prim, "active").GetOr(true);
  prim.is_defined = parent.is_defined && prim.specifier != Specifier::kOver;
  prim.is_abstract = parent.is_abstract || prim.specifier == Specifier::kClass;
  prim.is_instance = is_instance;
  const Value clips = Metadata(prim, "clips");
  if (clips.dictionary() != nullptr && !clips.dictionary()->entries.empty()) {
    return Error{ErrorCode::kUnsupportedFeature,
                 "the prim has value clips, which flexor does not read; flatten the stage first",
                 {layers_.root_path(), prim.path.ToString(), {}}};
  }
  return budget_.Charge(1,
                        sizeof(StagePrim) + prim.tree.size() * sizeof(PrimNode) +
                            prim.opinions.size() * sizeof(Opinion),
                        "composed prims");
}

Status Stage::ComposePrims() {
  Composer composer(*paths_, layers_, stacks_, limits_, diagnostics_);
  StagePrim root;
  root.path = paths_->root();
  root.specifier = Specifier::kDef;
  root.is_defined = true;
  root.tree = PrimTree(0, root.path);
  for (const StackLayer& layer : stacks_[0].layers) {
    root.opinions.push_back({layer.layer, &layer.layer->root(), 0, layer.stack_from_layer});
  }
  prims_.push_back(std::move(root));
  prim_at_.emplace(paths_->root(), 0);

  struct Waiting {
    std::uint32_t parent;
    Token name;
  };
  std::vector<Waiting> waiting;
  const auto wait_for_children = [&](std::uint32_t prim) {
    const std::vector<Token> names = ChildNames(prims_[prim]);
    for (auto name = names.rbegin(); name != names.rend(); ++name) waiting.push_back({prim, *name});
  };
  wait_for_children(0);
  while (!waiting.empty()) {
    const Waiting next = waiting.back();
    waiting.pop_back();
    if (prims_.size() >= limits_.prims) {
      return Error{ErrorCode::kLimitExceeded,
                   "the stage has more than " + std::to_string(limits_.prims) + " prims",
                   {layers_.root_path(), {}, {}}};
    }
    auto tree = next.parent == 0 ? composer.RootPrim(0, next.name)
                                 : composer.ChildPrim(prims_[next.parent].tree, next.name);
    if (!tree.ok()) return std::move(tree).error();
    StagePrim prim;
    prim.path = paths_->Child(prims_[next.parent].path, next.name);
    FLEXOR_TRY(paths_->status());
    prim.parent = static_cast<std::int32_t>(next.parent);
    prim.tree = std::move(*tree);
    const bool is_instance = composer.IsInstance(prim.tree);
    FLEXOR_TRY(Fill(prim, prims_[next.parent], is_instance));
    const auto index = static_cast<std::uint32_t>(prims_.size());
    prims_.push_back(std::move(prim));
    prim_at_.emplace(prims_[index].path, index);
    prims_[next.parent].children.push_back(index);
    if (prims_[index].is_active) wait_for_children(index);
  }
  return layers_.status();
}

std::vector<Token> Stage::PropertyNames(const StagePrim& prim) const {
  std::vector<Token> names;
  for (const Opinion& opinion : prim.opinions) {
    for (const PropertySpec* property : opinion.spec->properties) names.push_back(property->name());
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Property Stage::FindProperty(const StagePrim& prim, std::string_view name) const {
  Property property;
  const Token token = paths_->tokens().Find(name);
  if (token.empty()) return property;
  for (const Opinion& opinion : prim.opinions) {
    for (const PropertySpec* spec : opinion.spec->properties) {
      if (spec->name() == token) {
        property.opinions.push_back({opinion.layer, spec, opinion.stage_from_layer});
      }
    }
  }
  if (!property.empty()) property.path = paths_->Property(prim.path, token);
  return property;
}

Value Stage::Metadata(const StagePrim& prim, std::string_view field) const {
  Value strongest;
  for (const Opinion& opinion : prim.opinions) {
    const Value* value = opinion.spec->metadata.Find(field);
    if (value == nullptr) continue;
    if (strongest.empty()) {
      strongest = *value;
      if (strongest.dictionary() == nullptr) return strongest;
    } else if (value->dictionary() != nullptr) {
      strongest = Value::OfDictionary(std::make_shared<const Dictionary>(
          Merged(*strongest.dictionary(), *value->dictionary())));
    }
  }
  return strongest;
}

std::vector<Token> Stage::ApiSchemas(const StagePrim& prim) const {
  std::vector<Token> schemas;
  for (auto opinion = prim.opinions.rbegin(); opinion != prim.opinions.rend(); ++opinion) {
    if (opinion->spec->api_schemas) opinion->spec->api_schemas->ApplyTo(schemas);
  }
  return schemas;
}

bool Stage::HasApi(const StagePrim& prim, std::string_view schema) const {
  const std::vector<Token> schemas = ApiSchemas(prim);
  return std::any_of(schemas.begin(), schemas.end(),
                     [&](Token applied) { return applied == schema; });
}

std::vector<Path> Stage::Targets(const StagePrim& prim, std::string_view property) {
  std::vector<Path> targets;
  const Token name = paths_->tokens().Find(property);
  for (auto opinion = prim.opinions.rbegin(); opinion != prim.opinions.rend(); ++opinion) {
    for (const PropertySpec* spec : opinion->spec->properties) {
      if (!(spec->name() == name) || !spec->targets) continue;
      ListOp<Path> edits = *spec->targets;
      const auto map = [&](std::vector<Path>& items, bool say) {
        for (Path& item : items) {
          const Path mapped =
              prim.tree.ToRoot(*paths_, opinion->node, paths_->WithoutVariants(item));
          if (mapped.empty() && say) {
            Report(diagnostics_, "USD_TARGET_OUTSIDE",
                   opinion->layer->identifier() + ": " + spec->path.ToString(),
                   "the target <" + item.ToString() +
                       "> is left out: it lies outside of what the reference brings in");
          }
          item = mapped;
        }
        std::erase_if(items, [](Path item) { return item.empty(); });
      };
      map(edits.explicit_items, true);
      map(edits.added, true);
      map(edits.prepended, true);
      map(edits.appended, true);
      map(edits.deleted, false);
      map(edits.ordered, false);
      edits.ApplyTo(targets);
    }
  }
  return targets;
}

std::vector<Path> Stage::ForwardedTargets(const StagePrim& prim, std::string_view relationship) {
  constexpr int kMostHops = 16;
  std::vector<Path> found;
  std::vector<std::pair<Path, int>> waiting;
  std::unordered_set<Path> seen;
  const auto wait_for = [&](std::vector<Path> targets, int hops) {
    for (auto target = targets.rbegin(); target != targets.rend(); ++target) {
      waiting.push_back({*target, hops});
    }
  };
  wait_for(Targets(prim, relationship), 0);
  while (!waiting.empty()) {
    const auto [target, hops] = waiting.back();
    waiting.pop_back();
    if (!seen.insert(target).second) continue;
    const std::int32_t owner = target.IsProperty() ? Find(target.parent()) : -1;
    const bool forwards =
        owner >= 0 && FindProperty(prims_[static_cast<std::size_t>(owner)], target.name().text())
                          .is_relationship();
    if (!forwards) {
      found.push_back(target);
    } else if (hops < kMostHops) {
      wait_for(Targets(prims_[static_cast<std::size_t>(owner)], target.name().text()), hops + 1);
    }
  }
  return found;
}

}  // namespace flexor::io::usd
