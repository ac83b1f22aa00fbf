#include "io/neighbours.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <utility>

#include "flexor/core/file.h"

namespace flexor::io {
namespace {

namespace fs = std::filesystem;

fs::path Native(const std::string& utf8) {
  return {std::u8string(reinterpret_cast<const char8_t*>(utf8.data()), utf8.size())};
}

std::string Utf8(const fs::path& path) {
  const std::u8string text = path.u8string();
  return {reinterpret_cast<const char*>(text.data()), text.size()};
}

Result<std::vector<std::byte>> ReadNeighbour(const fs::path& folder, const std::string& name,
                                             std::uint64_t max_bytes, bool allow_outside) {
  const fs::path path = folder / Native(name);
  if (!allow_outside) {
    std::error_code error;
    const fs::path home = fs::weakly_canonical(folder.empty() ? fs::path(".") : folder, error);
    const fs::path real = fs::weakly_canonical(path, error);
    const auto [end, unused] = std::mismatch(home.begin(), home.end(), real.begin(), real.end());
    static_cast<void>(unused);
    if (error || end != home.end()) {
      return Error{ErrorCode::kFileUnreadable,
                   "a link leads out of the folder of the file; allow that only for files you "
                   "trust",
                   {Utf8(path), {}, {}}};
    }
  }
  // Opening a pipe waits for a writer that may never come, and a device may have no end.
  std::error_code ignored;
  const fs::file_type type = fs::status(path, ignored).type();
  if (type == fs::file_type::fifo || type == fs::file_type::socket ||
      type == fs::file_type::character || type == fs::file_type::block) {
    return Error{ErrorCode::kFileUnreadable,
                 "is a pipe or a device; a file may refer to regular files only",
                 {Utf8(path), {}, {}}};
  }
  return ReadFile(Utf8(path), max_bytes);
}

}  // namespace

ResourceFn NeighboursOf(const std::string& path, bool allow_outside) {
  return [folder = Native(path).parent_path(), allow_outside](const std::string& name,
                                                              std::uint64_t max_bytes) {
    return ReadNeighbour(folder, name, max_bytes, allow_outside);
  };
}

std::string StemOf(const std::string& path) { return Utf8(Native(path).stem()); }

}  // namespace flexor::io
