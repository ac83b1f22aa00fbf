#include "flexor/io/load.h"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <utility>

#include "flexor/core/file.h"
#include "flexor/io/mmd/pmd.h"
#include "flexor/io/mmd/pmx.h"

#include "io/gltf/buffers.h"
#include "io/gltf/container.h"
#include "io/gltf/convert.h"
#include "io/gltf/document.h"
#include "io/json/parse.h"
#include "io/mmd/convert.h"
#include "io/neighbours.h"
#include "io/rules.h"
#include "io/sniff.h"

namespace flexor::io {
namespace {

Result<Loaded> LoadGltf(std::span<const std::byte> bytes, const std::string& path,
                        const ResourceFn& resources, const LoadOptions& options) {
  MemoryBudget budget(options.limits.memory_bytes);
  FLEXOR_TRY(budget.Charge(bytes.size(), 1, "the file"));
  Loaded loaded;
  FLEXOR_ASSIGN(const gltf::Container container,
                gltf::SplitContainer(bytes, path, loaded.diagnostics));
  json::ParseSettings settings;
  settings.max_depth = options.limits.json_depth;
  settings.path = path;
  settings.base_offset = container.json.offset;
  FLEXOR_ASSIGN(const json::Document document,
                json::Parse(container.json_text(), settings, budget));
  if (document.duplicate_key_count != 0) {
    Report(loaded.diagnostics, "DUPLICATE_KEY", document.duplicate_keys.front(),
           "a key that its object already has; the last one counts", document.duplicate_key_count);
  }
  FLEXOR_ASSIGN(const gltf::RawDocument raw,
                gltf::ReadDocument(document, budget, loaded.diagnostics));
  gltf::Sources sources;
  if (container.bin) sources.bin = container.bin->bytes;
  sources.resources = &resources;
  sources.options = &options;
  gltf::BufferStore store(raw, sources, budget, loaded.diagnostics);
  FLEXOR_ASSIGN(loaded.character,
                gltf::Convert(raw, store, options.load_images, budget, loaded.diagnostics));
  asset::Character& character = loaded.character;
  character.source.path = path;
  if (character.source.format.empty()) {
    character.source.format = container.is_glb ? "GLB 2.0" : "glTF 2.0";
  }
  if (character.name.empty()) character.name = StemOf(path);
  return loaded;
}

Result<Loaded> LoadMmd(std::span<const std::byte> bytes, FileKind kind, const std::string& path,
                       const ResourceFn& resources, const LoadOptions& options) {
  MemoryBudget budget(options.limits.memory_bytes);
  FLEXOR_TRY(budget.Charge(bytes.size(), 1, "the file"));
  Loaded loaded;
  auto parsed = kind == FileKind::kPmd ? mmd::ParsePmd(bytes, budget, loaded.diagnostics)
                                       : mmd::ParsePmx(bytes, budget, loaded.diagnostics);
  if (!parsed.ok()) return std::move(parsed).error();
  FLEXOR_ASSIGN(loaded.character,
                mmd::Convert(*parsed, resources, options, budget, loaded.diagnostics));
  asset::Character& character = loaded.character;
  if (kind == FileKind::kPmd) character.source.format = "PMD";
  character.source.path = path;
  if (character.name.empty()) character.name = StemOf(path);
  return loaded;
}

/// How names of neighbours are looked up: models of the one kind come from Windows.
NameCase CaseOf(std::span<const std::byte> bytes) {
  const auto kind = Sniff(bytes);
  return kind.ok() && *kind != FileKind::kGltf ? NameCase::kAny : NameCase::kExact;
}

}  // namespace

ResourceFn NeighboursFor(std::span<const std::byte> bytes, const std::string& path,
                         const LoadOptions& options) {
  return NeighboursOf(path, options.allow_outside, CaseOf(bytes));
}

Result<Loaded> LoadCharacterFromMemory(std::span<const std::byte> bytes, const std::string& path,
                                       const ResourceFn& resources, const LoadOptions& options) {
  const auto load = [&]() -> Result<Loaded> {
    try {
      FLEXOR_ASSIGN(const FileKind kind, SniffCharacter(bytes));
      if (kind == FileKind::kGltf) return LoadGltf(bytes, path, resources, options);
      return LoadMmd(bytes, kind, path, resources, options);
    } catch (const std::bad_alloc&) {
      return Error{ErrorCode::kOutOfMemory, "memory ran out while the file was read", {}};
    } catch (const std::length_error&) {
      return Error{ErrorCode::kOutOfMemory, "memory ran out while the file was read", {}};
    }
  };
  auto loaded = load();
  if (loaded.ok()) return loaded;
  Error error = std::move(loaded).error();
  if (error.place.path.empty()) error.place.path = path;
  return error;
}

Result<Loaded> LoadCharacter(const std::string& path, const LoadOptions& options) {
  const std::uint64_t most = std::min(options.limits.file_bytes, options.limits.memory_bytes);
  FLEXOR_ASSIGN(const auto bytes, ReadFile(path, most));
  return LoadCharacterFromMemory(bytes, path, NeighboursFor(bytes, path, options), options);
}

}  // namespace flexor::io
