// Whole characters as GLB. What is written how, and what is changed for the format's sake:
// docs/formats/glb.md.
#include "flexor/io/write_glb.h"

#include <new>
#include <string>
#include <utility>

#include "flexor/asset/weights.h"

#include "io/gltf/write_glb_clip.h"
#include "io/gltf/write_glb_document.h"
#include "io/gltf/write_glb_mesh.h"
#include "io/gltf/write_glb_scene.h"

namespace flexor::io {
namespace gltf {
namespace {

using asset::kNone;

constexpr std::size_t kMaxJoints = 65536;

// The influences of every mesh as they are written; runs that are empty now follow the still joint
// later.
std::vector<asset::Influences> RepairAll(const asset::Character& character,
                                         std::vector<MeshNeeds>& needs, const WriteNotes& notes) {
  std::vector<asset::Influences> repaired(character.meshes.size());
  for (std::size_t m = 0; m < character.meshes.size(); ++m) {
    const asset::Mesh& mesh = character.meshes[m];
    needs[m].written = mesh.vertex_count() > 0;
    if (!needs[m].written) {
      notes.Add("GLB_MESH_EMPTY", Place("mesh", m, mesh.name),
                "it has no vertices and is left out: glTF has no empty meshes");
      continue;
    }
    if (!mesh.sdef.empty()) {
      notes.Add("GLB_SDEF_LINEAR", Place("mesh", m, mesh.name),
                std::to_string(mesh.sdef.size()) +
                    " spherical vertices, which glTF cannot say; readers blend them linearly",
                mesh.sdef.size());
    }
    if (mesh.influences.empty()) continue;
    asset::WeightReport report;
    repaired[m] = asset::RepairWeights(mesh.influences, {}, &report);
    if (notes.diagnostics() != nullptr) {
      asset::ReportWeights(report, Place("mesh", m, mesh.name), *notes.diagnostics());
    }
    const std::vector<std::uint32_t>& offsets = repaired[m].offsets;
    for (std::size_t v = 0; v + 1 < offsets.size(); ++v) {
      if (offsets[v] == offsets[v + 1]) needs[m].has_still_vertices = true;
    }
  }
  return repaired;
}

// Gives every vertex without weight the whole of one joint.
asset::Influences FillEmptyRuns(const asset::Influences& repaired, std::uint32_t joint) {
  asset::Influences filled;
  filled.offsets.push_back(0);
  for (std::size_t v = 0; v < repaired.vertex_count(); ++v) {
    const std::uint32_t first = repaired.offsets[v], end = repaired.offsets[v + 1];
    for (std::uint32_t i = first; i < end; ++i) {
      filled.joints.push_back(repaired.joints[i]);
      filled.weights.push_back(repaired.weights[i]);
    }
    if (first == end) {
      filled.joints.push_back(joint);
      filled.weights.push_back(1);
    }
    filled.offsets.push_back(static_cast<std::uint32_t>(filled.joints.size()));
  }
  return filled;
}

Json EncodeSkin(const SceneSkin& skin, GlbBuilder& builder) {
  std::vector<float> matrices;
  matrices.reserve(skin.joint_from_mesh.size() * 16);
  for (const Mat34d& m : skin.joint_from_mesh) {
    for (const Vec3d& column : {m.linear.x, m.linear.y, m.linear.z}) {
      for (std::size_t axis = 0; axis < 3; ++axis) matrices.push_back(Narrow(column[axis]));
      matrices.push_back(0);
    }
    for (std::size_t axis = 0; axis < 3; ++axis) matrices.push_back(Narrow(m.translation[axis]));
    matrices.push_back(1);
  }
  Json encoded = Json::object();
  if (!skin.name.empty()) encoded["name"] = skin.name;
  encoded["inverseBindMatrices"] =
      builder.AddArray(std::span<const float>(matrices), "MAT4", 16, BufferUse::kOther);
  encoded["joints"] = skin.joints;
  return encoded;
}

Json EncodeNodes(const asset::Character& character, const SceneLayout& layout,
                 const std::vector<std::int32_t>& mesh_index) {
  const std::vector<SceneNode>& nodes = layout.nodes();
  std::vector<Json> children(nodes.size());
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (nodes[n].parent != kNone) children[static_cast<std::size_t>(nodes[n].parent)].push_back(n);
  }
  Json encoded = Json::array();
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    Json node = EncodeNode(nodes[n]);
    if (nodes[n].instance != kNone) {
      const asset::MeshInstance& instance =
          character.instances[static_cast<std::size_t>(nodes[n].instance)];
      const asset::Mesh& mesh = character.meshes[instance.mesh];
      node["mesh"] = mesh_index[instance.mesh];
      if (instance.skin != kNone) node["skin"] = instance.skin;
      if (!mesh.morphs.empty() && instance.morph_weights != mesh.morph_weights) {
        Json& weights = node["weights"] = Json::array();
        for (const float weight : instance.morph_weights) weights.push_back(Short(weight));
      }
    }
    if (!children[n].empty()) node["children"] = std::move(children[n]);
    encoded.push_back(std::move(node));
  }
  return encoded;
}

Result<std::vector<std::byte>> Encode(const asset::Character& character, const WriteNotes& notes) {
  std::vector<MeshNeeds> needs(character.meshes.size());
  const std::vector<asset::Influences> repaired = RepairAll(character, needs, notes);
  const SceneLayout layout(character, needs, notes);
  for (std::size_t s = 0; s < layout.skins().size(); ++s) {
    const SceneSkin& skin = layout.skins()[s];
    if (skin.joints.size() > kMaxJoints) {
      return Error{ErrorCode::kLimitExceeded,
                   "the skin has " + std::to_string(skin.joints.size()) +
                       " joints, and vertices can only name " + std::to_string(kMaxJoints),
                   {{}, Place("skin", s, skin.name), {}}};
    }
  }

  GlbBuilder builder;
  MaterialTable materials(character, builder, notes);
  // All of them in order, used or not, so that their numbers stay.
  for (std::uint32_t i = 0; i < character.images.size(); ++i) materials.Image(i);
  for (std::uint32_t i = 0; i < character.materials.size(); ++i) materials.Material(i);

  Json meshes = Json::array();
  std::vector<std::int32_t> mesh_index(character.meshes.size(), kNone);
  for (std::uint32_t m = 0; m < character.meshes.size(); ++m) {
    if (!needs[m].written) continue;
    const asset::Mesh& mesh = character.meshes[m];
    const asset::Influences influences = mesh.influences.empty()
                                             ? asset::Influences()
                                             : FillEmptyRuns(repaired[m], layout.still_joint(m));
    MeshInput input = InputOf(mesh, m);
    if (!influences.empty()) input.influences = &influences;
    mesh_index[m] = static_cast<std::int32_t>(meshes.size());
    meshes.push_back(EncodeMesh(input, builder, materials, notes));
  }
  Json skins = Json::array();
  for (const SceneSkin& skin : layout.skins()) skins.push_back(EncodeSkin(skin, builder));
  Json animations = EncodeClips(character, layout, builder, notes);

  Json document = StartDocument(character);
  materials.AddTo(document);
  AddScene(document, character.name, layout.scene_roots());
  if (!layout.nodes().empty()) document["nodes"] = EncodeNodes(character, layout, mesh_index);
  if (!meshes.empty()) document["meshes"] = std::move(meshes);
  if (!skins.empty()) document["skins"] = std::move(skins);
  if (!animations.empty()) document["animations"] = std::move(animations);
  return builder.Finish(std::move(document));
}

}  // namespace
}  // namespace gltf

Result<std::vector<std::byte>> EncodeGlb(const asset::Character& character, Diagnostics* notes) {
  try {
    return gltf::Encode(character, gltf::WriteNotes(notes));
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "there is not enough memory to build the GLB", {}};
  }
}

}  // namespace flexor::io
