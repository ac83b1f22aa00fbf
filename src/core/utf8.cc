#include "flexor/core/utf8.h"

namespace flexor {

std::size_t Utf8SequenceLength(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = at(0);
  if (lead < 0x80) return 1;
  std::size_t length = 0;
  std::uint8_t low = 0x80, high = 0xBF;  // bounds of the second byte
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return 0;
  }
  if (text.size() < length || at(1) < low || at(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (at(i) < 0x80 || at(i) > 0xBF) return 0;
  }
  return length;
}

void AppendUtf8(std::string& text, std::uint32_t code) {
  const auto add = [&](std::uint32_t byte) { text += static_cast<char>(byte & 0xffu); };
  if (code < 0x80) {
    add(code);
  } else if (code < 0x800) {
    add(0xc0u | code >> 6);
    add(0x80u | (code & 0x3fu));
  } else if (code < 0x10000) {
    add(0xe0u | code >> 12);
    add(0x80u | (code >> 6 & 0x3fu));
    add(0x80u | (code & 0x3fu));
  } else {
    add(0xf0u | code >> 18);
    add(0x80u | (code >> 12 & 0x3fu));
    add(0x80u | (code >> 6 & 0x3fu));
    add(0x80u | (code & 0x3fu));
  }
}

std::uint32_t DecodeUtf8(std::string_view text, std::size_t length) {
  constexpr std::uint32_t kLeadBits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  std::uint32_t code = static_cast<unsigned char>(text[0]) & kLeadBits[length];
  for (std::size_t i = 1; i < length; ++i) {
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3fu);
  }
  return code;
}

std::uint32_t TakeUtf8(std::string_view& text) {
  const std::size_t length = Utf8SequenceLength(text);
  const std::uint32_t code = length == 0 ? kReplacementCharacter : DecodeUtf8(text, length);
  text.remove_prefix(length == 0 ? 1 : length);
  return code;
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = Utf8SequenceLength(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string RepairedUtf8(std::string_view text, std::size_t* out_bad) {
  std::string repaired;
  repaired.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = Utf8SequenceLength(text);
    if (length == 0) {
      AppendUtf8(repaired, kReplacementCharacter);
      if (out_bad != nullptr) ++*out_bad;
    } else {
      repaired.append(text.substr(0, length));
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return repaired;
}

std::string_view Utf8Prefix(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0u) == 0x80u) --most;
  return text.substr(0, most);
}

}  // namespace flexor
