#include "io/gltf/load.h"

#include <utility>

#include "io/gltf/buffers.h"
#include "io/gltf/convert.h"
#include "io/gltf/document.h"
#include "io/neighbours.h"
#include "io/rules.h"

namespace flexor::io::gltf {

Result<json::Document> ParseText(const Container& container, const std::string& path,
                                 const LoadOptions& options, MemoryBudget& budget) {
  return json::Parse(
      container.json_text(),
      {.max_depth = options.limits.json_depth, .path = path, .base_offset = container.json.offset},
      budget);
}

Result<Loaded> LoadParsed(const Container& container, const json::Document& json,
                          const std::string& path, const ResourceFn& resources,
                          const LoadOptions& options, MemoryBudget& budget,
                          Diagnostics diagnostics) {
  Loaded loaded{{}, std::move(diagnostics)};
  if (json.duplicate_key_count != 0) {
    Report(loaded.diagnostics, "DUPLICATE_KEY", json.duplicate_keys.front(),
           "a key that its object already has; the last one counts", json.duplicate_key_count);
  }
  FLEXOR_ASSIGN(const RawDocument raw, ReadDocument(json, budget, loaded.diagnostics));
  Sources sources;
  if (container.bin) sources.bin = container.bin->bytes;
  sources.resources = &resources;
  sources.options = &options;
  BufferStore store(raw, sources, budget, loaded.diagnostics);
  FLEXOR_ASSIGN(loaded.character,
                Convert(raw, store, options.load_images, budget, loaded.diagnostics));
  asset::Character& character = loaded.character;
  character.source.path = path;
  if (character.source.format.empty()) {
    character.source.format = container.is_glb ? "GLB 2.0" : "glTF 2.0";
  }
  if (character.name.empty()) character.name = StemOf(path);
  return loaded;
}

Result<Loaded> Load(std::span<const std::byte> bytes, const std::string& path,
                    const ResourceFn& resources, const LoadOptions& options) {
  MemoryBudget budget(options.limits.memory_bytes);
  FLEXOR_TRY(budget.Charge(bytes.size(), 1, "the file"));
  Diagnostics diagnostics;
  FLEXOR_ASSIGN(const Container container, SplitContainer(bytes, path, diagnostics));
  FLEXOR_ASSIGN(const json::Document document, ParseText(container, path, options, budget));
  return LoadParsed(container, document, path, resources, options, budget, std::move(diagnostics));
}

}  // namespace flexor::io::gltf
