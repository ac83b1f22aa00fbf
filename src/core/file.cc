#include "flexor/core/file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <random>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace flexor {
namespace {

namespace fs = std::filesystem;

fs::path PathFromUtf8(const std::string& path) {
  return {std::u8string(reinterpret_cast<const char8_t*>(path.data()), path.size())};
}

Error FileError(ErrorCode code, const std::string& path, std::string message, int error_number) {
  if (error_number != 0) message += std::string(": ") + std::strerror(error_number);
  return {code, std::move(message), {path, {}, {}}};
}

}  // namespace

Result<std::vector<std::byte>> ReadFile(const std::string& path, std::uint64_t max_bytes) {
  std::error_code ignored;
  const fs::path native = PathFromUtf8(path);
  const fs::file_status status = fs::status(native, ignored);
  if (status.type() == fs::file_type::not_found) {
    return FileError(ErrorCode::kFileNotFound, path, "no such file", 0);
  }
  if (status.type() == fs::file_type::directory) {
    return FileError(ErrorCode::kFileUnreadable, path, "is a folder, not a file", 0);
  }
  std::FILE* file = std::fopen(native.c_str(), "rb");
  if (file == nullptr) {
    return FileError(ErrorCode::kFileUnreadable, path, "cannot open the file", errno);
  }
  // The size is only a hint: pipes have none, and a file may grow while it is read.
  std::vector<std::byte> bytes;
  const std::uintmax_t size = fs::file_size(native, ignored);
  std::size_t capacity = 1 << 16;
  if (!ignored && size <= max_bytes) capacity = static_cast<std::size_t>(size) + 1;
  std::size_t used = 0;
  while (true) {
    if (used == bytes.size()) bytes.resize(std::max(capacity, bytes.size() + bytes.size() / 2));
    const std::size_t got = std::fread(bytes.data() + used, 1, bytes.size() - used, file);
    used += got;
    if (used > max_bytes) {
      std::fclose(file);
      return FileError(ErrorCode::kLimitExceeded, path,
                       "the file is larger than the limit of " + std::to_string(max_bytes) +
                           " bytes; raise the limit if the file is trusted",
                       0);
    }
    if (got == 0) break;
  }
  const int failed = std::ferror(file) != 0 ? errno : 0;
  std::fclose(file);
  if (failed != 0) {
    return FileError(ErrorCode::kFileUnreadable, path, "reading failed", failed);
  }
  bytes.resize(used);
  return bytes;
}

struct AtomicFile::Impl {
  fs::path target;
  fs::path temporary;
  std::string name;  // as the caller gave it, for messages
  std::FILE* file = nullptr;
  std::uint64_t size = 0;
  bool sealed = false;

  ~Impl() {
    if (file != nullptr) std::fclose(file);
    if (!temporary.empty()) {
      std::error_code ignored;
      fs::remove(temporary, ignored);
    }
  }
};

AtomicFile::AtomicFile() : impl_(std::make_unique<Impl>()) {}
AtomicFile::~AtomicFile() = default;
AtomicFile::AtomicFile(AtomicFile&&) noexcept = default;
AtomicFile& AtomicFile::operator=(AtomicFile&&) noexcept = default;

Result<AtomicFile> AtomicFile::Create(const std::string& path) {
  AtomicFile result;
  Impl& impl = *result.impl_;
  impl.name = path;
  impl.target = PathFromUtf8(path);
  std::error_code ignored;
  if (path.empty() || fs::is_directory(impl.target, ignored)) {
    return FileError(ErrorCode::kFileUnwritable, path, "the output must be a file name", 0);
  }
  // A link is followed, so that the rename replaces the file it points to and not the link.
  if (fs::is_symlink(impl.target, ignored)) {
    const fs::path resolved = fs::weakly_canonical(impl.target, ignored);
    if (!ignored) impl.target = resolved;
  }
  // A device or a pipe must not be replaced by a file of its name.
  const fs::file_type type = fs::status(impl.target, ignored).type();
  if (type != fs::file_type::regular && type != fs::file_type::not_found) {
    impl.file = std::fopen(impl.target.c_str(), "wb");
    if (impl.file == nullptr) {
      return FileError(ErrorCode::kFileUnwritable, path, "cannot write", errno);
    }
    return result;
  }
  std::random_device random;
  for (int attempt = 0; attempt < 16; ++attempt) {
    fs::path temporary = impl.target;
    temporary += ".part-" + std::to_string(random());
    const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0) {
      if (errno == EEXIST) continue;
      return FileError(ErrorCode::kFileUnwritable, path, "cannot create a file in its folder",
                       errno);
    }
    impl.file = ::fdopen(descriptor, "wb");
    if (impl.file == nullptr) {
      ::close(descriptor);
      return FileError(ErrorCode::kFileUnwritable, path, "cannot write", errno);
    }
    impl.temporary = std::move(temporary);
    return result;
  }
  return FileError(ErrorCode::kFileUnwritable, path, "cannot find a free temporary name", 0);
}

