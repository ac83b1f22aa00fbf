/// @file io/usd/material.h
/// Which material a prim is bound to, and what of a UsdPreviewSurface pictures can show.
#pragma once

#include <optional>
#include <string>

#include "flexor/asset/material.h"
#include "flexor/core/diagnostic.h"
#include "flexor/core/memory_budget.h"

#include "io/usd/stage.h"

namespace flexor::io::usd {

/// The base colour texture of a surface.
struct SurfaceTexture {
  Token asset;        ///< as the layer writes it; empty: none
  std::string layer;  ///< identifier of the layer that says so
  Token primvar;      ///< texture coordinates, without "primvars:"; empty: none is named
  Vec2f scale{1, 1}, offset{0, 0};  ///< as asset::Material has them
  float rotation = 0;
};

/// A UsdPreviewSurface, without what cannot be drawn.
struct SurfaceLook {
  Vec4f base_color{0.18f, 0.18f, 0.18f, 1};  ///< times the texture where there is one
  asset::AlphaMode alpha_mode = asset::AlphaMode::kOpaque;
  float alpha_cutoff = 0.5f;
  SurfaceTexture texture;
};

/// The material that a prim (a mesh or a subset of one) is drawn with: its own binding, or the
/// nearest ancestor's; an ancestor's that is stronger than descendants wins. Bindings for preview
/// come before those for all purposes. Empty when there is none.
Path BoundMaterial(Stage& stage, const StagePrim& prim, Diagnostics& diagnostics);

/// What a material looks like; nothing when it has no UsdPreviewSurface.
Result<std::optional<SurfaceLook>> LookOf(Stage& stage, const StagePrim& material,
                                          MemoryBudget& budget, Diagnostics& diagnostics);

}  // namespace flexor::io::usd
