/// @file io/mmd/text_cp932.h
/// CP932, Microsoft's Shift-JIS, the text of PMD, VMD and VPD. By a table of our own, so that it is
/// the same on every machine. docs/dependencies.md says why.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "flexor/core/export.h"

namespace flexor::io::mmd {

/// How long names of bones and morphs are in motions, bytes.
inline constexpr std::size_t kVmdNameBytes = 15;

/// Text made from CP932 bytes.
struct Cp932Decoded {
  std::string text{};         ///< UTF-8, always well formed
  std::size_t bad_bytes = 0;  ///< bytes that mean nothing, each replaced by U+FFFD
};

/// Decodes all bytes, NUL included; never fails. A lead byte without its second byte counts as bad
/// and the byte after it is read on its own.
FLEXOR_API Cp932Decoded DecodeCp932(std::string_view bytes);

/// Bytes made from UTF-8 text.
struct Cp932Encoded {
  std::string bytes{};
  std::size_t lost = 0;  ///< characters that CP932 lacks, each replaced by '?'
};

/// Encodes. Where several bytes mean one character, those that Windows writes are taken. Bad UTF-8
/// counts as lost, one for each byte.
FLEXOR_API Cp932Encoded EncodeCp932(std::string_view utf8);

/// The bytes by which a bone or morph of that name is found in a motion: encoded and cut to
/// kVmdNameBytes, in the middle of a character if need be. For names that came as CP932 in the
/// first place use CutForMatch on those bytes.
FLEXOR_API std::string MatchBytes(std::string_view utf8_name);

/// The first kVmdNameBytes bytes.
FLEXOR_API std::string_view CutForMatch(std::string_view cp932_name);

}  // namespace flexor::io::mmd
