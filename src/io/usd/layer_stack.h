/// @file io/usd/layer_stack.h
/// A layer with everything below it: where opinions are looked up.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "flexor/core/diagnostic.h"

#include "io/usd/compose_limits.h"
#include "io/usd/layer.h"

namespace flexor::io::usd {

class Layers;

/// One layer of a stack.
struct StackLayer {
  const Layer* layer = nullptr;
  LayerOffset stack_from_layer;
};

/// A layer and its sublayers, strongest first: each before its own sublayers, and those in the
/// order they are listed.
struct LayerStack {
  std::vector<StackLayer> layers;
  const Layer& root() const { return *layers.front().layer; }
};

/// What a layer counts its time in: timeCodesPerSecond, else framesPerSecond, else 24.
double TimeCodesPerSecond(const Layer& layer);

/// The stacks of a load, each made once.
class LayerStacks {
 public:
  LayerStacks(Layers& layers, const ComposeLimits& limits, Diagnostics& diagnostics)
      : layers_(layers), limits_(limits), diagnostics_(diagnostics) {}

  /// The stack under `root`. A sublayer that cannot be had, or that would be its own sublayer, is a
  /// diagnostic and left out. Errors  kLimitExceeded · kUnsupportedFeature (relocates)
  Result<std::uint32_t> StackOf(const Layer& root);
  const LayerStack& operator[](std::uint32_t stack) const { return stacks_[stack]; }

 private:
  Status AddLayer(const Layer& layer, LayerOffset stack_from_layer,
                  std::vector<const Layer*>& chain, LayerStack& stack);

  Layers& layers_;
  const ComposeLimits& limits_;
  Diagnostics& diagnostics_;
  std::deque<LayerStack> stacks_;
  std::unordered_map<const Layer*, std::uint32_t> stack_of_;
};

}  // namespace flexor::io::usd
