/// @file io/usd/byte_cursor.h
/// A place in bytes that cannot be left: past the end it gives zeros and says so.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace flexor::io::usd {

static_assert(std::endian::native == std::endian::little,
              "binary USD is read in place, and is little-endian");

class ByteCursor {
 public:
  /// Starts at an offset that may be anywhere, also outside.
  explicit ByteCursor(std::span<const std::byte> bytes, std::uint64_t offset = 0)
      : bytes_(bytes), offset_(offset), ok_(offset <= bytes.size()) {}

  bool ok() const { return ok_; }
  std::uint64_t offset() const { return offset_; }
  std::uint64_t remaining() const { return ok_ ? bytes_.size() - offset_ : 0; }

  template <class T>
  T Take() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value{};
    if (const auto bytes = TakeBytes(sizeof(T)); ok_) std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }
  std::span<const std::byte> TakeBytes(std::uint64_t count) {
    if (count > remaining()) {
      ok_ = false;
      return {};
    }
    const auto taken =
        bytes_.subspan(static_cast<std::size_t>(offset_), static_cast<std::size_t>(count));
    offset_ += count;
    return taken;
  }
  /// Goes to an offset relative to `from`, wherever that is.
  void GoTo(std::uint64_t from, std::int64_t relative) {
    offset_ = from + static_cast<std::uint64_t>(relative);
    ok_ = ok_ && offset_ <= bytes_.size();
  }

 private:
  std::span<const std::byte> bytes_;
  std::uint64_t offset_;
  bool ok_;
};

}  // namespace flexor::io::usd
