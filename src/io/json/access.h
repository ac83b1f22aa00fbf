/// @file io/json/access.h
/// Typed, checked reading of a JSON document. Every failure names the value by its JSON pointer.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flexor/core/result.h"

#include "io/json/parse.h"

namespace flexor::io::json {

/// The largest integer that every JSON writer and reader agrees on: 2^53 - 1.
inline constexpr std::uint64_t kMaxExactInteger = (std::uint64_t{1} << 53) - 1;

/// A short description of a value for messages: `the string "abc"`, `1.5`, `an array of 3 values`.
std::string Describe(const Value& value);

/// The integer that `value` holds exactly, or nothing. 2.0 counts as 2, since writers exist that
/// know no integers; 1.5, negatives, strings and anything above kMaxExactInteger do not.
std::optional<std::uint64_t> ExactUnsigned(const Value& value);

/// The integer that `value` holds (2.0 counts as 2), clamped to +-2^62; nothing for all else.
std::optional<std::int64_t> IntegerOf(const Value& value);

/// The finite number that `value` holds, or nothing.
std::optional<double> FiniteNumber(const Value& value);

/// A value of a document and where it stands. Cheap to make for the objects and array elements that
/// a reader visits; must not outlive the Document.
///
/// Members are read by key; elements by At(). In each group of accessors
///   Find…     gives std::nullopt when the member is absent
///   Require…  gives an error when it is absent
/// and both give an error when it is there with another type or outside its range.
/// Errors  kInvalidValue with place.element = the JSON pointer; place.path is left to the caller
class Ref {
 public:
  Ref(const Value& value, std::string pointer) : value_(&value), pointer_(std::move(pointer)) {}

  const Value& value() const { return *value_; }
  const std::string& pointer() const { return pointer_; }
  bool is_object() const { return value_->is_object(); }
  bool is_array() const { return value_->is_array(); }
  /// Members of an object or elements of an array; 0 for anything else.
  std::size_t size() const { return value_->is_structured() ? value_->size() : 0; }
  /// Element `index` of an array. Requires is_array() and index < size().
  Ref At(std::size_t index) const { return {(*value_)[index], JoinPointer(pointer_, index)}; }
  /// Whether this is an object with that member.
  bool Has(std::string_view key) const { return Find(key) != nullptr; }
  /// The value of a member, or nullptr.
  const Value* Find(std::string_view key) const;
  /// A member of any type.
  std::optional<Ref> Member(std::string_view key) const;

  Result<std::optional<Ref>> FindObject(std::string_view key) const;
  Result<std::optional<Ref>> FindArray(std::string_view key) const;
  Result<std::optional<std::uint64_t>> FindUnsigned(std::string_view key,
                                                    std::uint64_t maximum = kMaxExactInteger) const;
  Result<std::optional<double>> FindNumber(std::string_view key) const;
  Result<std::optional<bool>> FindBool(std::string_view key) const;
  Result<std::optional<std::string>> FindString(std::string_view key) const;
  /// An array of finite numbers; of exactly `count` of them unless `count` is kAnyCount.
  Result<std::optional<std::vector<double>>> FindNumbers(std::string_view key,
                                                         std::size_t count = kAnyCount) const;

  Result<Ref> RequireObject(std::string_view key) const;
  Result<Ref> RequireArray(std::string_view key) const;
  Result<std::uint64_t> RequireUnsigned(std::string_view key,
                                        std::uint64_t maximum = kMaxExactInteger) const;
  Result<double> RequireNumber(std::string_view key) const;
  Result<std::string> RequireString(std::string_view key) const;
  Result<std::vector<double>> RequireNumbers(std::string_view key,
                                             std::size_t count = kAnyCount) const;

  /// This value itself, for elements of arrays.
  Result<std::uint64_t> AsUnsigned(std::uint64_t maximum = kMaxExactInteger) const;
  Result<double> AsNumber() const;
  Result<std::string> AsString() const;
  Result<std::vector<double>> AsNumbers(std::size_t count = kAnyCount) const;
  Status ExpectObject() const;
  Status ExpectArray() const;

  /// A kInvalidValue error about this value.
  Error Fault(std::string message) const;
  /// A kInvalidValue error about a member of this object.
  Error MemberFault(std::string_view key, std::string message) const;

  static constexpr std::size_t kAnyCount = std::numeric_limits<std::size_t>::max();

 private:
  Error Absent(std::string_view key) const;

  const Value* value_;
  std::string pointer_;
};

}  // namespace flexor::io::json
