/// @file io/gltf/check_model.h
/// What the check knows of a document besides the document itself (raw.h): what is used, and as
/// what, and the few things that only the check asks for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/gltf/check_schema.h"
#include "io/gltf/raw.h"

namespace flexor::io::gltf {

/// An index, or kNone where there is none, whatever type holds it.
inline std::int64_t IndexOf(std::int64_t index) { return index; }
inline std::int64_t IndexOf(std::int32_t index) { return index; }
inline std::int64_t IndexOf(std::uint32_t index) {
  return index == kNoIndex ? kNone : static_cast<std::int64_t>(index);
}

/// What an element of a top-level array shares with all others.
struct CheckItem {
  bool exists = false;  ///< the element is an object
  bool used = false;    ///< something refers to it
  std::string pointer;
};

/// An element and what the document has of it.
template <class Raw>
struct Checked : CheckItem {
  const Raw* raw = nullptr;
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

using CheckedBuffer = Checked<RawBuffer>;
using CheckedScene = Checked<RawScene>;
using CheckedAnimation = Checked<RawAnimation>;

struct CheckedView : Checked<RawBufferView> {
  ViewUsage usage = ViewUsage::kUnused;
  std::vector<std::uint32_t> vertex_accessors;  ///< different ones, while there is no byteStride
};

/// Type, component type and normalization: what rules about formats compare.
struct AccessorFormat {
  ElementType type = ElementType::kUnknown;
  ComponentType component = ComponentType::kUnknown;
  bool normalized = false;
  friend bool operator==(const AccessorFormat&, const AccessorFormat&) = default;
  std::string ToString() const;
};

struct CheckedAccessor : Checked<RawAccessor> {
  const json::Value* min = nullptr;  ///< arrays of numbers, one for each component
  const json::Value* max = nullptr;
  AccessorUsage usage = AccessorUsage::kUnused;

  AccessorFormat format() const { return {raw->type, raw->component, raw->normalized}; }
  bool HasCount() const { return raw->count != kNoNumber; }
  /// Whether type (even an unknown one), component type and count are all there.
  bool IsComplete() const {
    return raw->has_type && raw->component != ComponentType::kUnknown && HasCount();
  }
};

struct CheckedImage : Checked<RawImage> {
  bool has_extensions = false;
  std::string found_type;  ///< by the data; empty while unknown
};

struct CheckedTexture : Checked<RawTexture> {
  std::int64_t sampler = kNone;
  std::int64_t webp_source = kNone;
};

/// A reference to a texture somewhere in a material.
struct CheckedTextureInfo {
  std::string pointer;
  std::int64_t texture = kNone;
  std::int64_t texcoord = 0;
  std::int64_t transform_texcoord = kNone;  ///< of KHR_texture_transform
};

/// The reader takes the base colour alone; here is every texture of every known extension.
struct CheckedMaterial : CheckItem {
  std::vector<CheckedTextureInfo> textures;
  bool has_normal_texture = false;
  bool needs_tangents = false;
};

struct CheckedMapping {
  std::string pointer;
  std::optional<std::vector<std::int64_t>> variants;
  std::int64_t material = kNone;
};

struct CheckedPrimitive {
  const RawPrimitive* raw = nullptr;
  std::string pointer;
  std::vector<CheckedMapping> mappings;
  bool has_normal = false;
  bool has_tangent = false;
  std::int64_t joint_sets = 0;  ///< 0 also when they do not match the weights
  std::int64_t texcoord_sets = 0;
  std::uint64_t vertex_count = kNoNumber;  ///< of the first attribute that resolves
  std::uint64_t drawn_count = kNoNumber;   ///< of indices, else of vertices
  std::vector<bool> texcoord_used;         ///< by the material
};

struct CheckedMesh : Checked<RawMesh> {
  std::vector<CheckedPrimitive> primitives;
  bool weights_used = false;

  bool IsSkinned() const;
  /// Morph targets of the first primitive; none is no target.
  std::size_t TargetCount() const {
    return raw->primitives.empty() ? 0 : raw->primitives.front().targets.size();
  }
};

struct CheckedNode : Checked<RawNode> {
  std::int64_t light = kNone;
  std::optional<std::vector<std::int64_t>> children;
  bool has_transform = false;  ///< other than the identity
  bool has_extras = false;
  bool has_extensions = false;
  std::int64_t parent = kNone;  ///< the last one that names it
  bool is_joint = false;
};

struct CheckedSkin : Checked<RawSkin> {
  std::int64_t top_root = kNone;  ///< the common ancestor without a parent
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
  std::uint32_t accessor = kNoIndex;
  DataRuleKind kind = DataRuleKind::kFinite;
  std::string where;
  std::uint64_t vertex_count = 0;                ///< kIndices: vertices that can be named
  PrimitiveMode mode = PrimitiveMode::kUnknown;  ///< kIndices: drawing mode
  bool cubic = false;                            ///< kRotations: tangents around every value
};

/// All that is checked of one document, which must outlive this and stay where it is.
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
  std::int64_t scene = kNone;
  std::optional<std::vector<CheckItem>> lights, variants;
  std::vector<DataRule> data_rules;
  bool uses_quantization = false;

  /// The element of an array that an index names, or nullptr.
  template <class Items, class Index>
  static auto Resolve(Items& items, Index index) -> decltype(items.data()) {
    const std::int64_t at = IndexOf(index);
    if (at < 0 || static_cast<std::uint64_t>(at) >= items.size()) return nullptr;
    auto& item = items[static_cast<std::size_t>(at)];
    return item.exists ? &item : nullptr;
  }
};

/// Looks around a document that SchemaCheck has walked and ReadJudgedDocument has read.
CheckModel BuildCheckModel(const json::Value& root, const RawDocument& document,
                           const SchemaCheck& schema);

}  // namespace flexor::io::gltf
