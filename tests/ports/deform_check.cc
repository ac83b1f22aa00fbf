// A program for machines that the tests do not run on (tools/ports): every method of the table, the
// CPU backend against the reference at the vertex counts where blocks and windows begin and end,
// and all methods in one mesh against each alone. Argument: the SIMD target that must run. Prints a
// table; exit code 1 when something is not as promised.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "flexor/asset/character.h"
#include "flexor/deform/backend.h"
#include "flexor/deform/plan.h"

#include "deform/method_table.h"

namespace flexor {
namespace {

constexpr std::uint32_t kJoints = 9;

/// The same numbers on every machine.
class Numbers {
 public:
  std::uint32_t Below(std::uint32_t count) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state_ >> 33) % count;
  }
  double Signed() { return static_cast<double>(Below(1u << 24)) / (1 << 23) - 1; }
  Vec3d Vector() {
    const double x = Signed(), y = Signed(), z = Signed();
    return {x, y, z};
  }

 private:
  std::uint64_t state_ = 7;
};

/// A character of one mesh whose vertices have what every method takes; vertex v has material
/// v % methods.
asset::Character MakeCharacter(std::uint32_t vertices, Numbers& random) {
  asset::Character character;
  character.meshes.resize(1);
  asset::Mesh& mesh = character.meshes[0];
  mesh.name = "check";
  mesh.influences.offsets.push_back(0);
  for (std::uint32_t v = 0; v < vertices; ++v) {
    mesh.positions.push_back(Cast<float>(random.Vector()));
    mesh.normals.push_back(Cast<float>(Normalized(random.Vector(), Vec3d{0, 0, 1})));
    const Vec3f t = Cast<float>(Normalized(random.Vector(), Vec3d{1, 0, 0}));
    mesh.tangents.push_back({t.x, t.y, t.z, v % 2 == 0 ? 1.0f : -1.0f});
    const std::uint32_t first = random.Below(kJoints), count = 1 + random.Below(4);
    for (std::uint32_t i = 0; i < count; ++i) {
      mesh.influences.joints.push_back((first + i) % kJoints);
      mesh.influences.weights.push_back(static_cast<float>(1 + random.Below(8)) / 8);
    }
    mesh.influences.offsets.push_back(static_cast<std::uint32_t>(mesh.influences.joints.size()));
    mesh.dqs_weights.push_back(0.125f + 0.25f * static_cast<float>(random.Below(4)));
    mesh.sdef.vertices.push_back(v);
    mesh.sdef.joints.push_back({first, random.Below(kJoints)});
    mesh.sdef.weights.push_back(static_cast<float>(random.Below(9)) / 8);
    mesh.sdef.centers.push_back(Cast<float>(random.Vector() * 0.5));
    mesh.sdef.r0.push_back(Cast<float>(random.Vector()));
    mesh.sdef.r1.push_back(Cast<float>(random.Vector()));
  }
  for (std::uint32_t m = 0; m < asset::kSkinningMethods; ++m) {
    const auto first = static_cast<std::uint32_t>(mesh.triangles.size());
    for (std::uint32_t v = m; v < vertices; v += asset::kSkinningMethods) {
      mesh.triangles.insert(mesh.triangles.end(), 3, v);
    }
    const auto end = static_cast<std::uint32_t>(mesh.triangles.size());
    mesh.subsets.push_back({first, end - first, static_cast<std::int32_t>(m)});
  }
  asset::Morph morph;
  for (std::uint32_t v = 0; v < vertices; v += 3) {
    morph.vertices.push_back(v);
    morph.positions.push_back(Cast<float>(random.Vector() * 0.25));
  }
  mesh.morphs.push_back(morph);
  character.nodes.resize(kJoints);
  character.skins.resize(1);
  character.skins[0].joint_from_mesh.resize(kJoints);
  for (std::uint32_t j = 0; j < kJoints; ++j) {
    character.nodes[j].parent = static_cast<std::int32_t>(j) - 1;
    character.skins[0].joints.push_back(j);
  }
  character.materials.resize(asset::kSkinningMethods);
  character.instances.resize(1);
  character.instances[0].skin = 0;
  return character;
}

/// Turns of at most a third of a circle, so that no blend cancels; scaled where asked for.
std::vector<Mat34d> MakePalette(bool scaled, Numbers& random) {
  std::vector<Mat34d> palette(kJoints);
  for (Mat34d& m : palette) {
    const Vec3d axis =
        Normalized(random.Vector(), Vec3d{0, 1, 0}) * std::sin(random.Signed() * 0.5);
    const Quatd q{axis.x, axis.y, axis.z, std::sqrt(1 - Dot(axis, axis))};
    m.linear = ToMat3(q) * (scaled ? 1.0 + 0.25 * random.Signed() : 1.0);
    m.translation = random.Vector();
  }
  return palette;
}

