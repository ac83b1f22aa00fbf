#include "io/json/access.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "flexor/core/utf8.h"

namespace flexor::io::json {
namespace {

constexpr double kIntegerClamp = 4611686018427387904.0;  // 2^62

std::string Quoted(const std::string& text) {
  constexpr std::size_t kLongest = 40;
  const std::string_view shown = Utf8Prefix(text, kLongest);
  return '"' + std::string(shown) + (shown.size() < text.size() ? "…\"" : "\"");
}

std::string Number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  double shorter = 0;
  char brief[32];
  std::snprintf(brief, sizeof brief, "%.9g", value);
  return std::sscanf(brief, "%lf", &shorter) == 1 && shorter == value ? brief : text;
}

}  // namespace

std::string Describe(const Value& value) {
  switch (value.type()) {
    case Value::value_t::null:
      return "null";
    case Value::value_t::boolean:
      return value.get<bool>() ? "true" : "false";
    case Value::value_t::string:
      return "the string " + Quoted(value.get_ref<const std::string&>());
    case Value::value_t::number_integer:
      return std::to_string(value.get<std::int64_t>());
    case Value::value_t::number_unsigned:
      return std::to_string(value.get<std::uint64_t>());
    case Value::value_t::number_float:
      return Number(value.get<double>());
    case Value::value_t::array:
      return "an array of " + std::to_string(value.size()) +
             (value.size() == 1 ? " value" : " values");
    case Value::value_t::object:
      return "an object";
    case Value::value_t::binary:
    case Value::value_t::discarded:
      break;
  }
  return "no value";
}

std::optional<std::uint64_t> ExactUnsigned(const Value& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number <= kMaxExactInteger) return number;
  } else if (value.is_number_float()) {
    const double number = value.get<double>();
    if (number >= 0 && number <= static_cast<double>(kMaxExactInteger) &&
        number == std::floor(number)) {
      return static_cast<std::uint64_t>(number);
    }
  }
  return std::nullopt;
}

std::optional<std::int64_t> IntegerOf(const Value& value) {
  if (value.is_number_unsigned()) {
    return static_cast<std::int64_t>(
        std::min(value.get<std::uint64_t>(), static_cast<std::uint64_t>(kIntegerClamp)));
  }
  if (value.is_number_integer()) {
    return std::max(value.get<std::int64_t>(), -static_cast<std::int64_t>(kIntegerClamp));
  }
  if (value.is_number_float()) {
    const double number = value.get<double>();
    if (!std::isfinite(number) || number != std::floor(number)) return std::nullopt;
    return static_cast<std::int64_t>(std::clamp(number, -kIntegerClamp, kIntegerClamp));
  }
  return std::nullopt;
}

std::optional<double> FiniteNumber(const Value& value) {
  if (!value.is_number()) return std::nullopt;
  const double number = value.get<double>();
  if (!std::isfinite(number)) return std::nullopt;
  return number;
}

const Value* Ref::Find(std::string_view key) const {
  if (!value_->is_object()) return nullptr;
  const auto found = value_->find(key);
  return found == value_->end() ? nullptr : &*found;
}

std::optional<Ref> Ref::Member(std::string_view key) const {
  const Value* member = Find(key);
  if (member == nullptr) return std::nullopt;
  return Ref(*member, JoinPointer(pointer_, key));
}

Error Ref::Fault(std::string message) const {
  return {ErrorCode::kInvalidValue, std::move(message), {{}, pointer_, std::nullopt}};
}

Error Ref::MemberFault(std::string_view key, std::string message) const {
  return {
      ErrorCode::kInvalidValue, std::move(message), {{}, JoinPointer(pointer_, key), std::nullopt}};
}

Error Ref::Absent(std::string_view key) const {
  if (!value_->is_object()) {
    return Fault("must be an object with the member '" + std::string(key) + "', but is " +
                 Describe(*value_));
  }
  return Fault("lacks the member '" + std::string(key) + "', which is required");
}

Status Ref::ExpectObject() const {
  if (value_->is_object()) return {};
  return Fault("must be an object, but is " + Describe(*value_));
}

Status Ref::ExpectArray() const {
  if (value_->is_array()) return {};
  return Fault("must be an array, but is " + Describe(*value_));
}

