#include <limits>

#include "io/gltf/check_schema.h"

namespace flexor::io::gltf {

using json::IntegerOf;
using json::JoinPointer;
using json::Value;

const Value* ValidObject::Find(std::string_view key) const {
  const auto found = value_->find(key);
  if (found == value_->end() || invalid_->contains(&*found)) return nullptr;
  return &*found;
}

std::int64_t ValidObject::Integer(std::string_view key, std::int64_t absent) const {
  return Integer(key, absent, absent);
}

std::int64_t ValidObject::Integer(std::string_view key, std::int64_t absent,
                                  std::int64_t broken) const {
  const Value* value = Find(key);
  if (value == nullptr) return Has(key) ? broken : absent;
  return IntegerOf(*value).value_or(broken);
}

double ValidObject::Number(std::string_view key, double absent) const {
  const Value* value = Find(key);
  if (value != nullptr && value->is_number()) return value->get<double>();
  return Has(key) ? std::numeric_limits<double>::quiet_NaN() : absent;
}

bool ValidObject::Bool(std::string_view key) const {
  const Value* value = Find(key);
  return value != nullptr && value->is_boolean() && value->get<bool>();
}

const std::string* ValidObject::String(std::string_view key) const {
  const Value* value = Find(key);
  if (value == nullptr || !value->is_string()) return nullptr;
  return &value->get_ref<const std::string&>();
}

std::optional<ValidObject> ValidObject::Object(std::string_view key) const {
  const Value* value = Find(key);
  if (value == nullptr || !value->is_object()) return std::nullopt;
  return ValidObject(*value, JoinPointer(pointer_, key), *invalid_);
}

const Value* ValidObject::Array(std::string_view key) const {
  const Value* value = Find(key);
  return value != nullptr && value->is_array() && !value->empty() ? value : nullptr;
}

std::optional<std::vector<double>> ValidObject::Numbers(std::string_view key) const {
  const Value* array = Array(key);
  if (array == nullptr) return std::nullopt;
  std::vector<double> numbers;
  numbers.reserve(array->size());
  for (const Value& element : *array) {
    if (!element.is_number()) return std::nullopt;
    numbers.push_back(element.get<double>());
  }
  return numbers;
}

std::optional<std::vector<std::int64_t>> ValidObject::Indices(std::string_view key) const {
  const Value* array = Array(key);
  if (array == nullptr) return std::nullopt;
  std::vector<std::int64_t> indices;
  indices.reserve(array->size());
  for (const Value& element : *array) {
    indices.push_back(invalid_->contains(&element) ? -1 : IntegerOf(element).value_or(-1));
  }
  return indices;
}

ValidObject ValidObject::Element(std::string_view key, std::size_t index) const {
  return {(*value_)[std::string(key)][index], JoinPointer(JoinPointer(pointer_, key), index),
          *invalid_};
}

std::optional<ValidObject> ValidObject::Extension(std::string_view name) const {
  const auto extensions = Object("extensions");
  if (!extensions) return std::nullopt;
  return extensions->Object(name);
}

}  // namespace flexor::io::gltf
