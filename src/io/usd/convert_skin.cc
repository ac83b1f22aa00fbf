// How a shape hangs on its skeleton.

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "io/rules.h"
#include "io/usd/attribute.h"
#include "io/usd/convert_parts.h"
#include "io/usd/numeric.h"

namespace flexor::io::usd {
namespace {

void Complain(Conversion& conversion, const StagePrim& prim, const std::string& why) {
  Report(conversion.diagnostics, "USD_SKINNING", prim.path.ToString(),
         "the prim is not skinned: " + why);
}

Result<std::optional<Mat34d>> GeomBind(Conversion& conversion, const PlacedShape& placed) {
  const Property& property = placed.binding.geom_bind_transform;
  if (property.empty()) return std::optional<Mat34d>(Mat34d{});
  FLEXOR_ASSIGN(const Value value,
                ValueAt(property, conversion.time.first, Between::kLinear, conversion.budget));
  if (value.empty()) return std::optional<Mat34d>(Mat34d{});
  const auto matrix = AsMatrix(value);
  if (!matrix || !IsFinite(*matrix)) {
    Complain(conversion, *placed.prim, "geomBindTransform is no usable matrix");
    return std::optional<Mat34d>();
  }
  if (!SampleTimes(property).empty()) {
    Report(conversion.diagnostics, "USD_BIND_ANIMATED", placed.prim->path.ToString(),
           "geomBindTransform has time samples; flexor keeps that of the first moment");
  }
  return matrix;
}

/// Says that the prim and those above it below the SkelRoot have transforms, which do not count.
void ReportTransforms(Conversion& conversion, const StagePrim& prim) {
  const Stage& stage = conversion.stage;
  std::vector<const StagePrim*> moved;
  std::size_t below_root = 0;
  for (const StagePrim* at = &prim; at->parent >= 0;
       at = &stage[static_cast<std::size_t>(at->parent)]) {
    if (at->type_name == "SkelRoot") below_root = moved.size();
    const auto node = conversion.node_of.find(at);
    if (node != conversion.node_of.end() &&
        conversion.character.nodes[node->second].rest_matrix.has_value()) {
      moved.push_back(at);
    }
  }
  if (below_root == 0) return;
  std::string names;
  for (std::size_t i = 0; i < below_root; ++i) {
    names += (i == 0 ? "<" : ", <") + moved[i]->path.ToString() + ">";
  }
  Report(conversion.diagnostics, "USD_SKINNED_XFORM", prim.path.ToString(),
         "skinning ignores the transforms of " + names);
}

/// Two skins are one when they hang alike on the same joints.
std::int32_t AddSkin(asset::Character& character, asset::Skin skin) {
  for (std::size_t i = 0; i < character.skins.size(); ++i) {
    if (character.skins[i].joints == skin.joints &&
        character.skins[i].joint_from_mesh == skin.joint_from_mesh) {
      return static_cast<std::int32_t>(i);
    }
  }
  character.skins.push_back(std::move(skin));
  return static_cast<std::int32_t>(character.skins.size()) - 1;
}

}  // namespace

Status ConvertSkin(Conversion& conversion, PlacedShape& placed, asset::Mesh& mesh) {
  const Binding& binding = placed.binding;
  if (binding.skeleton == nullptr || !binding.HasInfluences()) return {};
  const auto found = conversion.skeleton_of.find(binding.skeleton);
  if (found == conversion.skeleton_of.end()) {
    Complain(conversion, *placed.prim,
             "the skeleton <" + binding.skeleton->path.ToString() + "> cannot be used");
    return {};
  }
  const PlacedSkeleton& skeleton = conversion.skeletons[found->second];
  if (!skeleton.fault.empty()) {
    Complain(conversion, *placed.prim,
             "its skeleton <" + binding.skeleton->path.ToString() + "> " + skeleton.fault);
    return {};
  }
  // Which joints the indices mean: the mesh's own list, or all of the skeleton in its order.
  std::vector<Token> names = skeleton.skeleton.joints;
  if (!binding.joints.empty()) {
    FLEXOR_ASSIGN(const Value value, DefaultValue(binding.joints, conversion.budget));
    if (auto own = AsTokens(value)) names = *std::move(own);
  }
  FLEXOR_ASSIGN(const auto geom_bind, GeomBind(conversion, placed));
  if (!geom_bind) return {};
  asset::Skin skin;
  skin.name = binding.skeleton->path.name().str();
  for (const Token& name : names) {
    const std::int32_t joint = skeleton.skeleton.Find(name);
    if (joint >= 0) {
      const auto index = static_cast<std::size_t>(joint);
      skin.joints.push_back(skeleton.joint_nodes[index]);
      skin.joint_from_mesh.push_back(Inverse(skeleton.skeleton.bind[index]) * *geom_bind);
      continue;
    }
    Report(conversion.diagnostics, "USD_JOINT_UNKNOWN", placed.prim->path.ToString(),
           "skel:joints names '" + name.str() + "', which is no joint of <" +
               binding.skeleton->path.ToString() +
               ">; what is bound to it stays where it was bound");
    skin.joints.push_back(skeleton.node);
    skin.joint_from_mesh.push_back(*geom_bind);
  }
  if (skin.joints.empty()) {
    Complain(conversion, *placed.prim, "skel:joints is empty");
    return {};
  }
  FLEXOR_ASSIGN(auto influences,
                ReadInfluences(conversion.stage, binding, mesh.point_count(), skin.joints.size(),
                               placed.prim->path, conversion.budget, conversion.diagnostics));
  if (!influences) return {};
  for (const std::uint32_t point : mesh.repeats) {
    const std::uint32_t first = influences->offsets[point], last = influences->offsets[point + 1];
    FLEXOR_TRY(conversion.budget.Charge(last - first + 1, 12, "joint influences"));
    for (std::uint32_t i = first; i < last; ++i) {
      influences->joints.push_back(influences->joints[i]);
      influences->weights.push_back(influences->weights[i]);
    }
    influences->offsets.push_back(static_cast<std::uint32_t>(influences->joints.size()));
  }
  mesh.influences = *std::move(influences);
  asset::MeshInstance& instance = conversion.character.instances[placed.instance];
  instance.skin = AddSkin(conversion.character, std::move(skin));
  ReportTransforms(conversion, *placed.prim);
  if (!binding.skinning_method.empty()) {
    FLEXOR_ASSIGN(const Value method, DefaultValue(binding.skinning_method, conversion.budget));
    if (method.text() == "dualQuaternion") {
      conversion.character.skinning = asset::SkinningMethod::kDualQuaternion;
    } else if (!method.empty() && method.text() != "classicLinear") {
      Report(conversion.diagnostics, "USD_SKINNING_METHOD", placed.prim->path.ToString(),
             "the skinning method '" + std::string(method.text()) +
                 "' is unknown; classicLinear is used");
    }
  }
  return {};
}

std::string FaultOf(const PlacedSkeleton& placed) {
  const Skeleton& skeleton = placed.skeleton;
  if (skeleton.bind.empty()) return "has no bindTransforms that fit its joints";
  for (std::size_t joint = 0; joint < skeleton.joints.size(); ++joint) {
    if (!IsFinite(Inverse(skeleton.bind[joint]))) {
      return "has a bind transform without an inverse, of joint '" + skeleton.joints[joint].str() +
             "'";
    }
  }
  if (placed.animation) {
    const std::vector<Token>& moved = placed.animation->joints;
    const std::unordered_set<Token> animated(moved.begin(), moved.end());
    const auto found = static_cast<std::size_t>(
        std::count_if(skeleton.joints.begin(), skeleton.joints.end(),
                      [&](const Token& joint) { return animated.contains(joint); }));
    if (found != 0) {
      const std::string who = "is animated by <" + placed.animation_prim->path.ToString() + ">, ";
      if (!placed.animation->moves_joints) return who + "whose " + placed.animation->fault;
      if (found < skeleton.joints.size() && skeleton.rest.empty()) {
        return who + "which moves some of its joints only, and has no restTransforms for the rest";
      }
      return {};
    }
  }
  return skeleton.rest.empty() ? "has neither restTransforms nor an animation" : "";
}

}  // namespace flexor::io::usd