Result<std::uint64_t> Ref::AsUnsigned(std::uint64_t maximum) const {
  const auto number = ExactUnsigned(*value_);
  if (!number) {
    return Fault("must be an integer from 0 to " + std::to_string(maximum) + ", but is " +
                 Describe(*value_));
  }
  if (*number > maximum) {
    return Fault("must be at most " + std::to_string(maximum) + ", but is " +
                 std::to_string(*number));
  }
  return *number;
}

Result<double> Ref::AsNumber() const {
  const auto number = FiniteNumber(*value_);
  if (!number) return Fault("must be a finite number, but is " + Describe(*value_));
  return *number;
}

Result<std::string> Ref::AsString() const {
  if (!value_->is_string()) return Fault("must be a string, but is " + Describe(*value_));
  return value_->get<std::string>();
}

Result<std::vector<double>> Ref::AsNumbers(std::size_t count) const {
  FLEXOR_TRY(ExpectArray());
  if (count != kAnyCount && value_->size() != count) {
    return Fault("must hold " + std::to_string(count) + " numbers, but holds " +
                 std::to_string(value_->size()) + " values");
  }
  std::vector<double> numbers;
  numbers.reserve(value_->size());
  for (const Value& element : *value_) {
    const auto number = FiniteNumber(element);
    if (!number) return At(numbers.size()).AsNumber().error();
    numbers.push_back(*number);
  }
  return numbers;
}

Result<std::optional<Ref>> Ref::FindObject(std::string_view key) const {
  auto member = Member(key);
  if (member) FLEXOR_TRY(member->ExpectObject());
  return member;
}

Result<std::optional<Ref>> Ref::FindArray(std::string_view key) const {
  auto member = Member(key);
  if (member) FLEXOR_TRY(member->ExpectArray());
  return member;
}

Result<std::optional<std::uint64_t>> Ref::FindUnsigned(std::string_view key,
                                                       std::uint64_t maximum) const {
  const auto member = Member(key);
  if (!member) return std::optional<std::uint64_t>();
  FLEXOR_ASSIGN(const std::uint64_t number, member->AsUnsigned(maximum));
  return std::optional(number);
}

Result<std::optional<double>> Ref::FindNumber(std::string_view key) const {
  const auto member = Member(key);
  if (!member) return std::optional<double>();
  FLEXOR_ASSIGN(const double number, member->AsNumber());
  return std::optional(number);
}

Result<std::optional<bool>> Ref::FindBool(std::string_view key) const {
  const Value* member = Find(key);
  if (member == nullptr) return std::optional<bool>();
  if (!member->is_boolean()) {
    return MemberFault(key, "must be true or false, but is " + Describe(*member));
  }
  return std::optional(member->get<bool>());
}

Result<std::optional<std::string>> Ref::FindString(std::string_view key) const {
  const auto member = Member(key);
  if (!member) return std::optional<std::string>();
  FLEXOR_ASSIGN(std::string text, member->AsString());
  return std::optional(std::move(text));
}

Result<std::optional<std::vector<double>>> Ref::FindNumbers(std::string_view key,
                                                            std::size_t count) const {
  const auto member = Member(key);
  if (!member) return std::optional<std::vector<double>>();
  FLEXOR_ASSIGN(std::vector<double> numbers, member->AsNumbers(count));
  return std::optional(std::move(numbers));
}

Result<Ref> Ref::RequireObject(std::string_view key) const {
  FLEXOR_ASSIGN(auto member, FindObject(key));
  if (!member) return Absent(key);
  return std::move(*member);
}

Result<Ref> Ref::RequireArray(std::string_view key) const {
  FLEXOR_ASSIGN(auto member, FindArray(key));
  if (!member) return Absent(key);
  return std::move(*member);
}

Result<std::uint64_t> Ref::RequireUnsigned(std::string_view key, std::uint64_t maximum) const {
  FLEXOR_ASSIGN(const auto number, FindUnsigned(key, maximum));
  if (!number) return Absent(key);
  return *number;
}

Result<double> Ref::RequireNumber(std::string_view key) const {
  FLEXOR_ASSIGN(const auto number, FindNumber(key));
  if (!number) return Absent(key);
  return *number;
}

Result<std::string> Ref::RequireString(std::string_view key) const {
  FLEXOR_ASSIGN(auto text, FindString(key));
  if (!text) return Absent(key);
  return std::move(*text);
}

Result<std::vector<double>> Ref::RequireNumbers(std::string_view key, std::size_t count) const {
  FLEXOR_ASSIGN(auto numbers, FindNumbers(key, count));
  if (!numbers) return Absent(key);
  return std::move(*numbers);
}

}  // namespace flexor::io::json
