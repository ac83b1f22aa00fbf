/// @file io/usd/list_op.h
/// Edits of a list, as one layer writes them: "prepend references = ...".
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "io/usd/value_type.h"

namespace flexor::io::usd {

/// Either a whole list (is_explicit: nothing else counts) or edits of a weaker one.
template <class T>
struct ListOp {
  bool is_explicit = false;
  std::vector<T> explicit_items;
  std::vector<T> added, prepended, appended, deleted, ordered;

  /// Whether it changes nothing.
  bool empty() const {
    return !is_explicit && added.empty() && prepended.empty() && appended.empty() &&
           deleted.empty() && ordered.empty();
  }
  friend bool operator==(const ListOp&, const ListOp&) = default;

  /// Edits `list` (each item at most once): delete, add, prepend, append, then reorder; an explicit
  /// list replaces it. Linear in both.
  void ApplyTo(std::vector<T>& list) const;
};

/// Which kind of value a list op of these items is; references, payloads and paths have fields of
/// their own in the specs.
template <class T>
inline constexpr ValueType kListOpTypeOf = ValueType::kNone;
template <>
inline constexpr ValueType kListOpTypeOf<Token> = ValueType::kTokenListOp;
template <>
inline constexpr ValueType kListOpTypeOf<String> = ValueType::kStringListOp;
template <>
inline constexpr ValueType kListOpTypeOf<std::int32_t> = ValueType::kIntListOp;
template <>
inline constexpr ValueType kListOpTypeOf<std::int64_t> = ValueType::kInt64ListOp;
template <>
inline constexpr ValueType kListOpTypeOf<std::uint32_t> = ValueType::kUIntListOp;
template <>
inline constexpr ValueType kListOpTypeOf<std::uint64_t> = ValueType::kUInt64ListOp;

/// Removes all but the first of equal items.
template <class T>
void RemoveRepeated(std::vector<T>& list) {
  std::unordered_set<T> seen;
  std::erase_if(list, [&](const T& item) { return !seen.insert(item).second; });
}

template <class T>
void ListOp<T>::ApplyTo(std::vector<T>& list) const {
  if (is_explicit) {
    list = explicit_items;
    RemoveRepeated(list);
    return;
  }
  const auto remove = [&](const std::vector<T>& items) {
    if (items.empty()) return;
    const std::unordered_set<T> gone(items.begin(), items.end());
    std::erase_if(list, [&](const T& item) { return gone.contains(item); });
  };
  remove(deleted);
  if (!added.empty()) {
    list.insert(list.end(), added.begin(), added.end());
    RemoveRepeated(list);
  }
  if (!prepended.empty()) {
    remove(prepended);
    list.insert(list.begin(), prepended.begin(), prepended.end());
    RemoveRepeated(list);
  }
  if (!appended.empty()) {
    std::vector<T> items = appended;
    RemoveRepeated(items);
    remove(items);
    list.insert(list.end(), items.begin(), items.end());
  }
  if (!ordered.empty()) {
    // Every listed item takes along the unlisted ones that follow it.
    const std::unordered_set<T> listed(ordered.begin(), ordered.end());
    std::unordered_map<T, std::vector<T>> runs;
    std::vector<T> result;
    std::vector<T>* run = &result;
    for (T& item : list) {
      if (listed.contains(item)) run = &runs[item];
      run->push_back(std::move(item));
    }
    for (const T& item : ordered) {
      const auto found = runs.find(item);
      if (found == runs.end()) continue;
      result.insert(result.end(), found->second.begin(), found->second.end());
      runs.erase(found);
    }
    list = std::move(result);
  }
}

}  // namespace flexor::io::usd

template <>
struct std::hash<flexor::io::usd::String> {
  std::size_t operator()(flexor::io::usd::String string) const { return string.text.Hash(); }
};
