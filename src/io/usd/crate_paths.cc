// The tree of paths of a crate.

#include <utility>

#include "io/usd/compression.h"
#include "io/usd/crate.h"

namespace flexor::io::usd {
namespace {

constexpr CrateVersion kPacksTables{0, 4, 0};
constexpr CrateVersion kNoPadding{0, 1, 0};
constexpr int kPathsSection = 4;

/// Where to go on in the tree.
template <class At>
struct Branch {
  At at;
  Path parent;
};

}  // namespace

Result<Path> Crate::Element(Path parent, std::uint32_t index, bool is_property) {
  const std::uint64_t at = sections_[kPathsSection].start;
  FLEXOR_ASSIGN(const Token token, TokenAt(index));
  const std::string_view text = token.text();
  // Below old forms of paths, which are not read, nothing is.
  if (parent.empty() || text.starts_with('[') || text == ".mapper" || text == ".expression" ||
      parent.IsProperty()) {
    return Path();
  }
  const auto wrong = [&](std::string_view what) {
    return CrateError(
        ErrorCode::kParse, at,
        "'" + token.str() + "' below " + parent.ToString() + " is no name of " + std::string(what));
  };
  if (text.size() > PathTable::kMaxNameBytes) return wrong("that length");
  if (is_property) {
    if (!IsPropertyName(text)) return wrong("a property");
    return paths_->Property(parent, token);
  }
  if (!text.starts_with('{')) {
    if (!IsIdentifier(text)) return wrong("a prim");
    return paths_->Child(parent, token);
  }
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || !text.ends_with('}') || parent.IsRoot()) {
    return wrong("a variant");
  }
  const std::string_view set = text.substr(1, equals - 1);
  const std::string_view variant = text.substr(equals + 1, text.size() - equals - 2);
  if (!IsVariantSetName(set) || (!variant.empty() && !IsVariantName(variant))) {
    return wrong("a variant");
  }
  return paths_->Variant(parent, paths_->Intern(set), paths_->Intern(variant));
}

Status Crate::Place(std::uint32_t slot, Path path, std::uint64_t offset) {
  if (slot >= all_paths_.size()) {
    return CrateError(ErrorCode::kIndexOutOfRange, offset,
                      "path " + std::to_string(slot) + " of " + std::to_string(all_paths_.size()));
  }
  if (is_placed_[slot]) {
    return CrateError(ErrorCode::kParse, offset,
                      "path " + std::to_string(slot) + " is written twice");
  }
  if (!paths_->status().ok()) return paths_->status();
  is_placed_[slot] = true;
  all_paths_[slot] = path;
  return {};
}

Status Crate::ReadPaths() {
  const Section& section = sections_[kPathsSection];
  ByteCursor cursor = SectionCursor(section);
  const bool packs = version_ >= kPacksTables;
  FLEXOR_ASSIGN(const std::uint64_t count,
                TakeCount(cursor, section, sizeof(Path) + 1,
                          packs ? MostUnpackedIntegers(section.size) : section.size / 12));
  all_paths_.resize(static_cast<std::size_t>(count));
  is_placed_.assign(all_paths_.size(), false);
  if (!packs) return ReadOldPaths(cursor, count);
  const std::uint64_t at = cursor.offset();
  const auto encoded = cursor.Take<std::uint64_t>();
  if (!cursor.ok() || encoded > count) {
    return CrateError(ErrorCode::kParse, at,
                      std::to_string(encoded) + " items make " + std::to_string(count) + " paths");
  }
  MemoryBudget& budget = paths_->budget();
  // Three numbers, a mark and a branch for each.
  constexpr std::uint64_t kEach = 3 * sizeof(std::uint32_t) + 1 + sizeof(Branch<std::uint32_t>);
  FLEXOR_TRY(budget.Charge(encoded, kEach, "unpacking paths"));
  const auto n = static_cast<std::size_t>(encoded);
  std::vector<std::uint32_t> slots(n), elements(n), jumps(n);
  for (std::vector<std::uint32_t>* numbers : {&slots, &elements, &jumps}) {
    FLEXOR_TRY(TakeIntegers(cursor, section, *numbers));
  }
  FLEXOR_TRY(PlacePaths(slots, elements, jumps));
  budget.Release(encoded * kEach);
  is_placed_ = {};
  return {};
}

