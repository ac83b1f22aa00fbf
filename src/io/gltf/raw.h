/// @file io/gltf/raw.h
/// A glTF file as it is written, in structs: indices still point into these arrays, nothing is
/// decoded or converted. Made by document.h for the reader, which wants every index and every span
/// right, and for the check, which takes what there is: there kNone, kNoIndex and kNoNumber stand
/// for what is missing or broken. Texts are views into the JSON document.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flexor/asset/material.h"
#include "flexor/asset/node.h"

namespace flexor::io::gltf {

using asset::kNone;

/// A required index that is missing or broken.
inline constexpr std::uint32_t kNoIndex = 0xffffffff;
/// Indices from here on are all one: no array is as long.
inline constexpr std::uint32_t kFarIndex = 0x7ffffffe;
/// A number that is missing where it is required, or broken.
inline constexpr std::uint64_t kNoNumber = std::numeric_limits<std::uint64_t>::max();

enum class ComponentType : std::uint16_t {
  kUnknown = 0,
  kInt8 = 5120,
  kUint8 = 5121,
  kInt16 = 5122,
  kUint16 = 5123,
  kUint32 = 5125,
  kFloat = 5126,
};

enum class ElementType : std::uint8_t {
  kUnknown,
  kScalar,
  kVec2,
  kVec3,
  kVec4,
  kMat2,
  kMat3,
  kMat4
};

struct RawBuffer {
  std::optional<std::string_view> uri;
  bool has_uri = false;  ///< even a broken one
  std::uint64_t byte_length = 0;
  bool meshopt_fallback = false;  ///< its views are compressed; the buffer itself may not exist
};

enum class MeshoptMode : std::uint8_t { kAttributes, kTriangles, kIndices, kUnknown };
enum class MeshoptFilter : std::uint8_t { kOff, kOctahedral, kQuaternion, kExponential, kUnknown };

/// EXT_meshopt_compression or KHR_meshopt_compression of a buffer view.
struct RawMeshopt {
  std::string extension;  ///< its name, which is also the last part of its pointer
  std::uint32_t buffer = 0;
  std::uint64_t byte_offset = 0;
  std::uint64_t byte_length = 0;
  std::uint32_t byte_stride = 0;
  std::uint64_t count = 0;
  MeshoptMode mode = MeshoptMode::kUnknown;
  MeshoptFilter filter = MeshoptFilter::kOff;
};

struct RawBufferView {
  std::uint32_t buffer = 0;
  std::uint64_t byte_offset = 0;
  std::uint64_t byte_length = 0;
  std::uint32_t byte_stride = 0;  ///< 0: not given, elements are tightly packed
  std::optional<RawMeshopt> meshopt;
};

struct RawSparse {
  std::uint64_t count = 0;
  std::uint32_t indices_view = 0;
  std::uint64_t indices_offset = 0;
  ComponentType indices_type = ComponentType::kUnknown;
  std::uint32_t values_view = 0;
  std::uint64_t values_offset = 0;
};

struct RawAccessor {
  std::int32_t view = kNone;  ///< kNone: all zeros, before sparse values
  std::uint64_t byte_offset = 0;
  ComponentType component = ComponentType::kUnknown;
  ElementType type = ElementType::kUnknown;
  std::uint64_t count = 0;
  bool normalized = false;
  bool has_bounds = false;  ///< both min and max are given
  bool has_type = false;    ///< even an unknown one
  std::optional<RawSparse> sparse;
};

struct RawAttribute {
  std::string_view name;
  std::uint32_t accessor = 0;
  friend bool operator==(const RawAttribute&, const RawAttribute&) = default;
};

/// KHR_draco_mesh_compression of a primitive.
struct RawDraco {
  std::uint32_t view = 0;
  std::vector<RawAttribute> attributes;  ///< `accessor` holds the unique id inside the Draco data
};

enum class PrimitiveMode : std::uint8_t {
  kPoints,
  kLines,
  kLineLoop,
  kLineStrip,
  kTriangles,
  kTriangleStrip,
  kTriangleFan,
  kUnknown,
};

struct RawPrimitive {
  std::vector<RawAttribute> attributes;  ///< sorted by name
  std::vector<std::vector<RawAttribute>> targets;
  std::int32_t indices = kNone;
  std::int32_t material = kNone;
  PrimitiveMode mode = PrimitiveMode::kTriangles;
  std::optional<RawDraco> draco;

