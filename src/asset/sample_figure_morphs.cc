// The figure's morphs: small, local, with the change of normals that they bring.
#include <cmath>
#include <functional>

#include "asset/sample_build.h"
#include "asset/sample_figure.h"

namespace flexor::asset::sample {
namespace {

// 1 at the centre, 0 from the radius on, smooth.
double Bump(Vec3d p, Vec3d center, double radius) {
  return 1 - SmoothStep(0, radius, Length(p - center));
}

Morph MakeMorph(const Mesh& mesh, std::string name,
                const std::function<Vec3d(Vec3d p, Vec3d normal)>& offset) {
  constexpr double kLeast = 1e-5;
  std::vector<Vec3d> rest, moved;
  for (std::size_t v = 0; v < mesh.vertex_count(); ++v) {
    rest.push_back(Cast<double>(mesh.positions[v]));
    Vec3d d = offset(rest[v], Cast<double>(mesh.normals[v]));
    if (Length(d) < kLeast) d = {};
    moved.push_back(rest[v] + d);
  }
  // The mesh's own normals are smoother than those of its triangles; only the change is taken.
  const std::vector<Vec3d> before = AverageNormals(rest, mesh.triangles);
  const std::vector<Vec3d> after = AverageNormals(moved, mesh.triangles);
  Morph morph;
  morph.name = std::move(name);
  for (std::size_t v = 0; v < mesh.vertex_count(); ++v) {
    const Vec3d n = Cast<double>(mesh.normals[v]);
    const Vec3d turned = Normalized(n + (after[v] - before[v]), n) - n;
    if (moved[v] == rest[v] && Length(turned) < 1e-3) continue;
    morph.vertices.push_back(static_cast<std::uint32_t>(v));
    morph.positions.push_back(RoundedPoint(moved[v] - rest[v]));
    morph.normals.push_back(RoundedDirection(turned));
  }
  return morph;
}

Vec3d Mirrored(Vec3d p) { return {std::abs(p.x), p.y, p.z}; }

}  // namespace

std::vector<Morph> FigureMorphs(const Mesh& mesh) {
  using P = FigurePlaces;
  std::vector<Morph> morphs;
  morphs.push_back(MakeMorph(mesh, "breathe", [](Vec3d p, Vec3d n) {
    return n * (0.012 * Bump(p, {0, 1.27, 0.07}, 0.20)) +
           Vec3d{0, 0.004, 0} * Bump(p, {0, 1.30, 0.05}, 0.22);
  }));
  morphs.push_back(MakeMorph(mesh, "belly", [](Vec3d p, Vec3d n) {
    return (n * 0.4 + Vec3d{0, -0.1, 0.6}) * (0.050 * Bump(p, {0, 1.05, 0.08}, 0.19));
  }));
  morphs.push_back(MakeMorph(mesh, "flex", [](Vec3d p, Vec3d n) {
    const Vec3d biceps = P::kShoulder + (P::kElbow - P::kShoulder) * 0.55 + Vec3d{0, 0, 0.045};
    return n * (0.016 * Bump(Mirrored(p), biceps, 0.085));
  }));
  morphs.push_back(MakeMorph(mesh, "smile", [](Vec3d p, Vec3d) {
    const Vec3d corner{0.020, 1.527, 0.080};
    const double pull = Bump(Mirrored(p), corner, 0.024);
    const double cheek = Bump(Mirrored(p), {0.036, 1.553, 0.072}, 0.030);
    const double outward = p.x < 0 ? -1 : 1;
    return Vec3d{0.006 * outward, 0.008, -0.003} * pull +
           Vec3d{0.001 * outward, 0.002, 0.004} * cheek;
  }));
  morphs.push_back(MakeMorph(mesh, "brows_up", [](Vec3d p, Vec3d) {
    return Vec3d{0, 0.006, 0} * Bump(Mirrored(p), {0.033, 1.616, 0.080}, 0.028);
  }));
  return morphs;
}

}  // namespace flexor::asset::sample
