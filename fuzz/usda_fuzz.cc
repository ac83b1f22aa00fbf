// Any bytes as the text of a USD layer.

#include "io/usd/usda.h"
#include "usd_support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flexor;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  fuzz::UseLayer([&](const auto& paths, Diagnostics& diagnostics) {
    return io::usd::ReadUsda(text, "fuzz", paths, diagnostics);
  });
  return 0;
}
