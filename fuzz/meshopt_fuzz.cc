// Bytes as a compressed buffer view: four of them say what it claims to be.

#include "fuzz_support.h"
#include "io/gltf/meshopt.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flexor::io::gltf;
  if (size < 4) return 0;
  RawMeshopt view;
  view.extension = "EXT_meshopt_compression";
  view.mode = static_cast<MeshoptMode>(data[0] % 4);
  view.filter = static_cast<MeshoptFilter>(data[0] / 4 % 5);
  view.byte_stride = data[1];
  view.count = data[2];
  if (data[3] > 200) view.count <<= data[3] - 200;  // and billions
  flexor::MemoryBudget budget(flexor::fuzz::kMemoryBytes);
  const auto source = std::as_bytes(std::span(data + 4, size - 4));
  const auto decoded = DecodeMeshopt(view, source, budget);
  if (decoded.ok()) {
    if (decoded->size() != view.count * view.byte_stride) std::abort();
    if (budget.used() != decoded->size()) std::abort();
  } else if (decoded.error().message.find(view.extension) == std::string::npos &&
             decoded.error().code != flexor::ErrorCode::kLimitExceeded) {
    std::abort();
  }
  return 0;
}
