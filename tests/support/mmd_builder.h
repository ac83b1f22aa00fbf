/// @file tests/support/mmd_builder.h
/// MikuMikuDance files made by hand, byte by byte, and what they must read as. The bytes do not
/// come from flexor's writers, so that reader and writer cannot be wrong in the same way unnoticed.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flexor/io/mmd/pmx.h"

namespace flexor::test {

/// Little-endian bytes under construction, with names for places that a test wants to break.
struct MmdBytes {
  std::vector<std::byte> bytes;
  std::map<std::string, std::size_t> at;

  MmdBytes& Mark(const std::string& name) {
    at[name] = bytes.size();
    return *this;
  }
  MmdBytes& Int(std::uint64_t value, int width) {
    for (int i = 0; i < width; ++i)
      bytes.push_back(static_cast<std::byte>(value >> (8 * i) & 0xff));
    return *this;
  }
  MmdBytes& U8(std::uint64_t value) { return Int(value, 1); }
  MmdBytes& U16(std::uint64_t value) { return Int(value, 2); }
  MmdBytes& I32(std::int64_t value) { return Int(static_cast<std::uint64_t>(value), 4); }
  MmdBytes& F(std::initializer_list<float> values) {
    for (const float value : values) Int(std::bit_cast<std::uint32_t>(value), 4);
    return *this;
  }
  MmdBytes& Raw(std::string_view text) {
    for (const char c : text) U8(static_cast<unsigned char>(c));
    return *this;
  }
  /// Text in a field of that many bytes, NUL after it.
  MmdBytes& Field(std::string_view text, std::size_t width) {
    for (std::size_t i = 0; i < width; ++i) {
      U8(i < text.size() ? static_cast<unsigned char>(text[i]) : 0);
    }
    return *this;
  }
  /// Overwrites a number at a marked place.
  void Patch(const std::string& name, std::uint64_t value, int width, std::size_t skip = 0);
  void PatchFloat(const std::string& name, float value, std::size_t skip = 0) {
    Patch(name, std::bit_cast<std::uint32_t>(value), 4, skip);
  }
  std::span<const std::byte> span() const { return bytes; }
};

/// How FullPmx is stored.
struct PmxStorage {
  io::mmd::PmxVersion version = io::mmd::PmxVersion::k21;
  io::mmd::PmxEncoding encoding = io::mmd::PmxEncoding::kUtf16;
  io::mmd::PmxWidths widths;
  std::uint8_t uvs = 1;
};

/// A model with a bit of everything: every weight type, bone block, kind of morph, shape, joint
/// and, in 2.1, a soft body. Marks: "globals", counts such as "bones", elements such as "bone 1",
/// and fields such as "bone 1 parent".
MmdBytes FullPmx(const PmxStorage& storage = {});

/// What FullPmx reads as.
io::mmd::PmxModel FullModel(const PmxStorage& storage = {});

/// A PMD with a bone of every type, two IK chains of one goal, a knee, a base and two morphs, an
/// English block, toons, two bodies and a joint. Marks as in FullPmx.
MmdBytes FullPmd();

/// A VMD with two keys in each of the six lists, of either signature. Marks: the counts, by the
/// names "bone keys", "morph keys", "camera keys", "light keys", "self shadow keys", "property
/// keys", and "end".
MmdBytes FullVmd(bool old_signature = false);

}  // namespace flexor::test
