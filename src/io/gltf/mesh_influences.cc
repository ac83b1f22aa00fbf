#include <algorithm>
#include <limits>
#include <utility>

#include "flexor/asset/weights.h"

#include "io/gltf/mesh_parts.h"

namespace flexor::io::gltf {
namespace {

constexpr std::uint64_t kInfluenceBytes = sizeof(std::uint32_t) + sizeof(float);

/// All sets of one range, set after set: element ((set * V) + vertex) * 4 + k.
struct Sets {
  std::vector<std::uint32_t> joints;
  std::vector<float> weights;
};

Result<Sets> ReadSets(const RangeReader& part) {
  Sets sets;
  const std::size_t per_set = std::size_t{part.range.vertex_count} * 4;
  sets.joints.resize(per_set * part.range.joint_sets);
  sets.weights.resize(per_set * part.range.joint_sets);
  for (std::uint32_t set = 0; set < part.range.joint_sets; ++set) {
    const std::string number = std::to_string(set);
    FLEXOR_TRY(part.reader.Joints("JOINTS_" + number,
                                  std::span(sets.joints).subspan(set * per_set, per_set)));
    FLEXOR_ASSIGN(
        [[maybe_unused]] const bool found,
        part.reader.Floats("WEIGHTS_" + number, ElementType::kVec4, kFloat32 | kNormalized, true,
                           std::span(sets.weights).subspan(set * per_set, per_set)));
  }
  return sets;
}

}  // namespace

Status ReadInfluences(const MeshContext& context, std::uint32_t mesh_index,
                      const std::vector<RangeReader>& ranges, std::uint32_t smallest_skin,
                      asset::Mesh& mesh) {
  std::uint64_t slots = 0;
  std::size_t bound = 0;
  for (const RangeReader& part : ranges) {
    slots += std::uint64_t{part.range.vertex_count} * part.range.joint_sets * 4;
    bound += part.range.joint_sets != 0 ? 1 : 0;
  }
  if (bound == 0) return {};
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (slots > kMost) {
    return Error{ErrorCode::kLimitExceeded,
                 "the mesh has room for " + std::to_string(slots) + " influences, more than the " +
                     std::to_string(kMost) + " that can be numbered",
                 {{}, "/meshes/" + std::to_string(mesh_index), std::nullopt}};
  }
  asset::Influences& influences = mesh.influences;
  FLEXOR_TRY(context.budget.Charge(slots, kInfluenceBytes, "influences"));
  FLEXOR_TRY(context.budget.Charge(mesh.vertex_count() + 1, sizeof(std::uint32_t), "influences"));
  influences.offsets.reserve(mesh.vertex_count() + 1);
  influences.joints.reserve(static_cast<std::size_t>(slots));
  influences.weights.reserve(static_cast<std::size_t>(slots));
  influences.offsets.push_back(0);
  for (const RangeReader& part : ranges) {
    if (part.range.joint_sets == 0) {
      Report(context.diagnostics, "MESH_PRIMITIVE_WITHOUT_JOINTS", part.reader.Place("/attributes"),
             "other primitives of this mesh have JOINTS_0, this one has none; its vertices have no "
             "weight");
      influences.offsets.insert(influences.offsets.end(), part.range.vertex_count,
                                influences.offsets.back());
      continue;
    }
    const std::uint64_t held =
        std::uint64_t{part.range.vertex_count} * part.range.joint_sets * 4 * kInfluenceBytes;
    FLEXOR_TRY(context.budget.Charge(held, 1, "joint and weight sets"));
    FLEXOR_ASSIGN(const Sets sets, ReadSets(part));
    std::uint64_t beyond = 0;  // influences without weight on joints that the skin does not have
    std::uint32_t first_beyond = 0;
    for (std::uint32_t v = 0; v < part.range.vertex_count; ++v) {
      for (std::uint32_t set = 0; set < part.range.joint_sets; ++set) {
        const std::size_t at = (std::size_t{set} * part.range.vertex_count + v) * 4;
        for (std::size_t k = at; k < at + 4; ++k) {
          if (sets.weights[k] != 0) {
            influences.joints.push_back(sets.joints[k]);
            influences.weights.push_back(sets.weights[k]);
          } else if (smallest_skin != 0 && sets.joints[k] >= smallest_skin) {
            if (beyond++ == 0) first_beyond = v;
          }
        }
      }
      influences.offsets.push_back(static_cast<std::uint32_t>(influences.joints.size()));
    }
    context.budget.Release(held);
    if (beyond == 0) continue;
    Report(context.diagnostics, "ACCESSOR_JOINTS_INDEX_OOB", part.reader.Place("/attributes"),
           "joints beyond the " + std::to_string(smallest_skin) +
               " of the skin, all with weight 0 and dropped; the first at vertex " +
               std::to_string(first_beyond),
           beyond);
  }
  influences.joints.shrink_to_fit();
  influences.weights.shrink_to_fit();
  context.budget.Release((slots - influences.joints.size()) * kInfluenceBytes);

  // The repair itself is the business of whoever deforms; here it is only counted.
  const std::uint64_t copy = influences.joints.size() * kInfluenceBytes +
                             influences.offsets.size() * sizeof(std::uint32_t);
  FLEXOR_TRY(context.budget.Charge(copy, 1, "the check of the weights"));
  asset::WeightReport report;
  [[maybe_unused]] const asset::Influences repaired =
      asset::RepairWeights(influences, asset::WeightPolicy(), &report);
  asset::ReportWeights(report, "/meshes/" + std::to_string(mesh_index), context.diagnostics);
  context.budget.Release(copy);
  return {};
}

Status CheckJoints(const ConvertedMesh& converted, std::uint32_t mesh_index,
                   std::size_t joint_count, const std::string& skin_place) {
  const asset::Influences& influences = converted.mesh.influences;
  const auto found = std::find_if(influences.joints.begin(), influences.joints.end(),
                                  [&](std::uint32_t joint) { return joint >= joint_count; });
  if (found == influences.joints.end()) return {};
  const auto at = static_cast<std::uint32_t>(found - influences.joints.begin());
  const auto run = std::upper_bound(influences.offsets.begin(), influences.offsets.end(), at);
  const auto vertex = static_cast<std::uint32_t>(run - influences.offsets.begin() - 1);
  const auto range =
      std::find_if(converted.ranges.begin(), converted.ranges.end(), [&](const VertexRange& r) {
        return vertex >= r.first_vertex && vertex - r.first_vertex < r.vertex_count;
      });
  const std::string mesh_place = "/meshes/" + std::to_string(mesh_index);
  return Error{ErrorCode::kIndexOutOfRange,
               "vertex " + std::to_string(vertex - range->first_vertex) + " is weighted to joint " +
                   std::to_string(*found) + " with weight " +
                   std::to_string(influences.weights[at]) + ", but " + skin_place + " has only " +
                   std::to_string(joint_count) + " joints",
               {{}, mesh_place + "/primitives/" + std::to_string(range->primitive), std::nullopt}};
}

}  // namespace flexor::io::gltf
