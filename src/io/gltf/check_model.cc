#include "io/gltf/check_model.h"

#include <algorithm>
#include <span>
#include <utility>

#include "io/gltf/attribute_names.h"
#include "io/gltf/layout.h"

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

/// The same for an array that the document has read.
template <class Item, class Raw, class Read>
void ReadCollection(const Value& root, const char* name, const SchemaCheck& schema,
                    const std::vector<Raw>& raws, std::vector<Item>& items, Read read) {
  ReadCollection(root, name, schema, items, [&](const ValidObject& json, Item& item) {
    item.raw = &raws[static_cast<std::size_t>(&item - items.data())];
    read(json, item);
  });
}

void ReadView(const ValidObject& json, CheckedView& view) {
  const std::int64_t target = json.Integer("target", kNone);
  if (target == 34962) view.usage = ViewUsage::kVertices;
  if (target == 34963) view.usage = ViewUsage::kIndices;
}

void ReadAccessor(const ValidObject& json, CheckedAccessor& accessor) {
  if (accessor.raw->type == ElementType::kUnknown ||
      accessor.raw->component == ComponentType::kUnknown) {
    return;
  }
  accessor.min = json.Array("min");
  accessor.max = json.Array("max");
}

bool HasExtensions(const ValidObject& json) {
  const auto extensions = json.Object("extensions");
  return extensions && !extensions->value().empty();
}

void ReadTexture(const ValidObject& json, const SchemaCheck& schema, CheckedTexture& texture) {
  texture.sampler = json.Index("sampler");
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
    texture.texcoord = info->Integer("texCoord", 0, kNone);
    if (schema.Uses("KHR_texture_transform")) {
      if (const auto transform = info->Extension("KHR_texture_transform")) {
        texture.transform_texcoord = transform->Integer("texCoord", kNone);
      }
    }
    material.textures.push_back(std::move(texture));
    material.needs_tangents |= place.needs_tangents;
    material.has_normal_texture |= place.name == "normalTexture";
  }
}

void ReadPrimitive(const ValidObject& json, const SchemaCheck& schema,
                   CheckedPrimitive& primitive) {
  primitive.pointer = json.pointer();
  AttributeSets sets;
  for (const RawAttribute& attribute : primitive.raw->attributes) {
    CountAttribute(attribute.name, sets);
  }
  primitive.has_normal = sets.has_normal;
  primitive.has_tangent = sets.has_tangent;
  primitive.texcoord_sets = sets.texcoord.Usable();
  const std::int64_t joints = sets.joints.Usable();
  primitive.joint_sets = joints == sets.weights.Usable() ? joints : 0;
  primitive.texcoord_used.resize(static_cast<std::size_t>(primitive.texcoord_sets), false);
  if (!schema.Uses("KHR_materials_variants")) return;
  const auto variants = json.Extension("KHR_materials_variants");
  const Value* mappings = variants ? variants->Array("mappings") : nullptr;
  for (std::size_t i = 0; mappings != nullptr && i < mappings->size(); ++i) {
    const ValidObject mapping = variants->Element("mappings", i);
    primitive.mappings.push_back(
        {mapping.pointer(), mapping.Indices("variants"), mapping.Index("material")});
  }
}

void ReadMesh(const ValidObject& json, const SchemaCheck& schema, CheckedMesh& mesh) {
  mesh.primitives.resize(mesh.raw->primitives.size());
  for (std::size_t i = 0; i < mesh.primitives.size(); ++i) {
    mesh.primitives[i].raw = &mesh.raw->primitives[i];
    ReadPrimitive(json.Element("primitives", i), schema, mesh.primitives[i]);
  }
}

/// Whether the numbers, as floats, differ from `identity`.
bool Differs(std::span<const double> numbers, std::span<const float> identity) {
  return !std::equal(numbers.begin(), numbers.end(), identity.begin(), identity.end(),
                     [](double a, float b) { return static_cast<float>(a) == b; });
}

void ReadNode(const ValidObject& json, const SchemaCheck& schema, CheckedNode& node) {
  constexpr float kZero[] = {0, 0, 0};
  constexpr float kOne[] = {1, 1, 1};
  constexpr float kNoTurn[] = {0, 0, 0, 1};
  constexpr float kIdentity[] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  const RawNode& raw = *node.raw;
  node.children = json.Indices("children");
  node.has_transform = (raw.matrix && Differs(*raw.matrix, kIdentity)) ||
                       Differs(raw.translation, kZero) || Differs(raw.rotation, kNoTurn) ||
                       Differs(raw.scale, kOne);
  const auto extras = json.value().find("extras");
  node.has_extras = extras != json.value().end() && !extras->is_null();
  node.has_extensions = HasExtensions(json);
  if (schema.Uses("KHR_lights_punctual")) {
    if (const auto light = json.Extension("KHR_lights_punctual")) {
      node.light = light->Index("light");
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
  return std::string(ElementName(type)) + " of " + ComponentName(component) +
         (normalized ? ", normalized" : "");
}

bool CheckedMesh::IsSkinned() const {
  return std::any_of(primitives.begin(), primitives.end(),
                     [](const CheckedPrimitive& p) { return p.joint_sets != 0; });
}

CheckModel BuildCheckModel(const Value& root, const RawDocument& document,
                           const SchemaCheck& schema) {
  CheckModel model;
  const auto nothing = [](const ValidObject&, auto&) {};
  const auto with_schema = [&](auto read) {
    return [&schema, read](const ValidObject& json, auto& item) { read(json, schema, item); };
  };
  ReadCollection(root, "buffers", schema, document.buffers, model.buffers, nothing);
  ReadCollection(root, "bufferViews", schema, document.views, model.views, ReadView);
  ReadCollection(root, "accessors", schema, document.accessors, model.accessors, ReadAccessor);
  ReadCollection(root, "images", schema, document.images, model.images,
                 [](const ValidObject& json, CheckedImage& image) {
                   image.has_extensions = HasExtensions(json);
                 });
  ReadCollection(root, "textures", schema, document.textures, model.textures,
                 with_schema(ReadTexture));
  ReadCollection(root, "materials", schema, model.materials, with_schema(ReadMaterial));
  ReadCollection(root, "meshes", schema, document.meshes, model.meshes, with_schema(ReadMesh));
  ReadCollection(root, "nodes", schema, document.nodes, model.nodes, with_schema(ReadNode));
  ReadCollection(root, "skins", schema, document.skins, model.skins, nothing);
  ReadCollection(root, "animations", schema, document.animations, model.animations, nothing);
  ReadCollection(root, "scenes", schema, document.scenes, model.scenes, nothing);
  ReadCollection(root, "cameras", schema, model.cameras, nothing);
  ReadCollection(root, "samplers", schema, model.samplers, nothing);
  model.scene = document.scene;
  const ValidObject valid_root(root, "", schema.invalid());
  model.lights = ReadExtensionArray(valid_root, schema, "KHR_lights_punctual", "lights");
  model.variants = ReadExtensionArray(valid_root, schema, "KHR_materials_variants", "variants");
  model.uses_quantization = schema.Uses("KHR_mesh_quantization");
  return model;
}

}  // namespace flexor::io::gltf
