#include "io/usd/binding.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "io/rules.h"
#include "io/usd/attribute.h"
#include "io/usd/numeric.h"
#include "io/usd/primvar.h"
#include "io/usd/skeleton.h"
#include "io/usd/xform.h"

namespace flexor::io::usd {
namespace {

bool IsAuthored(const Property& property) {
  return std::any_of(property.opinions.begin(), property.opinions.end(),
                     [](const PropertyOpinion& opinion) {
                       return !opinion.spec->default_value.empty() || opinion.spec->samples ||
                              opinion.spec->targets;
                     });
}

/// The values of a primvar in a row; none when an index names nothing.
template <class T>
std::vector<T> Flat(const Primvar& primvar, std::vector<T> values) {
  if (!primvar.is_indexed) return values;
  std::vector<T> flat;
  for (const std::int32_t index : primvar.indices) {
    for (std::size_t i = 0; i < primvar.element_size; ++i) {
      const std::size_t at = static_cast<std::size_t>(index) * primvar.element_size + i;
      if (index < 0 || at >= values.size()) return {};
      flat.push_back(values[at]);
    }
  }
  return flat;
}

}  // namespace

Binding BindingOf(Stage& stage, const StagePrim& prim, Diagnostics& diagnostics) {
  Binding binding;
  std::vector<const StagePrim*> chain;  // from the prim up to the outermost SkelRoot
  std::size_t used = 0;
  for (const StagePrim* at = &prim; at->parent >= 0;
       at = &stage[static_cast<std::size_t>(at->parent)]) {
    chain.push_back(at);
    if (at->type_name == "SkelRoot") used = chain.size();
  }
  std::vector<Path> skeletons;
  bool is_bound = false;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const StagePrim& at = *chain[i];
    const bool in_root = i < used;
    if (in_root && !IsImageable(at.type_name)) {
      Report(diagnostics, "USD_SKINNING", prim.path.ToString(),
             "the prim is not skinned: <" + at.path.ToString() + "> above it, of type '" +
                 at.type_name.str() + "', is no prim that can be drawn");
      return {};
    }
    struct Wanted {
      const char* name;
      Property* property;
    };
    const Wanted wanted[] = {{"primvars:skel:jointIndices", &binding.joint_indices},
                             {"primvars:skel:jointWeights", &binding.joint_weights},
                             {"primvars:skel:geomBindTransform", &binding.geom_bind_transform},
                             {"primvars:skel:skinningMethod", &binding.skinning_method},
                             {"skel:joints", &binding.joints}};
    for (const Wanted& want : wanted) {
      if (!want.property->empty()) continue;
      Property property = stage.FindProperty(at, want.name);
      if (IsAuthored(property) && HasBinding(stage, at, diagnostics)) {
        *want.property = std::move(property);
      }
    }
    if (!is_bound && IsAuthored(stage.FindProperty(at, "skel:skeleton")) &&
        HasBinding(stage, at, diagnostics)) {
      is_bound = true;
      skeletons = stage.ForwardedTargets(at, "skel:skeleton");
    }
    if (i + 1 == used) break;  // what stands above the SkelRoot does not count
  }
  if (used == 0) {
    if (is_bound && binding.HasInfluences()) {
      Report(diagnostics, "USD_NO_SKEL_ROOT", prim.path.ToString(),
             "the prim is bound to a skeleton, but neither it nor a prim above is a SkelRoot; it "
             "is not skinned");
    }
    return {};
  }
  if (skeletons.empty()) {
    if (binding.HasInfluences()) {
      Report(diagnostics, "USD_SKINNING", prim.path.ToString(),
             "the prim has joint influences, but no skeleton is bound to it; it is not skinned");
    }
    return binding;
  }
  const std::int32_t found = stage.Find(skeletons.front());
  const StagePrim* skeleton = found < 0 ? nullptr : &stage[static_cast<std::size_t>(found)];
  if (skeleton == nullptr || !(skeleton->type_name == "Skeleton") || !skeleton->IsPresent()) {
    Report(diagnostics, "USD_SKINNING", prim.path.ToString(),
           "skel:skeleton names <" + skeletons.front().ToString() +
               ">, which is no Skeleton; the prim is not skinned");
    return binding;
  }
  binding.skeleton = skeleton;
  return binding;
}

