// Any bytes as the body of a saved plan, under a head that fits: loaded for both backends and,
// where that succeeds, run over a frame.

#include "core/byte_stream.h"
#include "support/saved_plans.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flexor;
  static const auto reference = deform::CreateBackend(deform::BackendKind::kReference);
  static const auto cpu = deform::CreateBackend(deform::BackendKind::kCpu, {.threads = 1});
  const deform::Backend* const backends[] = {reference->get(), cpu->get()};
  for (std::uint32_t i = 0; i < 2; ++i) {
    ByteWriter out;
    for (const char c : {'f', 'l', 'e', 'x', 'p', 'l', 'a', 'n'}) out.Number(c);
    out.Number(deform::kSavedPlanVersion);
    out.Number(i + 1);  // 1: of the reference, 2: of the CPU backend
    for (int zero = 0; zero < 3; ++zero) out.Number(std::uint64_t{0});
    out.Append(std::as_bytes(std::span(data, size)));
    std::vector<std::byte> bytes = out.Take();
    test::Reseal(bytes);
    static_cast<void>(deform::SavedPlanKey(bytes).ok());
    test::LoadAndRun(*backends[i], bytes);
    static_cast<void>(deform::LoadPlan(bytes).ok());
  }
  return 0;
}
