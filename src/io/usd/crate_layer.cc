#include <algorithm>
#include <limits>
#include <utility>

#include "io/usd/crate_layer_builder.h"
#include "io/usd/usdc.h"

namespace flexor::io::usd {
namespace {

constexpr std::pair<std::string_view, FieldKind> kFieldKinds[] = {
    {"specifier", FieldKind::kSpecifier},
    {"typeName", FieldKind::kTypeName},
    {"primChildren", FieldKind::kChildren},
    {"properties", FieldKind::kProperties},
    {"variantSetChildren", FieldKind::kVariantSets},
    {"variantChildren", FieldKind::kVariants},
    {"primOrder", FieldKind::kChildOrder},
    {"propertyOrder", FieldKind::kPropertyOrder},
    {"references", FieldKind::kReferences},
    {"payload", FieldKind::kPayload},
    {"inheritPaths", FieldKind::kInherits},
    {"specializes", FieldKind::kSpecializes},
    {"variantSetNames", FieldKind::kVariantSetNames},
    {"apiSchemas", FieldKind::kApiSchemas},
    {"variantSelection", FieldKind::kSelections},
    {"subLayers", FieldKind::kSubLayers},
    {"subLayerOffsets", FieldKind::kSubLayerOffsets},
    {"relocates", FieldKind::kRelocates},
    {"layerRelocates", FieldKind::kRelocates},
    {"custom", FieldKind::kCustom},
    {"variability", FieldKind::kVariability},
    {"default", FieldKind::kDefault},
    {"timeSamples", FieldKind::kTimeSamples},
    {"spline", FieldKind::kSpline},
    {"targetPaths", FieldKind::kTargets},
    {"connectionPaths", FieldKind::kTargets},
    {"targetChildren", FieldKind::kNothing},
    {"connectionChildren", FieldKind::kNothing},
};

FieldKind KindOf(std::string_view name) {
  for (const auto& [known, kind] : kFieldKinds) {
    if (known == name) return kind;
  }
  return FieldKind::kMetadata;
}

}  // namespace

Result<std::shared_ptr<Layer>> ReadUsdc(const SharedBytes& bytes, const std::string& identifier,
                                        std::shared_ptr<PathTable> paths,
                                        Diagnostics& diagnostics) {
  const auto read = [&]() -> Result<std::shared_ptr<Layer>> {
    FLEXOR_ASSIGN(auto crate, Crate::Open(bytes, paths, diagnostics));
    auto layer = std::make_shared<Layer>(identifier, paths);
    FLEXOR_TRY(CrateLayerBuilder(std::move(crate), *layer, diagnostics).Build());
    return layer;
  };
  auto layer = read();
  if (layer.ok()) return layer;
  Error error = std::move(layer).error();
  error.place.path = identifier;
  return error;
}

Status CrateLayerBuilder::Build() {
  FLEXOR_TRY(FindKinds());
  // Parents come before their children whatever the file's order, which stays otherwise.
  const auto& specs = crate_->specs();
  FLEXOR_TRY(budget_.Charge(specs.size(), sizeof(std::uint32_t), "the order of specs"));
  std::vector<std::uint32_t> order(specs.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
  std::ranges::stable_sort(order, {},
                           [&](std::uint32_t i) { return crate_->path(specs[i].path).length(); });
  for (const std::uint32_t i : order) {
    auto added = Add(specs[i]);
    if (added.ok()) continue;
    Error error = std::move(added).error();
    if (error.place.element.empty()) error.place.element = crate_->path(specs[i].path).ToString();
    return error;
  }
  budget_.Release(specs.size() * sizeof(std::uint32_t));
  for (const ChildList& list : child_lists_) FLEXOR_TRY(OrderChildren(list));
  unreachable_.ReportTo(diagnostics_, "USD_SPEC_DROPPED", "specs");
  unlisted_.ReportTo(diagnostics_, "USD_CHILDREN_DISAGREE", "specs");
  return layer_.paths().status();
}

Status CrateLayerBuilder::FindKinds() {
  std::uint32_t count = 0;
  for (const CrateField& field : crate_->fields()) count = std::max(count, field.token + 1);
  FLEXOR_TRY(budget_.Charge(count, sizeof(FieldKind), "names of fields"));
  kinds_.assign(count, FieldKind::kMetadata);
  std::vector<bool> known(count);
  for (const CrateField& field : crate_->fields()) {
    if (known[field.token]) continue;
    known[field.token] = true;
    kinds_[field.token] = KindOf(crate_->token(field.token).text());
  }
  return {};
}

Status CrateLayerBuilder::Add(const CrateSpec& spec) {
  const Path path = crate_->path(spec.path);
  switch (static_cast<CrateSpecType>(spec.type)) {
    case CrateSpecType::kPseudoRoot:
      if (path.IsRoot()) return AddPrim(spec, path);
      break;
    case CrateSpecType::kPrim:
      if (path.IsPrim()) return AddPrim(spec, path);
      break;
    case CrateSpecType::kVariant:
      if (path.IsVariant() && !path.variant().empty()) return AddPrim(spec, path);
      break;
    case CrateSpecType::kVariantSet:
      if (!path.IsVariant() || !path.variant().empty()) break;
      for (const std::uint32_t i : crate_->FieldSet(spec.field_set)) {
        const CrateField& field = crate_->fields()[i];
        if (kinds_[field.token] != FieldKind::kVariants) continue;
        child_lists_.push_back({nullptr, path, FieldKind::kVariants, field.code});
      }
      return {};
    case CrateSpecType::kAttribute:
      if (path.IsProperty()) return AddProperty(spec, path, false);
      break;
    case CrateSpecType::kRelationship:
      if (path.IsProperty()) return AddProperty(spec, path, true);
      break;
    default:
      return {};  // specs of targets and connections say nothing; mappers are no more
  }
  return Error{ErrorCode::kParse,
               "a spec of type " + std::to_string(spec.type) + " is at '" + path.ToString() +
                   "', where none of that type can be",
               {}};
}

Status CrateLayerBuilder::AddPrim(const CrateSpec& spec, Path path) {
  PrimSpec* prim = &layer_.root();
  if (!path.IsRoot()) {
    if (layer_.FindPrim(path.parent()) == nullptr) {
      unreachable_.Add([&] { return path.ToString() + " has no parent"; });
      return {};
    }
    FLEXOR_ASSIGN(prim, layer_.AddPrim(path));
  }
  for (const std::uint32_t i : crate_->FieldSet(spec.field_set)) {
    FLEXOR_TRY(ApplyToPrim(crate_->fields()[i], *prim));
  }
  return {};
}

Status CrateLayerBuilder::AddProperty(const CrateSpec& spec, Path path, bool is_relationship) {
  if (layer_.FindPrim(path.parent()) == nullptr) {
    unreachable_.Add([&] { return path.ToString() + " has no prim"; });
    return {};
  }
  FLEXOR_ASSIGN(PropertySpec* const property, layer_.AddProperty(path));
  property->is_relationship = is_relationship;
  // Attributes vary unless they say so, relationships do not.
  property->variability = is_relationship ? Variability::kUniform : Variability::kVarying;
  for (const std::uint32_t i : crate_->FieldSet(spec.field_set)) {
    FLEXOR_TRY(ApplyToProperty(crate_->fields()[i], *property));
  }
  return {};
}

template <class Item, class NameOf>
void CrateLayerBuilder::Order(std::vector<Item>& items, const std::vector<Token>& names,
                              NameOf&& name_of, Path path) {
  std::unordered_map<Token, std::size_t> place;
  for (std::size_t i = 0; i < names.size(); ++i) place.emplace(names[i], i);
  std::size_t found = 0;
  for (const Item& item : items) found += place.contains(name_of(item)) ? 1 : 0;
  if (found != place.size() || found != items.size()) {
    unlisted_.Add([&] {
      return path.ToString() + " lists " + std::to_string(place.size()) + " children and has " +
             std::to_string(items.size()) + ", " + std::to_string(found) + " of them listed";
    });
  }
  std::ranges::stable_sort(items, {}, [&](const Item& item) {
    const auto at = place.find(name_of(item));
    return at == place.end() ? std::numeric_limits<std::size_t>::max() : at->second;
  });
}

Status CrateLayerBuilder::OrderChildren(const ChildList& list) {
  PrimSpec* prim = list.prim ? list.prim : layer_.FindPrim(list.path.parent());
  const Path path = list.prim ? list.prim->path : list.path;
  auto names = LoadNames(list.code);
  if (!names.ok()) {
    if (names.error().code == ErrorCode::kLimitExceeded) return names.error();
    unlisted_.Add([&] { return path.ToString() + ": " + names.error().message; });
    return {};
  }
  const auto name_of_spec = [](const auto* spec) { return spec->name(); };
  const auto name_of_set = [](const VariantSetSpec& set) { return set.name; };
  if (list.kind == FieldKind::kChildren) {
    Order(prim->children, *names, name_of_spec, path);
  } else if (list.kind == FieldKind::kProperties) {
    Order(prim->properties, *names, name_of_spec, path);
  } else if (list.kind == FieldKind::kVariantSets) {
    Order(prim->variant_sets, *names, name_of_set, path);
  } else if (prim != nullptr) {
    for (VariantSetSpec& set : prim->variant_sets) {
      if (set.name == path.name()) Order(set.variants, *names, name_of_spec, path);
    }
  }
  return {};
}

}  // namespace flexor::io::usd
