#include "io/gltf/check_schema.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "io/json/access.h"

namespace flexor::io::gltf {
namespace {

using json::Describe;
using json::IntegerOf;
using json::JoinPointer;
using json::Value;

std::string List(std::span<const std::int64_t> values) {
  std::string text;
  for (const std::int64_t value : values) {
    text += (text.empty() ? "" : ", ") + std::to_string(value);
  }
  return text;
}

std::string List(std::span<const std::string_view> values) {
  std::string text;
  for (const std::string_view value : values) {
    text += (text.empty() ? "" : ", ") + std::string(value);
  }
  return text;
}

bool AllDigits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool Matches(std::string_view text, Pattern pattern) {
  if (pattern == Pattern::kVersion) {
    const std::size_t dot = text.find('.');
    return dot != std::string_view::npos && AllDigits(text.substr(0, dot)) &&
           AllDigits(text.substr(dot + 1));
  }
  if (pattern == Pattern::kJsonPointer) {
    if (!text.empty() && text[0] != '/') return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '~') continue;
      if (i + 1 == text.size() || (text[i + 1] != '0' && text[i + 1] != '1')) return false;
    }
  }
  return true;
}

/// VENDOR_name: capitals and digits, an underscore, then letters, digits and underscores.
bool IsExtensionName(std::string_view name) {
  const auto is_vendor = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); };
  const auto is_rest = [&](char c) { return is_vendor(c) || (c >= 'a' && c <= 'z') || c == '_'; };
  const std::size_t bar = name.find('_');
  if (bar == std::string_view::npos || bar == 0 || bar + 1 == name.size()) return false;
  return std::all_of(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(bar), is_vendor) &&
         std::all_of(name.begin() + static_cast<std::ptrdiff_t>(bar), name.end(), is_rest);
}

}  // namespace

bool SchemaCheck::Uses(std::string_view extension) const {
  return std::find(extensions_used_.begin(), extensions_used_.end(), extension) !=
         extensions_used_.end();
}

void SchemaCheck::WrongType(const Value& value, const std::string& where,
                            std::string_view expected) {
  MarkInvalid(value);
  findings_.Add("TYPE_MISMATCH", where,
                "must be " + std::string(expected) + ", but is " + Describe(value));
}

bool SchemaCheck::Document(const Value& root) {
  if (!root.is_object()) {
    findings_.Add("TYPE_MISMATCH", "", "the document must be an object, but is " + Describe(root));
    return false;
  }
  RootExtensionLists(root);
  if (!Version(root)) return false;
  Object(root, "", kRootType);
  for (const Collection& collection : Collections()) CheckCollection(root, collection);
  return true;
}

void SchemaCheck::RootExtensionLists(const Value& root) {
  if (root.contains("extensionsRequired") && !root.contains("extensionsUsed")) {
    findings_.Add("UNSATISFIED_DEPENDENCY", "/extensionsRequired",
                  "extensionsRequired needs extensionsUsed, which is missing");
  }
  extensions_used_ = StringList(root, "extensionsUsed").value_or(std::vector<std::string>());
  const auto required = StringList(root, "extensionsRequired").value_or(std::vector<std::string>());
  for (std::size_t i = 0; i < extensions_used_.size(); ++i) {
    const std::string& name = extensions_used_[i];
    const std::string where = JoinPointer("/extensionsUsed", i);
    if (!IsExtensionName(name)) {
      findings_.Add("INVALID_EXTENSION_NAME_FORMAT", where,
                    "the name '" + name + "' is not of the form VENDOR_name");
    }
    if (!IsKnownExtension(name)) {
      findings_.Add("UNSUPPORTED_EXTENSION", where,
                    "the check does not look inside the extension '" + name + "'");
    }
    if (name == "KHR_mesh_quantization" &&
        std::find(required.begin(), required.end(), name) == required.end()) {
      findings_.Add("NON_REQUIRED_EXTENSION", where,
                    "the extension '" + name + "' must be listed in extensionsRequired too");
    }
  }
  for (std::size_t i = 0; i < required.size(); ++i) {
    if (Uses(required[i])) continue;
    findings_.Add("UNUSED_EXTENSION_REQUIRED", JoinPointer("/extensionsRequired", i),
                  "'" + required[i] + "' is required but not listed in extensionsUsed");
  }
}