Status AtomicFile::Write(std::span<const std::byte> bytes) {
  if (bytes.empty()) return {};
  if (impl_->file == nullptr) {
    return Error{ErrorCode::kInternal, "Write after Seal", {impl_->name, {}, {}}};
  }
  if (std::fwrite(bytes.data(), 1, bytes.size(), impl_->file) != bytes.size()) {
    return FileError(ErrorCode::kFileUnwritable, impl_->name, "writing failed", errno);
  }
  impl_->size += bytes.size();
  return {};
}

Status AtomicFile::WriteAt(std::uint64_t offset, std::span<const std::byte> bytes) {
  if (offset > impl_->size || bytes.size() > impl_->size - offset) {
    return Error{
        ErrorCode::kInternal, "WriteAt past the end of what was written", {impl_->name, {}, {}}};
  }
  if (impl_->file == nullptr) {
    return Error{ErrorCode::kInternal, "WriteAt after Seal", {impl_->name, {}, {}}};
  }
  const bool done = ::fseeko(impl_->file, static_cast<off_t>(offset), SEEK_SET) == 0 &&
                    std::fwrite(bytes.data(), 1, bytes.size(), impl_->file) == bytes.size() &&
                    ::fseeko(impl_->file, 0, SEEK_END) == 0;
  if (!done) return FileError(ErrorCode::kFileUnwritable, impl_->name, "writing failed", errno);
  return {};
}

std::uint64_t AtomicFile::size() const { return impl_->size; }

Status AtomicFile::Reserve(std::uint64_t bytes) {
  if (bytes <= impl_->size) return {};
  if (impl_->file == nullptr) {
    return Error{ErrorCode::kInternal, "Reserve after Seal", {impl_->name, {}, {}}};
  }
  const bool fits = bytes <= static_cast<std::uint64_t>(std::numeric_limits<off_t>::max());
  if (!fits) errno = EFBIG;
  const bool done = fits && std::fflush(impl_->file) == 0 &&
                    ::ftruncate(::fileno(impl_->file), static_cast<off_t>(bytes)) == 0 &&
                    ::fseeko(impl_->file, 0, SEEK_END) == 0;
  if (!done) {
    return FileError(ErrorCode::kFileUnwritable, impl_->name,
                     "cannot make room for " + std::to_string(bytes) + " bytes", errno);
  }
  impl_->size = bytes;
  return {};
}

Status AtomicFile::Seal() {
  if (impl_->sealed) return {};
  if (impl_->file == nullptr) {
    return Error{ErrorCode::kInternal, "Seal after a failed Seal", {impl_->name, {}, {}}};
  }
  bool flushed = std::fflush(impl_->file) == 0;
  // Devices and pipes cannot be synced, and need not be.
  if (flushed && !impl_->temporary.empty()) flushed = ::fsync(::fileno(impl_->file)) == 0;
  int error_number = flushed ? 0 : errno;
  const bool closed = std::fclose(impl_->file) == 0;
  if (!closed && error_number == 0) error_number = errno;
  impl_->file = nullptr;
  if (!flushed || !closed) {
    return FileError(ErrorCode::kFileUnwritable, impl_->name, "writing failed", error_number);
  }
  impl_->sealed = true;
  return {};
}

Status AtomicFile::Commit() {
  if (Status sealed = Seal(); !sealed.ok()) return sealed;
  if (impl_->temporary.empty()) return {};
  std::error_code error;
  fs::rename(impl_->temporary, impl_->target, error);
  if (error) {
    return FileError(ErrorCode::kFileUnwritable, impl_->name, "cannot rename into place",
                     error.value());
  }
  impl_->temporary.clear();
  return {};
}

Status WriteFile(const std::string& path, std::span<const std::byte> bytes) {
  FLEXOR_ASSIGN(AtomicFile file, AtomicFile::Create(path));
  FLEXOR_TRY(file.Write(bytes));
  return file.Commit();
}

}  // namespace flexor
