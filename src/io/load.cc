#include "flexor/io/load.h"

#include <algorithm>
#include <utility>

#include "flexor/core/file.h"
#include "flexor/io/mmd/pmd.h"
#include "flexor/io/mmd/pmx.h"

#include "io/gltf/load.h"
#include "io/guard.h"
#include "io/mmd/convert.h"
#include "io/neighbours.h"
#include "io/sniff.h"

namespace flexor::io {
namespace {

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
  return Guarded(path, [&]() -> Result<Loaded> {
    FLEXOR_ASSIGN(const FileKind kind, SniffCharacter(bytes));
    if (kind == FileKind::kGltf) return gltf::Load(bytes, path, resources, options);
    return LoadMmd(bytes, kind, path, resources, options);
  });
}

Result<Loaded> LoadCharacter(const std::string& path, const LoadOptions& options) {
  const std::uint64_t most = std::min(options.limits.file_bytes, options.limits.memory_bytes);
  FLEXOR_ASSIGN(const auto bytes, ReadFile(path, most));
  return LoadCharacterFromMemory(bytes, path, NeighboursFor(bytes, path, options), options);
}

}  // namespace flexor::io
