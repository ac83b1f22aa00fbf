#include "flexor/io/load.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "flexor/core/file.h"

#include "io/gltf/buffers.h"
#include "io/gltf/container.h"
#include "io/gltf/convert.h"
#include "io/gltf/document.h"
#include "io/json/parse.h"
#include "io/sniff.h"

namespace flexor::io {
namespace {

namespace fs = std::filesystem;

fs::path Native(const std::string& utf8) {
  return {std::u8string(reinterpret_cast<const char8_t*>(utf8.data()), utf8.size())};
}

std::string Utf8(const fs::path& path) {
  const std::u8string text = path.u8string();
  return {reinterpret_cast<const char*>(text.data()), text.size()};
}

/// The last part of a path, without what follows its last dot.
std::string Stem(const std::string& path) { return Utf8(Native(path).stem()); }

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
    loaded.diagnostics.Add({.code = "DUPLICATE_KEY",
                            .severity = Severity::kWarning,
                            .where = document.duplicate_keys.front(),
                            .message = "a key that its object already has; the last one counts",
                            .remedy = {},
                            .count = document.duplicate_key_count});
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
  if (character.name.empty()) character.name = Stem(path);
  return loaded;
}

/// Files beside the one that is loaded. Links are followed only as far as they stay there.
Result<std::vector<std::byte>> ReadNeighbour(const fs::path& folder, const std::string& name,
                                             std::uint64_t max_bytes, bool allow_outside) {
  const fs::path path = folder / Native(name);
  if (!allow_outside) {
    std::error_code error;
    const fs::path home = fs::weakly_canonical(folder.empty() ? fs::path(".") : folder, error);
    const fs::path real = fs::weakly_canonical(path, error);
    const auto [end, unused] = std::mismatch(home.begin(), home.end(), real.begin(), real.end());
    static_cast<void>(unused);
    if (error || end != home.end()) {
      return Error{ErrorCode::kFileUnreadable,
                   "a link leads out of the folder of the file; allow that only for files you "
                   "trust",
                   {Utf8(path), {}, {}}};
    }
  }
  return ReadFile(Utf8(path), max_bytes);
}

}  // namespace

Result<Loaded> LoadCharacterFromMemory(std::span<const std::byte> bytes, const std::string& path,
                                       const ResourceFn& resources, const LoadOptions& options) {
  const auto load = [&]() -> Result<Loaded> {
    try {
      FLEXOR_TRY(ExpectGltf(bytes));
      return LoadGltf(bytes, path, resources, options);
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
  const fs::path folder = Native(path).parent_path();
  const ResourceFn resources = [&](const std::string& name, std::uint64_t max_bytes) {
    return ReadNeighbour(folder, name, max_bytes, options.allow_outside);
  };
  return LoadCharacterFromMemory(bytes, path, resources, options);
}

}  // namespace flexor::io
