// Any bytes as a USD stage of several layers: the input is cut at lines that hold "---", the first
// piece is the root layer, the others are a.usda, b.usda and so on.

#include <cstdint>
#include <cstdlib>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flexor/core/memory_budget.h"

#include "fuzz_support.h"
#include "io/usd/attribute.h"
#include "io/usd/stage.h"

namespace {

using namespace flexor;

std::map<std::string, std::string> Cut(std::string_view text) {
  std::map<std::string, std::string> files;
  std::string name = "root.usda";
  for (char letter = 'a'; letter <= 'h'; ++letter) {
    const std::size_t cut = text.find("\n---\n");
    files[name] = text.substr(0, cut);
    if (cut == std::string_view::npos) break;
    text.remove_prefix(cut + 5);
    name = std::string(1, letter) + ".usda";
  }
  return files;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto files = Cut({reinterpret_cast<const char*>(data), size});
  const auto bytes_of = [](const std::string& text) {
    const auto bytes = std::as_bytes(std::span(text));
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  };
  const io::ResourceFn resources = [&](const std::string& name,
                                       std::uint64_t) -> Result<std::vector<std::byte>> {
    const auto found = files.find(name);
    if (found != files.end()) return bytes_of(found->second);
    return Error{ErrorCode::kFileNotFound, "no file of that name", {name, {}, {}}};
  };
  io::usd::ComposeLimits limits;
  limits.nodes = 100'000;
  limits.prims = 20'000;
  MemoryBudget budget(fuzz::kMemoryBytes);
  Diagnostics diagnostics;
  const io::LoadOptions options;
  auto stage = io::usd::Stage::Compose(bytes_of(files.at("root.usda")), "root.usda", resources,
                                       options, limits, budget, diagnostics);
  if (!stage.ok()) {
    if (stage.error().message.empty() || stage.error().code == ErrorCode::kInternal) std::abort();
    return 0;
  }
  for (const io::usd::StagePrim& prim : (*stage)->prims()) {
    for (const io::usd::Token name : (*stage)->PropertyNames(prim)) {
      const io::usd::Property property = (*stage)->FindProperty(prim, name.text());
      static_cast<void>((*stage)->Targets(prim, name.text()));
      static_cast<void>(io::usd::ValueAt(property, 1.5, io::usd::Between::kLinear, budget));
    }
  }
  return 0;
}