  /// The accessor of an attribute, or kNone.
  std::int32_t Find(std::string_view name) const {
    for (const RawAttribute& attribute : attributes) {
      if (attribute.name == name) return static_cast<std::int32_t>(attribute.accessor);
    }
    return kNone;
  }
};

struct RawMesh {
  std::string_view name;
  std::vector<RawPrimitive> primitives;
  std::vector<double> weights;
  std::vector<std::string_view> target_names;  ///< extras.targetNames; empty when absent
  bool dual_quaternions = false;               ///< extras.skinning is "dualQuaternion"
};

struct RawNode {
  std::string_view name;
  std::int32_t parent = kNone;  ///< from the children lists; the check follows those itself
  std::int32_t camera = kNone;
  std::int32_t mesh = kNone;
  std::int32_t skin = kNone;
  std::optional<std::array<double, 16>> matrix;  ///< column-major
  std::array<double, 3> translation{0, 0, 0};
  std::array<double, 4> rotation{0, 0, 0, 1};
  std::array<double, 3> scale{1, 1, 1};
  std::optional<std::vector<double>> weights;
  bool visible = true;  ///< KHR_node_visibility of this node alone
};

struct RawSkin {
  std::string_view name;
  std::vector<std::uint32_t> joints;
  std::int32_t inverse_bind_matrices = kNone;
  std::int32_t skeleton = kNone;  ///< has no part in the maths
};

enum class RawInterpolation : std::uint8_t { kLinear, kStep, kCubicSpline, kUnknown };

struct RawSampler {
  std::uint32_t input = 0;
  std::uint32_t output = 0;
  RawInterpolation interpolation = RawInterpolation::kLinear;
};

enum class RawPath : std::uint8_t { kTranslation, kRotation, kScale, kWeights, kUnknown };

struct RawChannel {
  std::uint32_t sampler = 0;
  std::int32_t node = kNone;
  RawPath path = RawPath::kUnknown;
  bool has_target = false;
  std::string_view path_name;
};

struct RawAnimation {
  std::string_view name;
  std::vector<RawSampler> samplers;
  std::vector<RawChannel> channels;
};

struct RawTextureRef {
  std::int32_t texture = kNone;
  std::uint32_t texcoord = 0;
  std::array<double, 2> offset{0, 0};
  std::array<double, 2> scale{1, 1};
  double rotation = 0;
};

struct RawMaterial {
  std::string_view name;
  std::array<double, 4> base_color{1, 1, 1, 1};
  RawTextureRef base_texture;
  asset::AlphaMode alpha_mode = asset::AlphaMode::kOpaque;
  double alpha_cutoff = 0.5;
  bool double_sided = false;
};

struct RawTexture {
  std::int32_t source = kNone;
  std::string_view only_in;  ///< the extension that alone names an image, when `source` is kNone
};

struct RawImage {
  std::string_view name;
  std::optional<std::string_view> media_type;
  std::optional<std::string_view> uri;
  std::int32_t view = kNone;
};

struct RawScene {
  std::vector<std::uint32_t> nodes;
};

enum class VrmVersion : std::uint8_t { kNotVrm, k0, k1 };

struct RawVrm {
  VrmVersion version = VrmVersion::kNotVrm;
  std::string spec_version;
  std::string title, author, license;
};

/// What asset.extras says in the words that exporters use, flexor among them.
struct RawAbout {
  std::string title, author, license;
  bool dual_quaternions = false;
};

struct RawDocument {
  std::string generator;
  RawAbout about;
  std::vector<std::string> extensions_used;
  std::vector<std::string> extensions_required;
  std::vector<RawBuffer> buffers;
  std::vector<RawBufferView> views;
  std::vector<RawAccessor> accessors;
  std::vector<RawMesh> meshes;
  std::vector<RawNode> nodes;
  std::vector<RawSkin> skins;
  std::vector<RawAnimation> animations;
  std::vector<RawMaterial> materials;
  std::vector<RawTexture> textures;
  std::vector<RawImage> images;
  std::vector<RawScene> scenes;
  std::int32_t scene = kNone;  ///< as the file says it
  RawVrm vrm;

  /// The scene that is shown: `scene`, else the first; kNone without scenes.
  std::int32_t DefaultScene() const { return scene == kNone && !scenes.empty() ? 0 : scene; }
};

}  // namespace flexor::io::gltf