std::optional<std::vector<std::string>> SchemaCheck::StringList(const Value& root,
                                                                const char* key) {
  if (!root.contains(key)) return std::nullopt;
  const Value& list = root[key];
  const std::string where = JoinPointer("", key);
  if (!list.is_array()) {
    WrongType(list, where, "an array");
    return std::nullopt;
  }
  if (list.empty()) {
    findings_.Add("EMPTY_ENTITY", where, "the array is empty; leave it out instead");
    return std::nullopt;
  }
  std::vector<std::string> names;
  std::set<std::string> seen;
  bool broken = false;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list[i].is_string()) {
      findings_.Add("ARRAY_TYPE_MISMATCH", JoinPointer(where, i),
                    "must be a string, but is " + Describe(list[i]));
      broken = true;
    } else {
      names.push_back(list[i].get<std::string>());
      if (!seen.insert(names.back()).second) {
        findings_.Add("DUPLICATE_ELEMENTS", JoinPointer(where, i),
                      "'" + names.back() + "' is listed before");
      }
    }
  }
  if (broken) return std::nullopt;
  return names;
}

bool SchemaCheck::Version(const Value& root) {
  CheckProperty(
      root, "",
      {.name = "asset", .kind = PropertyKind::kObject, .required = true, .object = &kAssetType});
  const auto asset = root.find("asset");
  if (asset == root.end() || !asset->is_object()) return false;
  const ValidObject valid(*asset, "/asset", invalid_);
  const std::string* version = valid.String("version");
  if (version == nullptr) return false;
  const std::size_t dot = version->find('.');
  const auto number = [](std::string_view digits) {
    while (digits.size() > 1 && digits[0] == '0') digits.remove_prefix(1);
    return digits;
  };
  if (number(std::string_view(*version).substr(0, dot)) != "2") {
    findings_.Add("UNKNOWN_ASSET_MAJOR_VERSION", "/asset/version",
                  "the file is of version " + *version + ", but only glTF 2 can be checked");
    return false;
  }
  if (number(std::string_view(*version).substr(dot + 1)) != "0") {
    findings_.Add("UNKNOWN_ASSET_MINOR_VERSION", "/asset/version",
                  "the file is of version " + *version + "; it is checked as glTF 2.0");
  }
  return true;
}

void SchemaCheck::CheckCollection(const Value& root, const Collection& collection) {
  const auto found = root.find(collection.name);
  if (found == root.end()) return;
  const std::string where = JoinPointer("", collection.name);
  if (!found->is_array()) return WrongType(*found, where, "an array");
  if (found->empty()) {
    findings_.Add("EMPTY_ENTITY", where, "the array is empty; leave it out instead");
    return;
  }
  for (std::size_t i = 0; i < found->size(); ++i) {
    const Value& element = (*found)[i];
    if (element.is_object()) {
      Object(element, JoinPointer(where, i), *collection.type);
    } else {
      WrongType(element, JoinPointer(where, i), "an object");
    }
  }
}

void SchemaCheck::Object(const Value& object, const std::string& pointer, const ObjectType& type) {
  const bool is_root = &type == &kRootType;
  for (const auto& [name, value] : object.items()) {
    if (name == "extensions" || name == "extras") continue;
    const auto knows = [&](const auto& known) { return known.name == name; };
    if (std::any_of(type.properties.begin(), type.properties.end(), knows)) continue;
    if (is_root && std::any_of(Collections().begin(), Collections().end(), knows)) continue;
    findings_.Add("UNEXPECTED_PROPERTY", JoinPointer(pointer, name),
                  "the format defines no property '" + name + "' here");
  }
  for (const Property& property : type.properties) {
    // The root's own were looked at first, to know the version.
    if (is_root && property.name != "scene") continue;
    CheckProperty(object, pointer, property);
  }
  CheckExtensions(object, pointer, type);
  CheckExtras(object, pointer);
  if (type.rule != nullptr) type.rule(*this, ValidObject(object, pointer, invalid_));
}

