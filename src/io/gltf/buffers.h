/// @file io/gltf/buffers.h
/// The bytes behind buffers, buffer views and images, fetched and decoded when first asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flexor/core/diagnostic.h"
#include "flexor/core/memory_budget.h"
#include "flexor/core/result.h"
#include "flexor/io/load.h"

#include "io/gltf/raw.h"

namespace flexor::io::gltf {

/// What a load has at hand to find bytes.
struct Sources {
  std::optional<std::span<const std::byte>> bin;  ///< the BIN chunk of a GLB
  const ResourceFn* resources = nullptr;          ///< may be empty inside
  const LoadOptions* options = nullptr;
};

/// Bytes of one document. Every byte that it holds is charged to the budget once. All references
/// must outlive the store.
class BufferStore {
 public:
  BufferStore(const RawDocument& document, Sources sources, MemoryBudget& budget,
              Diagnostics& diagnostics);

  /// The bytes of a view, decompressed: byte_length of them. Valid as long as the store.
  /// Errors  those of the reference, the file, the codec; kTruncated when a buffer is shorter than
  ///         it declares (both lengths)
  Result<std::span<const std::byte>> View(std::uint32_t view);

  /// The bytes of a buffer: byte_length of them. Errors  the same
  Result<std::span<const std::byte>> Buffer(std::uint32_t buffer);

  struct Fetched {
    std::string media_type;  ///< of a data URI; else empty
    std::vector<std::byte> bytes;
  };
  /// What a `uri` member refers to, charged to the budget. `pointer` is its place.
  Result<Fetched> Fetch(std::string_view uri, const std::string& pointer);

 private:
  Result<std::span<const std::byte>> Compressed(std::uint32_t view);
  bool HasData(std::uint32_t buffer) const;

  const RawDocument& document_;
  Sources sources_;
  MemoryBudget& budget_;
  Diagnostics& diagnostics_;
  std::vector<std::optional<std::vector<std::byte>>> buffers_;
  std::vector<std::optional<std::vector<std::byte>>> decoded_;  // compressed views only
};

/// `error` with its place set to `pointer`, unless it already names one.
Error AtPointer(Error error, const std::string& pointer);

}  // namespace flexor::io::gltf
