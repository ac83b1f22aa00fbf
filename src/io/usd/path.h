/// @file io/usd/path.h
/// Where things are in a USD layer: /A/B, /A.points, /A{set=choice}B. Always absolute.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "flexor/core/result.h"

#include "io/usd/token.h"

namespace flexor::io::usd {

/// What the last element of a path is.
enum class PathKind : std::uint8_t { kRoot, kPrim, kVariant, kProperty };

/// One path of a PathTable, which it must not outlive: as small as a pointer, equal when the path
/// is, its parent a step away. Default constructed it is the empty path, which is nowhere; every
/// question about it has an empty answer.
class Path {
 public:
  constexpr Path() = default;

  bool empty() const { return node_ == nullptr; }
  bool IsRoot() const { return node_ && node_->kind == PathKind::kRoot; }
  bool IsPrim() const { return node_ && node_->kind == PathKind::kPrim; }
  /// /A{set=choice}; with an empty choice the variant set itself.
  bool IsVariant() const { return node_ && node_->kind == PathKind::kVariant; }
  bool IsProperty() const { return node_ && node_->kind == PathKind::kProperty; }
  /// Whether it or anything above it is a variant.
  bool HasVariant() const { return node_ && node_->has_variant; }

  /// The path one element shorter; empty for the root.
  Path parent() const { return Path(node_ ? node_->parent : nullptr); }
  /// The name of the prim or property ("a:b" in one piece), or the set of a variant.
  Token name() const { return node_ ? node_->name : Token(); }
  /// The choice of a variant.
  Token variant() const { return node_ ? node_->variant : Token(); }
  /// The prim, variant or root that it is or belongs to.
  Path prim() const { return IsProperty() ? parent() : *this; }
  /// How many elements it has (root 0), and how many of them are names of prims.
  std::size_t length() const { return node_ ? node_->length : 0; }
  std::size_t prim_names() const { return node_ ? node_->prim_names : 0; }

  /// Whether `prefix` is this path or above it.
  bool HasPrefix(Path prefix) const;

  /// As a layer writes it; "" when empty.
  std::string ToString() const;

  friend bool operator==(Path a, Path b) { return a.node_ == b.node_; }
  std::size_t Hash() const { return std::hash<const void*>()(node_); }

 private:
  friend class PathTable;
  struct Node {
    const Node* parent = nullptr;
    Token name;
    Token variant;
    std::uint16_t length = 0;
    std::uint16_t prim_names = 0;
    PathKind kind = PathKind::kRoot;
    bool has_variant = false;
  };
  explicit Path(const Node* node) : node_(node) {}
  const Node* node_ = nullptr;
};

/// Holds the paths of one load, and the texts they are made of. New ones are charged to the budget,
/// which must outlive the table. What cannot be made (memory, kMaxLength) comes back empty, and
/// status() says why from then on, so that loops may look once at their end. Not thread safe.
class PathTable {
 public:
  /// Most elements of a path.
  static constexpr std::size_t kMaxLength = 512;
  /// Longest name, in bytes.
  static constexpr std::size_t kMaxNameBytes = 1024;

  explicit PathTable(MemoryBudget& budget);
  PathTable(const PathTable&) = delete;
  PathTable& operator=(const PathTable&) = delete;

  TokenTable& tokens() { return tokens_; }
  Token Intern(std::string_view text) { return tokens_.Intern(text); }

  Path root() const { return Path(&root_); }
  /// Names are not looked at. Below the empty path and below a property there is nothing.
  Path Child(Path parent, Token name);
  Path Property(Path prim, Token name);
  Path Variant(Path prim, Token set, Token variant);

  /// `path` with its part `from` replaced by `to`; `path` itself when `from` is no prefix of it.
  Path ReplacePrefix(Path path, Path from, Path to);
  /// /A{set=choice}B as /A/B.
  Path WithoutVariants(Path path);

  /// The path that a text means; a relative one starts at `anchor`, a prim without variants.
  /// Errors  kParse saying what is wrong with the text · kLimitExceeded
  Result<Path> Parse(std::string_view text, Path anchor);

  /// The first thing that could not be made, in this table or its texts.
  Status status() const { return status_.ok() ? tokens_.status() : status_; }
  MemoryBudget& budget() const { return tokens_.budget(); }

 private:
  struct Hash {
    std::size_t operator()(const Path::Node* node) const;
  };
  struct Equal {
    bool operator()(const Path::Node* a, const Path::Node* b) const {
      return a->parent == b->parent && a->kind == b->kind && a->name == b->name &&
             a->variant == b->variant;
    }
  };
  Path Make(Path parent, PathKind kind, Token name, Token variant);

  TokenTable tokens_;
  Status status_;
  Path::Node root_;
  std::deque<Path::Node> nodes_;
  std::unordered_set<const Path::Node*, Hash, Equal> index_;
};

/// Whether a text can name a prim: a letter or '_', then letters, digits, '_'; letters are also all
/// well-formed UTF-8 beyond ASCII but controls and spaces.
bool IsIdentifier(std::string_view text);
/// Identifiers joined by ':', as properties are named.
bool IsPropertyName(std::string_view text);
/// The length of the identifier, of the name of a property, at the start of a text; 0 when there is
/// none.
std::size_t IdentifierLength(std::string_view text);
std::size_t PropertyNameLength(std::string_view text);
/// Letters, digits, '_', '|', '-' in any order; a variant may have a '.' in front.
bool IsVariantSetName(std::string_view text);
bool IsVariantName(std::string_view text);

}  // namespace flexor::io::usd

template <>
struct std::hash<flexor::io::usd::Path> {
  std::size_t operator()(flexor::io::usd::Path path) const { return path.Hash(); }
};
