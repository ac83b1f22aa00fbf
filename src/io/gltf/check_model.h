/// @file io/gltf/check_model.h
/// A glTF document as the check sees it: every object that is there, every value that is valid, -1
/// or nothing for the rest. Unlike the reader's raw document it can be made of any document.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/gltf/check_schema.h"

namespace flexor::io::gltf {

inline constexpr std::int64_t kAbsent = -1;

/// What an element of a top-level array shares with all others.
struct CheckItem {
  bool exists = false;  ///< the element is an object
  bool used = false;    ///< something refers to it
  std::string pointer;
};

enum class ViewUsage : std::uint8_t { kUnused, kVertices, kIndices, kImage, kInverseBinds, kOther };
enum class AccessorUsage : std::uint8_t {
  kUnused,
  kAttribute,
  kIndices,
  kInverseBinds,
  kKeyTimes,
  kKeyValues,
};

struct CheckedBuffer : CheckItem {
  std::int64_t byte_length = kAbsent;
  const std::string* uri = nullptr;
  bool has_uri = false;  ///< even an invalid one
};

struct CheckedView : CheckItem {
  std::int64_t buffer = kAbsent;
  std::int64_t byte_offset = 0;  ///< kAbsent when broken
  std::int64_t byte_length = kAbsent;
  std::int64_t byte_stride = kAbsent;
  ViewUsage usage = ViewUsage::kUnused;
  std::vector<std::int64_t> vertex_accessors;  ///< different ones, while byteStride is absent
};

struct CheckedSparse {
  std::int64_t count = kAbsent;
  std::int64_t indices_view = kAbsent;
  std::int64_t indices_offset = 0;
  std::int64_t indices_type = kAbsent;
  std::int64_t values_view = kAbsent;
  std::int64_t values_offset = 0;
};

/// Type, component type and normalization: what rules about formats compare.
struct AccessorFormat {
  std::size_t components = 0;
  bool is_matrix = false;
  std::int64_t component_type = kAbsent;
  bool normalized = false;
  friend bool operator==(const AccessorFormat&, const AccessorFormat&) = default;
  std::string ToString() const;
};

struct CheckedAccessor : CheckItem {
  std::int64_t view = kAbsent;
  std::int64_t byte_offset = 0;
  std::int64_t count = kAbsent;
  bool has_type = false;  ///< even an unknown one
  AccessorFormat format;
  std::optional<std::vector<double>> min, max;
  std::optional<CheckedSparse> sparse;
  AccessorUsage usage = AccessorUsage::kUnused;

  /// Whether type, component type and count are all there.
  bool IsComplete() const {
    return has_type && format.component_type != kAbsent && count != kAbsent;
  }
  bool HasBounds() const { return min.has_value() && max.has_value(); }
  std::int64_t ComponentBytes() const;
  /// Bytes of one element without padding after its last column.
  std::int64_t ElementBytes() const;
  /// Bytes from one element to the next when the buffer view does not say.
  std::int64_t PackedStride() const;
};

struct CheckedImage : CheckItem {
  std::int64_t view = kAbsent;
  const std::string* uri = nullptr;
  const std::string* mime_type = nullptr;
  bool has_extensions = false;
  std::string found_type;  ///< by the data; empty while unknown
};

struct CheckedTexture : CheckItem {
  std::int64_t sampler = kAbsent;
  std::int64_t source = kAbsent;
  std::int64_t webp_source = kAbsent;
};

/// A reference to a texture somewhere in a material.
struct CheckedTextureInfo {
  std::string pointer;
  std::int64_t texture = kAbsent;
  std::int64_t texcoord = 0;
  std::int64_t transform_texcoord = kAbsent;  ///< of KHR_texture_transform
};

struct CheckedMaterial : CheckItem {
  std::vector<CheckedTextureInfo> textures;
  bool has_normal_texture = false;
  bool needs_tangents = false;
};

/// An attribute of a primitive or a morph target.
struct CheckedAttribute {
  std::string name;
  std::int64_t accessor = kAbsent;
};

struct CheckedMapping {
  std::string pointer;
  std::optional<std::vector<std::int64_t>> variants;
  std::int64_t material = kAbsent;
};

struct CheckedPrimitive {
  std::string pointer;
  std::vector<CheckedAttribute> attributes;
  std::optional<std::vector<std::vector<CheckedAttribute>>> targets;
  std::vector<CheckedMapping> mappings;
  std::int64_t indices = kAbsent;
  std::int64_t material = kAbsent;
  std::int64_t mode = 4;
  bool has_normal = false;
  bool has_tangent = false;
  std::int64_t joint_sets = 0;  ///< 0 also when they do not match the weights
  std::int64_t texcoord_sets = 0;
  std::int64_t vertex_count = kAbsent;  ///< of the first attribute that resolves
  std::int64_t drawn_count = kAbsent;   ///< of indices, else of vertices
  std::vector<bool> texcoord_used;      ///< by the material

