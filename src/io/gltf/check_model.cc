#include "io/gltf/check_model.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "io/gltf/check_names.h"
#include "io/json/access.h"

namespace flexor::io::gltf {
namespace {

using json::JoinPointer;
using json::Value;

/// Fills one array of the model: every element, those that are no objects as not existing.
template <class Item, class Read>
void ReadCollection(const Value& root, const char* name, const SchemaCheck& schema,
                    std::vector<Item>& items, Read read) {
  const auto found = root.find(name);
  if (found == root.end() || !found->is_array()) return;
  items.resize(found->size());
  const std::string base = JoinPointer("", name);
  for (std::size_t i = 0; i < items.size(); ++i) {
    Item& item = items[i];
    item.pointer = JoinPointer(base, i);
    item.exists = (*found)[i].is_object();
    if (item.exists) read(ValidObject((*found)[i], item.pointer, schema.invalid()), item);
  }
}

void ReadBuffer(const ValidObject& json, CheckedBuffer& buffer) {
  buffer.byte_length = json.Integer("byteLength", kAbsent);
  buffer.uri = json.String("uri");
  buffer.has_uri = json.Has("uri");
}

void ReadView(const ValidObject& json, CheckedView& view) {
  view.buffer = json.Index("buffer");
  view.byte_offset = json.Integer("byteOffset", 0, kAbsent);
  view.byte_length = json.Integer("byteLength", kAbsent);
  view.byte_stride = json.Integer("byteStride", kAbsent);
  const std::int64_t target = json.Integer("target", kAbsent);
  if (target == 34962) view.usage = ViewUsage::kVertices;
  if (target == 34963) view.usage = ViewUsage::kIndices;
}

std::optional<CheckedSparse> ReadSparse(const ValidObject& accessor) {
  const auto json = accessor.Object("sparse");
  if (!json) return std::nullopt;
  const auto indices = json->Object("indices");
  const auto values = json->Object("values");
  CheckedSparse sparse;
  sparse.count = json->Integer("count", kAbsent);
  if (sparse.count == kAbsent || !indices || !values) return std::nullopt;
  sparse.indices_view = indices->Index("bufferView");
  sparse.indices_offset = indices->Integer("byteOffset", 0, kAbsent);
  sparse.indices_type = indices->Integer("componentType", kAbsent);
  sparse.values_view = values->Index("bufferView");
  sparse.values_offset = values->Integer("byteOffset", 0, kAbsent);
  return sparse;
}

void ReadAccessor(const ValidObject& json, CheckedAccessor& accessor) {
  accessor.view = json.Index("bufferView");
  accessor.byte_offset = accessor.view != kAbsent ? json.Integer("byteOffset", 0, kAbsent) : 0;
  accessor.count = json.Integer("count", kAbsent);
  const std::string* type = json.String("type");
  if (type != nullptr) {
    accessor.has_type = true;
    accessor.format.components = ComponentCount(*type);
    accessor.format.is_matrix = accessor.format.components != 0 && type->starts_with("MAT");
  }
  accessor.format.component_type = json.Integer("componentType", kAbsent);
  accessor.format.normalized = json.Bool("normalized");
  if (accessor.format.components != 0 && accessor.format.component_type != kAbsent) {
    accessor.min = json.Numbers("min");
    accessor.max = json.Numbers("max");
  }
  accessor.sparse = ReadSparse(json);
}

void ReadImage(const ValidObject& json, CheckedImage& image) {
  image.view = json.Index("bufferView");
  image.uri = json.String("uri");
  image.mime_type = json.String("mimeType");
  const auto extensions = json.Object("extensions");
  image.has_extensions = extensions && !extensions->value().empty();
}

void ReadTexture(const ValidObject& json, const SchemaCheck& schema, CheckedTexture& texture) {
  texture.sampler = json.Index("sampler");
  texture.source = json.Index("source");
  if (!schema.Uses("EXT_texture_webp")) return;
  if (const auto webp = json.Extension("EXT_texture_webp")) {
    texture.webp_source = webp->Index("source");
  }
}

/// Where a material of any known kind keeps its textures.
struct TexturePlace {
  std::string_view extension;  ///< empty: the material itself
  std::string_view object;     ///< empty: the material or extension itself
  std::string_view name;
  bool needs_tangents = false;
};
constexpr TexturePlace kTexturePlaces[] = {
    {"", "pbrMetallicRoughness", "baseColorTexture"},
    {"", "pbrMetallicRoughness", "metallicRoughnessTexture"},
    {"", "", "normalTexture", true},
    {"", "", "occlusionTexture"},
    {"", "", "emissiveTexture"},
    {"KHR_materials_anisotropy", "", "anisotropyTexture", true},
    {"KHR_materials_clearcoat", "", "clearcoatTexture"},
    {"KHR_materials_clearcoat", "", "clearcoatRoughnessTexture"},
    {"KHR_materials_clearcoat", "", "clearcoatNormalTexture", true},
    {"KHR_materials_iridescence", "", "iridescenceTexture"},
    {"KHR_materials_iridescence", "", "iridescenceThicknessTexture"},
    {"KHR_materials_pbrSpecularGlossiness", "", "diffuseTexture"},
    {"KHR_materials_pbrSpecularGlossiness", "", "specularGlossinessTexture"},
    {"KHR_materials_sheen", "", "sheenColorTexture"},
    {"KHR_materials_sheen", "", "sheenRoughnessTexture"},
    {"KHR_materials_specular", "", "specularTexture"},
    {"KHR_materials_specular", "", "specularColorTexture"},
    {"KHR_materials_transmission", "", "transmissionTexture"},
    {"KHR_materials_volume", "", "thicknessTexture"},
};

void ReadMaterial(const ValidObject& json, const SchemaCheck& schema, CheckedMaterial& material) {
  for (const TexturePlace& place : kTexturePlaces) {
    std::optional<ValidObject> holder = json;
    if (!place.extension.empty()) {
      if (!schema.Uses(place.extension)) continue;
      holder = json.Extension(place.extension);
    }
    if (holder && !place.object.empty()) holder = holder->Object(place.object);
    const auto info = holder ? holder->Object(place.name) : std::nullopt;
    if (!info) continue;
    CheckedTextureInfo texture;
    texture.pointer = info->pointer();
    texture.texture = info->Index("index");
    texture.texcoord = info->Integer("texCoord", 0, kAbsent);
    if (schema.Uses("KHR_texture_transform")) {
      if (const auto transform = info->Extension("KHR_texture_transform")) {
        texture.transform_texcoord = transform->Integer("texCoord", kAbsent);
      }
    }
    material.textures.push_back(std::move(texture));
    material.needs_tangents |= place.needs_tangents;
    material.has_normal_texture |= place.name == "normalTexture";
  }
}

std::vector<CheckedAttribute> ReadAttributes(const ValidObject& json) {
  std::vector<CheckedAttribute> attributes;
  for (const auto& [name, index] : json.value().items()) {
    attributes.push_back({name, json.Index(name)});
  }
  // What the others are compared with should be the positions, as in the files of most writers.
  const auto positions =
      std::find_if(attributes.begin(), attributes.end(),
                   [](const CheckedAttribute& attribute) { return attribute.name == "POSITION"; });
  if (positions != attributes.end()) {
    std::rotate(attributes.begin(), positions, std::next(positions));
  }
  return attributes;
}

CheckedPrimitive ReadPrimitive(const ValidObject& json, const SchemaCheck& schema) {
  CheckedPrimitive primitive;
  primitive.pointer = json.pointer();
  if (const auto attributes = json.Object("attributes")) {
    primitive.attributes = ReadAttributes(*attributes);
    const AttributeSets sets = CountAttributes(attributes->value());
    primitive.has_normal = sets.has_normal;
    primitive.has_tangent = sets.has_tangent;
    primitive.texcoord_sets = sets.texcoord.Usable();
    const std::int64_t joints = sets.joints.Usable();
    primitive.joint_sets = joints == sets.weights.Usable() ? joints : 0;
  }
  primitive.texcoord_used.resize(static_cast<std::size_t>(primitive.texcoord_sets), false);
  if (const Value* targets = json.Array("targets")) {
    primitive.targets.emplace();
    for (std::size_t i = 0; i < targets->size(); ++i) {
      primitive.targets->push_back(ReadAttributes(json.Element("targets", i)));
    }
  }
  primitive.indices = json.Index("indices");
  primitive.material = json.Index("material");
  primitive.mode = json.Integer("mode", 4, kAbsent);
  if (schema.Uses("KHR_materials_variants")) {
    const auto variants = json.Extension("KHR_materials_variants");
    const Value* mappings = variants ? variants->Array("mappings") : nullptr;
    for (std::size_t i = 0; mappings != nullptr && i < mappings->size(); ++i) {
      const ValidObject mapping = variants->Element("mappings", i);
      primitive.mappings.push_back(
          {mapping.pointer(), mapping.Indices("variants"), mapping.Index("material")});
    }
  }
  return primitive;
}

void ReadMesh(const ValidObject& json, const SchemaCheck& schema, CheckedMesh& mesh) {
  mesh.has_weights = json.Numbers("weights").has_value();
  const Value* primitives = json.Array("primitives");
  if (primitives == nullptr) return;
  mesh.primitives.emplace();
  for (std::size_t i = 0; i < primitives->size(); ++i) {
    mesh.primitives->push_back(ReadPrimitive(json.Element("primitives", i), schema));
  }
}

/// Whether `key` holds numbers that, as floats, differ from `identity`.
bool Differs(const ValidObject& json, const char* key, std::span<const float> identity) {
  const auto numbers = json.Numbers(key);
  if (!numbers || numbers->size() != identity.size()) return false;
  return !std::equal(numbers->begin(), numbers->end(), identity.begin(),
                     [](double a, float b) { return static_cast<float>(a) == b; });
}

void ReadNode(const ValidObject& json, const SchemaCheck& schema, CheckedNode& node) {
  constexpr float kZero[] = {0, 0, 0};
  constexpr float kOne[] = {1, 1, 1};
  constexpr float kNoTurn[] = {0, 0, 0, 1};
  constexpr float kIdentity[] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  node.camera = json.Index("camera");
  node.mesh = json.Index("mesh");
  node.skin = json.Index("skin");
  node.children = json.Indices("children");
  if (const Value* weights = json.Array("weights")) node.weight_count = weights->size();
  node.has_matrix = json.Array("matrix") != nullptr;
  node.has_transform = Differs(json, "matrix", kIdentity) || Differs(json, "translation", kZero) ||
                       Differs(json, "rotation", kNoTurn) || Differs(json, "scale", kOne);
  const auto extras = json.value().find("extras");
  node.has_extras = extras != json.value().end() && !extras->is_null();
  const auto extensions = json.Object("extensions");
  node.has_extensions = extensions && !extensions->value().empty();
  if (schema.Uses("KHR_lights_punctual")) {
    if (const auto light = json.Extension("KHR_lights_punctual"))
      node.light = light->Index("light");
  }
}

void ReadSkin(const ValidObject& json, CheckedSkin& skin) {
  skin.inverse_binds = json.Index("inverseBindMatrices");
  skin.skeleton = json.Index("skeleton");
  skin.joints = json.Indices("joints");
}

void ReadAnimation(const ValidObject& json, CheckedAnimation& animation) {
  if (const Value* samplers = json.Array("samplers")) {
    animation.samplers.emplace();
    for (std::size_t i = 0; i < samplers->size(); ++i) {
      const ValidObject sampler = json.Element("samplers", i);
      const std::string* name = sampler.String("interpolation");
      const Interpolation kind =
          name == nullptr
              ? (sampler.Has("interpolation") ? Interpolation::kUnknown : Interpolation::kLinear)
          : *name == "CUBICSPLINE" ? Interpolation::kCubicSpline
          : *name == "STEP"        ? Interpolation::kStep
                                   : Interpolation::kLinear;
      animation.samplers->push_back(
          {sampler.pointer(), sampler.Index("input"), sampler.Index("output"), kind});
    }
  }
  if (const Value* channels = json.Array("channels")) {
    animation.channels.emplace();
    for (std::size_t i = 0; i < channels->size(); ++i) {
      const ValidObject channel = json.Element("channels", i);
      CheckedChannel read;
      read.pointer = channel.pointer();
      read.sampler = channel.Index("sampler");
      if (const auto target = channel.Object("target")) {
        read.has_target = true;
        read.node = target->Index("node");
        if (const std::string* path = target->String("path")) read.path = *path;
      }
      animation.channels->push_back(std::move(read));
    }
  }
}

/// The elements of an array inside an extension of the root.
std::optional<std::vector<CheckItem>> ReadExtensionArray(const ValidObject& root,
                                                         const SchemaCheck& schema,
                                                         const char* extension, const char* name) {
  if (!schema.Uses(extension)) return std::nullopt;
  const auto holder = root.Extension(extension);
  if (!holder) return std::nullopt;
  std::vector<CheckItem> items;
  if (const Value* array = holder->Array(name)) {
    for (std::size_t i = 0; i < array->size(); ++i) {
      items.push_back({true, false, JoinPointer(JoinPointer(holder->pointer(), name), i)});
    }
  }
  return items;
}

}  // namespace

std::string AccessorFormat::ToString() const {
  std::string text = components == 0   ? "unknown type"
                     : components == 1 ? "SCALAR"
                     : !is_matrix      ? "VEC" + std::to_string(components)
                     : components == 4 ? "MAT2"
                     : components == 9 ? "MAT3"
                                       : "MAT4";
  text += std::string(" of ") + ComponentTypeName(component_type);
  if (normalized) text += ", normalized";
  return text;
}

std::int64_t CheckedAccessor::ComponentBytes() const {
  switch (format.component_type) {
    case 5120:
    case 5121:
      return 1;
    case 5122:
    case 5123:
      return 2;
    case 5125:
    case 5126:
      return 4;
    default:
      return kAbsent;
  }
}

std::int64_t CheckedAccessor::PackedStride() const {
  const auto components = static_cast<std::int64_t>(format.components);
  const std::int64_t bytes = ComponentBytes();
  if (!format.is_matrix) return bytes * components;
  // Every column of a matrix starts on a multiple of 4.
  const std::int64_t rows = components == 4 ? 2 : components == 9 ? 3 : 4;
  return rows * ((rows * bytes + 3) / 4 * 4);
}

std::int64_t CheckedAccessor::ElementBytes() const {
  if (!format.is_matrix) return PackedStride();
  const auto components = static_cast<std::int64_t>(format.components);
  const std::int64_t rows = components == 4 ? 2 : components == 9 ? 3 : 4;
  const std::int64_t column = (rows * ComponentBytes() + 3) / 4 * 4;
  return (rows - 1) * column + rows * ComponentBytes();
}

std::int64_t CheckedPrimitive::Find(std::string_view name) const {
  for (const CheckedAttribute& attribute : attributes) {
    if (attribute.name == name) return attribute.accessor;
  }
  return kAbsent;
}

bool CheckedMesh::IsSkinned() const {
  return primitives && std::any_of(primitives->begin(), primitives->end(),
                                   [](const CheckedPrimitive& p) { return p.joint_sets != 0; });
}

std::int64_t CheckedMesh::TargetCount() const {
  if (!primitives || primitives->empty() || !primitives->front().targets) return kAbsent;
  return static_cast<std::int64_t>(primitives->front().targets->size());
}

CheckModel BuildCheckModel(const Value& root, const SchemaCheck& schema) {
  CheckModel model;
  ReadCollection(root, "buffers", schema, model.buffers, ReadBuffer);
  ReadCollection(root, "bufferViews", schema, model.views, ReadView);
  ReadCollection(root, "accessors", schema, model.accessors, ReadAccessor);
  ReadCollection(root, "images", schema, model.images, ReadImage);
  ReadCollection(root, "textures", schema, model.textures,
                 [&](const ValidObject& json, CheckedTexture& texture) {
                   ReadTexture(json, schema, texture);
                 });
  ReadCollection(root, "materials", schema, model.materials,
                 [&](const ValidObject& json, CheckedMaterial& material) {
                   ReadMaterial(json, schema, material);
                 });
  ReadCollection(root, "meshes", schema, model.meshes,
                 [&](const ValidObject& json, CheckedMesh& mesh) { ReadMesh(json, schema, mesh); });
  ReadCollection(root, "nodes", schema, model.nodes,
                 [&](const ValidObject& json, CheckedNode& node) { ReadNode(json, schema, node); });
  ReadCollection(root, "skins", schema, model.skins, ReadSkin);
  ReadCollection(root, "animations", schema, model.animations, ReadAnimation);
  ReadCollection(
      root, "scenes", schema, model.scenes,
      [](const ValidObject& json, CheckedScene& scene) { scene.nodes = json.Indices("nodes"); });
  const auto nothing = [](const ValidObject&, CheckItem&) {};
  ReadCollection(root, "cameras", schema, model.cameras, nothing);
  ReadCollection(root, "samplers", schema, model.samplers, nothing);
  const ValidObject valid_root(root, "", schema.invalid());
  model.scene = valid_root.Index("scene");
  model.lights = ReadExtensionArray(valid_root, schema, "KHR_lights_punctual", "lights");
  model.variants = ReadExtensionArray(valid_root, schema, "KHR_materials_variants", "variants");
  model.uses_quantization = schema.Uses("KHR_mesh_quantization");
  return model;
}

}  // namespace flexor::io::gltf
