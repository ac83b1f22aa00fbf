/// @file io/usd/crate_layer_builder.h
/// From the specs of a crate to a layer.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "flexor/core/diagnostic.h"

#include "io/rules.h"
#include "io/usd/crate.h"

namespace flexor::io::usd {

/// What a field does to a spec.
enum class FieldKind : std::uint8_t {
  kMetadata,
  kSpecifier,
  kTypeName,
  kChildren,
  kProperties,
  kVariantSets,
  kVariants,
  kChildOrder,
  kPropertyOrder,
  kReferences,
  kPayload,
  kInherits,
  kSpecializes,
  kVariantSetNames,
  kApiSchemas,
  kSelections,
  kSubLayers,
  kSubLayerOffsets,
  kRelocates,
  kCustom,
  kVariability,
  kDefault,
  kTimeSamples,
  kSpline,
  kTargets,
  kNothing,  ///< says what is known from elsewhere
};

class CrateLayerBuilder {
 public:
  CrateLayerBuilder(std::shared_ptr<const Crate> crate, Layer& layer, Diagnostics& diagnostics)
      : crate_(std::move(crate)),
        layer_(layer),
        budget_(layer.paths().budget()),
        diagnostics_(diagnostics) {}

  Status Build();

 private:
  /// A list of names that says in which order a prim has its children of one sort.
  struct ChildList {
    PrimSpec* prim = nullptr;
    Path path;  ///< of a variant set, whose prim comes from it
    FieldKind kind{};
    std::uint64_t code = 0;
  };

  // crate_layer.cc
  Status FindKinds();
  Status Add(const CrateSpec& spec);
  Status AddPrim(const CrateSpec& spec, Path path);
  Status AddProperty(const CrateSpec& spec, Path path, bool is_relationship);
  Status OrderChildren(const ChildList& list);
  template <class Item, class NameOf>
  void Order(std::vector<Item>& items, const std::vector<Token>& names, NameOf&& name_of,
             Path path);

  // crate_fields.cc
  Status ApplyToPrim(const CrateField& field, PrimSpec& prim);
  Status ApplyToProperty(const CrateField& field, PropertySpec& property);
  Status ApplyMetadata(const CrateField& field, Path path, Fields& fields);
  Status ApplyNames(const CrateField& field, PrimSpec& prim);
  Status ApplySubLayers(const CrateField& field);
  Status ApplyOffsets(const CrateField& field);
  Status ApplyRelocates(const CrateField& field, PrimSpec& prim);
  Status ApplyReferences(const CrateField& field, std::unique_ptr<ListOp<Reference>>& out);
  Status ApplyPaths(const CrateField& field, Path path, std::unique_ptr<ListOp<Path>>& out);
  Status ApplySamples(const CrateField& field, PropertySpec& property);
  Status ApplyPrimField(const CrateField& field, FieldKind kind, PrimSpec& prim);
  Status ApplyPropertyField(const CrateField& field, FieldKind kind, PropertySpec& property);
  Result<Value> LoadShared(std::uint64_t code);
  Result<Token> LoadToken(std::uint64_t code);
  Result<std::vector<Token>> LoadNames(std::uint64_t code);
  /// Reports a field whose value is broken or of the wrong type, and goes on without it. Limits
  /// are errors.
  Status Ignore(const CrateField& field, Path path, Error error);

  std::shared_ptr<const Crate> crate_;
  Layer& layer_;
  MemoryBudget& budget_;
  Diagnostics& diagnostics_;
  std::vector<FieldKind> kinds_;  // of tokens
  std::vector<ChildList> child_lists_;
  std::unordered_map<std::uint64_t, Value> shared_;  // values of metadata, by code
  std::unordered_map<std::uint64_t, std::shared_ptr<const TimeSamples>> samples_;
  std::uint64_t names_ = 0;
  Tally unreachable_;
  Tally unlisted_;
};

}  // namespace flexor::io::usd
