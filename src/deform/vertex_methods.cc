#include "deform/vertex_methods.h"

#include <algorithm>
#include <optional>
#include <span>

#include "deform/method_table.h"

namespace flexor::deform {
namespace {

using asset::SkinningMethod;
using Wish = std::optional<SkinningMethod>;

/// What the user wishes for each vertex; none: whatever the file does.
class Wishes {
 public:
  Wishes(const asset::Mesh& mesh, const DeformSettings& settings) : all_(settings.method) {
    for (const MaterialMethod& chosen : settings.material_methods) {
      for (const asset::Subset& subset : mesh.subsets) {
        if (subset.material != chosen.material) continue;
        if (single_.empty()) single_.assign(mesh.vertex_count(), all_);
        for (std::uint32_t i = 0; i < subset.index_count; ++i) {
          single_[mesh.triangles[subset.first_index + i]] = chosen.method;
        }
      }
    }
  }

  Wish At(std::size_t vertex) const { return single_.empty() ? all_ : single_[vertex]; }

 private:
  Wish all_;
  std::vector<Wish> single_;  // (V), or empty: all wish for all_
};

/// `derive`: also about centres that were derived.
SkinningMethod Take(SkinningMethod method, MethodResolution& resolution, std::size_t vertex,
                    bool derive) {
  const ResolveRule rule = RowOf(method).resolve;
  return rule == nullptr ? method : rule(resolution, vertex, derive);
}

/// What the file wishes for a vertex.
SkinningMethod TakeOfFile(SdefMode mode, MethodResolution& resolution, std::size_t vertex) {
  const bool derive = mode == SdefMode::kAuthor;
  if (mode != SdefMode::kOff) {
    const auto taken = Take(SkinningMethod::kSpherical, resolution, vertex, derive);
    if (taken == SkinningMethod::kSpherical) return taken;
  }
  const asset::Mesh& mesh = resolution.mesh;
  if (!mesh.dqs_weights.empty()) return Take(SkinningMethod::kMixed, resolution, vertex, derive);
  if (mesh.skinning == SkinningMethod::kSpherical) return SkinningMethod::kLinear;  // no centre
  return Take(mesh.skinning, resolution, vertex, derive);
}

/// Numbers the vertices of each method.
std::vector<std::uint32_t> EntriesOf(std::span<const SkinningMethod> methods) {
  std::array<std::uint32_t, asset::kSkinningMethods> next{};
  std::vector<std::uint32_t> entries;
  entries.reserve(methods.size());
  for (const SkinningMethod method : methods) entries.push_back(next[IndexOf(method)]++);
  return entries;
}

}  // namespace

VertexMethods ResolveMethods(const asset::Mesh& mesh, const asset::SdefVertices& derived,
                             const DeformSettings& settings) {
  const Wishes wishes(mesh, settings);
  MethodResolution resolution{mesh, Centers(mesh.sdef), Centers(derived), {}, {}};
  VertexMethods out;
  std::vector<SkinningMethod> methods;
  methods.reserve(mesh.vertex_count());
  for (std::size_t v = 0; v < mesh.vertex_count(); ++v) {
    const Wish wish = wishes.At(v);
    methods.push_back(wish ? Take(*wish, resolution, v, true)
                           : TakeOfFile(settings.sdef.mode, resolution, v));
    ++out.column.counts[IndexOf(methods.back())];
  }
  const bool payload = !resolution.mixed.empty() || !resolution.centers.empty();
  out.payloads = {std::move(resolution.mixed), PlanSpherical(resolution.centers)};
  if (methods.empty()) return out;
  out.column.uniform = methods.front();
  if (out.column.counts[IndexOf(methods.front())] == methods.size()) return out;
  if (payload) out.column.entries = EntriesOf(methods);
  out.column.methods = std::move(methods);
  return out;
}

std::size_t MixedEntries(const MethodPayloads& payloads) { return payloads.mixed.size(); }
std::size_t SphericalEntries(const MethodPayloads& payloads) {
  return payloads.spherical.vertices.size();
}

SkinningMethod ResolveMixed(MethodResolution& resolution, std::size_t vertex, bool /*derive*/) {
  const std::vector<float>& shares = resolution.mesh.dqs_weights;
  const float share = shares.empty() ? 0.0f : shares[vertex];
  if (share <= 0) return SkinningMethod::kLinear;
  if (share >= 1) return SkinningMethod::kDualQuaternion;
  resolution.mixed.push_back(share);
  return SkinningMethod::kMixed;
}

SkinningMethod ResolveSpherical(MethodResolution& resolution, std::size_t vertex, bool derive) {
  const bool own = resolution.own.HasVertex(vertex);
  if (!own && !(derive && resolution.derived.HasVertex(vertex))) return SkinningMethod::kLinear;
  (own ? resolution.own : resolution.derived).AppendTo(resolution.centers);
  return SkinningMethod::kSpherical;
}

bool DependsOnBindPose(const DeformSettings& settings) {
  const auto derives = [&](const Wish& wish) {
    return wish ? *wish == SkinningMethod::kSpherical : settings.sdef.mode == SdefMode::kAuthor;
  };
  return derives(settings.method) ||
         std::ranges::any_of(settings.material_methods,
                             [&](const MaterialMethod& m) { return derives(m.method); });
}

}  // namespace flexor::deform
