#include <algorithm>

#include "deform/reference/reference.h"

namespace flexor::deform {
namespace {

/// The entry of a morph that belongs to a vertex, or -1 for a vertex that it does not touch.
std::ptrdiff_t EntryOf(const asset::Morph& morph, std::size_t vertex) {
  if (morph.vertices.empty()) return static_cast<std::ptrdiff_t>(vertex);
  const auto found = std::lower_bound(morph.vertices.begin(), morph.vertices.end(), vertex);
  const bool touched = found != morph.vertices.end() && *found == vertex;
  return touched ? found - morph.vertices.begin() : -1;
}

void AddOffset(const std::vector<Vec3f>& offsets, std::ptrdiff_t entry, double weight, Vec3d& sum) {
  if (!offsets.empty()) sum += Cast<double>(offsets[static_cast<std::size_t>(entry)]) * weight;
}

}  // namespace

RestVertex ReferenceMorphAccumulate(const PlanData& plan, std::span<const float> weights,
                                    std::size_t vertex) {
  Vec3d position{}, normal{}, tangent{};  // sums of weight * offset
  for (std::size_t m = 0; m < weights.size(); ++m) {
    const asset::Morph& morph = plan.morphs[m];
    const std::ptrdiff_t entry = EntryOf(morph, vertex);
    if (weights[m] == 0.0f || entry < 0) continue;
    const double weight = static_cast<double>(weights[m]);
    AddOffset(morph.positions, entry, weight, position);
    AddOffset(morph.normals, entry, weight, normal);
    AddOffset(morph.tangents, entry, weight, tangent);
  }

  RestVertex out;
  out.position = Cast<double>(plan.positions[vertex]) + position;
  if (!plan.normals.empty()) {
    const Vec3d base = Cast<double>(plan.normals[vertex]);
    out.normal = Normalized(base + normal, Normalized(base));
  }
  if (!plan.tangents.empty()) {
    const Vec4f t = plan.tangents[vertex];
    const Vec3d base = Cast<double>(Vec3f{t.x, t.y, t.z});
    out.tangent = Normalized(base + tangent, Normalized(base));
    out.handedness = static_cast<double>(t.w);
  }
  return out;
}

}  // namespace flexor::deform
