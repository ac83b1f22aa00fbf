#include "io/usd/value.h"

#include <algorithm>

namespace flexor::io::usd {
namespace {

constexpr auto kBefore = [](const std::pair<Token, Value>& entry, std::string_view name) {
  return entry.first.text() < name;
};

}  // namespace

Value Value::OfDictionary(std::shared_ptr<const Dictionary> dictionary) {
  Value value(ValueType::kDictionary, false);
  value.data_ = std::move(dictionary);
  return value;
}

Token Value::token() const {
  if (is_array_) return {};
  switch (type_) {
    case ValueType::kString:
    case ValueType::kToken:
    case ValueType::kAsset:
    case ValueType::kPathExpression:
    case ValueType::kPermission:
    case ValueType::kUnregistered:
    case ValueType::kUnsupported: {
      Token token;
      std::memcpy(static_cast<void*>(&token), inline_, sizeof(token));
      return token;
    }
    default:
      return {};
  }
}

std::span<const std::byte> Value::bytes() const {
  if (!HasArrays(type_)) return {};
  const void* data = is_array_ ? data_.get() : ScalarData();
  return {static_cast<const std::byte*>(data), count() * Info(type_).bytes};
}

bool operator==(const Value& a, const Value& b) {
  if (a.type_ != b.type_ || a.is_array_ != b.is_array_) return false;
  if (HasArrays(a.type_)) return std::ranges::equal(a.bytes(), b.bytes());
  if (a.data_ == b.data_) return std::ranges::equal(a.inline_, b.inline_);
  switch (a.type_) {
    case ValueType::kDictionary:
      return *a.dictionary() == *b.dictionary();
    case ValueType::kTokenListOp:
      return *a.list_op<Token>() == *b.list_op<Token>();
    case ValueType::kStringListOp:
      return *a.list_op<String>() == *b.list_op<String>();
    case ValueType::kIntListOp:
      return *a.list_op<std::int32_t>() == *b.list_op<std::int32_t>();
    case ValueType::kInt64ListOp:
      return *a.list_op<std::int64_t>() == *b.list_op<std::int64_t>();
    case ValueType::kUIntListOp:
      return *a.list_op<std::uint32_t>() == *b.list_op<std::uint32_t>();
    case ValueType::kUInt64ListOp:
      return *a.list_op<std::uint64_t>() == *b.list_op<std::uint64_t>();
    default:
      return false;
  }
}

const Value* Dictionary::Find(std::string_view name) const {
  const auto found = std::lower_bound(entries.begin(), entries.end(), name, kBefore);
  return found != entries.end() && found->first == name ? &found->second : nullptr;
}

void Dictionary::Sort() {
  std::ranges::stable_sort(entries, {}, [](const auto& entry) { return entry.first.text(); });
  std::size_t kept = 0;
  for (auto& entry : entries) {
    if (kept > 0 && entries[kept - 1].first == entry.first) --kept;
    if (&entries[kept] != &entry) entries[kept] = std::move(entry);
    ++kept;
  }
  entries.resize(kept);
}

void Dictionary::Set(Token name, Value value) {
  const auto at = std::lower_bound(entries.begin(), entries.end(), name.text(), kBefore);
  if (at != entries.end() && at->first == name) {
    at->second = std::move(value);
  } else {
    entries.emplace(at, name, std::move(value));
  }
}

}  // namespace flexor::io::usd
