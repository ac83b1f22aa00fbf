#include "io/usd/material.h"

#include <cmath>
#include <numbers>
#include <utility>

#include "io/rules.h"
#include "io/usd/attribute.h"
#include "io/usd/numeric.h"

namespace flexor::io::usd {
namespace {

constexpr int kMostHops = 16;

bool StartsWith(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

/// Where a shader input has its value from: the output of a shader, or an attribute.
struct Source {
  const StagePrim* shader = nullptr;
  std::string output;  ///< "rgb"
  Property attribute;  ///< when there is no shader
};

/// Follows connections from an attribute through interfaces and node graphs.
Source FollowConnections(Stage& stage, const StagePrim& prim, const std::string& name) {
  Source source;
  const StagePrim* at = &prim;
  std::string attribute = name;
  for (int hop = 0; hop < kMostHops; ++hop) {
    source.attribute = stage.FindProperty(*at, attribute);
    const std::vector<Path> connections = stage.Targets(*at, attribute);
    if (connections.empty()) return source;
    const std::int32_t next = stage.Find(connections.front().parent());
    if (next < 0) return source;
    at = &stage[static_cast<std::size_t>(next)];
    attribute = connections.front().name().str();
    if (at->type_name == "Shader" && StartsWith(attribute, "outputs:")) {
      source.shader = at;
      source.output = attribute.substr(8);
      return source;
    }
  }
  return source;
}

Result<Value> ValueOf(const Source& source, MemoryBudget& budget) {
  if (source.attribute.empty()) return Value();
  auto value = DefaultValue(source.attribute, budget);
  if (!value.ok() || !value->empty()) return value;
  const std::vector<double> times = SampleTimes(source.attribute);
  if (times.empty()) return value;
  return ValueAt(source.attribute, times.front(), Between::kHeld, budget);
}

Result<Value> Input(Stage& stage, const StagePrim& shader, const std::string& name,
                    MemoryBudget& budget) {
  return ValueOf(FollowConnections(stage, shader, "inputs:" + name), budget);
}

Result<double> NumberInput(Stage& stage, const StagePrim& shader, const std::string& name,
                           double fallback, MemoryBudget& budget) {
  FLEXOR_ASSIGN(const Value value, Input(stage, shader, name, budget));
  return AsNumber(value).value_or(fallback);
}

std::string_view ShaderId(const StagePrim& shader, const Stage& stage, MemoryBudget& budget) {
  const auto id = DefaultValue(stage.FindProperty(shader, "info:id"), budget);
  return id.ok() ? id->text() : std::string_view();
}

/// Two numbers of a vector input.
Result<Vec2f> Vec2Input(Stage& stage, const StagePrim& shader, const std::string& name,
                        Vec2f fallback, MemoryBudget& budget) {
  FLEXOR_ASSIGN(const Value value, Input(stage, shader, name, budget));
  const Vec2f* vector = value.Get<Vec2f>();
  return vector ? *vector : fallback;
}

/// Takes the coordinates of a texture: a primvar, maybe turned and moved before.
Status ReadCoordinates(Stage& stage, const StagePrim& texture_shader, SurfaceTexture& texture,
                       MemoryBudget& budget, Diagnostics& diagnostics) {
  Source source = FollowConnections(stage, texture_shader, "inputs:st");
  if (source.shader != nullptr && ShaderId(*source.shader, stage, budget) == "UsdTransform2d") {
    const StagePrim& transform = *source.shader;
    FLEXOR_ASSIGN(const Vec2f scale, Vec2Input(stage, transform, "scale", {1, 1}, budget));
    FLEXOR_ASSIGN(const Vec2f move, Vec2Input(stage, transform, "translation", {0, 0}, budget));
    FLEXOR_ASSIGN(const double degrees, NumberInput(stage, transform, "rotation", 0, budget));
    // There v runs upwards, here downwards.
    const auto radians = static_cast<float>(degrees * (std::numbers::pi / 180));
    texture.scale = scale;
    texture.rotation = radians;
    texture.offset = {move.x - std::sin(radians) * scale.y,
                      1 - std::cos(radians) * scale.y - move.y};
    source = FollowConnections(stage, transform, "inputs:in");
  }
  if (source.shader == nullptr) return {};
  if (!StartsWith(ShaderId(*source.shader, stage, budget), "UsdPrimvarReader")) {
    Report(diagnostics, "USD_SHADER_IGNORED", source.shader->path.ToString(),
           "texture coordinates come from a shader that flexor does not follow");
    return {};
  }
  FLEXOR_ASSIGN(const Value name, Input(stage, *source.shader, "varname", budget));
  texture.primvar = name.token();
  return {};
}

/// Takes the texture that colours the surface. Its scale multiplies the base colour.
Status ReadTexture(Stage& stage, const StagePrim& shader, SurfaceLook& look, MemoryBudget& budget,
                   Diagnostics& diagnostics) {
  const std::string where = shader.path.ToString();
  const Source file = FollowConnections(stage, shader, "inputs:file");
  FLEXOR_ASSIGN(const Value asset, ValueOf(file, budget));
  if (asset.Get<AssetPath>() == nullptr || asset.text().empty()) {
    Report(diagnostics, "USD_TEXTURE", where, "the texture names no file; it is not drawn");
    return {};
  }
  look.texture.asset = asset.token();
  look.texture.layer = file.attribute.opinions.front().layer->identifier();
  for (const PropertyOpinion& opinion : file.attribute.opinions) {
    if (opinion.spec->default_value.empty() && !opinion.spec->samples) continue;
    look.texture.layer = opinion.layer->identifier();
    break;
  }
  FLEXOR_TRY(ReadCoordinates(stage, shader, look.texture, budget, diagnostics));
  FLEXOR_ASSIGN(const Value scale, Input(stage, shader, "scale", budget));
  if (const Vec4f* factor = scale.Get<Vec4f>()) {
    look.base_color.x = factor->x;
    look.base_color.y = factor->y;
    look.base_color.z = factor->z;
  }
  FLEXOR_ASSIGN(const Value bias, Input(stage, shader, "bias", budget));
  if (const Vec4f* added = bias.Get<Vec4f>(); added != nullptr && !(*added == Vec4f{})) {
    Report(diagnostics, "USD_TEXTURE", where, "the bias of the texture is not drawn");
  }
  return {};
}

Status ReadOpacity(Stage& stage, const StagePrim& surface, const StagePrim* color_shader,
                   SurfaceLook& look, MemoryBudget& budget, Diagnostics& diagnostics) {
  const Source source = FollowConnections(stage, surface, "inputs:opacity");
  FLEXOR_ASSIGN(const double threshold, NumberInput(stage, surface, "opacityThreshold", 0, budget));
  bool varies = false;
  if (source.shader != nullptr) {
    varies = source.shader == color_shader && source.output == "a";
    if (!varies) {
      Report(diagnostics, "USD_SHADER_IGNORED", surface.path.ToString(),
             "the opacity has a texture of its own, which is not drawn; the surface is opaque");
    }
  } else {
    FLEXOR_ASSIGN(const Value value, ValueOf(source, budget));
    look.base_color.w = static_cast<float>(AsNumber(value).value_or(1));
  }
  if (varies || look.base_color.w < 1) {
    look.alpha_mode = threshold > 0 ? asset::AlphaMode::kMask : asset::AlphaMode::kBlend;
    if (threshold > 0) look.alpha_cutoff = static_cast<float>(threshold);
  }
  return {};
}

/// What one prim's own relationship says, or nothing.
std::optional<Path> OwnBinding(Stage& stage, const StagePrim& prim, std::string_view relationship,
                               bool& out_is_strong) {
  const Property property = stage.FindProperty(prim, relationship);
  if (property.empty() || !property.is_relationship()) return {};
  const std::vector<Path> targets = stage.ForwardedTargets(prim, relationship);
  if (targets.empty()) return {};
  const Value* strength = property.Metadata("bindMaterialAs");
  out_is_strong = strength != nullptr && strength->text() == "strongerThanDescendants";
  return targets.front();
}

}  // namespace

Path BoundMaterial(Stage& stage, const StagePrim& prim, Diagnostics& diagnostics) {
  for (const std::string_view relationship : {"material:binding:preview", "material:binding"}) {
    Path bound;
    for (const StagePrim* at = &prim; at->parent >= 0;
         at = &stage[static_cast<std::size_t>(at->parent)]) {
      bool is_strong = false;
      const auto own = OwnBinding(stage, *at, relationship, is_strong);
      if (own && (bound.empty() || is_strong)) {
        bound = *own;
        if (!stage.HasApi(*at, "MaterialBindingAPI")) {
          Report(diagnostics, "USD_SCHEMA_MISSING", at->path.ToString(),
                 "the prim has a material binding, but MaterialBindingAPI is not applied to it; it "
                 "is bound all the same");
        }
      }
    }
    if (!bound.empty()) return bound;
  }
  return {};
}

Result<std::optional<SurfaceLook>> LookOf(Stage& stage, const StagePrim& material,
                                          MemoryBudget& budget, Diagnostics& diagnostics) {
  const Source output = FollowConnections(stage, material, "outputs:surface");
  if (output.shader == nullptr || ShaderId(*output.shader, stage, budget) != "UsdPreviewSurface") {
    return std::optional<SurfaceLook>();
  }
  const StagePrim& surface = *output.shader;
  SurfaceLook look;
  const Source color = FollowConnections(stage, surface, "inputs:diffuseColor");
  const bool is_textured =
      color.shader != nullptr && ShaderId(*color.shader, stage, budget) == "UsdUVTexture";
  if (is_textured) {
    look.base_color = {1, 1, 1, 1};
    FLEXOR_TRY(ReadTexture(stage, *color.shader, look, budget, diagnostics));
  } else if (color.shader != nullptr) {
    Report(diagnostics, "USD_SHADER_IGNORED", color.shader->path.ToString(),
           "the colour comes from a shader that flexor does not follow");
  } else {
    FLEXOR_ASSIGN(const Value value, ValueOf(color, budget));
    if (const auto rgb = AsVec3(value)) {
      look.base_color = {static_cast<float>(rgb->x), static_cast<float>(rgb->y),
                         static_cast<float>(rgb->z), 1};
    }
  }
  FLEXOR_TRY(ReadOpacity(stage, surface, color.shader, look, budget, diagnostics));
  return std::optional<SurfaceLook>(std::move(look));
}

}  // namespace flexor::io::usd
