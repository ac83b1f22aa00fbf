/// @file io/usd/value.h
/// One value of a USD layer, of any kind. Copies share what is large.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "io/usd/list_op.h"
#include "io/usd/value_type.h"

namespace flexor::io::usd {

struct Dictionary;

/// Immutable once made. Holds memory of its own or looks into the bytes of a file, which it then
/// keeps alive; texts live in the TokenTable of the load.
class Value {
 public:
  Value() = default;

  static Value Block() { return Value(ValueType::kBlock, false); }

  /// A scalar: Of(1.5f), Of(String{token}).
  template <class T>
  static Value Of(const T& scalar) {
    static_assert(kValueTypeOf<T> != ValueType::kNone);
    return Scalar(kValueTypeOf<T>, scalar);
  }
  /// A permission, an unregistered value, the name of a kind that is not read.
  static Value OfText(ValueType type, Token text) { return Scalar(type, text); }

  /// An array that takes over the elements.
  template <class T>
  static Value ArrayOf(std::vector<T> elements) {
    static_assert(!std::is_same_v<T, bool>, "std::vector<bool> has no elements to view");
    auto owner = std::make_shared<const std::vector<T>>(std::move(elements));
    return View<T>(owner, owner->data(), owner->size());
  }
  /// An array that looks at elements which `owner` keeps alive.
  template <class T>
  static Value View(std::shared_ptr<const void> owner, const T* data, std::size_t count) {
    static_assert(kValueTypeOf<T> != ValueType::kNone);
    Value value(kValueTypeOf<T>, true);
    value.count_ = count;
    value.data_ = std::shared_ptr<const void>(std::move(owner), data);
    return value;
  }

  static Value OfDictionary(std::shared_ptr<const Dictionary> dictionary);
  template <class T>
  static Value OfListOp(ListOp<T> op) {
    static_assert(kListOpTypeOf<T> != ValueType::kNone);
    Value value(kListOpTypeOf<T>, false);
    value.data_ = std::make_shared<const ListOp<T>>(std::move(op));
    return value;
  }

  ValueType type() const { return type_; }
  bool is_array() const { return is_array_; }
  bool empty() const { return type_ == ValueType::kNone; }
  bool IsBlock() const { return type_ == ValueType::kBlock; }
  /// Elements of an array; 1 for a scalar.
  std::size_t count() const { return is_array_ ? count_ : 1; }

  /// Whether it is exactly that: a scalar, an array.
  template <class T>
  bool Is() const {
    return type_ == kValueTypeOf<T> && !is_array_;
  }
  template <class T>
  bool IsArrayOf() const {
    return type_ == kValueTypeOf<T> && is_array_;
  }

  /// The scalar; null when it is something else.
  template <class T>
  const T* Get() const {
    return Is<T>() ? static_cast<const T*>(ScalarData()) : nullptr;
  }
  /// The scalar, or something else in its place.
  template <class T>
  T GetOr(T fallback) const {
    const T* scalar = Get<T>();
    return scalar ? *scalar : fallback;
  }
  /// The elements; none when it is something else.
  template <class T>
  std::span<const T> Array() const {
    if (!IsArrayOf<T>()) return {};
    return {static_cast<const T*>(data_.get()), count_};
  }
  /// The text of a string, token, asset path or other text; "" when it is something else.
  std::string_view text() const { return token().text(); }
  Token token() const;

  /// Null when it is something else.
  const Dictionary* dictionary() const {
    return type_ == ValueType::kDictionary ? static_cast<const Dictionary*>(data_.get()) : nullptr;
  }
  template <class T>
  const ListOp<T>* list_op() const {
    return type_ == kListOpTypeOf<T> ? static_cast<const ListOp<T>*>(data_.get()) : nullptr;
  }

  /// The bytes of the elements of what has arrays, array or not; empty for the rest.
  std::span<const std::byte> bytes() const;

  /// The same kind and content; reals by bits, so that NaN equals itself and 0 differs from -0.
  friend bool operator==(const Value& a, const Value& b);

 private:
  Value(ValueType type, bool is_array) : type_(type), is_array_(is_array) {}
  template <class T>
  static Value Scalar(ValueType type, const T& scalar) {
    static_assert(std::is_trivially_copyable_v<T>);
    Value value(type, false);
    if constexpr (sizeof(T) <= sizeof(value.inline_)) {
      std::memcpy(value.inline_, &scalar, sizeof(T));
    } else {
      value.data_ = std::make_shared<const T>(scalar);
    }
    return value;
  }
  const void* ScalarData() const { return data_ ? data_.get() : inline_; }

  std::shared_ptr<const void> data_;  // elements, a large scalar, a dictionary, a list op
  union {
    alignas(8) std::byte inline_[16]{};
    std::size_t count_;
  };
  ValueType type_ = ValueType::kNone;
  bool is_array_ = false;
};

/// Names and their values.
struct Dictionary {
  std::vector<std::pair<Token, Value>> entries;  ///< in alphabetical order of names, each once

  /// Null when there is none.
  const Value* Find(std::string_view name) const;
  /// Keeps the order; a name that is there already gets the new value.
  void Set(Token name, Value value);
  /// Puts entries that came in any order in order; of equal names the last stays.
  void Sort();
  friend bool operator==(const Dictionary&, const Dictionary&) = default;
};

}  // namespace flexor::io::usd