struct Shape {
  std::vector<Vec3f> positions, normals;
  std::vector<Vec4f> tangents;
};

/// Ends the program where something fails that cannot.
template <class T>
T Must(Result<T> result) {
  if (result.ok()) return std::move(result).value();
  std::printf("failed: %s\n", result.error().ToString().c_str());
  std::exit(1);
}

Shape Run(const deform::Backend& backend, const deform::DeformPlan& plan,
          const std::vector<Mat34d>& palette) {
  const auto prepared = Must(backend.Prepare(plan));
  const std::vector<float> weights(plan.morph_count(), 0.5f);
  Shape out;
  out.positions.resize(plan.vertex_count());
  if (plan.has_normals()) out.normals.resize(plan.vertex_count());
  if (plan.has_tangents()) out.tangents.resize(plan.vertex_count());
  deform::FrameInputs in;
  in.palette = palette;
  in.morph_weights = weights;
  deform::OutputViews views;
  views.positions = out.positions;
  views.normals = out.normals;
  views.tangents = out.tangents;
  deform::Scratch scratch;
  Must(backend.Run(*prepared, in, views, scratch));
  return out;
}

double Distance(const Vec3f& a, const Vec3f& b) {
  return Length(Cast<double>(a) - Cast<double>(b));
}

// Meshes of size 1 and palettes as above: reaches stay below 8, blended quaternions above 0.7, and
// what the headers promise of any vertex below this.
constexpr double kAllowed = 1.6e-5;

int Check(const std::string& wanted) {
  const auto cpu = Must(deform::CreateBackend(deform::BackendKind::kCpu));
  const auto reference = Must(deform::CreateBackend(deform::BackendKind::kReference));
  const std::string target = cpu->Info().simd_target;
  std::printf("SIMD target %s\n%-8s %10s %14s %14s %14s\n", target.c_str(), "method", "vertices",
              "position", "normal", "tangent");
  bool good = target == wanted;
  if (!good) std::printf("wanted the target %s\n", wanted.c_str());
  for (const std::uint32_t vertices : {0u, 1u, 63u, 64u, 65u, 4097u}) {
    for (const bool scaled : {false, true}) {
      Numbers random;
      const asset::Character character = MakeCharacter(vertices, random);
      const std::vector<Mat34d> palette = MakePalette(scaled, random);
      deform::DeformSettings together;
      for (const deform::MethodRow& row : deform::MethodTable()) {
        together.material_methods.push_back(
            {static_cast<std::int32_t>(deform::IndexOf(row.method)), row.method});
      }
      const Shape mixed = Run(*cpu, Must(deform::BuildDeformPlan(character, 0, together)), palette);
      for (const deform::MethodRow& row : deform::MethodTable()) {
        deform::DeformSettings settings;
        settings.method = row.method;
        const auto plan = Must(deform::BuildDeformPlan(character, 0, settings));
        const Shape got = Run(*cpu, plan, palette), want = Run(*reference, plan, palette);
        double position = 0, normal = 0, tangent = 0;
        bool alone = true;
        for (std::uint32_t v = 0; v < vertices; ++v) {
          const Vec4f &a = got.tangents[v], &b = want.tangents[v];
          position = std::max(position, Distance(got.positions[v], want.positions[v]));
          normal = std::max(normal, Distance(got.normals[v], want.normals[v]));
          tangent = std::max(tangent, Distance({a.x, a.y, a.z}, {b.x, b.y, b.z}));
          alone = alone && a.w == b.w;
          if (v % asset::kSkinningMethods != deform::IndexOf(row.method)) continue;
          alone = alone && got.positions[v] == mixed.positions[v] &&
                  got.normals[v] == mixed.normals[v] && got.tangents[v] == mixed.tangents[v];
        }
        const bool near = position <= kAllowed && normal <= kAllowed && tangent <= kAllowed;
        good = good && near && alone;
        std::printf("%-8s %10u %14.3g %14.3g %14.3g%s%s\n", std::string(row.name).c_str(), vertices,
                    position, normal, tangent, near ? "" : "  TOO FAR",
                    alone ? "" : "  DIFFERS AMONG OTHER METHODS");
      }
    }
  }
  std::printf("%s\n", good ? "all as promised" : "NOT as promised");
  return good ? 0 : 1;
}

}  // namespace
}  // namespace flexor

int main(int count, char** arguments) { return flexor::Check(count > 1 ? arguments[1] : ""); }
