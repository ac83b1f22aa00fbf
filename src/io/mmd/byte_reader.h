/// @file io/mmd/byte_reader.h
/// A cursor over the little-endian bytes of a file that cannot leave them: once something is wrong
/// it gives zeros, and the first error stays, with its place.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "flexor/core/memory_budget.h"
#include "flexor/core/result.h"
#include "flexor/math/quat.h"
#include "flexor/math/vec.h"

namespace flexor::io::mmd {

/// A part of a file in words: "vertices", of which one is a "vertex".
struct Section {
  std::string_view plural;
  std::string_view singular;
};

class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::uint64_t offset() const { return offset_; }
  std::uint64_t remaining() const { return bytes_.size() - offset_; }
  bool ok() const { return !error_.has_value(); }
  Status status() const { return error_ ? Status(*error_) : Status(); }

  /// What is read from here on, for messages; element numbers start anew.
  void Enter(Section section) {
    section_ = section;
    element_.reset();
    element_offset_ = offset_;
  }
  /// The element that starts here.
  void Begin(std::uint64_t element) {
    element_ = element;
    element_offset_ = offset_;
  }
  const Section& section() const { return section_; }
  std::uint64_t element_offset() const { return element_offset_; }

  std::uint8_t U8() { return Little<std::uint8_t>(); }
  std::uint16_t U16() { return Little<std::uint16_t>(); }
  std::uint32_t U32() { return Little<std::uint32_t>(); }
  std::int8_t I8() { return static_cast<std::int8_t>(U8()); }
  std::int16_t I16() { return static_cast<std::int16_t>(U16()); }
  std::int32_t I32() { return static_cast<std::int32_t>(U32()); }
  float F32() { return std::bit_cast<float>(U32()); }
  Vec2f F2() {
    const float x = F32();
    return {x, F32()};
  }
  Vec3f F3() {
    const float x = F32(), y = F32();
    return {x, y, F32()};
  }
  Vec4f F4() {
    const float x = F32(), y = F32(), z = F32();
    return {x, y, z, F32()};
  }
  Quatf Q4() {
    const Vec4f v = F4();
    return {v.x, v.y, v.z, v.w};
  }
  /// The next `count` bytes; empty when they are not all there.
  std::span<const std::byte> Take(std::uint64_t count, std::string_view what = "a field") {
    if (!Has(count, what)) return {};
    const auto taken =
        bytes_.subspan(static_cast<std::size_t>(offset_), static_cast<std::size_t>(count));
    offset_ += count;
    return taken;
  }

  /// A number of elements, each of at least `least_bytes` in the file and `element_bytes` in
  /// memory: checked against the bytes that are left and charged. 0 when refused.
  template <class Integer>
  std::uint32_t Count(std::uint64_t least_bytes, std::uint64_t element_bytes,
                      MemoryBudget& budget) {
    const std::uint64_t at = offset_;
    const auto raw = static_cast<Integer>(Little<std::make_unsigned_t<Integer>>());
    return Checked(static_cast<std::int64_t>(raw), at, least_bytes, element_bytes, budget);
  }

  /// Records an error unless there is one already; place words and offset are filled in.
  void Fail(ErrorCode code, std::string message, std::optional<std::uint64_t> offset = {});
  /// The error that Fail would record, at an element and offset of the caller's choice.
  static Error At(ErrorCode code, std::string message, std::string element, std::uint64_t offset);
  /// "vertex 12", or "vertices" before the first element.
  std::string Element() const;

 private:
  template <class T>
  T Little() {
    if (bytes_.size() - offset_ < sizeof(T)) {
      Short(sizeof(T), "a field");
      return 0;
    }
    std::uint32_t value = 0;
    const std::byte* at = bytes_.data() + offset_;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      value |= std::to_integer<std::uint32_t>(at[i]) << (8 * i);
    }
    offset_ += sizeof(T);
    return static_cast<T>(value);
  }
  bool Has(std::uint64_t count, std::string_view what) {
    if (remaining() >= count) return true;
    Short(count, what);
    return false;
  }
  void Short(std::uint64_t wanted, std::string_view what);
  std::uint32_t Checked(std::int64_t count, std::uint64_t at, std::uint64_t least_bytes,
                        std::uint64_t element_bytes, MemoryBudget& budget);

  std::span<const std::byte> bytes_;
  std::uint64_t offset_ = 0;
  Section section_{"header", "header"};
  std::optional<std::uint64_t> element_;
  std::uint64_t element_offset_ = 0;
  std::optional<Error> error_;
};

inline bool IsFinite(float v) { return std::isfinite(v); }
inline bool IsFinite(Vec2f v) { return std::isfinite(v.x) && std::isfinite(v.y); }
inline bool IsFinite(Vec3f v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}
inline bool IsFinite(Vec4f v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z) && std::isfinite(v.w);
}
inline bool IsFinite(Quatf v) { return IsFinite(Vec4f{v.x, v.y, v.z, v.w}); }
template <class... T>
  requires(sizeof...(T) > 1)
bool IsFinite(const T&... values) {
  return (IsFinite(values) && ...);
}

/// A name for messages: short, in quotes, empty as ''.
std::string Quoted(std::string_view utf8);

}  // namespace flexor::io::mmd
