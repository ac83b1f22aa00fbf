// A posed frame of a character as static meshes.
#include <cmath>
#include <new>
#include <utility>

#include "flexor/io/write_glb.h"

#include "io/gltf/write_glb_document.h"

namespace flexor::io {
namespace gltf {
namespace {

template <class V>
Status CheckArray(std::span<const V> values, std::size_t vertex_count, bool may_be_empty,
                  const std::string& place, const char* what) {
  if (may_be_empty && values.empty()) return {};
  if (values.size() != vertex_count) {
    return Error{ErrorCode::kShapeMismatch,
                 std::to_string(values.size()) + " " + what + " for the " +
                     std::to_string(vertex_count) + " vertices of its mesh",
                 {{}, place, {}}};
  }
  constexpr std::size_t kComponents = sizeof(V) / sizeof(float);
  const std::span<const float> flat = Flat<float>(values);
  for (std::size_t i = 0; i < flat.size(); ++i) {
    if (!std::isfinite(flat[i])) {
      return Error{ErrorCode::kInvalidValue,
                   std::string("a number among its ") + what + " is not finite",
                   {{}, place + ", vertex " + std::to_string(i / kComponents), {}}};
    }
  }
  return {};
}

Status Check(const asset::Character& character, const PosedInstance& posed) {
  if (posed.instance >= character.instances.size()) {
    return Error{ErrorCode::kIndexOutOfRange,
                 "mesh instance " + std::to_string(posed.instance) + " of " +
                     std::to_string(character.instances.size()),
                 {}};
  }
  const asset::MeshInstance& instance = character.instances[posed.instance];
  const std::string place = Place("mesh instance", posed.instance, instance.name);
  const std::size_t vertex_count = character.meshes[instance.mesh].vertex_count();
  FLEXOR_TRY(CheckArray(posed.positions, vertex_count, false, place, "positions"));
  FLEXOR_TRY(CheckArray(posed.normals, vertex_count, true, place, "normals"));
  return CheckArray(posed.tangents, vertex_count, true, place, "tangents");
}

Result<std::vector<std::byte>> Encode(const asset::Character& character,
                                      std::span<const PosedInstance> posed,
                                      const WriteNotes& notes) {
  GlbBuilder builder;
  MaterialTable materials(character, builder, notes);
  Json nodes = Json::array(), meshes = Json::array();
  std::vector<std::uint32_t> roots;
  for (const PosedInstance& one : posed) {
    FLEXOR_TRY(Check(character, one));
    const asset::MeshInstance& instance = character.instances[one.instance];
    const asset::Mesh& mesh = character.meshes[instance.mesh];
    SceneNode node;
    node.name = instance.name;
    Json encoded = EncodeNode(node);
    if (mesh.vertex_count() > 0) {
      MeshInput input = InputOf(mesh, instance.mesh);
      input.positions = one.positions;
      input.normals = one.normals;
      input.tangents = one.tangents;
      input.morphs = {};
      input.morph_weights = {};
      input.skinning = asset::SkinningMethod::kLinear;
      input.dqs_weights = {};
      encoded["mesh"] = meshes.size();
      meshes.push_back(EncodeMesh(input, builder, materials, notes));
    } else {
      notes.Add("GLB_MESH_EMPTY", Place("mesh", instance.mesh, mesh.name),
                "it has no vertices and is left out: glTF has no empty meshes");
    }
    roots.push_back(static_cast<std::uint32_t>(nodes.size()));
    nodes.push_back(std::move(encoded));
  }
  Json document = StartDocument(character);
  materials.AddTo(document);
  AddScene(document, character.name, roots);
  if (!nodes.empty()) document["nodes"] = std::move(nodes);
  if (!meshes.empty()) document["meshes"] = std::move(meshes);
  return builder.Finish(std::move(document));
}

}  // namespace
}  // namespace gltf

Result<std::vector<std::byte>> EncodePosedGlb(const asset::Character& character,
                                              std::span<const PosedInstance> posed,
                                              Diagnostics* notes) {
  try {
    return gltf::Encode(character, posed, gltf::WriteNotes(notes));
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "there is not enough memory to build the GLB", {}};
  }
}

}  // namespace flexor::io
