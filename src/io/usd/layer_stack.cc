#include "io/usd/layer_stack.h"

#include <algorithm>
#include <string>

#include "io/rules.h"
#include "io/usd/layers.h"
#include "io/usd/time_map.h"

namespace flexor::io::usd {

double TimeCodesPerSecond(const Layer& layer) {
  for (const char* name : {"timeCodesPerSecond", "framesPerSecond"}) {
    const double rate = layer.root().metadata.GetOr(name, 0.0);
    if (rate > 0 && std::isfinite(rate)) return rate;
  }
  return 24;
}

Status LayerStacks::AddLayer(const Layer& layer, LayerOffset stack_from_layer,
                             std::vector<const Layer*>& chain, LayerStack& stack) {
  if (stack.layers.size() >= limits_.stack_layers || chain.size() >= limits_.sublayer_depth) {
    return Error{ErrorCode::kLimitExceeded,
                 "more sublayers than flexor reads: at most " +
                     std::to_string(limits_.stack_layers) + ", nested " +
                     std::to_string(limits_.sublayer_depth) + " deep",
                 {layer.identifier(), {}, {}}};
  }
  stack.layers.push_back({&layer, stack_from_layer});
  chain.push_back(&layer);
  for (const SubLayer& sublayer : layer.sublayers()) {
    const OpenedLayer& opened = layers_.Open(sublayer.asset.text(), layer.identifier());
    FLEXOR_TRY(layers_.status());
    const auto report = [&](std::string_view code, const std::string& why) {
      Report(diagnostics_, code, layer.identifier(),
             "the sublayer @" + sublayer.asset.str() + "@ " + why);
    };
    if (opened.layer == nullptr) {
      report(opened.code, "is left out: " + opened.reason);
      continue;
    }
    if (std::find(chain.begin(), chain.end(), opened.layer) != chain.end()) {
      report("USD_SUBLAYER_CYCLE", "is left out: it would be a sublayer of itself");
      continue;
    }
    LayerOffset time = sublayer.time;
    if (!IsUsable(time)) {
      report("USD_TIME_OFFSET", "is read without its time offset " + ToString(time));
      time = {};
    }
    time.scale *= TimeCodesPerSecond(layer) / TimeCodesPerSecond(*opened.layer);
    FLEXOR_TRY(AddLayer(*opened.layer, Compose(stack_from_layer, time), chain, stack));
  }
  chain.pop_back();
  return {};
}

Result<std::uint32_t> LayerStacks::StackOf(const Layer& root) {
  if (const auto found = stack_of_.find(&root); found != stack_of_.end()) return found->second;
  LayerStack stack;
  std::vector<const Layer*> chain;
  FLEXOR_TRY(AddLayer(root, {}, chain, stack));
  const auto number = static_cast<std::uint32_t>(stacks_.size());
  stacks_.push_back(std::move(stack));
  stack_of_.emplace(&root, number);
  return number;
}

}  // namespace flexor::io::usd
