#include "io/base64.h"

#include <array>
#include <optional>
#include <utility>

namespace flexor::io {
namespace {

constexpr std::uint8_t kNotADigit = 255;
constexpr std::uint8_t kWhiteSpace = 254;
constexpr std::uint8_t kPadding = 253;

constexpr std::array<std::uint8_t, 256> MakeTable() {
  std::array<std::uint8_t, 256> table{};
  for (auto& entry : table) entry = kNotADigit;
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    table[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  }
  for (const char c : {' ', '\t', '\r', '\n'}) table[static_cast<unsigned char>(c)] = kWhiteSpace;
  table[static_cast<unsigned char>('=')] = kPadding;
  return table;
}
constexpr std::array<std::uint8_t, 256> kTable = MakeTable();

std::string Character(char c) {
  const auto code = static_cast<unsigned char>(c);
  if (code > 32 && code < 127) return std::string("'") + c + "'";
  return "the byte " + std::to_string(code);
}

Error BadText(std::string message) { return {ErrorCode::kParse, std::move(message), {}}; }

}  // namespace

Result<Base64Bytes> DecodeBase64(std::string_view text, Base64Mode mode, MemoryBudget& budget) {
  const bool strict = mode == Base64Mode::kStrict;
  FLEXOR_TRY(budget.Charge(text.size() / 4 + 1, 3, "base64 data"));
  Base64Bytes result;
  result.bytes.reserve((text.size() / 4 + 1) * 3);
  bool white_space = false, url_alphabet = false;
  std::uint32_t bits = 0;
  unsigned digits = 0;  // of the group of four that is being read
  unsigned padding = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::uint8_t value = kTable[static_cast<unsigned char>(text[i])];
    if (value == kNotADigit && !strict && (text[i] == '-' || text[i] == '_')) {
      url_alphabet = true;
      value = text[i] == '-' ? 62 : 63;
    }
    if (value == kWhiteSpace && !strict) {
      white_space = true;
      continue;
    }
    if (value == kPadding) {
      ++padding;
      if (digits < 2 || digits + padding > 4) {
        return BadText("base64 has '=' at character " + std::to_string(i) +
                       ", where a group of four cannot end");
      }
      continue;
    }
    if (value >= kPadding) {
      return BadText("base64 has " + Character(text[i]) + " at character " + std::to_string(i) +
                     ", which is none of its 64 digits");
    }
    if (padding != 0) {
      return BadText("base64 goes on at character " + std::to_string(i) + " after its '='");
    }
    bits = bits << 6 | value;
    if (++digits == 4) {
      result.bytes.push_back(static_cast<std::byte>(bits >> 16 & 0xff));
      result.bytes.push_back(static_cast<std::byte>(bits >> 8 & 0xff));
      result.bytes.push_back(static_cast<std::byte>(bits & 0xff));
      bits = 0;
      digits = 0;
    }
  }
  if (digits == 1) {
    return BadText("base64 of " + std::to_string(text.size()) +
                   " characters ends with a single digit, which holds no whole byte");
  }
  const bool short_padding = digits != 0 && digits + padding != 4;
  if (short_padding && strict) {
    return BadText("base64 of " + std::to_string(text.size()) + " characters lacks its final '='");
  }
  bool spare_bits = false;
  if (digits == 2) {
    spare_bits = (bits & 0xf) != 0;
    result.bytes.push_back(static_cast<std::byte>(bits >> 4 & 0xff));
  } else if (digits == 3) {
    spare_bits = (bits & 0x3) != 0;
    result.bytes.push_back(static_cast<std::byte>(bits >> 10 & 0xff));
    result.bytes.push_back(static_cast<std::byte>(bits >> 2 & 0xff));
  }
  if (spare_bits && strict) return BadText("base64 ends with bits that belong to no byte");

  const auto forgive = [&](bool seen, std::string_view what) {
    if (!seen) return;
    if (!result.irregularity.empty()) result.irregularity += ", ";
    result.irregularity += what;
  };
  forgive(white_space, "white space");
  forgive(url_alphabet, "the URL alphabet");
  forgive(short_padding, "missing padding");
  forgive(spare_bits, "bits that belong to no byte");
  return result;
}

}  // namespace flexor::io
