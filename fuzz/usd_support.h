/// @file fuzz/usd_support.h
/// What the fuzz targets of USD share: a small budget, and checks of what a reader gives back.
#pragma once

#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fuzz_support.h"
#include "io/usd/layer.h"

namespace flexor::fuzz {

/// An error says what, and is no fault of the reader's own.
inline void CheckUsdError(const Error& error) {
  if (error.message.empty() || error.code == ErrorCode::kInternal) std::abort();
}

/// Uses every element, so that a sanitizer sees what it lies on.
inline void UseValue(const io::usd::Value& value) {
  if (value.is_array() && !io::usd::HasArrays(value.type())) std::abort();
  volatile unsigned sum = 0;
  for (const std::byte byte : value.bytes()) sum = sum + std::to_integer<unsigned>(byte);
  if (!(value == value)) std::abort();
}

/// Walks a layer: links hold, and every value is there or refused.
inline void UsePrim(const io::usd::Layer& layer, const io::usd::PrimSpec& prim,
                    MemoryBudget& budget) {
  if (layer.FindPrim(prim.path) != &prim) std::abort();
  for (const auto& field : prim.metadata.entries) UseValue(field.second);
  const auto use = [&](const Result<io::usd::Value>& value) {
    if (value.ok()) {
      UseValue(*value);
    } else {
      CheckUsdError(value.error());
    }
  };
  for (const io::usd::PropertySpec* property : prim.properties) {
    if (layer.FindProperty(property->path) != property) std::abort();
    if (property->path.prim() != prim.path) std::abort();
    for (const auto& field : property->metadata.entries) UseValue(field.second);
    use(property->default_value.Load(budget));
    for (std::size_t i = 0; property->samples && i < property->samples->size(); ++i) {
      if (i > 0 && !(property->samples->times()[i - 1] < property->samples->times()[i])) {
        std::abort();
      }
      use(property->samples->Load(i, budget));
    }
  }
  for (const io::usd::PrimSpec* child : prim.children) {
    if (child->path.parent() != prim.path) std::abort();
    UsePrim(layer, *child, budget);
  }
  for (const io::usd::VariantSetSpec& set : prim.variant_sets) {
    for (const io::usd::PrimSpec* variant : set.variants) UsePrim(layer, *variant, budget);
  }
}

/// Reads with `read(paths, diagnostics)` and walks what came.
template <class Read>
void UseLayer(Read&& read) {
  MemoryBudget budget(kMemoryBytes);
  const auto paths = std::make_shared<io::usd::PathTable>(budget);
  Diagnostics diagnostics;
  const auto layer = read(paths, diagnostics);
  if (budget.used() > budget.limit()) std::abort();
  if (!layer.ok()) return CheckUsdError(layer.error());
  UsePrim(**layer, (*layer)->root(), budget);
}

}  // namespace flexor::fuzz
