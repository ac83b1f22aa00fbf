#include "flexor/deform/derive_sdef.h"

#include <cmath>
#include <cstddef>
#include <optional>

namespace flexor::deform {
namespace {

/// Which of two joints hangs below the other, and where each joint was when the mesh was bound.
class Rig {
 public:
  Rig(const asset::Skin& skin, std::span<const asset::Node> nodes) : skin_(skin), nodes_(nodes) {
    for (const Mat34d& joint_from_mesh : skin.joint_from_mesh) {
      const Mat34d mesh_from_joint = Inverse(joint_from_mesh);
      origins_.push_back(IsFinite(mesh_from_joint)
                             ? std::optional<Vec3f>(Cast<float>(mesh_from_joint.translation))
                             : std::nullopt);
    }
  }

  /// Where a vertex of joints a and b bends, if anywhere.
  std::optional<Vec3f> CenterOf(std::uint32_t a, std::uint32_t b) const {
    if (HangsBelow(b, a)) return origins_[b];
    if (HangsBelow(a, b)) return origins_[a];
    return std::nullopt;
  }

 private:
  bool HangsBelow(std::uint32_t joint, std::uint32_t ancestor) const {
    const auto wanted = static_cast<std::int32_t>(skin_.joints[ancestor]);
    std::int32_t node = nodes_[skin_.joints[joint]].parent;
    while (node != asset::kNone && node != wanted) {
      node = nodes_[static_cast<std::size_t>(node)].parent;
    }
    return node == wanted;
  }

  const asset::Skin& skin_;
  std::span<const asset::Node> nodes_;
  std::vector<std::optional<Vec3f>> origins_;
};

}  // namespace

asset::SdefVertices DeriveSdef(const asset::Mesh& mesh, const asset::Skin& skin,
                               std::span<const asset::Node> nodes,
                               const asset::WeightPolicy& policy) {
  asset::SdefVertices out;
  if (mesh.influences.empty()) return out;
  const Rig rig(skin, nodes);
  const asset::Influences repaired = asset::RepairWeights(mesh.influences, policy, nullptr);
  // Neighbours mostly follow the same two joints.
  std::uint32_t last_a = 0, last_b = 0;
  std::optional<Vec3f> last_center;
  std::size_t next = 0;  // of mesh.sdef
  for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) {
    if (next < mesh.sdef.size() && mesh.sdef.vertices[next] == v) {
      ++next;
      continue;
    }
    const std::size_t begin = repaired.offsets[v];
    if (repaired.offsets[v + 1] - begin != 2) continue;
    const std::uint32_t a = repaired.joints[begin], b = repaired.joints[begin + 1];
    const double wa = static_cast<double>(repaired.weights[begin]);
    const double wb = static_cast<double>(repaired.weights[begin + 1]);
    if (!(wa > 0 && wb > 0)) continue;
    if (a != last_a || b != last_b) {
      last_a = a;
      last_b = b;
      last_center = rig.CenterOf(a, b);
    }
    if (!last_center) continue;
    out.vertices.push_back(v);
    out.joints.push_back({a, b});
    out.weights.push_back(static_cast<float>(wa / (wa + wb)));
    out.centers.push_back(*last_center);
    out.r0.push_back(*last_center);
    out.r1.push_back(*last_center);
  }
  return out;
}

asset::SdefVertices MergeSdef(const asset::SdefVertices& a, const asset::SdefVertices& b) {
  asset::SdefVertices out;
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    const bool first = j == b.size() || (i < a.size() && a.vertices[i] < b.vertices[j]);
    out.Append(first ? a : b, first ? i++ : j++);
  }
  return out;
}

}  // namespace flexor::deform
