#include <set>
#include <utility>

#include "io/gltf/check_links.h"
#include "io/gltf/check_names.h"
#include "io/gltf/layout.h"

namespace flexor::io::gltf::links {
namespace {

void UseKeys(Context& context, CheckedAccessor& accessor, AccessorUsage usage,
             const std::string& where) {
  context.UseAccessor(accessor, usage, where);
  CheckedView* view = context.ViewOf(accessor);
  if (view == nullptr) return;
  context.UseView(*view, ViewUsage::kOther, where);
  if (view->raw->byte_stride != 0) {
    context.findings().Add("ANIMATION_SAMPLER_ACCESSOR_WITH_BYTESTRIDE", where,
                           "the buffer view of keys must not have byteStride");
  }
}

void SamplerInput(Context& context, const RawSampler& sampler, const std::string& pointer) {
  CheckModel& model = context.model();
  Findings& findings = context.findings();
  const std::string where = pointer + "/input";
  CheckedAccessor* input = context.Find(model.accessors, sampler.input, where);
  if (input == nullptr) return;
  UseKeys(context, *input, AccessorUsage::kKeyTimes, where);
  constexpr AccessorFormat kTimes{ElementType::kScalar, ComponentType::kFloat, false};
  if (input->format() != kTimes) {
    findings.Add("ANIMATION_SAMPLER_INPUT_ACCESSOR_INVALID_FORMAT", where,
                 input->format().ToString() + " is not allowed; must be SCALAR of FLOAT");
  } else {
    model.data_rules.push_back({sampler.input, DataRuleKind::kKeyTimes, where});
  }
  if (!input->raw->has_bounds) {
    findings.Add("ANIMATION_SAMPLER_INPUT_ACCESSOR_WITHOUT_BOUNDS", where,
                 "the accessor of key times must have min and max");
  }
  // A count that is not known is not enough.
  if (sampler.interpolation == RawInterpolation::kCubicSpline &&
      (input->raw->count < 2 || !input->HasCount())) {
    findings.Add(
        "ANIMATION_SAMPLER_INPUT_ACCESSOR_TOO_FEW_ELEMENTS", where,
        "a cubic spline needs 2 keys" +
            (input->HasCount() ? ", but has " + std::to_string(input->raw->count) : std::string()));
  }
}

void SamplerOutput(Context& context, const RawSampler& sampler, const std::string& pointer) {
  const std::string where = pointer + "/output";
  CheckedAccessor* output = context.Find(context.model().accessors, sampler.output, where);
  if (output != nullptr) UseKeys(context, *output, AccessorUsage::kKeyValues, where);
}

void ChannelTarget(Context& context, const RawChannel& channel, const std::string& pointer) {
  CheckModel& model = context.model();
  Findings& findings = context.findings();
  const std::string where = pointer + "/target";
  const CheckedNode* node = context.Follow(model.nodes, channel.node, where + "/node");
  if (node == nullptr || channel.path == RawPath::kUnknown) return;
  const std::string name = "node " + std::to_string(channel.node);
  if (channel.path == RawPath::kWeights) {
    const CheckedMesh* mesh = CheckModel::Resolve(model.meshes, node->raw->mesh);
    if (mesh == nullptr || mesh->TargetCount() == 0) {
      findings.Add("ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS", where,
                   name + " has no morph targets");
    }
    return;
  }
  if (node->raw->matrix) {
    findings.Add("ANIMATION_CHANNEL_TARGET_NODE_MATRIX", where,
                 name + " has a matrix and so no " + std::string(channel.path_name));
  }
  if (CheckModel::Resolve(model.skins, node->raw->skin) != nullptr) {
    findings.Add("ANIMATION_CHANNEL_TARGET_NODE_SKIN", where + "/path",
                 name + " has a skinned mesh, which only its joints can move");
  }
}

/// Whether key values of that format can drive `path`.
bool AllowsFormat(RawPath path, const AccessorFormat& format) {
  const ElementType type = path == RawPath::kRotation  ? ElementType::kVec4
                           : path == RawPath::kWeights ? ElementType::kScalar
                                                       : ElementType::kVec3;
  if (format.type != type) return false;
  if (format.component == ComponentType::kFloat) return !format.normalized;
  const bool may_be_integers = path == RawPath::kRotation || path == RawPath::kWeights;
  return may_be_integers && format.normalized && format.component != ComponentType::kUnknown &&
         format.component != ComponentType::kUint32;
}

void ChannelKeys(Context& context, const RawChannel& channel, const RawSampler& sampler,
                 const std::string& where) {
  CheckModel& model = context.model();
  Findings& findings = context.findings();
  const CheckedAccessor* output = CheckModel::Resolve(model.accessors, sampler.output);
  if (output == nullptr || channel.path == RawPath::kUnknown) return;
  if (channel.path == RawPath::kRotation && ComponentCount(output->raw->type) == 4) {
    model.data_rules.push_back({.accessor = sampler.output,
                                .kind = DataRuleKind::kRotations,
                                .where = where,
                                .cubic = sampler.interpolation == RawInterpolation::kCubicSpline});
  }
  if (!AllowsFormat(channel.path, output->format())) {
    findings.Add(
        "ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_FORMAT", where,
        output->format().ToString() + " is not allowed for " + std::string(channel.path_name));
  }
  const CheckedAccessor* input = CheckModel::Resolve(model.accessors, sampler.input);
  if (input == nullptr || !input->HasCount() || !output->HasCount() ||
      sampler.interpolation == RawInterpolation::kUnknown) {
    return;
  }
  auto expected = static_cast<double>(input->raw->count);
  if (sampler.interpolation == RawInterpolation::kCubicSpline) expected *= 3;
  if (channel.path == RawPath::kWeights) {
    const CheckedNode* node = CheckModel::Resolve(model.nodes, channel.node);
    const CheckedMesh* mesh =
        node != nullptr ? CheckModel::Resolve(model.meshes, node->raw->mesh) : nullptr;
    expected *= mesh != nullptr ? static_cast<double>(mesh->TargetCount()) : 0;
  }
  if (expected != 0 && expected != static_cast<double>(output->raw->count)) {
    findings.Add("ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT", where,
                 "needs " + ShortNumber(expected) + " values, but has " +
                     std::to_string(output->raw->count));
  }
}

void DuplicateTargets(Context& context, const std::vector<RawChannel>& channels,
                      const std::string& pointer) {
  std::set<std::pair<std::int32_t, std::string_view>> seen;
  for (std::size_t i = channels.size(); i-- > 0;) {
    const RawChannel& channel = channels[i];
    if (!channel.has_target || channel.node == kNone) continue;
    if (!seen.insert({channel.node, channel.path_name}).second) {
      context.findings().Add("ANIMATION_DUPLICATE_TARGETS",
                             pointer + "/channels/" + std::to_string(i) + "/target",
                             "a later channel drives the " + std::string(channel.path_name) +
                                 " of node " + std::to_string(channel.node) + " too");
    }
  }
}

}  // namespace

void Animations(Context& context) {
  for (const CheckedAnimation& animation : context.model().animations) {
    if (!animation.exists) continue;
    const std::vector<RawSampler>& samplers = animation.raw->samplers;
    const std::vector<RawChannel>& channels = animation.raw->channels;
    if (samplers.empty() || channels.empty()) continue;
    const auto sampler_at = [&](std::size_t i) {
      return animation.pointer + "/samplers/" + std::to_string(i);
    };
    for (std::size_t i = 0; i < samplers.size(); ++i) {
      SamplerInput(context, samplers[i], sampler_at(i));
      SamplerOutput(context, samplers[i], sampler_at(i));
    }
    std::vector<bool> used(samplers.size(), false);
    for (std::size_t i = 0; i < channels.size(); ++i) {
      const RawChannel& channel = channels[i];
      const std::string pointer = animation.pointer + "/channels/" + std::to_string(i);
      if (channel.has_target) ChannelTarget(context, channel, pointer);
      if (channel.sampler == kNoIndex) continue;
      if (channel.sampler >= samplers.size()) {
        context.Unresolved(pointer + "/sampler", channel.sampler, samplers.size());
        continue;
      }
      used[channel.sampler] = true;
      if (channel.has_target) {
        ChannelKeys(context, channel, samplers[channel.sampler], pointer + "/sampler");
      }
    }
    DuplicateTargets(context, channels, animation.pointer);
    for (std::size_t i = 0; i < samplers.size(); ++i) {
      if (used[i]) continue;
      context.findings().Add("UNUSED_OBJECT", sampler_at(i), "no channel uses this sampler");
    }
  }
}

}  // namespace flexor::io::gltf::links
