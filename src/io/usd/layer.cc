#include "io/usd/layer.h"

#include <algorithm>

namespace flexor::io::usd {
namespace {

// What a spec costs beside itself: its node in the map of paths and the pointer of its parent.
constexpr std::size_t kLinkBytes = 6 * sizeof(void*);

}  // namespace

const Value* Fields::Find(std::string_view name) const {
  for (const auto& [key, value] : entries) {
    if (key == name) return &value;
  }
  return nullptr;
}

void Fields::Set(Token name, Value value) {
  for (auto& [key, old] : entries) {
    if (key == name) {
      old = std::move(value);
      return;
    }
  }
  entries.emplace_back(name, std::move(value));
}

bool operator==(const Reference& a, const Reference& b) {
  if (!(a.asset == b.asset && a.prim == b.prim && a.time == b.time)) return false;
  if (a.custom_data == b.custom_data) return true;
  return a.custom_data && b.custom_data && *a.custom_data == *b.custom_data;
}

Layer::Layer(std::string identifier, std::shared_ptr<PathTable> paths)
    : identifier_(std::move(identifier)), paths_(std::move(paths)) {
  prims_.emplace_back();
  root_ = &prims_.back();
  root_->path = paths_->root();
  prim_at_.emplace(root_->path, root_);
}

PrimSpec* Layer::FindPrim(Path path) {
  const auto found = prim_at_.find(path);
  return found == prim_at_.end() ? nullptr : found->second;
}

const PrimSpec* Layer::FindPrim(Path path) const {
  return const_cast<Layer*>(this)->FindPrim(path);
}

PropertySpec* Layer::FindProperty(Path path) {
  const auto found = property_at_.find(path);
  return found == property_at_.end() ? nullptr : found->second;
}

const PropertySpec* Layer::FindProperty(Path path) const {
  return const_cast<Layer*>(this)->FindProperty(path);
}

const VariantSetSpec* PrimSpec::FindVariantSet(Token set) const {
  const auto found = std::ranges::find(variant_sets, set, &VariantSetSpec::name);
  return found == variant_sets.end() ? nullptr : &*found;
}

Result<PrimSpec*> Layer::AddPrim(Path path) {
  FLEXOR_TRY(paths_->budget().Charge(1, sizeof(PrimSpec) + kLinkBytes, "prims of USD layers"));
  PrimSpec* parent = FindPrim(path.parent());
  if (parent == nullptr) {
    return Error{ErrorCode::kInternal, "a prim without its parent", {{}, path.ToString(), {}}};
  }
  PrimSpec* prim = &prims_.emplace_back();
  prim->path = path;
  prim_at_.emplace(path, prim);
  if (!path.IsVariant()) {
    parent->children.push_back(prim);
    return prim;
  }
  auto set = std::ranges::find(parent->variant_sets, path.name(), &VariantSetSpec::name);
  if (set == parent->variant_sets.end()) {
    set = parent->variant_sets.insert(set, VariantSetSpec{path.name(), {}});
  }
  set->variants.push_back(prim);
  return prim;
}

Result<PropertySpec*> Layer::AddProperty(Path path) {
  FLEXOR_TRY(
      paths_->budget().Charge(1, sizeof(PropertySpec) + kLinkBytes, "properties of USD layers"));
  PrimSpec* prim = FindPrim(path.parent());
  if (prim == nullptr) {
    return Error{ErrorCode::kInternal, "a property without its prim", {{}, path.ToString(), {}}};
  }
  PropertySpec* property = &properties_.emplace_back();
  property->path = path;
  property_at_.emplace(path, property);
  prim->properties.push_back(property);
  return property;
}

}  // namespace flexor::io::usd

std::size_t std::hash<flexor::io::usd::Reference>::operator()(
    const flexor::io::usd::Reference& reference) const {
  return reference.asset.Hash() * 31 + reference.prim.Hash() +
         std::hash<double>()(reference.time.offset) * 7 +
         std::hash<double>()(reference.time.scale) * 3;
}
