/// @file io/gltf/check_schema.h
/// The shape of a glTF document: which objects have which properties of which types. A table of
/// types (check_schema_types.cc, check_schema_extensions.cc) and one walker over it.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "io/gltf/check_findings.h"
#include "io/json/access.h"
#include "io/json/parse.h"

namespace flexor::io::gltf {

struct ObjectType;
class ValidObject;
class SchemaCheck;

enum class PropertyKind : std::uint8_t {
  kIndex,    ///< of an element of a top-level array
  kInteger,  ///< within `range` or `integers`
  kNumber,   ///< within `range`
  kBool,
  kString,      ///< one of `strings`, or of `pattern`
  kObject,      ///< of type `object`
  kObjects,     ///< a non-empty array of objects of type `object`
  kIndices,     ///< a non-empty array of different indices
  kNumbers,     ///< an array of `length` numbers within `range`; any positive length when 0
  kAttributes,  ///< an object of indices, whose keys are attribute names
  kTargets,     ///< an array of such objects, for morph targets
  kBounds,      ///< min or max of an accessor: judged by the accessor's own rule
};

enum class Pattern : std::uint8_t { kAnything, kVersion, kJsonPointer };

/// least <= x <= greatest and above < x < below; `or_exactly` is allowed besides.
struct Range {
  double least = -std::numeric_limits<double>::infinity();
  double greatest = std::numeric_limits<double>::infinity();
  double above = -std::numeric_limits<double>::infinity();
  double below = std::numeric_limits<double>::infinity();
  double or_exactly = std::numeric_limits<double>::quiet_NaN();

  bool Holds(double x) const {
    return x == or_exactly || (x >= least && x <= greatest && x > above && x < below);
  }
};

/// A value that one more extension allows.
struct ExtraChoice {
  std::string_view extension;
  std::string_view value;
};

struct Property {
  std::string_view name;
  PropertyKind kind;
  bool required = false;
  Range range = {};
  std::span<const std::int64_t> integers = {};
  std::span<const std::string_view> strings = {};
  ExtraChoice extra_choice = {};
  Pattern pattern = Pattern::kAnything;
  std::size_t length = 0;
  const ObjectType* object = nullptr;
};

/// Rules of one object that no table of its properties can say.
using ObjectRule = void (*)(SchemaCheck& check, const ValidObject& object);

struct ObjectType {
  std::string_view name;
  std::span<const Property> properties;
  ObjectRule rule = nullptr;
};

/// The contents of a known extension on one type of object.
struct ExtensionType {
  std::string_view extension;
  const ObjectType* host;
  const ObjectType* type;
  bool alone = false;  ///< does not go together with other extensions of the object
};

extern const ObjectType kRootType;  ///< properties other than the top-level arrays
extern const ObjectType kAssetType, kAccessorType, kAnimationType, kBufferType, kBufferViewType,
    kCameraType, kImageType, kMaterialType, kMeshType, kNodeType, kSamplerType, kSceneType,
    kSkinType, kTextureType, kChannelTargetType, kPrimitiveType, kTextureInfoType,
    kNormalTextureInfoType, kOcclusionTextureInfoType;

/// A top-level array.
struct Collection {
  std::string_view name;
  const ObjectType* type;
};
std::span<const Collection> Collections();

/// The extensions that the check looks into.
std::span<const ExtensionType> ExtensionTypes();
/// Whether the check looks into that extension, or knows that it has no contents.
bool IsKnownExtension(std::string_view name);

/// An object as far as it is valid: values that broke a rule of their own count as absent.
class ValidObject {
 public:
  ValidObject(const json::Value& value, std::string pointer,
              const std::unordered_set<const json::Value*>& invalid)
      : value_(&value), pointer_(std::move(pointer)), invalid_(&invalid) {}

  const json::Value& value() const { return *value_; }
  const std::string& pointer() const { return pointer_; }

  /// A valid member, or nullptr.
  const json::Value* Find(std::string_view key) const;
  /// Whether the member is there, valid or not.
  bool Has(std::string_view key) const { return value_->contains(key); }

  /// -1 when absent.
  std::int64_t Index(std::string_view key) const { return Integer(key, -1); }
  std::int64_t Integer(std::string_view key, std::int64_t absent) const;
  /// `broken` when the member is there but not valid.
  std::int64_t Integer(std::string_view key, std::int64_t absent, std::int64_t broken) const;
  double Number(std::string_view key, double absent) const;
  bool Bool(std::string_view key) const;
  /// nullptr when absent.
  const std::string* String(std::string_view key) const;
  std::optional<ValidObject> Object(std::string_view key) const;
  /// A valid array, or nullptr; its elements are objects, or may be broken indices.
  const json::Value* Array(std::string_view key) const;
  std::optional<std::vector<double>> Numbers(std::string_view key) const;
  /// Indices with -1 for broken ones.
  std::optional<std::vector<std::int64_t>> Indices(std::string_view key) const;
  /// The element of an array of this object.
  ValidObject Element(std::string_view key, std::size_t index) const;
  /// extensions.NAME, when it is an object.
  std::optional<ValidObject> Extension(std::string_view name) const;

 private:
  const json::Value* value_;
  std::string pointer_;
  const std::unordered_set<const json::Value*>* invalid_;
};

/// Walks a document along the tables and reports every departure.
class SchemaCheck {
 public:
  explicit SchemaCheck(Findings& findings, bool is_glb) : findings_(findings), is_glb_(is_glb) {}

  /// Checks everything. False when the document is no glTF 2: then nothing below the root was
  /// looked at and nothing more can be said.
  bool Document(const json::Value& root);

  void Object(const json::Value& object, const std::string& pointer, const ObjectType& type);

  Findings& findings() { return findings_; }
  bool is_glb() const { return is_glb_; }
  /// Whether extensionsUsed lists it.
  bool Uses(std::string_view extension) const;
  void MarkInvalid(const json::Value& value) { invalid_.insert(&value); }
  const std::unordered_set<const json::Value*>& invalid() const { return invalid_; }

 private:
  void RootExtensionLists(const json::Value& root);
  std::optional<std::vector<std::string>> StringList(const json::Value& root, const char* key);
  bool Version(const json::Value& root);
  void CheckCollection(const json::Value& root, const Collection& collection);
  void CheckProperty(const json::Value& object, const std::string& pointer,
                     const Property& property);
  void CheckInteger(const json::Value& value, const std::string& where, const Property& property);
  void CheckNumber(const json::Value& value, const std::string& where, const Property& property);
  void CheckString(const json::Value& value, const std::string& where, const Property& property);
  void CheckObjects(const json::Value& value, const std::string& where, const Property& property);
  void CheckIndices(const json::Value& value, const std::string& where);
  void CheckNumbers(const json::Value& value, const std::string& where, const Property& property);
  void CheckAttributeValues(const json::Value& value, const std::string& where);
  void CheckTargets(const json::Value& value, const std::string& where);
  void CheckExtensions(const json::Value& object, const std::string& pointer,
                       const ObjectType& type);
  void CheckExtras(const json::Value& object, const std::string& pointer);
  void WrongType(const json::Value& value, const std::string& where, std::string_view expected);

  Findings& findings_;
  bool is_glb_;
  std::vector<std::string> extensions_used_;
  std::unordered_set<const json::Value*> invalid_;
};

}  // namespace flexor::io::gltf
