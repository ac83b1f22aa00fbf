// What the file says it uses, and what it says a reader must know.

#include <algorithm>
#include <utility>

#include "io/gltf/document_parts.h"

namespace flexor::io::gltf {
namespace {

/// Extensions that are read, and those that change only the look, the sound or the meaning of a
/// character and nothing that flexor computes.
bool IsUnderstood(std::string_view name) {
  constexpr std::string_view kNames[] = {"KHR_mesh_quantization",
                                         "EXT_meshopt_compression",
                                         "KHR_meshopt_compression",
                                         "KHR_draco_mesh_compression",
                                         "KHR_texture_transform",
                                         "KHR_node_visibility",
                                         "KHR_node_selectability",
                                         "KHR_node_hoverability",
                                         "KHR_lights_punctual",
                                         "KHR_xmp",
                                         "KHR_xmp_json_ld",
                                         "KHR_animation_pointer",
                                         "KHR_texture_basisu",
                                         "EXT_texture_webp",
                                         "EXT_texture_avif",
                                         "MSFT_texture_dds",
                                         "EXT_lights_image_based",
                                         "GODOT_single_root",
                                         "VRM",
                                         "KHR_audio_emitter",
                                         "AGI_articulations"};
  constexpr std::string_view kFamilies[] = {"KHR_materials_", "EXT_materials_", "VRMC_"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames) ||
         std::any_of(std::begin(kFamilies), std::end(kFamilies), [&](std::string_view family) {
           return name.substr(0, family.size()) == family;
         });
}

std::vector<std::string> ReadNames(ReadContext& context, std::string_view key) {
  std::vector<std::string> names;
  const auto list = context.FilledArray(context.root, key);
  if (!list) return names;
  context.Check(context.budget.Charge(list->size(), 2 * sizeof(std::string), key));
  for (std::size_t i = 0; i < list->size() && !context.stopped(); ++i) {
    auto name = list->At(i).AsString();
    if (name.ok()) {
      names.push_back(std::move(*name));
    } else {
      context.Fail(std::move(name).error());
    }
  }
  return names;
}

}  // namespace

void ReadExtensionLists(ReadContext& context) {
  RawDocument& document = context.document;
  document.extensions_used = ReadNames(context, "extensionsUsed");
  document.extensions_required = ReadNames(context, "extensionsRequired");
  for (std::size_t i = 0; i < document.extensions_required.size(); ++i) {
    const std::string& name = document.extensions_required[i];
    if (IsUnderstood(name)) continue;
    return context.Fail({ErrorCode::kUnsupportedFeature,
                         "the file requires the extension '" + name +
                             "', which flexor does not know; export it without that extension",
                         {{}, "/extensionsRequired/" + std::to_string(i), std::nullopt}});
  }
  for (std::size_t i = 0; i < document.extensions_used.size(); ++i) {
    const std::string& name = document.extensions_used[i];
    if (IsUnderstood(name)) continue;
    context.Say("UNSUPPORTED_EXTENSION", "/extensionsUsed/" + std::to_string(i),
                "the extension '" + name + "' is not known; what it says is ignored");
  }
}

}  // namespace flexor::io::gltf
