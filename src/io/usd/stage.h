/// @file io/usd/stage.h
/// A USD file composed with everything it refers to: one tree of prims, each with the opinions that
/// layers have about it. Which kinds of arcs are followed: docs/formats/usd.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "flexor/core/diagnostic.h"
#include "flexor/core/memory_budget.h"
#include "flexor/io/load.h"

#include "io/usd/compose_limits.h"
#include "io/usd/layer.h"
#include "io/usd/layer_stack.h"
#include "io/usd/layers.h"
#include "io/usd/prim_tree.h"

namespace flexor::io::usd {

/// What one layer says about a prim.
struct Opinion {
  const Layer* layer = nullptr;
  const PrimSpec* spec = nullptr;
  std::int32_t node = 0;  ///< of StagePrim::tree
  LayerOffset stage_from_layer;
};

/// One composed prim.
struct StagePrim {
  Path path;
  std::int32_t parent = -1;             ///< index into Stage::prims(); -1 for the pseudo-root
  std::vector<std::uint32_t> children;  ///< in the order that counts
  Specifier specifier = Specifier::kOver;
  Token type_name;
  bool is_active = true;     ///< when not, it has no children
  bool is_defined = false;   ///< it and everything above it is a def or a class
  bool is_abstract = false;  ///< it or something above it is a class
  bool is_instance = false;
  std::vector<Opinion> opinions;  ///< strongest first
  PrimTree tree;

  /// Whether the prim is part of the scene.
  bool IsPresent() const { return is_active && is_defined && !is_abstract; }
};

/// What one layer says about a property.
struct PropertyOpinion {
  const Layer* layer = nullptr;
  const PropertySpec* spec = nullptr;
  LayerOffset stage_from_layer;
};

/// A property as found on one prim.
struct Property {
  Path path;
  std::vector<PropertyOpinion> opinions;  ///< strongest first; none: there is no such property

  bool empty() const { return opinions.empty(); }
  bool is_relationship() const { return !empty() && opinions.front().spec->is_relationship; }
  /// As declared: "point3f[]"; by the strongest opinion that declares one.
  Token type_name() const;
  bool is_uniform() const;
  /// The strongest opinion about a metadata field; null when there is none.
  const Value* Metadata(std::string_view field) const;
};

/// See the file comment. It keeps the layers it was made of.
class Stage {
 public:
  /// Composes the stage whose root layer is `bytes`. Arcs that lead nowhere are diagnostics.
  /// Errors  those of the root layer's parser · kLimitExceeded · kUnsupportedFeature (relocates,
  /// value clips) with the prim path
  static Result<std::unique_ptr<Stage>> Compose(std::span<const std::byte> bytes,
                                                const std::string& path,
                                                const ResourceFn& resources,
                                                const LoadOptions& options,
                                                const ComposeLimits& limits, MemoryBudget& budget,
                                                Diagnostics& diagnostics);

  /// Parents before children, siblings in order; the first is the pseudo-root.
  const std::vector<StagePrim>& prims() const { return prims_; }
  const StagePrim& operator[](std::size_t prim) const { return prims_[prim]; }
  /// -1 when there is no such prim.
  std::int32_t Find(Path prim) const;

  const Layer& root_layer() const { return stacks_[0].root(); }
  const LayerStack& root_stack() const { return stacks_[0]; }
  PathTable& paths() const { return *paths_; }
  Layers& layers() { return layers_; }

  /// Names of all properties that any layer has for the prim, alphabetical.
  std::vector<Token> PropertyNames(const StagePrim& prim) const;
  Property FindProperty(const StagePrim& prim, std::string_view name) const;

  /// Composed metadata of a prim: the strongest opinion; dictionaries merge key by key. Empty when
  /// there is none.
  Value Metadata(const StagePrim& prim, std::string_view field) const;
  /// Names of the API schemas that were applied to the prim.
  std::vector<Token> ApiSchemas(const StagePrim& prim) const;
  bool HasApi(const StagePrim& prim, std::string_view schema) const;

  /// What a relationship points at, or an attribute is connected to, as paths of the stage. What
  /// lies outside of a reference's target is a diagnostic and left out.
  std::vector<Path> Targets(const StagePrim& prim, std::string_view property);
  /// The same with targets that are relationships replaced by theirs; 16 hops at most.
  std::vector<Path> ForwardedTargets(const StagePrim& prim, std::string_view relationship);

 private:
  Stage(const std::string& path, const ResourceFn& resources, const LoadOptions& options,
        const ComposeLimits& limits, MemoryBudget& budget, Diagnostics& diagnostics);
  Status ComposePrims();
  Status Fill(StagePrim& prim, const StagePrim& parent, bool is_instance);
  std::vector<Token> ChildNames(const StagePrim& prim) const;

  ComposeLimits limits_;
  MemoryBudget& budget_;
  Diagnostics& diagnostics_;
  std::shared_ptr<PathTable> paths_;
  Layers layers_;
  LayerStacks stacks_;
  std::vector<StagePrim> prims_;
  std::unordered_map<Path, std::uint32_t> prim_at_;
};

}  // namespace flexor::io::usd
