// Any bytes as a USD package, and its entries as layers.

#include "io/usd/package.h"
#include "io/usd/read_layer.h"
#include "usd_support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flexor;
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto shared = io::usd::SharedBytes::Of({bytes.begin(), bytes.end()});
  MemoryBudget budget(fuzz::kMemoryBytes);
  Diagnostics diagnostics;
  const auto package = io::usd::Package::Open(shared, "fuzz", budget, diagnostics);
  if (!package.ok()) {
    fuzz::CheckUsdError(package.error());
    return 0;
  }
  if (package->Find(package->first()) == nullptr) std::abort();
  for (const io::usd::Package::Entry& entry : package->entries()) {
    if (entry.name.find("..") == 0 || entry.name.front() == '/') std::abort();
    if (!io::usd::Package::IsLayerName(entry.name)) continue;
    fuzz::UseLayer([&](const auto& paths, Diagnostics& said) {
      return io::usd::ReadLayer(entry.bytes, entry.name, paths, said);
    });
  }
  return 0;
}
