#include "io/gltf/write_glb_mesh.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace flexor::io::gltf {
namespace {

using asset::kNone;
using asset::Morph;
using asset::Subset;

// Vectors this close to unit length are left as they are: their bits survive a round trip.
constexpr float kUnitTolerance = 1e-5f;

bool IsUnit(Vec3f v) { return std::abs(Length(v) - 1) <= kUnitTolerance; }

// An accessor of normals of unit length; those without direction point along +Z.
std::uint32_t AddNormals(const MeshInput& mesh, GlbBuilder& builder, const WriteNotes& notes) {
  if (std::all_of(mesh.normals.begin(), mesh.normals.end(), IsUnit)) {
    return builder.AddVec3(mesh.normals, BufferUse::kVertices);
  }
  std::vector<Vec3f> unit(mesh.normals.begin(), mesh.normals.end());
  std::uint64_t changed = 0;
  for (Vec3f& n : unit) {
    if (IsUnit(n)) continue;
    n = Cast<float>(Normalized(Cast<double>(n), {0, 0, 1}));
    ++changed;
  }
  notes.Add("GLB_NORMALS_REPAIRED", mesh.place,
            std::to_string(changed) + " normals given unit length", changed);
  return builder.AddVec3(unit, BufferUse::kVertices);
}

// An accessor of unit tangents with a sign; those without direction lie in the surface somewhere.
std::uint32_t AddTangents(const MeshInput& mesh, GlbBuilder& builder, const WriteNotes& notes) {
  const auto good = [](const Vec4f& t) {
    return IsUnit({t.x, t.y, t.z}) && (t.w == 1 || t.w == -1);
  };
  std::vector<Vec4f> unit(mesh.tangents.begin(), mesh.tangents.end());
  std::uint64_t changed = 0;
  for (std::size_t v = 0; v < unit.size(); ++v) {
    Vec4f& t = unit[v];
    if (good(t)) continue;
    const Vec3d normal = mesh.normals.empty() ? Vec3d{0, 0, 1} : Cast<double>(mesh.normals[v]);
    const Vec3d axis = std::abs(normal.x) < 0.6 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
    const Vec3d fallback = Normalized(Cross(normal, axis), {1, 0, 0});
    const Vec3f along = Cast<float>(Normalized(Cast<double>(Vec3f{t.x, t.y, t.z}), fallback));
    t = {along.x, along.y, along.z, t.w < 0 ? -1.0f : 1.0f};
    ++changed;
  }
  if (changed > 0) {
    notes.Add("GLB_TANGENTS_REPAIRED", mesh.place,
              std::to_string(changed) + " tangents given unit length and a sign", changed);
  }
  return builder.AddArray(Flat<float>(std::span<const Vec4f>(unit)), "VEC4", 4,
                          BufferUse::kVertices);
}

template <class Joint>
void AddInfluenceSets(const asset::Influences& influences, std::size_t sets, Json& attributes,
                      GlbBuilder& builder) {
  const std::size_t vertex_count = influences.vertex_count();
  for (std::size_t set = 0; set < sets; ++set) {
    std::vector<Joint> joints(vertex_count * 4, Joint{0});
    std::vector<float> weights(vertex_count * 4, 0.0f);
    for (std::size_t v = 0; v < vertex_count; ++v) {
      const std::size_t first = influences.offsets[v] + set * 4, end = influences.offsets[v + 1];
      for (std::size_t i = first; i < std::min(first + 4, end); ++i) {
        joints[v * 4 + i - first] = static_cast<Joint>(influences.joints[i]);
        weights[v * 4 + i - first] = influences.weights[i];
      }
    }
    const std::string number = std::to_string(set);
    attributes["JOINTS_" + number] =
        builder.AddArray(std::span<const Joint>(joints), "VEC4", 4, BufferUse::kVertices);
    attributes["WEIGHTS_" + number] =
        builder.AddArray(std::span<const float>(weights), "VEC4", 4, BufferUse::kVertices);
  }
}

void AddInfluences(const asset::Influences& influences, Json& attributes, GlbBuilder& builder) {
  std::size_t longest = 0;
  for (std::size_t v = 0; v < influences.vertex_count(); ++v) {
    longest = std::max<std::size_t>(longest, influences.offsets[v + 1] - influences.offsets[v]);
  }
  const std::size_t sets = (longest + 3) / 4;
  const auto highest = std::max_element(influences.joints.begin(), influences.joints.end());
  if (highest != influences.joints.end() && *highest > std::numeric_limits<std::uint8_t>::max()) {
    AddInfluenceSets<std::uint16_t>(influences, sets, attributes, builder);
  } else {
    AddInfluenceSets<std::uint8_t>(influences, sets, attributes, builder);
  }
}

bool NeedsTexcoords(const MeshInput& mesh, MaterialTable& materials) {
  return std::any_of(mesh.subsets.begin(), mesh.subsets.end(), [&](const Subset& subset) {
    return subset.index_count > 0 && subset.material != kNone &&
           materials.HasTexture(static_cast<std::uint32_t>(subset.material));
  });
}

Json AddAttributes(const MeshInput& mesh, GlbBuilder& builder, MaterialTable& materials,
                   const WriteNotes& notes) {
  Json attributes = {{"POSITION", builder.AddVec3(mesh.positions, BufferUse::kVertices, true)}};
  if (!mesh.normals.empty()) attributes["NORMAL"] = AddNormals(mesh, builder, notes);
  if (!mesh.tangents.empty()) attributes["TANGENT"] = AddTangents(mesh, builder, notes);
  if (!mesh.texcoords.empty()) {
    attributes["TEXCOORD_0"] =
        builder.AddArray(Flat<float>(mesh.texcoords), "VEC2", 2, BufferUse::kVertices);
  } else if (NeedsTexcoords(mesh, materials)) {
    // What viewers take for a missing set, and what a textured primitive may not do without.
    attributes["TEXCOORD_0"] = builder.AddZeros(mesh.positions.size(), "VEC2", 2);
  }
  if (mesh.influences != nullptr) AddInfluences(*mesh.influences, attributes, builder);
  if (!mesh.dqs_weights.empty()) {
    attributes["_FLEXOR_DQS_WEIGHT"] =
        builder.AddArray(mesh.dqs_weights, "SCALAR", 1, BufferUse::kVertices);
  }
  return attributes;
}

std::uint32_t AddOffsets(const Morph& morph, std::span<const Vec3f> values,
                         std::size_t vertex_count, GlbBuilder& builder, bool bounds) {
  if (values.empty()) return builder.AddZeros(vertex_count, "VEC3", 3, bounds);
  if (morph.vertices.empty()) return builder.AddVec3(values, BufferUse::kVertices, bounds);
  return builder.AddSparseVec3(vertex_count, morph.vertices, values, bounds);
}

// A target may only move what its primitive has, and must move something.
Json AddTargets(const MeshInput& mesh, GlbBuilder& builder) {
  Json targets = Json::array();
  const std::size_t count = mesh.positions.size();
  for (const Morph& morph : mesh.morphs) {
    Json target = Json::object();
    const bool normals = !morph.normals.empty() && !mesh.normals.empty();
    const bool tangents = !morph.tangents.empty() && !mesh.tangents.empty();
    if (!morph.positions.empty() || (!normals && !tangents)) {
      target["POSITION"] = AddOffsets(morph, morph.positions, count, builder, true);
    }
    if (normals) {
      target["NORMAL"] = AddOffsets(morph, morph.normals, count, builder, false);
    }
    if (tangents) {
      target["TANGENT"] = AddOffsets(morph, morph.tangents, count, builder, false);
    }
    targets.push_back(std::move(target));
  }
  return targets;
}

// Index accessors of the subsets, in order, skipping empty ones.
template <class Index>
std::vector<std::uint32_t> AddIndices(const MeshInput& mesh, GlbBuilder& builder) {
  const std::vector<Index> indices(mesh.triangles.begin(), mesh.triangles.end());
  const std::uint32_t view = builder.AddView(std::span<const Index>(indices), BufferUse::kIndices);
  std::vector<std::uint32_t> accessors;
  for (const Subset& subset : mesh.subsets) {
    if (subset.index_count == 0) continue;
    accessors.push_back(builder.AddIndexRun<Index>(view, subset.first_index, subset.index_count));
  }
  return accessors;
}

}  // namespace

