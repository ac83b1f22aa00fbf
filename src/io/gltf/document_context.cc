// How members are read: strictly, or around what a check has found wrong.

#include "io/gltf/document_parts.h"

namespace flexor::io::gltf {

using json::Value;

const Value* ReadContext::Find(const json::Ref& object, std::string_view key) const {
  const Value* value = object.Find(key);
  return value != nullptr && judged() && invalid_->contains(value) ? nullptr : value;
}

std::uint64_t ReadContext::Unsigned(const json::Ref& object, std::string_view key,
                                    std::uint64_t absent, std::uint64_t maximum) {
  const Value* value = object.Find(key);
  if (value == nullptr) return absent;
  if (judged()) {
    if (invalid_->contains(value)) return kNoNumber;
    const auto integer = json::IntegerOf(*value);
    return integer && *integer >= 0 ? static_cast<std::uint64_t>(*integer) : kNoNumber;
  }
  const auto number = json::ExactUnsigned(*value);
  if (number && *number <= maximum) return *number;
  Fail(object.FindUnsigned(key, maximum).error());
  return kNoNumber;
}

std::uint64_t ReadContext::RequireUnsigned(const json::Ref& object, std::string_view key,
                                           std::uint64_t maximum) {
  const std::uint64_t number = Unsigned(object, key, kNoNumber, maximum);
  // Fails only for a member that is absent: a broken one has failed already.
  if (number == kNoNumber && !judged() && !stopped()) {
    Fail(object.RequireUnsigned(key, maximum).error());
  }
  return number;
}

bool ReadContext::Bool(const json::Ref& object, std::string_view key, bool absent) {
  const Value* value = Find(object, key);
  if (value == nullptr) return absent;
  if (value->is_boolean()) return value->get<bool>();
  if (!judged()) Fail(object.FindBool(key).error());
  return absent;
}

double ReadContext::Number(const json::Ref& object, std::string_view key, double absent) {
  const Value* value = Find(object, key);
  if (value == nullptr) return absent;
  if (const auto number = json::FiniteNumber(*value)) return *number;
  if (!judged()) Fail(object.FindNumber(key).error());
  return absent;
}

std::optional<std::vector<double>> ReadContext::Numbers(const json::Ref& object,
                                                        std::string_view key, std::size_t size) {
  if (Find(object, key) == nullptr) return std::nullopt;
  auto numbers = object.FindNumbers(key, size);
  if (numbers.ok()) return std::move(*numbers);
  if (!judged()) Fail(std::move(numbers).error());
  return std::nullopt;
}

std::optional<std::string_view> ReadContext::Text(const json::Ref& object, std::string_view key) {
  const Value* value = Find(object, key);
  if (value == nullptr) return std::nullopt;
  if (value->is_string()) return value->get_ref<const std::string&>();
  if (!judged()) Fail(object.FindString(key).error());
  return std::nullopt;
}

std::optional<std::string_view> ReadContext::RequireText(const json::Ref& object,
                                                         std::string_view key) {
  if (!object.Has(key) && !judged()) Fail(object.RequireString(key).error());
  return Text(object, key);
}

std::optional<json::Ref> ReadContext::Object(const json::Ref& object, std::string_view key) {
  const Value* value = Find(object, key);
  if (value == nullptr) return std::nullopt;
  if (value->is_object()) return json::Ref(*value, json::JoinPointer(object.pointer(), key));
  if (!judged()) Fail(object.FindObject(key).error());
  return std::nullopt;
}

std::optional<json::Ref> ReadContext::RequireObject(const json::Ref& object, std::string_view key) {
  if (!object.Has(key) && !judged()) Fail(object.RequireObject(key).error());
  return Object(object, key);
}

std::optional<json::Ref> ReadContext::FilledArray(const json::Ref& object, std::string_view key) {
  const Value* value = Find(object, key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_array()) {
    if (!judged()) Fail(object.FindArray(key).error());
    return std::nullopt;
  }
  json::Ref array(*value, json::JoinPointer(object.pointer(), key));
  if (!value->empty()) return array;
  Say("EMPTY_ENTITY", array.pointer(), "an empty array; the member must be left out then");
  return std::nullopt;
}

std::optional<json::Ref> ReadContext::RequireArray(const json::Ref& object, std::string_view key,
                                                   std::string_view things) {
  if (!judged()) {
    auto array = object.RequireArray(key);
    if (!array.ok()) {
      Fail(std::move(array).error());
    } else if (array->size() == 0 && !things.empty()) {
      Fail(array->Fault("must hold at least one " + std::string(things) + ", but is empty"));
    }
    if (stopped()) return std::nullopt;
  }
  return FilledArray(object, key);
}

std::optional<json::Ref> ReadContext::Extension(const json::Ref& object, std::string_view name) {
  if (judged()) return std::nullopt;
  const auto extensions = Object(object, "extensions");
  return extensions ? Object(*extensions, name) : std::nullopt;
}

std::uint32_t ReadContext::IndexBelow(std::uint64_t index, const json::Ref& object,
                                      std::string_view key, std::size_t limit,
                                      std::string_view things) {
  if (index == kNoNumber) return kNoIndex;
  if (index >= limit && !judged()) {
    OutOfRange(json::JoinPointer(object.pointer(), key), index, limit, things);
  }
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(index, kFarIndex));
}

void ReadContext::OutOfRange(std::string pointer, std::uint64_t index, std::size_t limit,
                             std::string_view things) {
  Fail({ErrorCode::kIndexOutOfRange,
        "names number " + std::to_string(index) + ", but there are only " + std::to_string(limit) +
            " " + std::string(things),
        {{}, std::move(pointer), std::nullopt}});
}

std::uint32_t ReadContext::RequireIndex(const json::Ref& object, std::string_view key,
                                        std::size_t limit, std::string_view things) {
  return IndexBelow(RequireUnsigned(object, key), object, key, limit, things);
}

std::int32_t ReadContext::FindIndex(const json::Ref& object, std::string_view key,
                                    std::size_t limit, std::string_view things) {
  const std::uint64_t number = Unsigned(object, key, kNoNumber);
  const std::uint32_t index = IndexBelow(number, object, key, limit, things);
  return index == kNoIndex ? kNone : static_cast<std::int32_t>(index);
}

std::vector<std::uint32_t> ReadContext::Indices(const json::Ref& array, std::size_t limit,
                                                std::string_view things) {
  std::vector<std::uint32_t> indices;
  Check(budget.Charge(array.size(), sizeof(std::uint32_t), array.pointer()));
  if (stopped()) return indices;
  indices.reserve(array.size());
  for (std::size_t i = 0; i < array.size() && !stopped(); ++i) {
    const Value& element = array.value()[i];
    if (judged()) {
      const auto index = json::IntegerOf(element);
      const bool good = index && *index >= 0 && !invalid_->contains(&element);
      indices.push_back(good ? static_cast<std::uint32_t>(std::min<std::int64_t>(*index, kFarIndex))
                             : kNoIndex);
      continue;
    }
    const auto index = json::ExactUnsigned(element);
    if (!index) {
      Fail(array.At(i).AsUnsigned().error());
    } else if (*index >= limit) {
      OutOfRange(array.At(i).pointer(), *index, limit, things);
    } else {
      indices.push_back(static_cast<std::uint32_t>(*index));
    }
  }
  return indices;
}

}  // namespace flexor::io::gltf
