/// @file core/file.h
/// Whole files in, whole files out. Paths are UTF-8 everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flexor/core/export.h"
#include "flexor/core/result.h"

namespace flexor {

/// Reads a whole file.
/// Errors  kFileNotFound · kFileUnreadable (a folder, no permission) · kLimitExceeded above
/// `max_bytes`
FLEXOR_API Result<std::vector<std::byte>> ReadFile(const std::string& path,
                                                   std::uint64_t max_bytes);

/// Writes a file so that `path` holds either its old content or all of the new one: the bytes go to
/// a temporary name in the same folder and are renamed by Commit(). Destroyed without Commit(), it
/// leaves nothing behind. A path that exists and is no plain file (/dev/stdout, a pipe) is written
/// to directly.
class FLEXOR_API AtomicFile {
 public:
  /// Errors  kFileUnwritable naming the folder and the reason
  static Result<AtomicFile> Create(const std::string& path);
  ~AtomicFile();
  AtomicFile(AtomicFile&&) noexcept;
  AtomicFile& operator=(AtomicFile&&) noexcept;

  /// Appends. Errors  kFileUnwritable (disk full)
  Status Write(std::span<const std::byte> bytes);
  Status Write(std::string_view text) { return Write(std::as_bytes(std::span(text))); }
  /// Overwrites bytes written before, for headers whose counts are known at the end. Stays within
  /// what was written.
  Status WriteAt(std::uint64_t offset, std::span<const std::byte> bytes);
  /// Makes the file at least that long, so that WriteAt can fill it in any order; what is not
  /// filled reads as zero and takes no room where the file system allows. Errors  kFileUnwritable
  Status Reserve(std::uint64_t bytes);
  std::uint64_t size() const;
  /// Flushes, syncs and closes, still under the temporary name: thousands of sealed files cost no
  /// descriptors. Nothing can be written afterwards. Errors  kFileUnwritable
  Status Seal();
  /// Seals unless that is done, and renames. Errors  kFileUnwritable
  Status Commit();

 private:
  AtomicFile();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Writes one whole file through AtomicFile.
FLEXOR_API Status WriteFile(const std::string& path, std::span<const std::byte> bytes);

}  // namespace flexor
