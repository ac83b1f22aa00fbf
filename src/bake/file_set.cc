#include "bake/file_set.h"

#include <filesystem>
#include <random>
#include <system_error>

#include "flexor/core/file.h"

namespace flexor::bake {
namespace {

namespace fs = std::filesystem;

fs::path PathFromUtf8(const std::string& path) {
  return {std::u8string(reinterpret_cast<const char8_t*>(path.data()), path.size())};
}

}  // namespace

FileSet::~FileSet() {
  std::error_code ignored;
  for (const Entry& entry : entries_) fs::remove(PathFromUtf8(entry.temporary), ignored);
}

Status FileSet::Add(const std::string& path, std::span<const std::byte> bytes) {
  std::error_code ignored;
  if (fs::is_directory(PathFromUtf8(path), ignored)) {
    return Error{ErrorCode::kFileUnwritable, "is a folder, not a file", {path, {}, {}}};
  }
  std::random_device random;
  const std::string temporary = path + ".part-" + std::to_string(random());
  Status written = WriteFile(temporary, bytes);
  if (!written.ok()) {
    Error error = std::move(written).error();
    error.place.path = path;
    return error;
  }
  entries_.push_back({temporary, path});
  return {};
}

Status FileSet::Commit() {
  for (Entry& entry : entries_) {
    std::error_code error;
    fs::rename(PathFromUtf8(entry.temporary), PathFromUtf8(entry.path), error);
    if (error) {
      return Error{ErrorCode::kFileUnwritable,
                   "cannot rename into place: " + error.message(),
                   {entry.path, {}, {}}};
    }
  }
  entries_.clear();
  return {};
}

}  // namespace flexor::bake
