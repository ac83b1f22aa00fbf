/// @file bake/file_set.h
/// Many small files that appear together or not at all.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "flexor/core/result.h"

namespace flexor::bake {

/// Writes each file whole under a temporary name beside its final one; Commit() renames them all.
/// Destroyed before that, it removes what it wrote. Holds no file open between calls, so that their
/// number has no limit.
class FileSet {
 public:
  FileSet() = default;
  ~FileSet();
  FileSet(const FileSet&) = delete;
  FileSet& operator=(const FileSet&) = delete;

  /// Errors  kFileUnwritable
  Status Add(const std::string& path, std::span<const std::byte> bytes);
  /// Errors  kFileUnwritable; files renamed before the failure stay
  Status Commit();

 private:
  struct Entry {
    std::string temporary, path;
  };
  std::vector<Entry> entries_;
};

}  // namespace flexor::bake
