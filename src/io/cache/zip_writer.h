/// @file io/cache/zip_writer.h
/// A zip archive of stored entries whose sizes are known before their bytes, so that several can be
/// filled side by side and none is ever held in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "flexor/core/file.h"
#include "flexor/core/result.h"

namespace flexor::io {

/// One file of the archive.
struct ZipEntry {
  std::string name;         ///< UTF-8, '/' between folders
  std::uint64_t bytes = 0;  ///< exact size
};

/// Fills entries in any order, each from its start to its end. Same entries and bytes, same
/// archive: the time stamp of every entry is the first time that zip can say, 1980-01-01.
class ZipWriter {
 public:
  /// From this size or offset on, fields need zip64; tests lower it.
  static constexpr std::uint64_t kZip64From = 0xFFFFFFFFu;

  /// Lays the archive out and makes room for it under a temporary name.
  /// Errors  kFileUnwritable · kLimitExceeded (names over 65535 bytes, sizes over 64 bits)
  static Result<ZipWriter> Create(const std::string& path, std::vector<ZipEntry> entries,
                                  std::uint64_t zip64_from = kZip64From);

  /// Appends to an entry. Errors  kInternal past its size · kFileUnwritable
  Status Append(std::size_t entry, std::span<const std::byte> bytes);
  /// Writes headers and directory. Errors  kInternal when an entry is short · kFileUnwritable
  Status Complete();
  /// Renames into place.
  Status Publish() { return file_.Commit(); }

 private:
  struct Slot {
    ZipEntry entry;
    std::uint64_t header_at = 0;  ///< of its local header
    std::uint64_t data_at = 0;
    std::uint64_t written = 0;
    std::uint32_t crc = 0;
    bool zip64 = false;  ///< the local header says its sizes in 64 bits
  };

  ZipWriter(AtomicFile file, std::string path, std::uint64_t zip64_from)
      : file_(std::move(file)), path_(std::move(path)), zip64_from_(zip64_from) {}
  std::vector<std::byte> LocalHeader(const Slot& slot) const;
  void AppendDirectoryEntry(std::vector<std::byte>& out, const Slot& slot) const;
  std::vector<std::byte> DirectoryEnd(std::uint64_t directory_at,
                                      std::uint64_t directory_bytes) const;

  AtomicFile file_;
  std::string path_;
  std::uint64_t zip64_from_;
  std::vector<Slot> slots_;
};

}  // namespace flexor::io
