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

void ReadSampler(ReadContext& context, const json::Ref& object, RawSampler& sampler) {
  const std::size_t accessors = context.count.accessors;
  sampler.input = context.RequireIndex(object, "input", accessors, "accessors");
  sampler.output = context.RequireIndex(object, "output", accessors, "accessors");
  const auto name = context.Text(object, "interpolation");
  if (!name) {
    // What is there but no text is broken.
    if (object.Has("interpolation")) sampler.interpolation = RawInterpolation::kUnknown;
  } else if (*name == "STEP") {
    sampler.interpolation = RawInterpolation::kStep;
  } else if (*name == "CUBICSPLINE") {
    sampler.interpolation = RawInterpolation::kCubicSpline;
  } else if (*name != "LINEAR" && !context.judged()) {
    context.Fail(object.MemberFault(
        "interpolation",
        "must be LINEAR, STEP or CUBICSPLINE, but is '" + std::string(*name) + "'"));
  }
}

void ReadChannel(ReadContext& context, const json::Ref& object, std::size_t samplers,
                 RawChannel& channel) {
  channel.sampler = context.RequireIndex(object, "sampler", samplers, "samplers in this animation");
  const auto target = context.RequireObject(object, "target");
  if (!target) return;
  channel.has_target = true;
  channel.node = context.FindIndex(*target, "node", context.count.nodes, "nodes");
  channel.path_name = context.RequireText(*target, "path").value_or("");
  channel.path = PathNamed(channel.path_name);
  if (channel.path != RawPath::kUnknown || context.judged()) return;
  if (channel.path_name == "pointer") {
    context.Say("ANIMATION_POINTER_IGNORED", target->pointer() + "/path",
                "KHR_animation_pointer moves something other than a node's transform or weights; "
                "the channel is left out");
  } else {
    context.Say("VALUE_NOT_IN_LIST", target->pointer() + "/path",
                "unknown path '" + std::string(channel.path_name) + "'; the channel is left out");
  }
}

void ReadAnimation(ReadContext& context, const json::Ref& object, RawAnimation& animation) {
  animation.name = context.Name(object);
  if (const auto samplers = context.RequireArray(object, "samplers")) {
    context.Elements(*samplers, "animation samplers", animation.samplers, ReadSampler);
  }
  if (context.stopped()) return;
  if (const auto channels = context.RequireArray(object, "channels")) {
    context.Elements(*channels, "animation channels", animation.channels,
                     [&](ReadContext& c, const json::Ref& channel, RawChannel& out) {
                       ReadChannel(c, channel, animation.samplers.size(), out);
                     });
  }
}

}  // namespace

void ReadAnimations(ReadContext& context) {
  context.Collection("animations", context.document.animations, ReadAnimation);
}

}  // namespace flexor::io::gltf
