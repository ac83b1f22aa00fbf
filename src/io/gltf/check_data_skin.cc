#include <algorithm>
#include <array>
#include <cmath>

#include "io/gltf/check_data.h"
#include "io/gltf/check_names.h"
#include "io/gltf/layout.h"

namespace flexor::io::gltf {
namespace {

/// The smallest skin that is put on a mesh: what all its vertices must be content with.
struct JointLimit {
  std::int64_t skin = kNone;
  std::size_t joints = 0;
};

std::vector<JointLimit> JointLimits(const CheckModel& model) {
  std::vector<JointLimit> limits(model.meshes.size());
  for (const CheckedNode& node : model.nodes) {
    if (!node.exists || CheckModel::Resolve(model.meshes, node.raw->mesh) == nullptr) continue;
    const CheckedSkin* skin = CheckModel::Resolve(model.skins, node.raw->skin);
    if (skin == nullptr || skin->raw->joints.empty()) continue;
    JointLimit& limit = limits[static_cast<std::size_t>(node.raw->mesh)];
    const std::size_t joints = skin->raw->joints.size();
    if (limit.skin == kNone || joints < limit.joints) limit = {node.raw->skin, joints};
  }
  return limits;
}

/// One pair of JOINTS_n and WEIGHTS_n, and what was found in it.
struct InfluenceSet {
  StoredNumbers joints;
  StoredNumbers weights;
  double weight_scale = 1;
  Tally outside, repeated, negative, unused;

  double Weight(std::size_t i) const { return weights[i] * weight_scale; }
};

void Hit(Tally& fault, std::size_t vertex, std::size_t component, const std::string& words) {
  fault.Add([&] {
    return "vertex " + std::to_string(vertex) + ", component " + std::to_string(component) + words;
  });
}

/// Judges all vertices of one primitive. Returns the faults of sums that are not 1.
Tally JudgeVertices(std::vector<InfluenceSet>& sets, std::size_t vertex_count,
                    const JointLimit& limit) {
  Tally sums;
  std::vector<double> used;
  for (std::size_t v = 0; v < vertex_count; ++v) {
    used.clear();
    float sum = 0;  // in single precision, as a renderer would add them
    double tolerance = 0;
    for (std::size_t c = 0; c < 4; ++c) {
      for (InfluenceSet& set : sets) {
        const double joint = set.joints[4 * v + c];
        if (joint >= static_cast<double>(limit.joints)) {
          Hit(set.outside, v, c,
              " names joint " + ShortNumber(joint) + " of only " + std::to_string(limit.joints) +
                  " in skin " + std::to_string(limit.skin));
          continue;
        }
        const double weight = set.Weight(4 * v + c);
        if (weight == 0) {
          if (joint != 0)
            Hit(set.unused, v, c, " names joint " + ShortNumber(joint) + " with weight 0");
          continue;
        }
        const bool is_new = std::find(used.begin(), used.end(), joint) == used.end();
        if (is_new) {
          used.push_back(joint);
        } else {
          Hit(set.repeated, v, c, " names joint " + ShortNumber(joint) + " again");
        }
        if (weight < 0) {
          Hit(set.negative, v, c, " has weight " + ShortNumber(weight));
        } else if (is_new) {
          sum = static_cast<float>(static_cast<double>(sum) + weight);
          tolerance += 2e-7;
        }
      }
    }
    if (std::abs(static_cast<double>(sum) - 1) > tolerance) {
      sums.Add([&] {
        return "the weights of vertex " + std::to_string(v) + " sum to " +
               ShortNumber(static_cast<double>(sum));
      });
    }
  }
  return sums;
}

void Report(Findings& findings, const char* code, const std::string& where, const Tally& fault) {
  if (fault.count() != 0) findings.Add(code, where, fault.first(), fault.count());
}

void CheckPrimitiveInfluences(const CheckModel& model, const CheckedPrimitive& primitive,
                              const JointLimit& limit, CheckedData& data, Findings& findings) {
  const auto fits = [&](std::int64_t accessor) {
    const CheckedAccessor* checked = CheckModel::Resolve(model.accessors, accessor);
    return checked != nullptr && ComponentCount(checked->raw->type) == 4 &&
           checked->raw->count == primitive.vertex_count;
  };
  std::vector<InfluenceSet> sets;
  const std::size_t vertex_count =
      primitive.vertex_count == kNoNumber ? 0 : static_cast<std::size_t>(primitive.vertex_count);
  bool complete = true;
  for (std::int64_t s = 0; complete && s < primitive.joint_sets; ++s) {
    const std::int32_t joints_at = primitive.raw->Find("JOINTS_" + std::to_string(s));
    const std::int32_t weights_at = primitive.raw->Find("WEIGHTS_" + std::to_string(s));
    complete = primitive.vertex_count != kNoNumber && fits(joints_at) && fits(weights_at) &&
               data.Afford(8 * vertex_count);
    if (!complete) break;
    const auto joints = static_cast<std::uint32_t>(joints_at);
    const auto weights = static_cast<std::uint32_t>(weights_at);
    auto joint_numbers = data.Read(joints);
    auto weight_numbers = joint_numbers ? data.Read(weights) : std::nullopt;
    complete = weight_numbers.has_value();
    if (!complete) {
      if (joint_numbers) data.Release(std::move(*joint_numbers));
      break;
    }
    const AccessorFormat format = model.accessors[weights].format();
    const bool is_fraction = format.normalized && format.component != ComponentType::kFloat;
    InfluenceSet set;
    set.joints = std::move(*joint_numbers);
    set.weights = std::move(*weight_numbers);
    set.weight_scale =
        is_fraction ? 1.0 / static_cast<double>(IntegerLimits(format.component).second) : 1.0;
    sets.push_back(std::move(set));
  }
  if (complete && !sets.empty()) {
    const Tally sums = JudgeVertices(sets, vertex_count, limit);
    for (std::size_t s = 0; s < sets.size(); ++s) {
      const std::string joints = primitive.pointer + "/attributes/JOINTS_" + std::to_string(s);
      const std::string weights = primitive.pointer + "/attributes/WEIGHTS_" + std::to_string(s);
      Report(findings, "ACCESSOR_JOINTS_INDEX_OOB", joints, sets[s].outside);
      Report(findings, "ACCESSOR_JOINTS_INDEX_DUPLICATE", joints, sets[s].repeated);
      Report(findings, "ACCESSOR_JOINTS_USED_ZERO_WEIGHT", joints, sets[s].unused);
      Report(findings, "ACCESSOR_WEIGHTS_NEGATIVE", weights, sets[s].negative);
      Report(findings, "ACCESSOR_WEIGHTS_NON_NORMALIZED", weights, sums);
    }
  }
  for (InfluenceSet& set : sets) {
    data.Release(std::move(set.joints));
    data.Release(std::move(set.weights));
  }
}

}  // namespace

void CheckInfluences(const CheckModel& model, CheckedData& data, Findings& findings) {
  const std::vector<JointLimit> limits = JointLimits(model);
  for (std::size_t m = 0; m < model.meshes.size(); ++m) {
    const CheckedMesh& mesh = model.meshes[m];
    if (!mesh.IsSkinned() || limits[m].joints == 0) continue;
    for (const CheckedPrimitive& primitive : mesh.primitives) {
      CheckPrimitiveInfluences(model, primitive, limits[m], data, findings);
    }
  }
}

}  // namespace flexor::io::gltf
