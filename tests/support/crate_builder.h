/// @file tests/support/crate_builder.h
/// Makes binary USD layers table by table, so that each entry can be right or wrong on purpose.
/// Written from the layout alone, without the reader's code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace flexor::test {

/// One LZ4 block of literals only, behind the byte that says "one block".
std::string PackedBytes(std::string_view raw);
/// Whole numbers of 32 bits as a crate packs them, all deltas written in full.
std::string PackedIntegers(std::span<const std::uint32_t> numbers);
std::string PackedIntegers64(std::span<const std::uint64_t> numbers);

/// The object bytes of numbers, one after the other.
template <class... T>
std::string Raw(const T&... numbers) {
  std::string bytes;
  (bytes.append(reinterpret_cast<const char*>(&numbers), sizeof(numbers)), ...);
  return bytes;
}

/// A crate of version 0.8.0 with the root and nothing else, to be filled.
struct CrateBuilder {
  struct Field {
    std::uint32_t token = 0;
    std::uint64_t code = 0;
  };
  struct PathItem {
    std::uint32_t slot = 0;
    std::int32_t element = 0;
    std::int32_t jump = -2;
  };
  struct Spec {
    std::uint32_t path = 0, field_set = 0, type = 0;
  };

  CrateBuilder();

  std::string version = std::string("\0\x08\0\0\0\0\0\0", 8);
  std::string values;  ///< what stands between the header and the tables
  std::vector<std::string> tokens;
  std::vector<std::uint32_t> strings;
  std::vector<Field> fields;
  std::vector<std::uint32_t> field_sets;
  std::vector<PathItem> path_items;
  std::vector<Spec> specs;
  std::uint64_t path_count = 1;
  std::uint64_t token_count = 0;  ///< said instead of the real number unless 0

  /// The index of a token, added when it is new; of a string, always added.
  std::uint32_t Token(std::string_view text);
  std::uint32_t String(std::string_view text);
  /// Puts bytes behind the values at a multiple of `alignment`; gives their offset in the file.
  std::uint64_t Add(std::string_view bytes, std::uint64_t alignment = 8);
  /// A value representation.
  static std::uint64_t Code(unsigned type, std::uint64_t payload) {
    return std::uint64_t{type} << 48 | payload;
  }
  static std::uint64_t Inlined(unsigned type, std::uint64_t payload) {
    return Code(type, payload) | 1ull << 62;
  }
  static std::uint64_t Array(unsigned type, std::uint64_t payload) {
    return Code(type, payload) | 1ull << 63;
  }
  static std::uint64_t Packed(unsigned type, std::uint64_t payload) {
    return Array(type, payload) | 1ull << 61;
  }
  /// A run of fields, as (name, code); gives where it starts.
  std::uint32_t Set(const std::vector<std::pair<std::string, std::uint64_t>>& named);

  /// The whole file.
  std::vector<std::byte> Bytes() const;
};

/// The root with the prim /A, whose attributes x0, x1, … have these types and default values.
CrateBuilder CrateWithAttributes(
    const std::vector<std::pair<std::string, std::uint64_t>>& attributes,
    CrateBuilder builder = {});

}  // namespace flexor::test
