#include "io/usd/skeleton.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "io/rules.h"
#include "io/usd/attribute.h"
#include "io/usd/numeric.h"

namespace flexor::io::usd {
namespace {

Result<std::vector<Token>> TokensOf(const Stage& stage, const StagePrim& prim,
                                    std::string_view name, MemoryBudget& budget) {
  FLEXOR_ASSIGN(const Value value, DefaultValue(stage.FindProperty(prim, name), budget));
  return AsTokens(value).value_or(std::vector<Token>());
}

/// The joint paths above `path`, nearest first.
std::vector<std::string_view> Above(std::string_view path) {
  std::vector<std::string_view> above;
  for (std::size_t slash; (slash = path.rfind('/')) != std::string_view::npos;) {
    path = path.substr(0, slash);
    above.push_back(path);
  }
  return above;
}

bool AllFinite(const std::vector<Mat34d>& matrices) {
  return std::all_of(matrices.begin(), matrices.end(),
                     [](const Mat34d& matrix) { return IsFinite(matrix); });
}

/// All samples of an attribute; nothing, with the reason, when one is missing or of the wrong kind
/// or length.
template <class T, class Convert>
Result<std::optional<Track<T>>> ReadTrack(const Property& attribute, std::size_t length,
                                          const Convert& convert, MemoryBudget& budget,
                                          std::string& out_fault) {
  Track<T> track;
  track.times = SampleTimes(attribute);
  const bool is_constant = track.times.empty();
  if (is_constant) track.times.push_back(0);
  for (const double time : track.times) {
    FLEXOR_ASSIGN(const Value value, is_constant
                                         ? DefaultValue(attribute, budget)
                                         : ValueAt(attribute, time, Between::kHeld, budget));
    auto values = convert(value);
    if (!values || values->size() != length) {
      out_fault = attribute.path.empty() ? "is not authored" : "has ";
      if (!attribute.path.empty()) {
        out_fault += values ? std::to_string(values->size()) + " values where " +
                                  std::to_string(length) + " are needed"
                            : std::string("no value");
        if (!is_constant) out_fault += " at time code " + std::to_string(time);
      }
      return std::optional<Track<T>>();
    }
    track.values.push_back(*std::move(values));
  }
  return std::optional<Track<T>>(std::move(track));
}

}  // namespace

std::int32_t Skeleton::Find(Token joint) const {
  const auto found = std::find(joints.begin(), joints.end(), joint);
  return found == joints.end() ? -1 : static_cast<std::int32_t>(found - joints.begin());
}

Result<std::optional<Skeleton>> ReadSkeleton(const Stage& stage, const StagePrim& prim,
                                             MemoryBudget& budget, Diagnostics& diagnostics) {
  const std::string where = prim.path.ToString();
  Skeleton skeleton;
  skeleton.prim = &prim;
  FLEXOR_ASSIGN(skeleton.joints, TokensOf(stage, prim, "joints", budget));
  if (skeleton.joints.empty()) {
    Report(diagnostics, "USD_SKELETON", where,
           "the skeleton has no joints; nothing is bound to it");
    return std::optional<Skeleton>();
  }
  std::unordered_map<std::string_view, std::int32_t> index;
  for (std::size_t i = 0; i < skeleton.joints.size(); ++i) {
    const std::string_view joint = skeleton.joints[i].text();
    if (!index.emplace(joint, static_cast<std::int32_t>(i)).second) {
      Report(diagnostics, "USD_SKELETON", where,
             "joint '" + std::string(joint) + "' is listed twice; the first counts");
    }
  }
  for (std::size_t i = 0; i < skeleton.joints.size(); ++i) {
    std::int32_t parent = -1;
    for (const std::string_view above : Above(skeleton.joints[i].text())) {
      const auto found = index.find(above);
      if (found == index.end()) continue;
      parent = found->second;
      break;
    }
    if (parent >= static_cast<std::int32_t>(i)) {
      Report(diagnostics, "USD_SKELETON", where,
             "joint " + std::to_string(i) + " '" + skeleton.joints[i].str() +
                 "' stands before its parent, which is joint " + std::to_string(parent) +
                 "; nothing is bound to the skeleton");
      return std::optional<Skeleton>();
    }
    skeleton.parents.push_back(parent);
  }
  for (const bool is_bind : {true, false}) {
    const char* name = is_bind ? "bindTransforms" : "restTransforms";
    FLEXOR_ASSIGN(const Value value, DefaultValue(stage.FindProperty(prim, name), budget));
    std::vector<Mat34d> matrices = AsMatrices(value).value_or(std::vector<Mat34d>());
    if (matrices.size() != skeleton.joints.size() || !AllFinite(matrices)) {
      Report(diagnostics, "USD_SKELETON", where,
             std::string(name) + (value.empty() ? " is missing" : " has ") +
                 (value.empty() ? "" : std::to_string(matrices.size()) + " usable matrices") +
                 ", and there are " + std::to_string(skeleton.joints.size()) + " joints");
      matrices.clear();
    }
    (is_bind ? skeleton.bind : skeleton.rest) = std::move(matrices);
  }
  return std::optional<Skeleton>(std::move(skeleton));
}

Result<SkelAnimation> ReadAnimation(const Stage& stage, const StagePrim& prim, MemoryBudget& budget,
                                    Diagnostics& diagnostics) {
  SkelAnimation animation;
  animation.prim = &prim;
  FLEXOR_ASSIGN(animation.joints, TokensOf(stage, prim, "joints", budget));
  FLEXOR_ASSIGN(animation.blend_shapes, TokensOf(stage, prim, "blendShapes", budget));
  const auto property = [&](const char* name) { return stage.FindProperty(prim, name); };
  if (!animation.joints.empty()) {
    const std::size_t joints = animation.joints.size();
    const auto say = [&](const char* name, const std::string& fault) {
      if (animation.fault.empty()) animation.fault = std::string(name) + " " + fault;
    };
    std::string fault;
    FLEXOR_ASSIGN(auto translations,
                  ReadTrack<Vec3f>(property("translations"), joints, AsVec3fs, budget, fault));
    if (!translations) say("translations", fault);
    FLEXOR_ASSIGN(auto rotations,
                  ReadTrack<Quatf>(property("rotations"), joints, AsQuatfs, budget, fault));
    if (!rotations) say("rotations", fault);
    FLEXOR_ASSIGN(auto scales,
                  ReadTrack<Vec3f>(property("scales"), joints, AsVec3fs, budget, fault));
    if (!scales) say("scales", fault);
    animation.moves_joints = translations && rotations && scales;
    if (animation.moves_joints) {
      animation.translations = *std::move(translations);
      animation.rotations = *std::move(rotations);
      animation.scales = *std::move(scales);
    } else {
      Report(diagnostics, "USD_ANIMATION", prim.path.ToString(),
             "the animation moves no joints: " + animation.fault);
    }
  }
  if (!animation.blend_shapes.empty()) {
    std::string fault;
    FLEXOR_ASSIGN(auto weights,
                  ReadTrack<float>(property("blendShapeWeights"), animation.blend_shapes.size(),
                                   AsFloats, budget, fault));
    if (weights) {
      animation.weights = *std::move(weights);
    } else {
      Report(diagnostics, "USD_ANIMATION", prim.path.ToString(),
             "the animation moves no blend shapes: blendShapeWeights " + fault);
    }
  }
  return animation;
}

bool HasBinding(const Stage& stage, const StagePrim& prim, Diagnostics& diagnostics) {
  if (stage.HasApi(prim, "SkelBindingAPI")) return true;
  for (const Token name : stage.PropertyNames(prim)) {
    const std::string_view text = name.text();
    if (text.substr(0, 5) != "skel:" && text.substr(0, 14) != "primvars:skel:") continue;
    Report(diagnostics, "USD_SCHEMA_MISSING", prim.path.ToString(),
           "the prim has '" + name.str() + "', but SkelBindingAPI is not applied to it; OpenUSD " +
               "does not use it, flexor does");
    return true;
  }
  return false;
}

const StagePrim* AnimationOf(Stage& stage, const StagePrim& skeleton, Diagnostics& diagnostics) {
  for (const StagePrim* at = &skeleton; at->parent >= 0;
       at = &stage[static_cast<std::size_t>(at->parent)]) {
    const Property source = stage.FindProperty(*at, "skel:animationSource");
    const bool is_authored = std::any_of(
        source.opinions.begin(), source.opinions.end(),
        [](const PropertyOpinion& opinion) { return opinion.spec->targets != nullptr; });
    if (!is_authored || !HasBinding(stage, *at, diagnostics)) continue;
    const std::vector<Path> targets = stage.ForwardedTargets(*at, "skel:animationSource");
    if (targets.empty()) return nullptr;
    const std::int32_t found = stage.Find(targets.front());
    const StagePrim* prim = found < 0 ? nullptr : &stage[static_cast<std::size_t>(found)];
    if (prim != nullptr && prim->type_name == "SkelAnimation" && prim->IsPresent()) return prim;
    Report(diagnostics, "USD_ANIMATION", at->path.ToString(),
           "skel:animationSource names <" + targets.front().ToString() +
               ">, which is no SkelAnimation; there is no animation");
    return nullptr;
  }
  return nullptr;
}

}  // namespace flexor::io::usd
