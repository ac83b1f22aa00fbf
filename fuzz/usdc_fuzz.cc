// Any bytes as a binary USD layer.

#include "io/usd/usdc.h"
#include "usd_support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flexor;
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto shared = io::usd::SharedBytes::Of({bytes.begin(), bytes.end()});
  fuzz::UseLayer([&](const auto& paths, Diagnostics& diagnostics) {
    return io::usd::ReadUsdc(shared, "fuzz", paths, diagnostics);
  });
  return 0;
}
