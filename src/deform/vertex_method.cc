#include "deform/vertex_method.h"

namespace flexor::deform {
namespace {

std::vector<Method> MethodsByMaterial(const asset::Mesh& mesh, const DeformSettings& settings) {
  std::vector<Method> methods;
  for (const MaterialMethod& chosen : settings.material_methods) {
    for (const asset::Subset& subset : mesh.subsets) {
      if (subset.material != chosen.material) continue;
      if (methods.empty()) methods.assign(mesh.vertex_count(), settings.method);
      for (std::uint32_t i = 0; i < subset.index_count; ++i) {
        methods[mesh.triangles[subset.first_index + i]] = chosen.method;
      }
    }
  }
  return methods;
}

template <class Keeps>
asset::SdefVertices Filtered(const asset::SdefVertices& sdef, Keeps keeps) {
  asset::SdefVertices out;
  for (std::size_t i = 0; i < sdef.size(); ++i) {
    if (!keeps(sdef.vertices[i])) continue;
    out.vertices.push_back(sdef.vertices[i]);
    out.joints.push_back(sdef.joints[i]);
    out.weights.push_back(sdef.weights[i]);
    out.centers.push_back(sdef.centers[i]);
    out.r0.push_back(sdef.r0[i]);
    out.r1.push_back(sdef.r1[i]);
  }
  return out;
}

}  // namespace

VertexMethods::VertexMethods(const asset::Mesh& mesh, asset::SkinningMethod file_method,
                             const DeformSettings& settings)
    : mesh_(mesh),
      file_dqs_weight_(file_method == asset::SkinningMethod::kDualQuaternion ? 1.0f : 0.0f),
      sdef_(settings.sdef),
      base_(settings.method),
      own_(MethodsByMaterial(mesh, settings)) {}

float VertexMethods::DqsWeight(std::size_t vertex) const {
  const Method method = At(vertex);
  if (method != Method::kFile) return method == Method::kDqs ? 1.0f : 0.0f;
  return mesh_.dqs_weights.empty() ? file_dqs_weight_ : mesh_.dqs_weights[vertex];
}

bool VertexMethods::TakesSdef(std::size_t vertex) const {
  const Method method = At(vertex);
  return method == Method::kSdef || (method == Method::kFile && sdef_ != SdefMode::kOff);
}

bool VertexMethods::DerivesSdef(std::size_t vertex) const {
  const Method method = At(vertex);
  return method == Method::kSdef || (method == Method::kFile && sdef_ == SdefMode::kAuthor);
}

asset::SdefVertices VertexMethods::Taken(const asset::SdefVertices& sdef) const {
  return Filtered(sdef, [this](std::size_t vertex) { return TakesSdef(vertex); });
}

asset::SdefVertices VertexMethods::Derived(const asset::SdefVertices& sdef) const {
  return Filtered(sdef, [this](std::size_t vertex) { return DerivesSdef(vertex); });
}

}  // namespace flexor::deform
