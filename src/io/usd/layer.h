/// @file io/usd/layer.h
/// One USD layer as it was written, before composition: prims, their properties, their edits. The
/// same whether it came from text (usda) or bytes (usdc).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "io/usd/lazy_value.h"
#include "io/usd/list_op.h"
#include "io/usd/path.h"
#include "io/usd/value.h"

namespace flexor::io::usd {

/// Metadata that has no member of its own: active, kind, customData, interpolation, upAxis …
struct Fields {
  std::vector<std::pair<Token, Value>> entries;  ///< in the order of the layer, each name once

  /// Null when it is not there.
  const Value* Find(std::string_view name) const;
  /// The scalar of that name if it has that type.
  template <class T>
  T GetOr(std::string_view name, T fallback) const {
    const Value* value = Find(name);
    return value ? value->GetOr(fallback) : fallback;
  }
  /// Replaces what is there.
  void Set(Token name, Value value);
};

/// outer time = inner time * scale + offset.
struct LayerOffset {
  double offset = 0;
  double scale = 1;
  bool IsIdentity() const { return offset == 0 && scale == 1; }
  friend bool operator==(const LayerOffset&, const LayerOffset&) = default;
};

/// The target of a reference or payload.
struct Reference {
  Token asset;  ///< as written; empty: this layer stack
  Path prim;    ///< empty: the default prim
  LayerOffset time;
  std::shared_ptr<const Dictionary> custom_data;  ///< null: none; never on payloads
  friend bool operator==(const Reference& a, const Reference& b);
};

/// A layer below this one.
struct SubLayer {
  Token asset;
  LayerOffset time;
  friend bool operator==(const SubLayer&, const SubLayer&) = default;
};

/// A prim moved to another place; the target may be empty.
struct Relocate {
  Path source;
  Path target;
  friend bool operator==(const Relocate&, const Relocate&) = default;
};

/// A choice for one variant set; an empty one is "none of them".
struct VariantSelection {
  Token set;
  Token variant;
  friend bool operator==(const VariantSelection&, const VariantSelection&) = default;
};

enum class Specifier : std::uint8_t { kDef, kOver, kClass };
enum class Variability : std::uint8_t { kVarying, kUniform };

/// An attribute or a relationship.
struct PropertySpec {
  Path path;
  bool is_relationship = false;
  bool custom = false;
  Variability variability = Variability::kVarying;  ///< of relationships: uniform unless varying
  Token type_name;  ///< of attributes, as declared ("point3f[]"); FindTypeName() explains it
  LazyValue default_value;                     ///< empty when there is none; a block says None
  std::shared_ptr<const TimeSamples> samples;  ///< null when there are none
  bool has_spline = false;                     ///< it has one, which is not read
  /// Targets of a relationship, connections of an attribute; null when not authored.
  std::unique_ptr<ListOp<Path>> targets;
  Fields metadata;

  Token name() const { return path.name(); }
};

struct PrimSpec;

/// The variants that a prim offers under one name.
struct VariantSetSpec {
  Token name;
  std::vector<PrimSpec*> variants;  ///< their paths are /A{set=variant}
};

/// A prim, a variant of one, or the root of the layer. Edits that are not authored are null.
struct PrimSpec {
  Path path;
  Specifier specifier = Specifier::kOver;  ///< means nothing for variants and the root
  Token type_name;
  std::vector<PrimSpec*> children;
  std::vector<PropertySpec*> properties;
  std::vector<VariantSetSpec> variant_sets;

  std::unique_ptr<ListOp<Reference>> references;
  std::unique_ptr<ListOp<Reference>> payloads;
  std::unique_ptr<ListOp<Path>> inherits;
  std::unique_ptr<ListOp<Path>> specializes;
  std::unique_ptr<ListOp<Token>> variant_set_names;
  std::unique_ptr<ListOp<Token>> api_schemas;
  std::vector<VariantSelection> selections;  ///< each set once
  std::vector<Relocate> relocates;           ///< of the prim, or of the layer at its root
  std::vector<Token> child_order;            ///< reorder nameChildren, rootPrims
  std::vector<Token> property_order;
  Fields metadata;  ///< of the root: of the layer (upAxis, defaultPrim, customLayerData …)

  Token name() const { return path.IsVariant() ? path.variant() : path.name(); }
  /// Null when there is none of that name.
  const VariantSetSpec* FindVariantSet(Token set) const;
};

/// A layer. Building it is for readers; afterwards it is shared and does not change. Its paths and
/// texts live in the table, which it keeps alive.
class Layer {
 public:
  Layer(std::string identifier, std::shared_ptr<PathTable> paths);
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;

  /// The file, or the place in a package: "a.usdz[b.usda]".
  const std::string& identifier() const { return identifier_; }
  PathTable& paths() const { return *paths_; }

  /// Holds the layer's metadata, and the root prims as children.
  const PrimSpec& root() const { return *root_; }
  /// A prim or variant, or the root; null when the layer says nothing about it.
  const PrimSpec* FindPrim(Path path) const;
  const PropertySpec* FindProperty(Path path) const;

  const std::vector<SubLayer>& sublayers() const { return sublayers_; }

  // For readers.
  PrimSpec& root() { return *root_; }
  std::vector<SubLayer>& sublayers() { return sublayers_; }
  /// Adds an empty spec that is linked to its parent, which must be there: as child, variant or
  /// property. Nothing may stand at the path yet. Errors  kLimitExceeded (memory)
  Result<PrimSpec*> AddPrim(Path path);
  Result<PropertySpec*> AddProperty(Path path);
  PrimSpec* FindPrim(Path path);
  PropertySpec* FindProperty(Path path);

 private:
  std::string identifier_;
  std::shared_ptr<PathTable> paths_;
  std::deque<PrimSpec> prims_;
  std::deque<PropertySpec> properties_;
  std::unordered_map<Path, PrimSpec*> prim_at_;
  std::unordered_map<Path, PropertySpec*> property_at_;
  PrimSpec* root_;
  std::vector<SubLayer> sublayers_;
};

}  // namespace flexor::io::usd

template <>
struct std::hash<flexor::io::usd::Reference> {
  std::size_t operator()(const flexor::io::usd::Reference& reference) const;
};