void SchemaCheck::CheckProperty(const Value& object, const std::string& pointer,
                                const Property& property) {
  const auto found = object.find(property.name);
  if (found == object.end()) {
    if (property.required) {
      findings_.Add("UNDEFINED_PROPERTY", Where(pointer),
                    "lacks the property '" + std::string(property.name) + "', which is required");
    }
    return;
  }
  const Value& value = *found;
  const std::string where = JoinPointer(pointer, property.name);
  switch (property.kind) {
    case PropertyKind::kIndex:
    case PropertyKind::kInteger:
      CheckInteger(value, where, property);
      break;
    case PropertyKind::kNumber:
      CheckNumber(value, where, property);
      break;
    case PropertyKind::kBool:
      if (!value.is_boolean()) WrongType(value, where, "true or false");
      break;
    case PropertyKind::kString:
      CheckString(value, where, property);
      break;
    case PropertyKind::kObject:
      if (value.is_object()) {
        Object(value, where, *property.object);
      } else {
        WrongType(value, where, "an object");
      }
      break;
    case PropertyKind::kObjects:
      CheckObjects(value, where, property);
      break;
    case PropertyKind::kIndices:
      CheckIndices(value, where);
      break;
    case PropertyKind::kNumbers:
      CheckNumbers(value, where, property);
      break;
    case PropertyKind::kAttributes:
      if (!value.is_object()) {
        WrongType(value, where, "an object");
      } else if (value.empty()) {
        MarkInvalid(value);
        findings_.Add("EMPTY_ENTITY", where, "the object is empty");
      } else {
        CheckAttributeValues(value, where);
      }
      break;
    case PropertyKind::kTargets:
      CheckTargets(value, where);
      break;
    case PropertyKind::kBounds:
      break;
  }
  // A value that is null is as good as missing, besides being of the wrong type.
  if (value.is_null() && property.required) {
    findings_.Add("UNDEFINED_PROPERTY", Where(pointer),
                  "lacks the property '" + std::string(property.name) + "', which is required");
  }
}

void SchemaCheck::CheckInteger(const Value& value, const std::string& where,
                               const Property& property) {
  const auto integer = IntegerOf(value);
  if (!integer) return WrongType(value, where, "an integer");
  if (property.kind == PropertyKind::kIndex) {
    if (*integer >= 0) return;
    findings_.Add("INVALID_INDEX", where,
                  "an index must not be negative, but is " + Describe(value));
  } else if (!property.integers.empty()) {
    if (std::find(property.integers.begin(), property.integers.end(), *integer) !=
        property.integers.end()) {
      return;
    }
    findings_.Add("VALUE_NOT_IN_LIST", where,
                  "is " + Describe(value) + ", but must be one of " + List(property.integers));
  } else {
    if (property.range.Holds(static_cast<double>(*integer))) return;
    findings_.Add("VALUE_NOT_IN_RANGE", where,
                  "is " + Describe(value) + ", which is outside its range");
  }
  MarkInvalid(value);
}

void SchemaCheck::CheckNumber(const Value& value, const std::string& where,
                              const Property& property) {
  if (!value.is_number()) return WrongType(value, where, "a number");
  if (property.range.Holds(value.get<double>())) return;
  MarkInvalid(value);
  findings_.Add("VALUE_NOT_IN_RANGE", where,
                "is " + Describe(value) + ", which is outside its range");
}

void SchemaCheck::CheckString(const Value& value, const std::string& where,
                              const Property& property) {
  if (!value.is_string()) return WrongType(value, where, "a string");
  const auto& text = value.get_ref<const std::string&>();
  if (!property.strings.empty()) {
    const ExtraChoice& extra = property.extra_choice;
    if (std::find(property.strings.begin(), property.strings.end(), text) !=
            property.strings.end() ||
        (!extra.extension.empty() && text == extra.value && Uses(extra.extension))) {
      return;
    }
    // The value stays valid: what follows from it can still be said.
    findings_.Add("VALUE_NOT_IN_LIST", where,
                  "is " + Describe(value) + ", but must be one of " + List(property.strings));
  } else if (!Matches(text, property.pattern)) {
    MarkInvalid(value);
    findings_.Add("PATTERN_MISMATCH", where, "is " + Describe(value) + ", which is no valid form");
  }
}

void SchemaCheck::CheckObjects(const Value& value, const std::string& where,
                               const Property& property) {
  if (!value.is_array()) return WrongType(value, where, "an array");
  if (value.empty()) {
    MarkInvalid(value);
    findings_.Add("EMPTY_ENTITY", where, "the array is empty");
    return;
  }
  const auto is_object = [](const Value& element) { return element.is_object(); };
  if (!std::all_of(value.begin(), value.end(), is_object)) {
    const Value& first = *std::find_if_not(value.begin(), value.end(), is_object);
    MarkInvalid(value);
    findings_.Add("ARRAY_TYPE_MISMATCH", where,
                  "every element must be an object, but one is " + Describe(first));
    return;
  }
  for (std::size_t i = 0; i < value.size(); ++i) {
    Object(value[i], JoinPointer(where, i), *property.object);
  }
}

