/// @file tests/support/package_builder.h
/// Makes zip archives as USD packages are, or nearly so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace flexor::test {

/// One file of an archive. What differs from a proper one is said on purpose.
struct PackageEntry {
  std::string name;
  std::string data;
  std::uint16_t flags = 0;
  std::uint16_t method = 0;
  std::uint32_t crc_error = 0;         ///< added to the right checksum
  std::uint32_t local_size_error = 0;  ///< added to the sizes in front of the data
  std::string local_name = {};         ///< in front of the data, when another
  bool aligned = true;
};

/// The archive; `before` stands in front of it, `comment` behind.
std::vector<std::byte> PackageOf(const std::vector<PackageEntry>& entries,
                                 const std::string& before = {}, const std::string& comment = {});

}  // namespace flexor::test
