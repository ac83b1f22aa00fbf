#include "support/spherical.h"

#include <algorithm>
#include <random>

#include "support/rigs.h"

namespace flexor::test {

void AddSdef(asset::Mesh& mesh, std::uint32_t vertex, const Sdef& sdef) {
  mesh.sdef.vertices.push_back(vertex);
  mesh.sdef.joints.push_back(sdef.joints);
  mesh.sdef.weights.push_back(sdef.weight);
  mesh.sdef.centers.push_back(sdef.center);
  mesh.sdef.r0.push_back(sdef.r0);
  mesh.sdef.r1.push_back(sdef.r1);
}

asset::Mesh OneSpherical(const Vec3f& position, const Sdef& sdef) {
  asset::Mesh mesh =
      OneVertex(position, {{sdef.joints[0], sdef.weight}, {sdef.joints[1], 1 - sdef.weight}});
  AddSdef(mesh, 0, sdef);
  return mesh;
}

void AddRandomSdef(asset::Mesh& mesh, std::size_t joints, double share, double size,
                   std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto uniform = [&] { return static_cast<double>(random()) / 4294967296.0; };
  const auto joint = [&] { return static_cast<std::uint32_t>(random() % joints); };
  const auto point = [&] {
    const double x = uniform() - 0.5, y = uniform() - 0.5, z = uniform() - 0.5;
    return Cast<float>(Vec3d{x, y, z} * size);
  };
  for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) {
    if (uniform() >= share) continue;
    Sdef sdef;
    sdef.joints = {joint(), joint()};
    const auto kind = static_cast<std::uint32_t>(random() % 12);
    sdef.weight = kind == 0 ? 0.0f : kind == 1 ? 1.0f : static_cast<float>(uniform());
    sdef.center = point();
    sdef.r0 = point();
    sdef.r1 = point();
    AddSdef(mesh, v, sdef);
  }
}

const deform::SphericalVertex* SphericalOf(const deform::PlanData& plan, std::size_t vertex) {
  if (plan.methods.At(vertex) != asset::SkinningMethod::kSpherical) return nullptr;
  return &plan.payloads.spherical.vertices[plan.methods.EntryOf(vertex)];
}

}  // namespace flexor::test