Status Crate::PlacePaths(std::span<const std::uint32_t> slots,
                         std::span<const std::uint32_t> elements,
                         std::span<const std::uint32_t> jumps) {
  const std::uint64_t at = sections_[kPathsSection].start;
  const std::size_t n = slots.size();
  std::vector<bool> seen(n);
  std::size_t placed = 0;
  std::vector<Branch<std::size_t>> branches;
  if (n > 0) branches.push_back({0, Path()});
  while (!branches.empty()) {
    const auto [i, parent] = branches.back();
    branches.pop_back();
    if (i >= n || seen[i]) {
      return CrateError(ErrorCode::kParse, at,
                        "item " + std::to_string(i) + " of " + std::to_string(n) +
                            " in the tree of paths is " + (i < n ? "reached twice" : "not there"));
    }
    seen[i] = true;
    ++placed;
    Path path = paths_->root();
    if (i > 0) {
      const auto element = static_cast<std::int32_t>(elements[i]);
      const bool is_property = element < 0;
      const auto token = is_property ? 0u - elements[i] : elements[i];
      FLEXOR_ASSIGN(path, Element(parent, token, is_property));
    }
    FLEXOR_TRY(Place(slots[i], path, at));
    const auto jump = static_cast<std::int32_t>(jumps[i]);
    if (jump < -2 || jump == 1) {
      return CrateError(ErrorCode::kParse, at,
                        "a jump of " + std::to_string(jump) + " in the tree of paths");
    }
    const bool has_child = jump > 0 || jump == -1;
    const bool has_sibling = jump >= 0;
    if (has_sibling) {
      if (i == 0) return CrateError(ErrorCode::kParse, at, "the root of the paths has a sibling");
      branches.push_back({has_child ? i + static_cast<std::size_t>(jump) : i + 1, parent});
    }
    if (has_child) branches.push_back({i + 1, path});
  }
  if (placed != n) {
    return CrateError(ErrorCode::kParse, at,
                      "the tree of paths reaches " + std::to_string(placed) + " of its " +
                          std::to_string(n) + " items");
  }
  return {};
}

Status Crate::ReadOldPaths(ByteCursor cursor, std::uint64_t count) {
  enum : std::uint8_t { kHasChild = 1, kHasSibling = 2, kIsProperty = 4 };
  const Section& section = sections_[kPathsSection];
  if (count == 0) return {};
  std::vector<Branch<std::uint64_t>> branches{{cursor.offset(), Path()}};
  // No slot is written twice, so the walk ends.
  while (!branches.empty()) {
    const auto [at, parent] = branches.back();
    branches.pop_back();
    cursor = SectionCursor(section);
    cursor.GoTo(at, 0);
    if (version_ < kNoPadding) cursor.Take<std::uint32_t>();
    const auto slot = cursor.Take<std::uint32_t>();
    const auto token = cursor.Take<std::uint32_t>();
    const auto bits = cursor.Take<std::uint8_t>();
    cursor.TakeBytes(3);
    const bool has_child = bits & kHasChild, has_sibling = bits & kHasSibling;
    std::uint64_t sibling = cursor.offset();
    if (has_child && has_sibling) sibling = cursor.Take<std::uint64_t>();
    if (!cursor.ok()) return CrateError(ErrorCode::kTruncated, at, "the paths end early");
    Path path = paths_->root();
    if (branches.empty() && parent.empty() && at == section.start + sizeof(count)) {
      if (has_sibling)
        return CrateError(ErrorCode::kParse, at, "the root of the paths has a sibling");
    } else {
      FLEXOR_ASSIGN(path, Element(parent, token, bits & kIsProperty));
    }
    FLEXOR_TRY(Place(slot, path, at));
    if (has_sibling) {
      if (sibling < section.start) {
        return CrateError(ErrorCode::kParse, at, "a path is outside the section of paths");
      }
      branches.push_back({sibling, parent});
    }
    if (has_child) branches.push_back({cursor.offset(), path});
  }
  is_placed_ = {};
  return {};
}

}  // namespace flexor::io::usd