void SchemaCheck::CheckIndices(const Value& value, const std::string& where) {
  if (!value.is_array()) return WrongType(value, where, "an array");
  if (value.empty()) {
    MarkInvalid(value);
    findings_.Add("EMPTY_ENTITY", where, "the array is empty");
    return;
  }
  std::unordered_set<std::int64_t> seen;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const auto index = IntegerOf(value[i]);
    if (!index || *index < 0) {
      MarkInvalid(value[i]);
      findings_.Add("INVALID_INDEX", JoinPointer(where, i),
                    "must be a non-negative integer, but is " + Describe(value[i]));
    } else if (!seen.insert(*index).second) {
      findings_.Add("DUPLICATE_ELEMENTS", JoinPointer(where, i),
                    std::to_string(*index) + " is listed before");
    }
  }
}

void SchemaCheck::CheckNumbers(const Value& value, const std::string& where,
                               const Property& property) {
  if (!value.is_array()) return WrongType(value, where, "an array");
  if (value.empty()) {
    MarkInvalid(value);
    findings_.Add("EMPTY_ENTITY", where, "the array is empty");
    return;
  }
  if (property.length != 0 && value.size() != property.length) {
    MarkInvalid(value);
    findings_.Add("ARRAY_LENGTH_NOT_IN_LIST", where,
                  "must hold " + std::to_string(property.length) + " numbers, but holds " +
                      std::to_string(value.size()));
    return;
  }
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (!value[i].is_number()) {
      MarkInvalid(value);
      findings_.Add(
          "ARRAY_TYPE_MISMATCH", where,
          "element " + std::to_string(i) + " must be a number, but is " + Describe(value[i]));
    } else if (const double number = value[i].get<double>();
               std::isinf(number) || !property.range.Holds(number)) {
      MarkInvalid(value);
      findings_.Add("VALUE_NOT_IN_RANGE", JoinPointer(where, i),
                    "is " + Describe(value[i]) + ", which is outside its range");
    }
  }
}

void SchemaCheck::CheckAttributeValues(const Value& value, const std::string& where) {
  for (const auto& [name, index] : value.items()) {
    const auto integer = IntegerOf(index);
    if (integer && *integer >= 0) continue;
    MarkInvalid(index);
    findings_.Add("INVALID_INDEX", JoinPointer(where, name),
                  "must be a non-negative integer, but is " + Describe(index));
  }
}

void SchemaCheck::CheckTargets(const Value& value, const std::string& where) {
  if (value.is_null()) return WrongType(value, where, "an array");
  if (!value.is_array()) return WrongType(value, where, "an array");
  if (value.empty()) {
    MarkInvalid(value);
    findings_.Add("EMPTY_ENTITY", where, "the array is empty");
    return;
  }
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (!value[i].is_object()) {
      MarkInvalid(value);
      findings_.Add("ARRAY_TYPE_MISMATCH", where,
                    "every morph target must be an object, but one is " + Describe(value[i]));
    } else if (value[i].empty()) {
      MarkInvalid(value);
      findings_.Add("EMPTY_ENTITY", JoinPointer(where, i), "the morph target is empty");
    } else {
      CheckAttributeValues(value[i], JoinPointer(where, i));
    }
  }
}

void SchemaCheck::CheckExtensions(const Value& object, const std::string& pointer,
                                  const ObjectType& type) {
  const auto found = object.find("extensions");
  if (found == object.end()) return;
  const std::string where = JoinPointer(pointer, "extensions");
  if (!found->is_object()) return WrongType(*found, where, "an object");
  for (const auto& [name, value] : found->items()) {
    const std::string place = JoinPointer(where, name);
    if (!value.is_object()) WrongType(value, place, "an object");
    if (!Uses(name)) {
      findings_.Add("UNDECLARED_EXTENSION", place,
                    "the extension '" + name + "' is not listed in extensionsUsed");
      continue;
    }
    if (!IsKnownExtension(name)) continue;
    const auto types = ExtensionTypes();
    const auto known = std::find_if(types.begin(), types.end(), [&](const ExtensionType& e) {
      return e.extension == name && e.host == &type;
    });
    if (known == types.end()) {
      findings_.Add("UNEXPECTED_EXTENSION_OBJECT", place,
                    "the extension '" + name + "' has no meaning on an object of type " +
                        std::string(type.name));
      continue;
    }
    if (known->alone && found->size() > 1) {
      findings_.Add("MULTIPLE_EXTENSIONS", place,
                    "the extension '" + name + "' may not go together with the others here");
    }
    if (value.is_object()) Object(value, place, *known->type);
  }
}

void SchemaCheck::CheckExtras(const Value& object, const std::string& pointer) {
  const auto found = object.find("extras");
  if (found == object.end() || found->is_null() || found->is_object()) return;
  findings_.Add("NON_OBJECT_EXTRAS", JoinPointer(pointer, "extras"),
                "should be an object, but is " + Describe(*found));
}

}  // namespace flexor::io::gltf
