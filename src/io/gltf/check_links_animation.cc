#include <set>
#include <utility>

#include "io/gltf/check_links.h"
#include "io/gltf/check_names.h"

namespace flexor::io::gltf::links {
namespace {

constexpr std::int64_t kFloat = 5126;

void UseKeys(Context& context, CheckedAccessor& accessor, AccessorUsage usage,
             const std::string& where) {
  context.UseAccessor(accessor, usage, where);
  CheckedView* view = context.ViewOf(accessor);
  if (view == nullptr) return;
  context.UseView(*view, ViewUsage::kOther, where);
  if (view->byte_stride != kAbsent) {
    context.findings().Add("ANIMATION_SAMPLER_ACCESSOR_WITH_BYTESTRIDE", where,
                           "the buffer view of keys must not have byteStride");
  }
}

void SamplerInput(Context& context, const CheckedSampler& sampler) {
  CheckModel& model = context.model();
  Findings& findings = context.findings();
  if (sampler.input == kAbsent) return;
  const std::string where = sampler.pointer + "/input";
  CheckedAccessor* input = CheckModel::Resolve(model.accessors, sampler.input);
  if (input == nullptr) return context.Unresolved(where, sampler.input, model.accessors.size());
  UseKeys(context, *input, AccessorUsage::kKeyTimes, where);
  constexpr AccessorFormat kTimes{1, false, kFloat, false};
  if (input->format != kTimes) {
    findings.Add("ANIMATION_SAMPLER_INPUT_ACCESSOR_INVALID_FORMAT", where,
                 input->format.ToString() + " is not allowed; must be SCALAR of float");
  } else {
    model.data_rules.push_back({sampler.input, DataRuleKind::kKeyTimes, where});
  }
  if (!input->HasBounds()) {
    findings.Add("ANIMATION_SAMPLER_INPUT_ACCESSOR_WITHOUT_BOUNDS", where,
                 "the accessor of key times must have min and max");
  }
  if (sampler.interpolation == Interpolation::kCubicSpline && input->count < 2) {
    findings.Add("ANIMATION_SAMPLER_INPUT_ACCESSOR_TOO_FEW_ELEMENTS", where,
                 "a cubic spline needs 2 keys, but has " + std::to_string(input->count));
  }
}

void SamplerOutput(Context& context, const CheckedSampler& sampler) {
  if (sampler.output == kAbsent) return;
  std::vector<CheckedAccessor>& accessors = context.model().accessors;
  const std::string where = sampler.pointer + "/output";
  CheckedAccessor* output = CheckModel::Resolve(accessors, sampler.output);
  if (output == nullptr) return context.Unresolved(where, sampler.output, accessors.size());
  UseKeys(context, *output, AccessorUsage::kKeyValues, where);
}

void ChannelTarget(Context& context, const CheckedChannel& channel) {
  if (!channel.has_target) return;
  CheckModel& model = context.model();
  Findings& findings = context.findings();
  const std::string where = channel.pointer + "/target";
  const CheckedNode* node = context.Follow(model.nodes, channel.node, where + "/node");
  if (node == nullptr) return;
  if (channel.path == "weights") {
    const CheckedMesh* mesh = CheckModel::Resolve(model.meshes, node->mesh);
    if (mesh == nullptr || mesh->TargetCount() == kAbsent) {
      findings.Add("ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS", where,
                   "node " + std::to_string(channel.node) + " has no morph targets");
    }
  } else if (channel.path == "translation" || channel.path == "rotation" ||
             channel.path == "scale") {
    if (node->has_matrix) {
      findings.Add(
          "ANIMATION_CHANNEL_TARGET_NODE_MATRIX", where,
          "node " + std::to_string(channel.node) + " has a matrix and so no " + channel.path);
    }
    if (CheckModel::Resolve(model.skins, node->skin) != nullptr) {
      findings.Add("ANIMATION_CHANNEL_TARGET_NODE_SKIN", where + "/path",
                   "node " + std::to_string(channel.node) +
                       " has a skinned mesh, which only its joints can move");
    }
  }
}

/// Whether key values of that format can drive `path`.
bool AllowsFormat(const std::string& path, const AccessorFormat& format) {
  const std::size_t components = path == "rotation" ? 4 : path == "weights" ? 1 : 3;
  if (format.is_matrix || format.components != components) return false;
  if (format.component_type == kFloat) return !format.normalized;
  const bool may_be_integers = path == "rotation" || path == "weights";
  return may_be_integers && format.normalized && format.component_type >= 5120 &&
         format.component_type <= 5123;
}

void ChannelKeys(Context& context, const CheckedChannel& channel, const CheckedSampler& sampler) {
  CheckModel& model = context.model();
  Findings& findings = context.findings();
  const CheckedAccessor* output = CheckModel::Resolve(model.accessors, sampler.output);
  if (!channel.has_target || output == nullptr) return;
  const std::string where = channel.pointer + "/sampler";
  const bool is_known = channel.path == "translation" || channel.path == "rotation" ||
                        channel.path == "scale" || channel.path == "weights";
  if (!is_known) return;
  if (channel.path == "rotation" && output->format.components == 4) {
    model.data_rules.push_back({.accessor = sampler.output,
                                .kind = DataRuleKind::kRotations,
                                .where = where,
                                .cubic = sampler.interpolation == Interpolation::kCubicSpline});
  }
  if (!AllowsFormat(channel.path, output->format)) {
    findings.Add("ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_FORMAT", where,
                 output->format.ToString() + " is not allowed for " + channel.path);
  }
  const CheckedAccessor* input = CheckModel::Resolve(model.accessors, sampler.input);
  if (input == nullptr || input->count == kAbsent || output->count == kAbsent ||
      sampler.interpolation == Interpolation::kUnknown) {
    return;
  }
  double expected = static_cast<double>(input->count);
  if (sampler.interpolation == Interpolation::kCubicSpline) expected *= 3;
  if (channel.path == "weights") {
    const CheckedNode* node = CheckModel::Resolve(model.nodes, channel.node);
    const CheckedMesh* mesh =
        node != nullptr ? CheckModel::Resolve(model.meshes, node->mesh) : nullptr;
    expected *=
        mesh != nullptr ? static_cast<double>(std::max<std::int64_t>(mesh->TargetCount(), 0)) : 0;
  }
  if (expected != 0 && expected != static_cast<double>(output->count)) {
    findings.Add(
        "ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT", where,
        "needs " + ShortNumber(expected) + " values, but has " + std::to_string(output->count));
  }
}

void DuplicateTargets(Context& context, const std::vector<CheckedChannel>& channels) {
  std::set<std::pair<std::int64_t, std::string_view>> seen;
  for (auto channel = channels.rbegin(); channel != channels.rend(); ++channel) {
    if (!channel->has_target || channel->node == kAbsent) continue;
    if (!seen.insert({channel->node, channel->path}).second) {
      context.findings().Add("ANIMATION_DUPLICATE_TARGETS", channel->pointer + "/target",
                             "a later channel drives the " + channel->path + " of node " +
                                 std::to_string(channel->node) + " too");
    }
  }
}

}  // namespace

void Animations(Context& context) {
  for (CheckedAnimation& animation : context.model().animations) {
    if (!animation.exists || !animation.samplers || !animation.channels) continue;
    for (const CheckedSampler& sampler : *animation.samplers) {
      SamplerInput(context, sampler);
      SamplerOutput(context, sampler);
    }
    for (const CheckedChannel& channel : *animation.channels) {
      ChannelTarget(context, channel);
      if (channel.sampler == kAbsent) continue;
      std::vector<CheckedSampler>& samplers = *animation.samplers;
      if (static_cast<std::uint64_t>(channel.sampler) >= samplers.size()) {
        context.Unresolved(channel.pointer + "/sampler", channel.sampler, samplers.size());
        continue;
      }
      CheckedSampler& sampler = samplers[static_cast<std::size_t>(channel.sampler)];
      sampler.used = true;
      ChannelKeys(context, channel, sampler);
    }
    DuplicateTargets(context, *animation.channels);
    for (const CheckedSampler& sampler : *animation.samplers) {
      if (sampler.used) continue;
      context.findings().Add("UNUSED_OBJECT", sampler.pointer, "no channel uses this sampler");
    }
  }
}

}  // namespace flexor::io::gltf::links