Result<std::optional<asset::Influences>> ReadInfluences(const Stage& stage, const Binding& binding,
                                                        std::size_t points, std::size_t joint_count,
                                                        const Path& where, MemoryBudget& budget,
                                                        Diagnostics& diagnostics) {
  const auto refuse = [&](std::string why) {
    Report(diagnostics, "USD_SKINNING", where.ToString(), "the prim is not skinned: " + why);
    return std::optional<asset::Influences>();
  };
  const auto read = [&](const Property& property) -> Result<Primvar> {
    const std::int32_t prim = stage.Find(property.path.parent());
    return ReadPrimvar(stage, stage[static_cast<std::size_t>(prim)], property.path.name().text(),
                       std::nullopt, Spread::kConstant, budget, diagnostics);
  };
  FLEXOR_ASSIGN(const Primvar indices, read(binding.joint_indices));
  FLEXOR_ASSIGN(const Primvar weights, read(binding.joint_weights));
  auto joints = AsInts(indices.values);
  auto numbers = AsFloats(weights.values);
  if (!joints || !numbers) return refuse("jointIndices or jointWeights has no default value");
  const std::vector<std::int32_t> flat_joints = Flat(indices, *std::move(joints));
  const std::vector<float> flat_weights = Flat(weights, *std::move(numbers));
  if (indices.spread != weights.spread || indices.element_size != weights.element_size ||
      flat_joints.size() != flat_weights.size()) {
    return refuse("jointIndices (" + std::to_string(flat_joints.size()) + ", elementSize " +
                  std::to_string(indices.element_size) + ") and jointWeights (" +
                  std::to_string(flat_weights.size()) + ", elementSize " +
                  std::to_string(weights.element_size) +
                  ") differ in size, elementSize or interpolation");
  }
  if (indices.spread != Spread::kConstant && indices.spread != Spread::kVertex) {
    return refuse("joint influences must be one for each point, or constant");
  }
  const bool is_constant = indices.spread == Spread::kConstant;
  const std::size_t size = indices.element_size;
  const std::size_t runs = is_constant ? 1 : points;
  if (flat_joints.size() != runs * size) {
    return refuse("there are " + std::to_string(flat_joints.size()) + " joint indices where " +
                  std::to_string(runs) + " times elementSize " + std::to_string(size) +
                  " are needed");
  }
  for (std::size_t i = 0; i < flat_joints.size(); ++i) {
    if (flat_joints[i] < 0 || static_cast<std::size_t>(flat_joints[i]) >= joint_count) {
      return refuse("joint index " + std::to_string(flat_joints[i]) + " of point " +
                    std::to_string(i / size) + " names none of " + std::to_string(joint_count) +
                    " joints");
    }
    if (!std::isfinite(flat_weights[i])) {
      return refuse("a joint weight of point " + std::to_string(i / size) + " is not finite");
    }
  }
  asset::Influences influences;
  FLEXOR_TRY(budget.Charge(points + 1, sizeof(std::uint32_t), "joint influences"));
  influences.offsets.reserve(points + 1);
  influences.offsets.push_back(0);
  for (std::size_t point = 0; point < points; ++point) {
    const std::size_t first = is_constant ? 0 : point * size;
    for (std::size_t i = first; i < first + size; ++i) {
      if (flat_weights[i] == 0) continue;
      influences.joints.push_back(static_cast<std::uint32_t>(flat_joints[i]));
      influences.weights.push_back(flat_weights[i]);
    }
    influences.offsets.push_back(static_cast<std::uint32_t>(influences.joints.size()));
  }
  FLEXOR_TRY(budget.Charge(influences.joints.size(), 8, "joint influences"));
  return std::optional<asset::Influences>(std::move(influences));
}

}  // namespace flexor::io::usd
