/// @file io/usd/composer.h
/// Follows the arcs of prims: which places in which layers have something to say about a prim, in
/// the order of strength that OpenUSD gives them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flexor/core/diagnostic.h"

#include "io/usd/compose_limits.h"
#include "io/usd/layer.h"
#include "io/usd/layer_stack.h"
#include "io/usd/layers.h"
#include "io/usd/prim_tree.h"

namespace flexor::io::usd {

/// Makes the trees of prims. An arc that leads nowhere is a diagnostic and left out; going beyond a
/// limit stops everything.
class Composer {
 public:
  Composer(PathTable& paths, Layers& layers, LayerStacks& stacks, const ComposeLimits& limits,
           Diagnostics& diagnostics)
      : paths_(paths),
        layers_(layers),
        stacks_(stacks),
        limits_(limits),
        diagnostics_(diagnostics) {}

  /// The tree of a prim below the pseudo-root of a stack.
  Result<PrimTree> RootPrim(std::uint32_t stack, Token name);
  /// The tree of the child `name` of a prim.
  Result<PrimTree> ChildPrim(PrimTree parent, Token name);

  /// Whether the prim is shared scene description in OpenUSD, so that what layers say about its
  /// descendants counts only if it came through the prim's own arcs.
  bool IsInstance(const PrimTree& tree) const;
  /// Whether any layer of the stack has a spec at the path.
  bool HasSpec(std::uint32_t stack, Path path) const;

 private:
  /// The tree that the one being made will be attached to.
  struct Outer {
    const Outer* next;
    const PrimTree* tree;
    std::int32_t node;  ///< of `tree`: what the arc starts at
    Path source, target;
    bool keeps_outside;  ///< paths outside the source mean the same outside of the arc
  };
  /// An arc about to be added.
  struct NewArc {
    Arc arc;
    std::int32_t parent, origin;
    std::uint32_t stack;
    Path path;
    LayerOffset time;
    std::size_t depth;
    std::size_t sibling = 0;
    bool internal = false;
    bool placeholder = false;  ///< only there so that a class is implied further out
  };

  Result<PrimTree> Build(std::uint32_t stack, Path path, const Outer* outer);
  /// Makes the tree that of its child, without arcs of its own yet.
  Status Grow(PrimTree& tree, Token name);
  Status Expand(PrimTree& tree, const Outer* outer);
  Result<bool> ExpandDirect(PrimTree& tree, const Outer* outer);
  Status FollowReferences(PrimTree& tree, std::int32_t node, Arc arc, const Outer* outer);
  Status FollowClasses(PrimTree& tree, std::int32_t node, Arc arc, const Outer* outer);
  /// Adds an arc with all that its target had from its ancestors. `out_node` is kNoNode when it is
  /// refused.
  Status AddArc(PrimTree& tree, const NewArc& arc, const Outer* outer, std::int32_t& out_node);
  bool ClosesCycle(const PrimTree& tree, std::int32_t from, const Outer* outer, std::uint32_t stack,
                   Path path) const;

  struct Step {
    std::int32_t node;
    bool up;
  };
  Result<bool> ImplyClasses(PrimTree& tree, const Outer* outer);
  /// Gives `to` the class that `from` is, a child of the node where `transfer` starts.
  Status ImplyClass(PrimTree& tree, const Outer* outer, std::int32_t to, std::int32_t from,
                    const std::vector<Step>& transfer);
  Path Transfer(const PrimTree& tree, const std::vector<Step>& steps, Path path, bool back) const;

  Result<bool> ChooseVariant(PrimTree& tree, const Outer* outer);
  /// What is chosen for a set, by the strongest opinion; nothing when nobody chooses.
  std::optional<Token> FindSelection(const PrimTree& tree, const Outer* outer, Token set) const;
  std::optional<Token> SelectionOutside(const PrimTree& tree, const Outer* outer, Token set) const;
  std::optional<Token> SelectionAt(std::uint32_t stack, Path path, Token set) const;

  Status Count(std::size_t nodes);
  void Complain(std::string_view code, const PrimTree& tree, std::int32_t node,
                std::string message);

  PathTable& paths_;
  Layers& layers_;
  LayerStacks& stacks_;
  const ComposeLimits& limits_;
  Diagnostics& diagnostics_;
  std::uint64_t nodes_made_ = 0;
  std::uint32_t arcs_deep_ = 0;  ///< targets that are being built, one inside the other
};

}  // namespace flexor::io::usd
