#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "flexor/core/utf8.h"
#include "flexor/io/mmd/text_cp932.h"

#include "io/mmd/utf16.h"

namespace flexor::io::mmd {
namespace {

#include "io/mmd/cp932_table.inc"

constexpr std::size_t kTrails = 188;  // 0x40..0x7e and 0x80..0xfc
constexpr std::uint32_t kPrivateFirst = 0xe000;
constexpr std::uint8_t kPrivateLead = 0xf0, kPrivateLastLead = 0xf9;

bool IsLead(std::uint8_t byte) {
  return (byte >= 0x81 && byte <= 0x9f) || (byte >= 0xe0 && byte <= 0xfc);
}

/// Which of the 188 trail bytes it is.
std::optional<std::size_t> TrailNumber(std::uint8_t byte) {
  if (byte >= 0x40 && byte <= 0x7e) return byte - 0x40u;
  if (byte >= 0x80 && byte <= 0xfc) return byte - 0x41u;
  return std::nullopt;
}

std::uint8_t TrailByte(std::size_t number) {
  return static_cast<std::uint8_t>(number + (number < 0x3f ? 0x40 : 0x41));
}

/// The character of two bytes, 0 for none.
std::uint32_t CharacterOf(std::uint8_t lead, std::uint8_t trail) {
  const auto number = TrailNumber(trail);
  if (!number) return 0;
  if (lead >= kPrivateLead && lead <= kPrivateLastLead) {
    return kPrivateFirst + static_cast<std::uint32_t>((lead - kPrivateLead) * kTrails + *number);
  }
  // Row of each lead byte in the table, counted from 1.
  static const std::array<std::uint8_t, 256> rows = [] {
    std::array<std::uint8_t, 256> made{};
    std::uint8_t row = 0;
    for (const std::uint8_t one : kCp932Leads) made[one] = ++row;
    return made;
  }();
  const std::size_t row = rows[lead];
  return row == 0 ? 0 : kCp932[(row - 1) * kTrails + *number];
}

/// The character of a byte that stands alone, or the replacement for none. As Windows has it: the
/// half-width kana, and private characters for four bytes that mean nothing else.
std::uint32_t CharacterOf(std::uint8_t byte) {
  if (byte <= 0x80) return byte;
  if (byte >= 0xa1 && byte <= 0xdf) return 0xff61u + byte - 0xa1u;
  if (byte == 0xa0) return 0xf8f0;
  if (byte >= 0xfd) return 0xf8f1u + byte - 0xfdu;
  return kReplacementCharacter;
}

struct Pair {
  std::uint16_t code, bytes;
};

/// All characters of two bytes with the bytes they are written as, sorted.
const std::vector<Pair>& Pairs() {
  static const std::vector<Pair> pairs = [] {
    std::vector<Pair> made;
    const std::span second(kCp932Second);
    std::size_t at = 0;
    for (const std::uint8_t lead : kCp932Leads) {
      for (std::size_t trail = 0; trail < kTrails; ++trail, ++at) {
        if (kCp932[at] == 0) continue;
        const auto bytes = static_cast<std::uint16_t>(lead << 8 | TrailByte(trail));
        if (!std::binary_search(second.begin(), second.end(), bytes)) {
          made.push_back({kCp932[at], bytes});
        }
      }
    }
    for (std::size_t i = 0; i < std::size(kCp932Near); i += 2) {
      made.push_back({kCp932Near[i], kCp932Near[i + 1]});
    }
    std::sort(made.begin(), made.end(),
              [](const Pair& a, const Pair& b) { return a.code < b.code; });
    return made;
  }();
  return pairs;
}

/// One or two bytes; 0 for none, except that U+0000 is itself.
std::optional<std::uint16_t> BytesOf(std::uint32_t code) {
  if (code <= 0x80) return static_cast<std::uint16_t>(code);
  if (code >= 0xff61 && code <= 0xff9f) return static_cast<std::uint16_t>(code - 0xff61 + 0xa1);
  if (code == 0xf8f0) return static_cast<std::uint16_t>(0xa0);
  if (code >= 0xf8f1 && code <= 0xf8f3) return static_cast<std::uint16_t>(code - 0xf8f1 + 0xfd);
  constexpr std::uint32_t kPrivateCount = (kPrivateLastLead - kPrivateLead + 1) * kTrails;
  if (code >= kPrivateFirst && code < kPrivateFirst + kPrivateCount) {
    const std::uint32_t number = code - kPrivateFirst;
    return static_cast<std::uint16_t>((kPrivateLead + number / kTrails) << 8 |
                                      TrailByte(number % kTrails));
  }
  const auto& pairs = Pairs();
  const auto found =
      std::lower_bound(pairs.begin(), pairs.end(), code,
                       [](const Pair& pair, std::uint32_t sought) { return pair.code < sought; });
  if (found == pairs.end() || found->code != code) return std::nullopt;
  return found->bytes;
}

}  // namespace

Cp932Decoded DecodeCp932(std::string_view bytes) {
  Cp932Decoded decoded;
  decoded.text.reserve(bytes.size() * 3 / 2);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<std::uint8_t>(bytes[i]);
    std::uint32_t code = 0;
    if (IsLead(byte)) {
      if (i + 1 < bytes.size()) code = CharacterOf(byte, static_cast<std::uint8_t>(bytes[i + 1]));
      if (code != 0) {
        ++i;
      } else {
        code = kReplacementCharacter;
      }
    } else {
      code = CharacterOf(byte);
    }
    if (code == kReplacementCharacter) ++decoded.bad_bytes;
    AppendUtf8(decoded.text, code);
  }
  return decoded;
}

Cp932Encoded EncodeCp932(std::string_view utf8) {
  Cp932Encoded encoded;
  encoded.bytes.reserve(utf8.size());
  while (!utf8.empty()) {
    const std::size_t length = Utf8SequenceLength(utf8);
    const auto bytes = length == 0 ? std::nullopt : BytesOf(DecodeUtf8(utf8, length));
    if (!bytes) {
      encoded.bytes += '?';
      ++encoded.lost;
    } else {
      if (*bytes > 0xff) encoded.bytes += static_cast<char>(*bytes >> 8);
      encoded.bytes += static_cast<char>(*bytes & 0xff);
    }
    utf8.remove_prefix(length == 0 ? 1 : length);
  }
  return encoded;
}

std::string MatchBytes(std::string_view utf8_name) {
  std::string bytes = EncodeCp932(utf8_name).bytes;
  bytes.resize(CutForMatch(bytes).size());
  return bytes;
}

std::string_view CutForMatch(std::string_view cp932_name) {
  return cp932_name.substr(0, kVmdNameBytes);
}

}  // namespace flexor::io::mmd
