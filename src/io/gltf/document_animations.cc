// Animations: samplers and channels.

#include <utility>

#include "io/gltf/document_parts.h"

namespace flexor::io::gltf {
namespace {

RawPath PathNamed(std::string_view name) {
  if (name == "translation") return RawPath::kTranslation;
  if (name == "rotation") return RawPath::kRotation;
  if (name == "scale") return RawPath::kScale;
  if (name == "weights") return RawPath::kWeights;
  return RawPath::kUnknown;
}

Result<RawSampler> ReadSampler(const ReadContext& context, const json::Ref& object) {
  RawSampler sampler;
  FLEXOR_TRY(object.ExpectObject());
  const std::size_t accessors = context.count.accessors;
  FLEXOR_ASSIGN(sampler.input, context.RequireIndex(object, "input", accessors, "accessors"));
  FLEXOR_ASSIGN(sampler.output, context.RequireIndex(object, "output", accessors, "accessors"));
  FLEXOR_ASSIGN(const auto given, FindText(object, "interpolation"));
  const std::string_view name = given.value_or("LINEAR");
  if (name == "LINEAR") {
    sampler.interpolation = RawInterpolation::kLinear;
  } else if (name == "STEP") {
    sampler.interpolation = RawInterpolation::kStep;
  } else if (name == "CUBICSPLINE") {
    sampler.interpolation = RawInterpolation::kCubicSpline;
  } else {
    return object.MemberFault(
        "interpolation", "must be LINEAR, STEP or CUBICSPLINE, but is '" + std::string(name) + "'");
  }
  return sampler;
}

Result<RawChannel> ReadChannel(const ReadContext& context, const json::Ref& object,
                               std::size_t samplers) {
  RawChannel channel;
  FLEXOR_TRY(object.ExpectObject());
  FLEXOR_ASSIGN(channel.sampler,
                context.RequireIndex(object, "sampler", samplers, "samplers in this animation"));
  FLEXOR_ASSIGN(const json::Ref target, object.RequireObject("target"));
  FLEXOR_ASSIGN(channel.node, context.FindIndex(target, "node", context.count.nodes, "nodes"));
  FLEXOR_ASSIGN(const std::string path, target.RequireString("path"));
  channel.path = PathNamed(path);
  if (channel.path == RawPath::kUnknown) {
    const bool pointer = path == "pointer";
    context.Say(pointer ? "ANIMATION_POINTER_IGNORED" : "VALUE_NOT_IN_LIST",
                target.pointer() + "/path",
                pointer ? "KHR_animation_pointer moves something other than a node's transform or "
                          "weights; the channel is left out"
                        : "unknown path '" + path + "'; the channel is left out");
  }
  return channel;
}

}  // namespace

Status ReadAnimations(ReadContext& context) {
  FLEXOR_ASSIGN(const auto list, context.FindFilled(context.root, "animations"));
  if (!list) return {};
  FLEXOR_TRY(context.budget.Charge(list->size(), sizeof(RawAnimation), "the list of animations"));
  context.document.animations.reserve(list->size());
  for (std::size_t i = 0; i < list->size(); ++i) {
    const json::Ref object = list->At(i);
    FLEXOR_TRY(object.ExpectObject());
    RawAnimation animation;
    FLEXOR_ASSIGN(animation.name, context.Name(object));
    FLEXOR_ASSIGN(const json::Ref samplers, object.RequireArray("samplers"));
    FLEXOR_ASSIGN(const json::Ref channels, object.RequireArray("channels"));
    for (const json::Ref* part : {&samplers, &channels}) {
      if (part->size() == 0) {
        context.Say("EMPTY_ENTITY", part->pointer(), "an empty array; an animation needs some");
      }
    }
    FLEXOR_TRY(context.budget.Charge(samplers.size(), sizeof(RawSampler), "animation samplers"));
    FLEXOR_TRY(context.budget.Charge(channels.size(), sizeof(RawChannel), "animation channels"));
    for (std::size_t k = 0; k < samplers.size(); ++k) {
      FLEXOR_ASSIGN(const RawSampler sampler, ReadSampler(context, samplers.At(k)));
      animation.samplers.push_back(sampler);
    }
    for (std::size_t k = 0; k < channels.size(); ++k) {
      FLEXOR_ASSIGN(const RawChannel channel,
                    ReadChannel(context, channels.At(k), samplers.size()));
      animation.channels.push_back(channel);
    }
    context.document.animations.push_back(std::move(animation));
  }
  return {};
}

}  // namespace flexor::io::gltf