Json EncodeMesh(const MeshInput& mesh, GlbBuilder& builder, MaterialTable& materials,
                const WriteNotes& notes) {
  const Json attributes = AddAttributes(mesh, builder, materials, notes);
  const Json targets = AddTargets(mesh, builder);
  Json primitives = Json::array();
  const auto add = [&](Json primitive) {
    if (!targets.empty()) primitive["targets"] = targets;
    primitives.push_back(std::move(primitive));
  };
  if (mesh.triangles.empty()) {
    // Without a triangle the points would be lost: a primitive may not have an empty index list.
    notes.Add("GLB_MESH_OF_POINTS", mesh.place, "it has no triangles; written as points");
    add({{"attributes", attributes}, {"mode", 0}});
  } else {
    // 65535 itself means "restart" in 16 bits, so it must not name a vertex.
    const bool narrow = mesh.positions.size() <= std::numeric_limits<std::uint16_t>::max();
    const std::vector<std::uint32_t> accessors = narrow ? AddIndices<std::uint16_t>(mesh, builder)
                                                        : AddIndices<std::uint32_t>(mesh, builder);
    auto accessor = accessors.begin();
    for (const Subset& subset : mesh.subsets) {
      if (subset.index_count == 0) continue;
      Json primitive = {{"attributes", attributes}, {"indices", *accessor++}};
      if (subset.material != kNone) {
        primitive["material"] = materials.Material(static_cast<std::uint32_t>(subset.material));
      }
      add(std::move(primitive));
    }
  }
  Json encoded = Json::object();
  if (!mesh.name.empty()) encoded["name"] = mesh.name;
  encoded["primitives"] = std::move(primitives);
  if (!mesh.morphs.empty()) {
    if (std::any_of(mesh.morph_weights.begin(), mesh.morph_weights.end(),
                    [](float w) { return w != 0; })) {
      Json& weights = encoded["weights"] = Json::array();
      for (const float weight : mesh.morph_weights) weights.push_back(Short(weight));
    }
    if (std::any_of(mesh.morphs.begin(), mesh.morphs.end(),
                    [](const Morph& morph) { return !morph.name.empty(); })) {
      Json names = Json::array();
      for (const Morph& morph : mesh.morphs) names.push_back(morph.name);
      encoded["extras"]["targetNames"] = std::move(names);
    }
  }
  if (mesh.skinning == asset::SkinningMethod::kDualQuaternion) {
    encoded["extras"]["skinning"] = "dualQuaternion";
  }
  return encoded;
}

}  // namespace flexor::io::gltf
