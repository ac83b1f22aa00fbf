// Bytes as the Draco data of a primitive.

#include <vector>

#include "fuzz_support.h"
#include "io/gltf/draco.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  flexor::MemoryBudget budget(flexor::fuzz::kMemoryBytes);
  {
    const auto mesh =
        flexor::io::gltf::DracoMesh::Decode(std::as_bytes(std::span(data, size)), budget);
    if (!mesh.ok()) {
      if (mesh.error().message.empty()) std::abort();
      return 0;
    }
    if (budget.used() > budget.limit()) std::abort();
    std::vector<std::uint32_t> indices(mesh->index_count());
    if (mesh->Indices(indices).ok()) {
      for (const std::uint32_t index : indices) {
        if (index >= mesh->point_count()) std::abort();
      }
    }
    for (std::uint32_t id = 0; id < 4; ++id) {
      for (const std::uint32_t components : {2u, 3u, 4u}) {
        std::vector<float> floats(mesh->point_count() * components);
        const auto ignored = mesh->Floats(id, components, id % 2 == 0, floats);
        static_cast<void>(ignored);
      }
      std::vector<std::uint32_t> joints(mesh->point_count() * 4);
      const auto ignored = mesh->Unsigned(id, 4, joints);
      static_cast<void>(ignored);
    }
  }
  if (budget.used() != 0) std::abort();
  return 0;
}
