/// @file io/usd/time_map.h
/// Arithmetic of layer offsets: how the time codes of a sublayer or of the target of an arc read
/// outside of it.
#pragma once

#include <cmath>
#include <string>

#include "io/usd/layer.h"

namespace flexor::io::usd {

constexpr double OuterTime(LayerOffset map, double inner) { return inner * map.scale + map.offset; }
constexpr double InnerTime(LayerOffset map, double outer) {
  return (outer - map.offset) / map.scale;
}

/// `outer` after `inner`.
constexpr LayerOffset Compose(LayerOffset outer, LayerOffset inner) {
  return {outer.scale * inner.offset + outer.offset, outer.scale * inner.scale};
}

/// For messages: "(offset = 10; scale = 2)".
inline std::string ToString(LayerOffset map) {
  return "(offset = " + std::to_string(map.offset) + "; scale = " + std::to_string(map.scale) + ")";
}

/// Whether times survive the way there and back: finite, and a scale between a millionth and a
/// million, of either sign.
inline bool IsUsable(LayerOffset map) {
  const double size = std::abs(map.scale);
  return std::isfinite(map.offset) && size >= 1e-6 && size <= 1e6;
}

}  // namespace flexor::io::usd
