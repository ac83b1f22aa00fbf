/// @file core/byte_stream.h
/// Numbers and arrays of them as little-endian bytes and back, for files of our own.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace flexor {

static_assert(std::endian::native == std::endian::little,
              "arrays are copied as they are; turn their bytes around here for other machines");

/// Of bytes that may have been damaged, eight at a time: a change within any eight is always
/// noticed. Not cryptographic.
inline std::uint64_t Checksum(std::span<const std::byte> bytes) {
  constexpr std::uint64_t kPrime = 0x9e3779b97f4a7c15ull;  // odd: no step loses anything
  std::uint64_t lanes[4] = {1, 2, 3, 4};
  std::size_t at = 0;
  const auto step = [&](std::size_t lane, std::size_t size) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, size);
    lanes[lane] = std::rotl((lanes[lane] ^ word) * kPrime, 29);
    at += size;
  };
  while (bytes.size() - at >= 32) {
    for (std::size_t lane = 0; lane < 4; ++lane) step(lane, 8);
  }
  for (std::size_t lane = 0; at < bytes.size(); ++lane) {
    step(lane, bytes.size() - at < 8 ? bytes.size() - at : 8);
  }
  std::uint64_t sum = bytes.size();
  for (const std::uint64_t lane : lanes) sum = std::rotl((sum ^ lane) * kPrime, 29);
  return sum;
}

/// Appends to a vector of bytes.
class ByteWriter {
 public:
  template <class T>
  void Number(T value) {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    Append(&value, sizeof(T));
  }

  void Text(std::string_view text) {
    Number(std::uint64_t{text.size()});
    Append(text.data(), text.size());
  }

  /// The count, then the elements, which have no padding.
  template <class Array>
  void Elements(const Array& array) {
    using T = typename Array::value_type;
    static_assert(std::is_trivially_copyable_v<T>);
    Number(std::uint64_t{array.size()});
    Append(array.data(), array.size() * sizeof(T));
  }

  void Append(std::span<const std::byte> bytes) { Append(bytes.data(), bytes.size()); }

  const std::vector<std::byte>& bytes() const { return bytes_; }
  std::vector<std::byte> Take() { return std::move(bytes_); }

 private:
  void Append(const void* from, std::size_t size) {
    if (size == 0) return;
    const std::size_t at = bytes_.size();
    bytes_.resize(at + size);
    std::memcpy(bytes_.data() + at, from, size);
  }

  std::vector<std::byte> bytes_;
};

/// Takes from a span of bytes. What is not there fails once and for all: everything taken after it
/// is zero or empty, so that callers look at ok() at the end of a part. Memory is taken only for
/// elements that are there.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class T>
  T Number() {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    T value{};
    if (Has(sizeof(T))) Copy(&value, sizeof(T));
    return value;
  }

  /// A bool that is neither 0 nor 1 fails.
  bool Flag() {
    const auto value = Number<std::uint8_t>();
    if (value > 1) Fail();
    return value == 1;
  }

  /// An enumerator from 0 to `last`.
  template <class E>
  E Enumerator(E last) {
    const auto value = Number<std::underlying_type_t<E>>();
    if (value > static_cast<std::underlying_type_t<E>>(last)) Fail();
    return ok_ ? static_cast<E>(value) : E{};
  }

  std::string Text() {
    const std::size_t count = Count(1);
    std::string text(count, '\0');
    Copy(text.data(), count);
    return text;
  }

  template <class Array>
  void Elements(Array& out) {
    using T = typename Array::value_type;
    static_assert(std::is_trivially_copyable_v<T>);
    const std::size_t count = Count(sizeof(T));
    out.resize(count);
    Copy(out.data(), count * sizeof(T));
  }

  /// How many elements of at least `size` bytes follow.
  std::size_t Count(std::size_t size) {
    const auto count = Number<std::uint64_t>();
    if (count > bytes_.size() / size) Fail();
    return ok_ ? static_cast<std::size_t>(count) : 0;
  }

  void Fail() { ok_ = false; }
  bool ok() const { return ok_; }
  std::span<const std::byte> left() const { return bytes_; }

 private:
  bool Has(std::size_t size) {
    if (bytes_.size() < size) ok_ = false;
    return ok_;
  }
  void Copy(void* to, std::size_t size) {
    if (size == 0) return;
    std::memcpy(to, bytes_.data(), size);
    bytes_ = bytes_.subspan(size);
  }

  std::span<const std::byte> bytes_;
  bool ok_ = true;
};

}  // namespace flexor
