#include <algorithm>
#include <cmath>
#include <utility>

#include "io/mmd/convert.h"
#include "io/rules.h"

namespace flexor::io::mmd {
namespace {

std::string Vertex(std::size_t v) { return "vertex " + std::to_string(v); }

std::size_t BonesOf(PmxWeightType type) {
  switch (type) {
    case PmxWeightType::kBdef1:
      return 1;
    case PmxWeightType::kBdef2:
    case PmxWeightType::kSdef:
      return 2;
    case PmxWeightType::kBdef4:
    case PmxWeightType::kQdef:
      return 4;
  }
  return 0;
}

/// Collects the influences of all vertices, and which of them are spherical or dual quaternion.
class Weights {
 public:
  Weights(const PmxModel& model, const Space& space, asset::Mesh& mesh)
      : model_(model), space_(space), mesh_(mesh) {
    mesh.influences.offsets.reserve(model.vertices.size() + 1);
    mesh.influences.offsets.push_back(0);
  }

  void Add(std::size_t v) {
    const PmxVertex& vertex = model_.vertices[v];
    asset::Influences& out = mesh_.influences;
    const std::size_t used = BonesOf(vertex.type);
    for (std::size_t k = 0; k < used; ++k) {
      if (vertex.bones[k] == kNoIndex) {
        if (vertex.weights[k] != 0) {
          no_bone_.Add([&] {
            return Vertex(v) + " has weight " + std::to_string(vertex.weights[k]) +
                   " on no bone; that weight is left out";
          });
        }
        continue;
      }
      if (vertex.weights[k] == 0) continue;
      out.joints.push_back(static_cast<std::uint32_t>(vertex.bones[k]));
      out.weights.push_back(vertex.weights[k]);
    }
    const bool nothing = out.joints.size() == out.offsets.back();
    if (nothing && !model_.bones.empty()) {
      // Every program lets such a vertex follow the first bone.
      out.joints.push_back(0);
      out.weights.push_back(1);
      without_.Add([&] { return Vertex(v) + " has no weight on any bone; it follows bone 0"; });
    }
    out.offsets.push_back(static_cast<std::uint32_t>(out.joints.size()));
    if (vertex.type == PmxWeightType::kSdef) AddSpherical(v);
    if (vertex.type == PmxWeightType::kQdef) {
      if (mesh_.dqs_weights.empty()) mesh_.dqs_weights.resize(model_.vertices.size());
      mesh_.dqs_weights[v] = 1;
    }
  }

  void Report(Diagnostics& diagnostics) {
    no_bone_.ReportTo(diagnostics, "MMD_WEIGHT_WITHOUT_BONE", "vertices");
    without_.ReportTo(diagnostics, "MMD_VERTEX_WITHOUT_BONE", "vertices");
    linear_.ReportTo(diagnostics, "MMD_SDEF_WITHOUT_BONE", "vertices");
  }

 private:
  void AddSpherical(std::size_t v) {
    const PmxVertex& vertex = model_.vertices[v];
    if (vertex.bones[0] == kNoIndex || vertex.bones[1] == kNoIndex) {
      linear_.Add(
          [&] { return Vertex(v) + " is SDEF with only one bone; it is blended linearly"; });
      return;
    }
    asset::SdefVertices& sdef = mesh_.sdef;
    sdef.vertices.push_back(static_cast<std::uint32_t>(v));
    sdef.joints.push_back(
        {static_cast<std::uint32_t>(vertex.bones[0]), static_cast<std::uint32_t>(vertex.bones[1])});
    sdef.weights.push_back(vertex.weights[0]);
    sdef.centers.push_back(space_.PointF(vertex.c));
    sdef.r0.push_back(space_.PointF(vertex.r0));
    sdef.r1.push_back(space_.PointF(vertex.r1));
  }

  const PmxModel& model_;
  const Space& space_;
  asset::Mesh& mesh_;
  Tally no_bone_, without_, linear_;
};

/// Triangles with the winding turned, as mirroring asks, and their cut into materials.
void ConvertTriangles(const PmxModel& model, asset::Mesh& mesh) {
  mesh.triangles.reserve(model.indices.size());
  for (std::size_t i = 0; i + 2 < model.indices.size(); i += 3) {
    mesh.triangles.push_back(model.indices[i]);
    mesh.triangles.push_back(model.indices[i + 2]);
    mesh.triangles.push_back(model.indices[i + 1]);
  }
  std::uint32_t first = 0;
  for (std::size_t m = 0; m < model.materials.size(); ++m) {
    const std::uint32_t count = model.materials[m].index_count;
    if (count == 0) continue;
    mesh.subsets.push_back({first, count, static_cast<std::int32_t>(m)});
    first += count;
  }
  const auto all = static_cast<std::uint32_t>(mesh.triangles.size());
  if (first < all) mesh.subsets.push_back({first, all - first, asset::kNone});
}

}  // namespace

void ConvertMesh(const PmxModel& model, const Space& space, asset::Character& character,
                 Diagnostics& diagnostics) {
  if (model.vertices.empty()) return;
  asset::Mesh mesh;
  mesh.name = "mesh";
  const std::size_t count = model.vertices.size();
  mesh.positions.reserve(count);
  mesh.normals.reserve(count);
  mesh.texcoords.reserve(count);
  Weights weights(model, space, mesh);
  for (std::size_t v = 0; v < count; ++v) {
    const PmxVertex& vertex = model.vertices[v];
    mesh.positions.push_back(space.PointF(vertex.position));
    mesh.normals.push_back(Normalized(Space::Direction(vertex.normal)));
    mesh.texcoords.push_back(vertex.uv);
    weights.Add(v);
  }
  weights.Report(diagnostics);
  ConvertTriangles(model, mesh);
  // Without bones nothing can hold the vertices but the model itself.
  if (model.bones.empty()) mesh.influences = {};
  character.meshes.push_back(std::move(mesh));
  asset::MeshInstance instance;
  instance.name = "mesh";
  instance.mesh = 0;
  instance.skin = character.skins.empty() ? asset::kNone : 0;
  character.instances.push_back(std::move(instance));
}

}  // namespace flexor::io::mmd
