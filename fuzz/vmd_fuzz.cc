// Any bytes as a VMD motion.

#include "flexor/io/mmd/vmd.h"

#include "mmd_support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flexor;
  MemoryBudget budget(fuzz::kMemoryBytes);
  Diagnostics diagnostics;
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto motion = io::mmd::ParseVmd(bytes, budget, diagnostics);
  if (!motion.ok()) {
    fuzz::CheckError(motion.error());
    return 0;
  }
  const auto written = io::mmd::WriteVmd(*motion);
  if (!written.ok()) std::abort();
  if (diagnostics.entries().empty() &&
      !std::equal(written->begin(), written->end(), bytes.begin(), bytes.end())) {
    std::abort();
  }
  MemoryBudget more(16 * fuzz::kMemoryBytes);
  const auto again = io::mmd::ParseVmd(*written, more, diagnostics);
  if (!again.ok() || !(*again == *motion)) std::abort();
  for (io::mmd::VmdBoneKey key : motion->bones) {
    const io::mmd::VmdBoneCurves curves = key.curves();
    key.set_curves(curves, key.physics());
    if (!(key.curves() == curves)) std::abort();
  }
  return 0;
}