  /// The accessor of an attribute that resolves, or kAbsent.
  std::int64_t Find(std::string_view name) const;
};

struct CheckedMesh : CheckItem {
  std::optional<std::vector<CheckedPrimitive>> primitives;
  bool has_weights = false;
  bool weights_used = false;

  bool IsSkinned() const;
  /// Morph targets of the first primitive, or kAbsent when it has none.
  std::int64_t TargetCount() const;
};

struct CheckedNode : CheckItem {
  std::int64_t camera = kAbsent;
  std::int64_t mesh = kAbsent;
  std::int64_t skin = kAbsent;
  std::int64_t light = kAbsent;
  std::optional<std::vector<std::int64_t>> children;
  std::optional<std::size_t> weight_count;
  bool has_matrix = false;
  bool has_transform = false;  ///< other than the identity
  bool has_extras = false;
  bool has_extensions = false;
  std::int64_t parent = kAbsent;  ///< the last one that names it
  bool is_joint = false;
};

struct CheckedSkin : CheckItem {
  std::int64_t inverse_binds = kAbsent;
  std::int64_t skeleton = kAbsent;
  std::optional<std::vector<std::int64_t>> joints;
  std::int64_t top_root = kAbsent;  ///< the common ancestor without a parent
};

enum class Interpolation : std::uint8_t { kUnknown, kLinear, kStep, kCubicSpline };

struct CheckedSampler {
  std::string pointer;
  std::int64_t input = kAbsent;
  std::int64_t output = kAbsent;
  Interpolation interpolation = Interpolation::kLinear;
  bool used = false;
};

struct CheckedChannel {
  std::string pointer;
  bool has_target = false;
  std::int64_t sampler = kAbsent;
  std::int64_t node = kAbsent;
  std::string path;
};

struct CheckedAnimation : CheckItem {
  std::optional<std::vector<CheckedSampler>> samplers;
  std::optional<std::vector<CheckedChannel>> channels;
};

struct CheckedScene : CheckItem {
  std::optional<std::vector<std::int64_t>> nodes;
};

/// What the data of an accessor must keep, because of how it is used.
enum class DataRuleKind : std::uint8_t {
  kFinite,
  kBounds,  ///< the declared min and max
  kUnitVector,
  kTangent,
  kColor,
  kInverseBind,
  kKeyTimes,
  kRotations,
  kIndices,
};

struct DataRule {
  std::int64_t accessor = kAbsent;
  DataRuleKind kind = DataRuleKind::kFinite;
  std::string where;
  std::int64_t vertex_count = 0;  ///< kIndices: vertices that can be named
  std::int64_t mode = kAbsent;    ///< kIndices: drawing mode
  bool cubic = false;             ///< kRotations: tangents around every value
};

struct CheckModel {
  std::vector<CheckedAccessor> accessors;
  std::vector<CheckedAnimation> animations;
  std::vector<CheckedBuffer> buffers;
  std::vector<CheckedView> views;
  std::vector<CheckItem> cameras;
  std::vector<CheckedImage> images;
  std::vector<CheckedMaterial> materials;
  std::vector<CheckedMesh> meshes;
  std::vector<CheckedNode> nodes;
  std::vector<CheckItem> samplers;
  std::vector<CheckedScene> scenes;
  std::vector<CheckedSkin> skins;
  std::vector<CheckedTexture> textures;
  std::int64_t scene = kAbsent;
  std::optional<std::vector<CheckItem>> lights, variants;
  std::vector<DataRule> data_rules;
  bool uses_quantization = false;

  /// The element of an array that an index names, or nullptr.
  template <class Item>
  static Item* Resolve(std::vector<Item>& items, std::int64_t index) {
    if (index < 0 || static_cast<std::uint64_t>(index) >= items.size()) return nullptr;
    Item& item = items[static_cast<std::size_t>(index)];
    return item.exists ? &item : nullptr;
  }
};

/// Reads what is valid of a document that SchemaCheck has walked.
CheckModel BuildCheckModel(const json::Value& root, const SchemaCheck& schema);

}  // namespace flexor::io::gltf
