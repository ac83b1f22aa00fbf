#include "support/package_builder.h"

#include <algorithm>
#include <span>

#include "io/cache/crc32.h"
#include "support/crate_builder.h"

namespace flexor::test {

std::vector<std::byte> PackageOf(const std::vector<PackageEntry>& entries,
                                 const std::string& before, const std::string& comment) {
  std::string file = before;
  std::string directory;
  const auto fields = [](const PackageEntry& entry, std::uint32_t size, std::uint16_t name_bytes,
                         std::uint16_t extra_bytes) {
    const std::uint32_t crc = io::Crc32(std::as_bytes(std::span(entry.data)));
    return Raw(entry.flags, entry.method, std::uint32_t{0x00210000}, crc + entry.crc_error, size,
               size, name_bytes, extra_bytes);
  };
  for (const PackageEntry& entry : entries) {
    const auto header_at = static_cast<std::uint32_t>(file.size());
    const auto size = static_cast<std::uint32_t>(entry.data.size());
    const std::string& name = entry.local_name.empty() ? entry.name : entry.local_name;
    std::size_t padding = 0;
    if (entry.aligned) {
      padding = (64 - (file.size() + 30 + name.size()) % 64) % 64;
      if (padding > 0 && padding < 4) padding += 64;
    }
    std::string extra;
    if (padding > 0) {
      extra = Raw(std::uint16_t{0x1986}, static_cast<std::uint16_t>(padding - 4)) +
              std::string(padding - 4, '\0');
    }
    file += Raw(std::uint32_t{0x04034b50}, std::uint16_t{10}) +
            fields(entry, size + entry.local_size_error, static_cast<std::uint16_t>(name.size()),
                   static_cast<std::uint16_t>(extra.size())) +
            name + extra + entry.data;
    directory += Raw(std::uint32_t{0x02014b50}, std::uint32_t{0x000A000A}) +
                 fields(entry, size, static_cast<std::uint16_t>(entry.name.size()), 0) +
                 Raw(std::uint16_t{0}, std::uint64_t{0}, header_at) + entry.name;
  }
  const auto directory_at = static_cast<std::uint32_t>(file.size());
  const auto count = static_cast<std::uint16_t>(entries.size());
  file += directory +
          Raw(std::uint32_t{0x06054b50}, std::uint32_t{0}, count, count,
              static_cast<std::uint32_t>(directory.size()), directory_at,
              static_cast<std::uint16_t>(comment.size())) +
          comment;
  std::vector<std::byte> bytes(file.size());
  std::transform(file.begin(), file.end(), bytes.begin(),
                 [](char c) { return static_cast<std::byte>(c); });
  return bytes;
}

}  // namespace flexor::test
