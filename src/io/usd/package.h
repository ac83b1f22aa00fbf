/// @file io/usd/package.h
/// USD packages (".usdz"): zip archives whose entries are stored as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flexor/core/diagnostic.h"
#include "flexor/core/memory_budget.h"
#include "flexor/core/result.h"

#include "io/usd/shared_bytes.h"

namespace flexor::io::usd {

/// An opened package. Entries are views of its bytes, never copies.
class Package {
 public:
  struct Entry {
    std::string name;  ///< relative, '/' between folders, without ".."
    SharedBytes bytes;
    std::uint32_t crc = 0;  ///< as the archive says
  };

  /// Whether bytes start like a zip archive.
  static bool HasMagic(std::span<const std::byte> bytes);
  /// Whether a name is that of a layer: .usd, .usda or .usdc.
  static bool IsLayerName(std::string_view name);

  /// Reads the directory and the header in front of each entry, which must agree. `identifier` is
  /// for messages. Reports entries that do not start at multiples of 64, and layers whose checksum
  /// is wrong.
  /// Errors  kUnknownFormat · kParse · kTruncated · kLimitExceeded (more than kMaxEntries, memory)
  ///         · kUnsupportedFeature (compressed or encrypted entries, zip64, sizes that stand behind
  ///         the data, a first entry that is no layer) · kInvalidValue (names that leave the
  ///         package, or stand twice; entries that overlap)
  static Result<Package> Open(const SharedBytes& bytes, const std::string& identifier,
                              MemoryBudget& budget, Diagnostics& diagnostics);
  static constexpr std::uint64_t kMaxEntries = 4096;
  static constexpr std::uint64_t kAlignment = 64;

  /// All entries in the order of the file; folders have none.
  const std::vector<Entry>& entries() const { return entries_; }
  /// The root layer.
  const std::string& first() const { return entries_.front().name; }
  /// Null when there is no entry of exactly that name.
  const SharedBytes* Find(std::string_view name) const;

 private:
  std::vector<Entry> entries_;
};

}  // namespace flexor::io::usd
