/// @file io/usd/prim_tree.h
/// Where one composed prim has its opinions from: a tree of places in layer stacks, joined by arcs
/// and kept in order of strength.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "flexor/core/function_ref.h"

#include "io/usd/layer.h"
#include "io/usd/path.h"

namespace flexor::io::usd {

/// What joins a node to its parent, strongest first.
enum class Arc : std::uint8_t {
  kRoot,
  kInherit,
  kVariant,
  kReference,
  kPayload,
  kSpecialize,
};

/// "inherit", "reference", …
std::string_view ArcName(Arc arc);
/// Inherits and specializes: arcs to a class, which every outer layer stack may refine.
constexpr bool IsClassArc(Arc arc) { return arc == Arc::kInherit || arc == Arc::kSpecialize; }

inline constexpr std::int32_t kNoNode = -1;

/// One place of the tree: a prim path in a layer stack.
struct PrimNode {
  Path path;    ///< there, with the variants that were chosen
  Path source;  ///< where the arc went; without variants
  Path target;  ///< the parent's path at that moment; without variants
  LayerOffset parent_from_node;
  std::uint64_t decided = 0;  ///< variant sets of this node that have been looked at, a bit each
  std::uint32_t stack = 0;    ///< the layer stack, by its number in LayerStacks
  std::int32_t parent = kNoNode;
  std::int32_t origin = kNoNode;  ///< the node whose arc this one repeats further out; else parent
  std::int32_t first_child = kNoNode, next_sibling = kNoNode;
  std::uint16_t depth = 0;    ///< prim names in the parent's path when the arc was made
  std::uint16_t sibling = 0;  ///< place in the list that made it
  Arc arc = Arc::kRoot;
  bool inert = false;     ///< gives no opinion and is asked for no arcs
  bool internal = false;  ///< a reference or payload that stays in its layer stack
  bool removed = false;
  std::uint8_t expanded = 0;  ///< kinds of direct arcs that were followed, a bit for each Arc

  bool implied() const { return origin != parent; }
};

/// The tree of one prim. Node 0 is the root: the prim's own path in the layer stack of the stage.
class PrimTree {
 public:
  PrimTree() = default;
  PrimTree(std::uint32_t stack, Path path);

  std::size_t size() const { return nodes_.size(); }
  PrimNode& operator[](std::int32_t node) { return nodes_[static_cast<std::size_t>(node)]; }
  const PrimNode& operator[](std::int32_t node) const {
    return nodes_[static_cast<std::size_t>(node)];
  }

  /// How many prim names the path of a node has grown by since its arc was made.
  std::size_t Below(std::int32_t node) const;

  /// Whether an arc of the prim itself leads to the node, rather than one of an ancestor.
  bool IsOwn(std::int32_t node) const;

  /// Adds `node` below its parent, in its place among the siblings. Its origin must be set.
  std::int32_t Add(PrimNode node);
  /// Adds a whole tree; its root becomes `node`, which gives the arc, but keeps its own place.
  std::int32_t Attach(const PrimTree& subtree, PrimNode node);
  /// Takes a node and what is below it out. Numbers of other nodes stay.
  void Remove(std::int32_t node);

  /// Makes it the tree of the child `name`: every path one name longer and nothing followed yet.
  /// Leaves that `keep` refuses are dropped; it is asked about references, payloads and variants.
  void GrowTo(PathTable& paths, Token name, FunctionRef<bool(const PrimNode&)> keep);

  /// Whether some node is that place.
  bool Contains(std::uint32_t stack, Path path) const;
  /// All nodes as the arcs nest: a node, then each child with what is below it.
  std::vector<std::int32_t> Nested() const;
  /// All nodes by strength: as they nest, but specializes come after everything else.
  std::vector<std::int32_t> ByStrength() const;

  /// A path of the node's namespace in that of its parent; empty when it has none there. With
  /// `outside`, what lies outside the arc keeps its path through every arc, as classes do.
  Path Up(PathTable& paths, std::int32_t node, Path path, bool outside) const;
  /// A path of the parent's namespace in that of the node.
  Path Down(PathTable& paths, std::int32_t node, Path path) const;
  /// A path of the node's namespace in that of the root; empty when it has none there.
  Path ToRoot(PathTable& paths, std::int32_t node, Path path) const;
  /// Times of the root from times of the node's layer stack.
  LayerOffset RootFromNode(std::int32_t node) const;

 private:
  /// Whether `a` is stronger than `b`; both have one parent, or will have.
  bool IsStronger(const PrimNode& a, const PrimNode& b) const;
  /// Whether node `a` comes before `b` when the tree is walked as it nests.
  bool ComesBefore(std::int32_t a, std::int32_t b) const;
  void Link(std::int32_t node);
  void AppendNested(std::int32_t node, bool with_specializes, std::vector<std::int32_t>& out) const;
  void AppendSpecializesOf(std::int32_t node, std::vector<std::int32_t>& out) const;
  /// Whether a specialize lies between `node` and `top` above it.
  bool IsInsideSpecialize(std::int32_t node, std::int32_t top) const;
  /// The node whose arc an implied one repeats in the end; itself when it is not implied.
  std::int32_t AuthoredOrigin(std::int32_t node) const;
  /// How many layer stacks further out than that an implied node is.
  std::size_t Implications(std::int32_t node) const;
  void DropRemoved();

  std::vector<PrimNode> nodes_;
};

}  // namespace flexor::io::usd
