#include "io/usd/load.h"

#include <utility>

#include "io/neighbours.h"
#include "io/usd/convert.h"
#include "io/usd/package.h"
#include "io/usd/stage.h"

namespace flexor::io::usd {
namespace {

constexpr std::string_view kCrateMagic = "PXR-USDC";

/// "USDZ", "USDC" or "USDA".
const char* FormatName(std::span<const std::byte> bytes) {
  if (Package::HasMagic(bytes)) return "USDZ";
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return text.substr(0, kCrateMagic.size()) == kCrateMagic ? "USDC" : "USDA";
}

}  // namespace

Result<Loaded> LoadUsd(std::span<const std::byte> bytes, const std::string& path,
                       const ResourceFn& resources, const LoadOptions& options) {
  MemoryBudget budget(options.limits.memory_bytes);
  // The bytes are kept a second time, since values stay in them until they are asked for.
  FLEXOR_TRY(budget.Charge(bytes.size(), 2, "the file"));
  Loaded loaded;
  FLEXOR_ASSIGN(const auto stage, Stage::Compose(bytes, path, resources, options, ComposeLimits(),
                                                 budget, loaded.diagnostics));
  FLEXOR_ASSIGN(loaded.character, Convert(*stage, options, budget, loaded.diagnostics));
  asset::Character& character = loaded.character;
  character.source.format = FormatName(bytes);
  character.source.path = path;
  if (character.name.empty()) character.name = StemOf(path);
  return loaded;
}

}  // namespace flexor::io::usd
